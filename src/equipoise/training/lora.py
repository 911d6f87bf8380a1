"""A language model with a LoRA adapter as a learner of decisions (``choose``; see ``tokens`` for text)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

import torch

from equipoise.errors import RequestError
from equipoise.policies.base import Policy
from equipoise.policies.local.copies import FrozenCopy
from equipoise.policies.local.families import family_of
from equipoise.policies.local.loading import LoadedModel, load_spec, split_spec
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.question import Question
from equipoise.policies.local.scoring import ActionScorer
from equipoise.policies.local.strategist import FrozenStrategist
from equipoise.training.batch import Batch
from equipoise.training.config import LoraSettings
from equipoise.training.optimiser import Optimiser
from equipoise.types import Choice, Decision

__all__ = ["Adapted", "AdapterLearner", "LocalLearner", "adapted_policy"]

REFERENCE = "reference"


def adapted_policy(
    spec: str,
    lora: LoraSettings,
    seed: int,
    name: str,
    *,
    quiet: bool = False,
    player: Mapping[str, Any] | None = None,
    **settings: Any,
) -> LocalPolicy:
    """Load a model with a trainable adapter: the one the spec names, or a fresh one.

    Args:
        spec: Policy spec of a local model; with ``+ADAPTER`` training goes on from there, and a frozen copy
            of that adapter is kept as the reference.
        lora: Shape of a fresh adapter.
        seed: Seed of a fresh adapter's weights.
        name: Name of the policy.
        quiet: Show no progress.
        player: Settings of the policy (mode, temperature, budgets).
        settings: Further settings of the model (dtype, device, threads).
    """
    from dataclasses import replace

    from peft import LoraConfig, get_peft_model

    loaded = load_spec(spec, trainable=True, quiet=quiet, **settings)
    if hasattr(loaded.model, "peft_config"):
        loaded.model.load_adapter(split_spec(spec)[1], adapter_name=REFERENCE)
        loaded.model.set_adapter("default")
        return LocalPolicy(loaded, name=name, **(player or {}))
    targets = family_of(loaded.model.config).lora_targets(lora.targets)
    shape = LoraConfig(r=lora.rank, lora_alpha=lora.alpha, target_modules=targets, task_type="CAUSAL_LM")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        try:
            model = get_peft_model(loaded.model, shape).eval()
        except ValueError as error:
            reason = str(error).splitlines()[0]
            raise RequestError(f"lora.targets = {lora.targets!r} do not fit {spec!r}: {reason}") from None
    return LocalPolicy(replace(loaded, model=model), name=name, **(player or {}))


class Adapted(Protocol):
    """A policy behind which a language model with a trainable adapter stands."""

    loaded: LoadedModel
    scorer: ActionScorer
    temperature: float
    mode: str

    @property
    def version(self) -> int:
        """Training step."""
        ...

    @version.setter
    def version(self, step: int) -> None: ...

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer decisions."""
        ...

    def frozen(self, folder: Path, name: str) -> Policy:
        """Return a policy with the weights of a folder in place of those that are trained."""
        ...

    def clear(self) -> None:
        """Forget what the old weights said."""
        ...

    def forget(self) -> None:
        """Forget what was computed before."""
        ...


P = TypeVar("P", bound=Adapted)


class AdapterLearner(Generic[P]):
    """What learners of an adapter share: weights, optimiser, reference, and how far a step may go."""

    def __init__(self, policy: P, max_grad_norm: float, max_step_kl: float) -> None:
        """Take the policy; its start is the reference of the KL term.

        Args:
            policy: The policy, with a trainable adapter.
            max_grad_norm: Gradients are scaled down to this norm.
            max_step_kl: A step is halved until the policy has moved by at most this KL divergence.
        """
        self.max_step_kl = max_step_kl
        self.policy: P = policy
        self.model = policy.loaded.model
        self.optimiser = Optimiser(self.model, max_grad_norm)

    def forget(self) -> None:
        """Drop the scored table."""
        self.policy.forget()

    def frozen(self, folder: Path, name: str) -> Policy:
        """Return the adapter of a folder, beside the one that is trained (see ``Learner``)."""
        return self.policy.frozen(folder, name)

    def drop(self, policy: Policy) -> None:
        """Take the adapter of a frozen copy out of the model."""
        assert isinstance(policy, FrozenCopy | FrozenStrategist)
        policy.close()

    def save_weights(self, folder: Path) -> None:
        """Write the adapter."""
        save_adapter(self.model, folder)

    def save_state(self, folder: Path) -> dict[str, Any]:
        """Write the optimiser; return what fits JSON."""
        self.optimiser.save(folder / "optimiser.safetensors")
        return {"steps": self.optimiser.steps, "version": self.policy.version}

    def load(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Take back adapter and optimiser."""
        load_adapter(self.model, folder)
        self.optimiser.load(folder / "optimiser.safetensors", int(state["steps"]))
        self.policy.clear()
        self.policy.version = int(state["version"])

    def _step(self, lr: float, totals: Mapping[str, float], moved: Callable[[], float]) -> dict[str, float]:
        """Make the step that the gradients ask for; skip it where they are not finite.

        The first steps of Adam have the size of the learning rate in every weight, however noisy the
        gradient; without a limit one bad batch can make the policy deterministic, where nothing is left
        to learn from. The step is therefore halved until the policy has moved by at most ``max_step_kl``.

        Args:
            lr: Learning rate.
            totals: What is known of the batch.
            moved: Returns KL(old policy ‖ new policy), averaged over the visited decisions.
        """
        kept = self.optimiser.keep()
        norm = self.optimiser.step(lr)
        self.policy.clear()
        if norm is None:
            known = {name: value for name, value in totals.items() if math.isfinite(value)}
            return {**known, "skipped": 1.0}
        stats = {**totals, "skipped": 0.0, "grad_norm": norm, "step_taken": 1.0}
        while True:
            stats["step_kl"] = moved()
            if stats["step_kl"] <= self.max_step_kl or stats["step_taken"] < 1e-3:
                return stats
            self.optimiser.shrink(kept, 0.5)
            stats["step_taken"] *= 0.5

    @contextmanager
    def _as_reference(self) -> Iterator[None]:
        if REFERENCE in self.model.peft_config:
            self.model.set_adapter(REFERENCE)
            try:
                yield
            finally:
                self.model.set_adapter("default")
        else:
            with self.model.disable_adapter():
                yield


class LocalLearner(AdapterLearner[LocalPolicy]):
    """Trains the adapter of a local policy in ``choose`` mode.

    The loss is computed on the same renormalised log-probabilities that the policy acts on, every distinct
    question scored once; AdamW without weight decay makes the step.
    """

    wants: Literal["batch"] = "batch"

    def __init__(
        self, policy: LocalPolicy, max_grad_norm: float = 1.0, rows: int = 32, max_step_kl: float = math.inf
    ) -> None:
        """Take the policy; its start is the reference of the KL term.

        Args:
            policy: The policy, with a trainable adapter.
            max_grad_norm: Gradients are scaled down to this norm.
            rows: Largest number of questions of one pass with gradients.
            max_step_kl: A step is halved until the policy has moved by at most this KL divergence.
        """
        super().__init__(policy, max_grad_norm, max_step_kl)
        self.rows = rows
        self._references: dict[Question, tuple[float, ...]] = {}

    def update(self, batch: Batch, lr: float, kl: float, entropy: float) -> dict[str, float]:
        """Move the adapter one step (see ``Learner``); a gradient that is not finite makes none."""
        rows = self._merge(batch)
        questions = list(rows)
        references = self._reference(questions)
        before: dict[Question, torch.Tensor] = {}
        totals = {"kl": 0.0, "entropy": 0.0, "sampler_gap": 0.0}
        for start in range(0, len(questions), self.rows):
            chunk = questions[start : start + self.rows]
            loss = torch.zeros((), device=self.model.device)
            for question, logs in zip(chunk, self.policy.scorer.log_probabilities(chunk), strict=True):
                logs = torch.log_softmax(logs / self.policy.temperature, dim=-1)
                loss = loss + self._loss(logs, rows[question], references[question], kl, entropy, totals)
                self._compare(question, logs, float(rows[question][2, 0]), totals)
                before[question] = logs.detach()
            loss.backward()
        return self._step(lr, totals, lambda: self._moved(rows, before))

    def save_state(self, folder: Path) -> dict[str, Any]:
        """Write the optimiser; return the reference's scores, so that a resumed run uses the same."""
        references = {q.key: list(row) for q, row in self._references.items()}
        return {**super().save_state(folder), "references": references}

    def load(self, folder: Path, state: Mapping[str, Any]) -> None:
        """Take back adapter, optimiser and reference scores."""
        self._references = {Question.from_key(k): tuple(row) for k, row in state["references"].items()}
        super().load(folder, state)

    def _moved(self, rows: Mapping[Question, torch.Tensor], before: Mapping[Question, torch.Tensor]) -> float:
        """Return KL(old policy ‖ new policy), averaged over the visited decisions."""
        questions = list(before)
        with torch.no_grad():
            after = self.policy.scorer.log_probabilities(questions)
        total = 0.0
        for question, logs in zip(questions, after, strict=True):
            new, old = torch.log_softmax(logs / self.policy.temperature, dim=-1), before[question]
            total += float(rows[question][2, 0] * (old.exp() * (old - new)).sum())
        return total

    def _merge(self, batch: Batch) -> dict[Question, torch.Tensor]:
        """Add up the weights of decisions that the model cannot tell apart: (3, A) log, prob, visits."""
        rows: dict[Question, torch.Tensor] = {}
        for i, decision in enumerate(batch.decisions):
            size = len(decision.legal or ())
            row = torch.zeros((3, size), dtype=torch.float32, device=self.model.device)
            row[0] = torch.tensor(batch.log_weights[i, :size])
            row[1] = torch.tensor(batch.prob_weights[i, :size])
            row[2] = float(batch.visits[i])
            question = self.policy.question(decision)
            rows[question] = rows[question] + row if question in rows else row
        return rows

    def _loss(
        self,
        logs: torch.Tensor,
        row: torch.Tensor,
        reference: tuple[float, ...],
        kl: float,
        entropy: float,
        totals: dict[str, float],
    ) -> torch.Tensor:
        p, share = logs.exp(), row[2, 0]
        divergence = (p * (logs - torch.tensor(reference, device=logs.device))).sum()
        spread = -(p * logs).sum()
        totals["kl"] += float((share * divergence).detach())
        totals["entropy"] += float((share * spread).detach())
        gain = (row[0] * logs).sum() + (row[1] * p).sum()
        return -gain + share * (kl * divergence - entropy * spread)

    def _compare(
        self, question: Question, logs: torch.Tensor, share: float, totals: dict[str, float]
    ) -> None:
        """Add up by how much log-probabilities differ from those that were sampled from, in expectation."""
        known = self.policy.known(question)
        if known is not None:
            pairs = zip(known, logs.tolist(), strict=True)
            totals["sampler_gap"] += share * sum(p * abs(math.log(p) - log) for p, log in pairs if p > 0.0)

    def _reference(self, questions: Sequence[Question]) -> dict[Question, tuple[float, ...]]:
        missing = [question for question in questions if question not in self._references]
        if missing:
            with torch.no_grad(), self._as_reference():
                self.policy.scorer.clear()
                found = self.policy.scorer.log_probabilities(missing)
            self.policy.scorer.clear()
            for question, logs in zip(missing, found, strict=True):
                row = torch.log_softmax(logs / self.policy.temperature, dim=-1)
                self._references[question] = tuple(row.tolist())
        return self._references


def save_adapter(model: Any, folder: Path, weights: Mapping[str, Any] | None = None) -> None:
    """Write the trained adapter, safetensors and JSON, as ``+ADAPTER`` reads it.

    Args:
        model: A model with adapters.
        folder: Where to.
        weights: The model's weights, where they had to be gathered from several devices.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = get_peft_model_state_dict(
        model, state_dict=weights, adapter_name="default", save_embedding_layers=False
    )
    tensors = {key: value.detach().cpu().contiguous() for key, value in state.items()}
    save_file(tensors, str(folder / "adapter_model.safetensors"), metadata={"format": "pt"})
    # Sets come in another order in every process, and the model's folder is nobody's business.
    config = copy(model.peft_config["default"])
    if not isinstance(config.target_modules, str):
        config.target_modules = sorted(config.target_modules)
    config.base_model_name_or_path = None
    config.save_pretrained(str(folder))


def load_adapter(model: Any, folder: Path) -> None:
    """Read the trained adapter back into a model that has one."""
    from peft import set_peft_model_state_dict
    from safetensors.torch import load_file

    state = load_file(str(folder / "adapter_model.safetensors"))
    set_peft_model_state_dict(model, state, adapter_name="default")
