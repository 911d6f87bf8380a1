"""A table and a language model, given the same batch, move along the same gradient.

Both are compared with finite differences of the objective
``Σ w·log π + Σ v·π − kl·KL(π ‖ reference) + entropy·H(π)``, written out here as a function of probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from equipoise.auditing.exact.compile import compile_tree
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Uniform
from equipoise.opponents.pools import default_pools
from equipoise.training.arena import Arena
from equipoise.training.batch import Batch
from equipoise.training.config import LoraSettings, SepoConfig
from equipoise.training.lora import LocalLearner, adapted_policy
from equipoise.training.sepo import Sepo
from equipoise.training.table import SoftmaxTable, TabularLearner
from equipoise.types import Decision

Array = NDArray[np.float64]


def new_table(game: Game, seed: int = 0) -> SoftmaxTable:
    stage = game.stage()
    seats = (0,) if stage.info_record.symmetric else range(stage.info_record.seats)
    return SoftmaxTable.of(stage, [compile_tree(stage, {"random": Uniform()}, seat) for seat in seats], seed)


class Keeping(TabularLearner):
    """Keeps the batch that training hands to it."""

    batch: Batch

    def update(self, batch: Batch, lr: float, kl: float, entropy: float) -> dict[str, float]:
        self.batch = batch
        return {}


def production_batch(game: Game, gradient: str) -> Batch:
    learner = Keeping(new_table(game, seed=5))
    config = SepoConfig(steps=1, gradient=gradient, deals=2, rollouts=4)  # type: ignore[arg-type]
    objective = Objective.of(game.info_record, default_pools(game.name))
    Sepo(Arena(game, objective, learner.policy, config), learner).run()
    return learner.batch


GAMES = {
    "kuhn exact": (make_game("kuhn"), "exact"),
    "kuhn sampled": (make_game("kuhn"), "sampled"),
    "ipd exact": (make_game("ipd", rounds=3), "exact"),
    "ipd sampled": (make_game("ipd", rounds=3), "sampled"),
}


@pytest.fixture(scope="module", params=list(GAMES))
def case(request: pytest.FixtureRequest) -> tuple[Game, Batch]:
    game, gradient = GAMES[request.param]
    batch = production_batch(game, gradient)
    sampled, exact = np.abs(batch.log_weights).max(), np.abs(batch.prob_weights).max()
    assert (sampled > 0.0, exact > 0.0) == ((True, False) if gradient == "sampled" else (False, True))
    return game, batch


TERMS = [
    pytest.param(0.0, 0.0, id="gain"),
    pytest.param(0.8, 0.0, id="gain and kl"),
    pytest.param(0.0, 0.6, id="gain and entropy"),
    pytest.param(0.5, 0.3, id="all"),
]


def objective(logits: Array, reference: Array, batch: Batch, kl: float, entropy: float) -> float:
    p, q = _softmax(logits), _softmax(reference)
    gain = (batch.log_weights * np.log(p)).sum() + (batch.prob_weights * p).sum()
    divergence, spread = (p * np.log(p / q)).sum(axis=1), -(p * np.log(p)).sum(axis=1)
    return float(gain - kl * batch.visits @ divergence + entropy * batch.visits @ spread)


def slopes(logits: Array, reference: Array, batch: Batch, kl: float, entropy: float) -> Array:
    """Finite differences of the objective in every logit."""
    found = np.zeros_like(logits)
    step = 1e-5
    for place in np.ndindex(*logits.shape):
        values = []
        for sign in (1.0, -1.0):
            moved = logits.copy()
            moved[place] += sign * step
            values.append(objective(moved, reference, batch, kl, entropy))
        found[place] = (values[0] - values[1]) / (2 * step)
    return found


def _softmax(logits: Array) -> Array:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class LogitModel(torch.nn.Module):
    """The smallest thing a ``LocalLearner`` can train: its weights are the logits themselves."""

    device = torch.device("cpu")
    peft_config: ClassVar[dict[str, Any]] = {}

    def __init__(self, logits: Array, reference: Array) -> None:
        super().__init__()
        self.logits = torch.nn.Parameter(torch.tensor(logits))
        self.reference = torch.tensor(reference)
        self.bare = False

    @contextmanager
    def disable_adapter(self) -> Iterator[None]:
        self.bare = True
        yield
        self.bare = False


class LogitPolicy:
    """Asks a ``LogitModel`` as ``LocalPolicy`` asks a language model."""

    temperature, version = 1.0, 0

    def __init__(self, model: LogitModel, decisions: Sequence[Decision]) -> None:
        self.rows = {decision.information_state: i for i, decision in enumerate(decisions)}
        self.model = model
        self.loaded = SimpleNamespace(model=model)
        self.scorer = SimpleNamespace(log_probabilities=self._score, clear=lambda: None)

    def question(self, decision: Decision) -> Any:
        return decision.information_state

    def known(self, question: Any) -> None:
        return None

    def clear(self) -> None:
        return None

    def _score(self, questions: Sequence[Any]) -> list[torch.Tensor]:
        logits = self.model.reference if self.model.bare else self.model.logits
        return [torch.log_softmax(logits[self.rows[q]], dim=-1) for q in questions]


def gradient_of(
    learner: LocalLearner, batch: Batch, kl: float, entropy: float
) -> tuple[list[torch.Tensor], dict[str, float]]:
    """Return the ascent direction of the loss in the trainable weights, without making a step."""
    weights = [p for p in learner.model.parameters() if p.requires_grad]
    found: list[list[torch.Tensor]] = []

    def keep(lr: float) -> float:
        found.append([-p.grad.clone() for p in weights if p.grad is not None])
        for p in weights:
            p.grad = None
        return 0.0

    learner.optimiser.step = keep  # type: ignore[method-assign]
    stats = learner.update(batch, 0.1, kl, entropy)
    return found[0], stats


def ascent_of(
    learner: TabularLearner, batch: Batch, kl: float, entropy: float
) -> tuple[Array, dict[str, float]]:
    """Return a table's ascent direction in the order of the batch's decisions."""
    rows, ascent, stats = learner.gradient(batch, kl, entropy)
    whole = np.zeros_like(learner.policy.logits)
    whole[rows] = ascent
    return whole[learner.policy.rows(batch.decisions)], stats


@pytest.mark.parametrize(("kl", "entropy"), TERMS)
def test_both_gradients_are_the_slope_of_the_objective(
    case: tuple[Game, Batch], kl: float, entropy: float
) -> None:
    game, batch = case
    table, start = new_table(game, seed=1), new_table(game, seed=2)
    learner = TabularLearner(table)
    rows = table.rows(batch.decisions)
    learner.reference = start.logits
    logits, reference = table.logits[rows], start.logits[rows]
    expected = slopes(logits, reference, batch, kl, entropy)
    size = np.abs(expected).max()
    assert size > 1e-3
    tabular, stats = ascent_of(learner, batch, kl, entropy)
    np.testing.assert_allclose(tabular, expected, rtol=1e-5, atol=1e-7 * size)
    policy: Any = LogitPolicy(LogitModel(logits, reference), batch.decisions)
    (local,), other = gradient_of(LocalLearner(policy, rows=5), batch, kl, entropy)
    np.testing.assert_allclose(local.numpy(), tabular, rtol=1e-4, atol=1e-6 * size)
    for name in ("kl", "entropy"):
        assert other[name] == pytest.approx(stats[name], rel=1e-5)
    assert stats["kl"] > 0.1


@pytest.mark.parametrize(("kl", "entropy"), TERMS)
def test_a_language_model_moves_along_the_gradient_of_the_table(
    case: tuple[Game, Batch], kl: float, entropy: float
) -> None:
    """The table's gradient in the logits, carried to the adapter by the chain rule, is the adapter's own."""
    game, batch = case
    policy = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "test", quiet=True)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in policy.loaded.model.parameters():
            if weight.requires_grad:
                weight += 0.03 * torch.randn(weight.shape, generator=generator)
    questions = [policy.question(decision) for decision in batch.decisions]
    with torch.no_grad(), policy.loaded.model.disable_adapter():
        reference = torch.stack(policy.scorer.log_probabilities(questions)).double().numpy()
    logs = torch.stack(policy.scorer.log_probabilities(questions))
    table = new_table(game)
    rows = table.rows(batch.decisions)
    table.logits[rows] = logs.detach().double().numpy()
    learner = TabularLearner(table)
    learner.reference[rows] = reference
    direction, stats = ascent_of(learner, batch, kl, entropy)
    (torch.tensor(direction) * logs).sum().backward()
    weights = [p for p in policy.loaded.model.parameters() if p.requires_grad]
    expected = torch.cat([p.grad.flatten() for p in weights if p.grad is not None])
    for weight in weights:
        weight.grad = None
    parts, other = gradient_of(LocalLearner(policy), batch, kl, entropy)
    found = torch.cat([part.flatten() for part in parts])
    assert float(expected.norm()) > 1e-3
    assert float((found - expected).norm()) < 1e-4 * float(expected.norm())
    for name in ("kl", "entropy"):
        assert other[name] == pytest.approx(stats[name], rel=1e-4, abs=1e-7)
    assert stats["kl"] > 1e-3


def test_signs_as_one_would_say_them(case: tuple[Game, Batch]) -> None:
    """A weight on an action raises its log-odds, KL lowers them where they are above the reference's."""
    game, batch = case
    one = Batch(batch.decisions[:1], np.array([[1.0, 0.0]]), np.zeros((1, 2)), np.ones(1))
    nothing = Batch(one.decisions, np.zeros((1, 2)), np.zeros((1, 2)), np.ones(1))
    reference, logits = np.array([[0.0, 0.0]]), np.array([[1.5, 0.0]])
    table = new_table(game)
    row = table.rows(one.decisions)
    learner = TabularLearner(table)
    table.logits[row], learner.reference[row] = logits, reference
    cases = ((one, 0.0, 0.0, 1.0), (nothing, 1.0, 0.0, -1.0), (nothing, 0.0, 1.0, -1.0))
    for part, kl, entropy, sign in cases:
        _, tabular, _ = learner.gradient(part, kl, entropy)
        policy: Any = LogitPolicy(LogitModel(logits, reference), one.decisions)
        (local,), _ = gradient_of(LocalLearner(policy), part, kl, entropy)
        assert sign * (tabular[0, 0] - tabular[0, 1]) > 0.1
        assert sign * float(local[0, 0] - local[0, 1]) > 0.1
