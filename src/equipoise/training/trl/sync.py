"""Whether the engine that plays has the weights that are trained.

TRL streams the weights to vLLM tensor by tensor. A :class:`SyncWatch` takes the fingerprint of each as it
goes by; where the engine's own tensors can be read (``vllm_mode = "colocate"``) they must have the same
ones. vLLM fuses some layers (``qkv_proj``): fingerprints can be joined, so a fused tensor is compared with
its parts. A server's tensors cannot be read from here; there the gap between the log-probabilities of sampler
and trainer (:class:`GapWatch`), measured on every batch, is the only check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from equipoise.errors import EquipoiseError

__all__ = ["Fingerprint", "GapWatch", "SyncWatch", "compare", "fingerprint"]

_WRAP = 1 << 64
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Two sums over the bits of a tensor's numbers, in order, that differ if any number does.

    The second weighs each number with its place. Both can be computed where the tensor lies, and the
    fingerprint of two tensors one after the other follows from theirs. It finds mistakes, not attacks.

    Attributes:
        size: How many numbers.
        plain: Σ bits, modulo 2^64.
        placed: Σ bits · place, modulo 2^64.
    """

    size: int
    plain: int
    placed: int

    def __add__(self, other: Fingerprint) -> Fingerprint:
        """Return the fingerprint of the two tensors one after the other."""
        moved = other.placed + self.size * other.plain
        return Fingerprint(
            self.size + other.size, (self.plain + other.plain) % _WRAP, (self.placed + moved) % _WRAP
        )


def fingerprint(tensor: torch.Tensor) -> Fingerprint:
    """Return the fingerprint of a tensor's numbers, in row-major order."""
    flat = tensor.detach().contiguous().reshape(-1)
    bits = flat.view(_BITS[flat.element_size()]).to(torch.int64)
    place = torch.arange(len(bits), device=bits.device)
    # Sums of int64 wrap around, which is the arithmetic modulo 2^64 that is wanted.
    return Fingerprint(len(bits), int(bits.sum()) % _WRAP, int((bits * place).sum()) % _WRAP)


def compare(
    sent: Mapping[str, Fingerprint],
    engine: Iterable[tuple[str, torch.Tensor]],
    packed: Mapping[str, Sequence[str]],
) -> tuple[int, int]:
    """Compare what was sent with what the engine has.

    Args:
        sent: Fingerprint of every tensor that was sent, in the engine's type of number.
        engine: The engine's tensors by name.
        packed: For each fused layer of the engine the layers it is made of, in order.

    Returns:
        How many tensors of the engine were compared, and how many have no counterpart.

    Raises:
        EquipoiseError: A tensor differs, or none could be compared.
    """
    found = left = 0
    for name, tensor in engine:
        wanted = _wanted(name, sent, packed)
        if wanted is None or wanted.size > tensor.numel():
            left += 1
            continue
        # Engines round vocabularies up: the rows beyond are theirs.
        if fingerprint(tensor.detach().reshape(-1)[: wanted.size]) != wanted:
            raise EquipoiseError(
                f"the generation engine does not have the weights that are trained: {name} differs after the "
                "sync; this is a fault of engine and trainer together, do not train on its samples"
            )
        found += 1
    if not found:
        raise EquipoiseError(
            "none of the generation engine's weights could be compared with the trained ones"
        )
    return found, left


def _wanted(
    name: str, sent: Mapping[str, Fingerprint], packed: Mapping[str, Sequence[str]]
) -> Fingerprint | None:
    if name in sent:
        return sent[name]
    for fused, parts in packed.items():
        if f".{fused}." in name:
            names = [name.replace(f".{fused}.", f".{part}.") for part in parts]
            if all(one in sent for one in names):
                whole = sent[names[0]]
                for one in names[1:]:
                    whole = whole + sent[one]
                return whole
    return None


class SyncWatch:
    """Checks every sync of TRL's ``VLLMGeneration``.

    Attributes:
        compared: Tensors compared at the last sync; 0 where the engine cannot be read.
        left_out: Tensors of the engine that have no counterpart.
    """

    def __init__(self, generation: Any) -> None:
        """Listen to what an engine is sent from now on.

        Args:
            generation: ``trainer.vllm_generation``.
        """
        self.generation = generation
        self.compared = self.left_out = 0
        self._sent: dict[str, Fingerprint] = {}
        self._stream: Callable[[], Iterator[tuple[str, torch.Tensor]]] = generation._iter_named_params
        generation._iter_named_params = self._watched

    @property
    def model(self) -> Any:
        """The engine's model, or None where it cannot be read from this process."""
        if self.generation.mode != "colocate":
            return None
        return self.generation.llm.llm_engine.model_executor.driver_worker.model_runner.model

    def sync(self) -> None:
        """Send the weights and check that they have arrived.

        Raises:
            EquipoiseError: They have not.
        """
        self._sent.clear()
        self.generation.sync_weights()
        model = self.model
        if model is not None:
            packed = getattr(model, "packed_modules_mapping", None) or {}
            self.compared, self.left_out = compare(self._sent, model.named_parameters(), packed)

    def _watched(self) -> Iterator[tuple[str, torch.Tensor]]:
        model = self.model
        kinds = {} if model is None else {name: p.dtype for name, p in model.named_parameters()}
        usual = next(iter(kinds.values()), None)
        for name, parameter in self._stream():
            if model is not None:
                self._sent[name] = fingerprint(parameter.detach().to(kinds.get(name, usual)))
            yield name, parameter


class GapWatch:
    """Keeps the gaps between the log-probabilities of sampler and trainer, token by token.

    Attributes:
        limit: The mean gap in nats at which training stops.
    """

    def __init__(self, limit: float) -> None:
        """Take the limit."""
        self.limit = limit
        self._total = self._count = self._largest = 0.0

    def add(self, trained: torch.Tensor, sampled: torch.Tensor, mask: torch.Tensor) -> None:
        """Take in some tokens, all three (B, T)."""
        gaps = ((trained.detach() - sampled) * mask).abs()
        self._total += float(gaps.sum())
        self._count += float(mask.sum())
        self._largest = max(self._largest, float(gaps.max()))

    def close(self, reduce: Callable[[list[float]], list[list[float]]]) -> dict[str, float]:
        """Return ``sampler_gap`` (mean) and ``sampler_gap_max`` of the step, and begin the next one.

        Args:
            reduce: Gathers the sums of all ranks.

        Raises:
            EquipoiseError: The mean is above the limit, or not a number.
        """
        sums = reduce([self._total, self._count, self._largest])
        self._total = self._count = self._largest = 0.0
        mean = sum(total for total, _, _ in sums) / max(sum(count for _, count, _ in sums), 1.0)
        if not mean <= self.limit:
            raise EquipoiseError(
                f"sampler and trainer differ by {mean:.3g} nats a token (max_sampler_gap = {self.limit:g}): "
                "the policy that plays is not the one that is trained; use dtype float32, or raise the limit "
                "if that is the rounding of your model; the last checkpoint is kept"
            )
        return {"sampler_gap": mean, "sampler_gap_max": max(largest for _, _, largest in sums)}
