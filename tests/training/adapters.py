"""Tiny policies with adapters, batches for them, and the gradient a step would take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from equipoise.games.registry import make_game
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.batch import Batch
from equipoise.training.config import LoraSettings
from equipoise.training.lora import LocalLearner, adapted_policy
from equipoise.types import Decision
from tests.helpers import every_decision

Array = NDArray[np.float64]
FREE = 1e9
"""A norm that nothing is clipped at."""


def new_policy(seed: int = 0, stir: float = 0.3, spec: str = "tiny-random") -> LocalPolicy:
    """A tiny policy whose adapter already does something (a fresh one is the identity)."""
    policy = adapted_policy(spec, LoraSettings(rank=4), seed, "test", quiet=True)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in trainable(policy):
            weight += stir * 0.1 * torch.randn(weight.shape, generator=generator)
    policy.clear()
    return policy


def trainable(policy: LocalPolicy) -> list[torch.nn.Parameter]:
    return [p for p in policy.loaded.model.parameters() if p.requires_grad]


def weights(policy: LocalPolicy, adapter: str) -> dict[str, torch.Tensor]:
    """Copy the weights of an adapter, or of the model below it (``base``)."""
    return {
        name: p.detach().clone()
        for name, p in policy.loaded.model.named_parameters()
        if (f".{adapter}." in name if adapter != "base" else "lora_" not in name)
    }


def equal(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def small_decisions() -> tuple[Decision, ...]:
    """All decisions of a hand of poker and of two rounds of the dilemma, each once."""
    found: dict[Any, Decision] = {}
    for game in (make_game("kuhn", rounds=1), make_game("ipd", rounds=2)):
        for decision in every_decision(game):
            found.setdefault((game.name, decision.information_state), decision)
    return tuple(found.values())


def new_batch(decisions: tuple[Decision, ...], seed: int = 0, log: float = 1.0, prob: float = 1.0) -> Batch:
    rng = np.random.default_rng(seed)
    shape = (len(decisions), 2)
    visits = rng.random(len(decisions))
    return Batch(
        decisions, log * rng.normal(size=shape), prob * rng.normal(size=shape), visits / visits.sum()
    )


def table(policy: LocalPolicy, decisions: tuple[Decision, ...]) -> Array:
    """The probabilities, computed afresh."""
    policy.forget()
    rows = [list(row.values()) for row in policy.probabilities(decisions)]
    policy.forget()
    return np.array(rows)


def objective(p: Array, reference: Array, batch: Batch, kl: float, entropy: float) -> float:
    """What a step ascends, written out."""
    logs = np.log(p)
    gain = (batch.log_weights * logs).sum() + (batch.prob_weights * p).sum()
    divergence = (p * (logs - np.log(reference))).sum(axis=1)
    spread = -(p * logs).sum(axis=1)
    return float(gain - kl * batch.visits @ divergence + entropy * batch.visits @ spread)


@contextmanager
def caught(learner: LocalLearner) -> Iterator[list[torch.Tensor]]:
    """Keep the gradients instead of making steps."""
    found: list[torch.Tensor] = []
    real = learner.optimiser.step

    def keep(lr: float) -> float:
        parts = [p.grad.flatten().clone() for p in trainable(learner.policy) if p.grad is not None]
        found.append(torch.cat(parts).double())
        for p in trainable(learner.policy):
            p.grad = None
        return 0.0

    learner.optimiser.step = keep  # type: ignore[method-assign]
    try:
        yield found
    finally:
        learner.optimiser.step = real  # type: ignore[method-assign]


def ascent(learner: LocalLearner, batch: Batch, kl: float = 0.0, entropy: float = 0.0) -> torch.Tensor:
    """The direction in which a step goes up: minus the gradient of the loss."""
    with caught(learner) as found:
        learner.update(batch, 1e-3, kl, entropy)
    return -found[0]


def close(a: torch.Tensor, b: torch.Tensor, tolerance: float) -> bool:
    return float((a - b).norm()) <= tolerance * max(float(a.norm()), float(b.norm()))
