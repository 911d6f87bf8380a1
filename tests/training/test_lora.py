"""The adapter moves along the gradient of the objective, measured on the probabilities that are acted on."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from equipoise.games.registry import make_game
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.batch import Batch
from equipoise.training.config import LoraSettings
from equipoise.training.lora import LocalLearner, adapted_policy
from equipoise.types import Decision
from tests.helpers import every_decision
from tests.training.adapters import (
    FREE,
    ascent,
    caught,
    close,
    equal,
    new_batch,
    new_policy,
    objective,
    small_decisions,
    table,
    trainable,
    weights,
)


@pytest.fixture(scope="module")
def decisions() -> tuple[Decision, ...]:
    return small_decisions()


@pytest.mark.parametrize("action", [0, 1])
@pytest.mark.parametrize("kind", ["log", "prob"])
def test_a_rewarded_action_gets_likelier(decisions: tuple[Decision, ...], action: int, kind: str) -> None:
    asked = decisions[3:4]
    rows = np.zeros((1, 2))
    rows[0, action] = 1.0
    zeros = np.zeros((1, 2))
    for sign in (1.0, -1.0):
        policy = new_policy()
        pair = (sign * rows, zeros) if kind == "log" else (zeros, sign * rows)
        before = table(policy, asked)[0, action]
        LocalLearner(policy).update(Batch(asked, *pair, np.ones(1)), 1e-4, 0.0, 0.0)
        assert sign * (table(policy, asked)[0, action] - before) > 1e-5


CASES = [
    pytest.param({"log": 1.0, "prob": 0.0}, 0.0, 0.0, id="sampled"),
    pytest.param({"log": 0.0, "prob": 1.0}, 0.0, 0.0, id="all actions"),
    pytest.param({"log": 0.0, "prob": 0.0}, 0.7, 0.0, id="kl"),
    pytest.param({"log": 0.0, "prob": 0.0}, 0.0, 0.9, id="entropy"),
    pytest.param({"log": 1.0, "prob": -2.0}, 0.5, 0.25, id="everything"),
]


@pytest.mark.parametrize(("scales", "kl", "entropy"), CASES)
def test_the_gradient_is_the_policy_gradient(
    decisions: tuple[Decision, ...], scales: dict[str, float], kl: float, entropy: float
) -> None:
    """By the chain rule: what each action's log-probability is worth, times its own gradient."""
    policy = new_policy()
    batch = new_batch(decisions, **scales)
    reference = table(LocalPolicy.from_spec("tiny-random", quiet=True), decisions)
    p = table(policy, decisions)
    share = batch.visits[:, None]
    worth = batch.log_weights + p * batch.prob_weights
    worth = worth - kl * share * p * (np.log(p / reference) + 1.0) - entropy * share * p * (np.log(p) + 1.0)
    logs = policy.scorer.log_probabilities([policy.question(decision) for decision in decisions])
    total = sum((torch.tensor(w) * log).sum() for w, log in zip(worth, logs, strict=True))
    total.backward()  # type: ignore[union-attr]
    expected = torch.cat([w.grad.flatten().double() for w in trainable(policy) if w.grad is not None])
    for weight in trainable(policy):
        weight.grad = None
    found = ascent(LocalLearner(policy), batch, kl, entropy)
    assert float(expected.norm()) > 0.01
    assert close(found, expected, 1e-4)


@pytest.mark.parametrize(("scales", "kl", "entropy"), CASES)
def test_the_gradient_is_the_slope_of_the_objective(
    decisions: tuple[Decision, ...], scales: dict[str, float], kl: float, entropy: float
) -> None:
    """By finite differences of the objective as a function of probabilities; no automatic derivative."""
    policy = new_policy()
    policy.loaded.model.double()
    batch = new_batch(decisions, **scales)
    reference = table(LocalPolicy.from_spec("tiny-random", quiet=True), decisions)
    found = ascent(LocalLearner(policy), batch, kl, entropy)
    generator = torch.Generator().manual_seed(5)
    directions = [torch.randn(len(found), generator=generator, dtype=torch.float64) for _ in range(2)]
    # And the three weights that matter most, one at a time.
    directions += [torch.nn.functional.one_hot(i, len(found)).double() for i in found.abs().topk(3).indices]
    for direction in directions:
        direction = direction / direction.norm()
        step, values = 3e-3, []
        for sign in (1.0, -1.0):
            _move(policy, sign * step * direction)
            values.append(objective(table(policy, decisions), reference, batch, kl, entropy))
            _move(policy, -sign * step * direction)
        slope = (values[0] - values[1]) / (2 * step)
        assert slope == pytest.approx(float(found @ direction), rel=0.01, abs=3e-4 * float(found.norm()))


def _move(policy: LocalPolicy, by: torch.Tensor) -> None:
    start = 0
    with torch.no_grad():
        for weight in trainable(policy):
            weight += by[start : start + weight.numel()].view_as(weight)
            start += weight.numel()


def test_statistics_are_the_terms_themselves(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    batch = new_batch(decisions)
    p = table(policy, decisions)
    reference = table(LocalPolicy.from_spec("tiny-random", quiet=True), decisions)
    learner = LocalLearner(policy, FREE)
    stats = learner.update(batch, 1e-4, 0.3, 0.2)
    assert stats["kl"] == pytest.approx(
        float(batch.visits @ (p * np.log(p / reference)).sum(axis=1)), rel=1e-4
    )
    assert stats["entropy"] == pytest.approx(float(-batch.visits @ (p * np.log(p)).sum(axis=1)), rel=1e-5)
    with caught(other := LocalLearner(new_policy(), FREE)) as found:
        other.update(batch, 1e-4, 0.3, 0.2)
    assert stats["grad_norm"] == pytest.approx(float(found[0].norm()), rel=1e-5)
    assert stats["kl"] > 0.01


def test_kl_alone_pulls_back_to_the_reference(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    learner = LocalLearner(policy)
    nothing = new_batch(decisions, log=0.0, prob=0.0)
    found = [learner.update(nothing, 1e-3, 1.0, 0.0)["kl"] for _ in range(12)]
    assert found[0] > 0.01
    assert found[-1] < 0.5 * found[0]


def test_entropy_alone_raises_entropy(decisions: tuple[Decision, ...]) -> None:
    learner = LocalLearner(new_policy())
    nothing = new_batch(decisions, log=0.0, prob=0.0)
    found = [learner.update(nothing, 1e-3, 0.0, 1.0)["entropy"] for _ in range(12)]
    most = math.log(2)
    assert most - found[0] > 0.05
    assert -1e-6 < most - found[-1] < 0.25 * (most - found[0])


def test_visits_weigh_the_terms(decisions: tuple[Decision, ...]) -> None:
    # A decision that is not visited has no part in KL and entropy.
    nothing = new_batch(decisions[:2], log=0.0, prob=0.0)
    learner = LocalLearner(new_policy())
    both = [ascent(learner, replace(nothing, visits=np.array(v)), 0.5, 0.5) for v in ([1.0, 0.0], [0.0, 1.0])]
    mean = ascent(learner, replace(nothing, visits=np.array([0.25, 0.75])), 0.5, 0.5)
    assert close(mean, 0.25 * both[0] + 0.75 * both[1], 1e-4)
    assert not close(both[0], both[1], 0.1)


def test_zero_weights_move_nothing(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    before = weights(policy, "default")
    stats = LocalLearner(policy).update(new_batch(decisions, log=0.0, prob=0.0), 0.1, 0.0, 0.0)
    assert stats["grad_norm"] == 0.0
    assert equal(weights(policy, "default"), before)


def test_sampled_and_all_action_weights_agree_in_expectation(decisions: tuple[Decision, ...]) -> None:
    """E over a ~ π of q(a) ∇log π(a) is Σ q(a) ∇π(a)."""
    policy = new_policy()
    learner = LocalLearner(policy)
    base = new_batch(decisions)
    q, zeros, p = base.prob_weights, np.zeros_like(base.prob_weights), table(policy, decisions)
    exact = ascent(learner, replace(base, log_weights=zeros))
    expected = ascent(learner, replace(base, log_weights=p * q, prob_weights=zeros))
    assert close(exact, expected, 1e-4)
    # And over actual draws, within what their number allows.
    rng = np.random.default_rng(0)
    draws = 40_000
    counts = np.stack([rng.multinomial(draws, row) for row in p / p.sum(axis=1, keepdims=True)]) / draws
    sampled = ascent(learner, replace(base, log_weights=counts * q, prob_weights=zeros))
    assert close(sampled, exact, 0.05)
    assert not close(ascent(learner, replace(base, log_weights=q, prob_weights=zeros)), exact, 0.1)


@pytest.mark.parametrize("rows", [1, 4, 16])
def test_chunks_change_passes_but_not_the_gradient(decisions: tuple[Decision, ...], rows: int) -> None:
    batch = new_batch(decisions)
    whole = ascent(LocalLearner(new_policy(), rows=1000), batch, 0.4, 0.2)
    learner = LocalLearner(new_policy(), rows=rows)
    sizes: list[int] = []
    real = learner.policy.scorer.log_probabilities

    def count(questions: Any, **settings: Any) -> Any:
        if torch.is_grad_enabled():
            sizes.append(len(questions))
        return real(questions, **settings)

    learner.policy.scorer.log_probabilities = count  # type: ignore[method-assign]
    assert close(ascent(learner, batch, 0.4, 0.2), whole, 1e-5)
    assert sizes == [min(rows, len(decisions) - start) for start in range(0, len(decisions), rows)]


def test_decisions_that_the_model_cannot_tell_apart_are_one() -> None:
    # In the dilemma neither the seat nor the past beyond the history is in the prompt.
    game = make_game("ipd", rounds=2)
    asked = tuple(every_decision(game))
    policy = new_policy()
    questions = [policy.question(decision) for decision in asked]
    distinct = list(dict.fromkeys(questions))
    assert len(distinct) < len(asked)
    batch = new_batch(asked)
    merged = [[i for i, q in enumerate(questions) if q == one] for one in distinct]
    small = Batch(
        tuple(asked[rows[0]] for rows in merged),
        *(
            np.stack([part[rows].sum(axis=0) for rows in merged])
            for part in (batch.log_weights, batch.prob_weights, batch.visits)
        ),
    )
    learner = LocalLearner(policy)
    assert close(ascent(learner, batch, 0.3, 0.1), ascent(learner, small, 0.3, 0.1), 1e-5)
    with caught(learner):
        a, b = learner.update(batch, 1e-3, 0.3, 0.1), learner.update(small, 1e-3, 0.3, 0.1)
    assert a["kl"] == pytest.approx(b["kl"], rel=1e-5)
    assert a["entropy"] == pytest.approx(b["entropy"], rel=1e-5)


def test_padding_of_narrower_decisions_counts_for_nothing(decisions: tuple[Decision, ...]) -> None:
    batch = new_batch(decisions[:4])
    wide = replace(
        batch,
        log_weights=np.pad(batch.log_weights, ((0, 0), (0, 2)), constant_values=7.0),
        prob_weights=np.pad(batch.prob_weights, ((0, 0), (0, 2)), constant_values=7.0),
    )
    learner = LocalLearner(new_policy())
    assert close(ascent(learner, wide), ascent(learner, batch), 1e-6)


def test_a_fresh_adapter_starts_as_the_bare_model_and_is_tied_to_it(decisions: tuple[Decision, ...]) -> None:
    bare = table(LocalPolicy.from_spec("tiny-random", quiet=True), decisions)
    policy = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "test", quiet=True)
    assert policy.name == "test"
    np.testing.assert_allclose(table(policy, decisions), bare, rtol=1e-6)
    base = weights(policy, "base")
    learner = LocalLearner(policy)
    batch = new_batch(decisions)
    found = [learner.update(batch, 1e-3, 0.1, 0.0)["kl"] for _ in range(4)]
    assert abs(found[0]) < 1e-6
    now = table(policy, decisions)
    assert learner.update(batch, 1e-3, 0.1, 0.0)["kl"] == pytest.approx(
        float(batch.visits @ (now * np.log(now / bare)).sum(axis=1)), rel=1e-4
    )
    assert found[-1] > 1e-4
    assert base
    assert equal(weights(policy, "base"), base)


def test_an_adapter_goes_on_and_stays_behind_as_the_reference(
    decisions: tuple[Decision, ...], tmp_path: Path
) -> None:
    first = new_policy(seed=3)
    LocalLearner(first).save_weights(tmp_path)
    start = table(first, decisions)
    policy = adapted_policy(f"tiny-random+{tmp_path}", LoraSettings(rank=4), 0, "next", quiet=True)
    np.testing.assert_allclose(table(policy, decisions), start, rtol=1e-6)
    bare = table(LocalPolicy.from_spec("tiny-random", quiet=True), decisions)
    assert np.abs(start - bare).max() > 0.01
    base, reference = weights(policy, "base"), weights(policy, "reference")
    assert reference
    learner = LocalLearner(policy)
    batch = new_batch(decisions)
    found = [learner.update(batch, 1e-3, 0.2, 0.0)["kl"] for _ in range(4)]
    assert abs(found[0]) < 1e-6
    now = table(policy, decisions)
    assert np.abs(now - start).max() > 1e-3
    assert learner.update(batch, 1e-3, 0.2, 0.0)["kl"] == pytest.approx(
        float(batch.visits @ (now * np.log(now / start)).sum(axis=1)), rel=1e-3
    )
    assert equal(weights(policy, "reference"), reference)
    assert equal(weights(policy, "base"), base)


@pytest.mark.parametrize("start", ["bare", "adapter"])
def test_a_question_met_later_is_compared_with_the_same_reference(
    decisions: tuple[Decision, ...], tmp_path: Path, start: str
) -> None:
    if start == "adapter":
        first = new_policy(seed=3)
        LocalLearner(first).save_weights(tmp_path)
        reference = table(first, decisions)
        policy = adapted_policy(f"tiny-random+{tmp_path}", LoraSettings(rank=4), 0, "next", quiet=True)
    else:
        reference = table(LocalPolicy.from_spec("tiny-random", quiet=True), decisions)
        policy = new_policy()
    learner = LocalLearner(policy)
    for _ in range(3):
        learner.update(new_batch(decisions[:5]), 1e-3, 0.1, 0.0)
    now = table(policy, decisions)
    batch = new_batch(decisions)
    found = learner.update(batch, 1e-3, 0.1, 0.0)["kl"]
    assert found == pytest.approx(float(batch.visits @ (now * np.log(now / reference)).sum(axis=1)), rel=1e-3)
    assert found > 1e-3


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_what_is_trained_on_is_what_was_sampled_from(
    decisions: tuple[Decision, ...], temperature: float
) -> None:
    policy = LocalPolicy(new_policy().loaded, temperature=temperature)
    learner = LocalLearner(policy)
    p = np.array([list(row.values()) for row in policy.probabilities(decisions)])
    batch = new_batch(decisions)
    stats = learner.update(batch, 1e-3, 0.0, 0.0)
    assert stats["sampler_gap"] < 1e-5
    assert stats["entropy"] == pytest.approx(float(-batch.visits @ (p * np.log(p)).sum(axis=1)), rel=1e-4)


def test_a_stale_sampler_is_noticed(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    before = np.array([list(row.values()) for row in policy.probabilities(decisions)])
    with torch.no_grad():
        for weight in trainable(policy):
            weight *= 1.5
    batch = new_batch(decisions)
    stats = LocalLearner(policy).update(batch, 1e-9, 0.0, 0.0)
    # The mean over visited decisions of E|log p − log q|, by hand.
    apart = np.abs(np.log(table(policy, decisions)) - np.log(before))
    gap = float(batch.visits @ (before * apart).sum(axis=1))
    assert stats["sampler_gap"] == pytest.approx(gap, rel=1e-2)
    assert gap > 0.01


def test_after_a_step_the_policy_acts_on_the_new_weights(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    learner = LocalLearner(policy)
    before, version = policy.probabilities(decisions), policy.version
    learner.update(new_batch(decisions), 1e-2, 0.0, 0.0)
    after = policy.probabilities(decisions)
    assert before != after
    np.testing.assert_allclose(
        [list(row.values()) for row in after], table(policy, decisions), rtol=1e-5, atol=1e-7
    )
    assert policy.version == version + 1


def test_forgetting_drops_the_scored_table_but_not_the_version(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    policy.probabilities(decisions)
    question, version = policy.question(decisions[0]), policy.version
    assert policy.known(question) is not None
    LocalLearner(policy).forget()
    assert policy.known(question) is None
    assert policy.version == version


def test_a_gradient_that_is_not_finite_makes_no_step(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    before = weights(policy, "default")
    batch = new_batch(decisions)
    batch.log_weights[2, 0] = math.inf
    learner = LocalLearner(policy)
    stats = learner.update(batch, 1e-3, 0.1, 0.0)
    assert stats["skipped"] == 1.0
    assert all(math.isfinite(value) for value in stats.values())
    assert "grad_norm" not in stats
    assert (learner.optimiser.steps, equal(weights(policy, "default"), before)) == (0, True)
    # Nothing of it is left: the next step is as if it had not been.
    assert learner.update(new_batch(decisions), 1e-3, 0.1, 0.0)["skipped"] == 0.0
    assert not equal(weights(policy, "default"), before)


def test_steps_are_clipped(decisions: tuple[Decision, ...]) -> None:
    """Adam forgets a constant factor, so that clipping shows from the second step on."""
    found = []
    for limit in (1e-3, FREE):
        policy = new_policy()
        learner = LocalLearner(policy, limit)
        for size in (1.0, 1e-2):
            learner.update(new_batch(decisions, log=size, prob=0.0), 1e-2, 0.0, 0.0)
        found.append(weights(policy, "default"))
    assert not equal(*found)


def test_how_far_a_step_went_is_told(decisions: tuple[Decision, ...]) -> None:
    policy = new_policy()
    batch = new_batch(decisions)
    old = table(policy, decisions)
    stats = LocalLearner(policy).update(batch, 3e-3, 0.0, 0.0)
    new = table(policy, decisions)
    expected = float(batch.visits @ (old * np.log(old / new)).sum(axis=1))
    assert stats["step_kl"] == pytest.approx(expected, rel=1e-3)
    assert stats["step_taken"] == 1.0
    assert expected > 1e-3


@pytest.mark.parametrize("share", [0.9, 0.3, 0.01])
def test_a_step_that_goes_too_far_is_held_back(decisions: tuple[Decision, ...], share: float) -> None:
    batch = new_batch(decisions)
    free = LocalLearner(new_policy())
    start = weights(free.policy, "default")
    far = free.update(batch, 1e-2, 0.0, 0.0)["step_kl"]
    whole = weights(free.policy, "default")
    bound = LocalLearner(new_policy(), max_step_kl=share * far)
    stats = bound.update(batch, 1e-2, 0.0, 0.0)
    taken = stats["step_taken"]
    assert stats["step_kl"] <= share * far
    assert taken == 2.0 ** round(math.log2(taken)) < 1.0
    for name, weight in weights(bound.policy, "default").items():
        expected = start[name] + taken * (whole[name] - start[name])
        torch.testing.assert_close(weight, expected, rtol=1e-5, atol=1e-6)
    # No further than needed: twice that part would have gone too far.
    longer = LocalLearner(new_policy(), max_step_kl=math.inf)
    kept = longer.optimiser.keep()
    old = table(longer.policy, decisions)
    longer.update(batch, 1e-2, 0.0, 0.0)
    longer.optimiser.shrink(kept, 2 * taken)
    new = table(longer.policy, decisions)
    assert float(batch.visits @ (old * np.log(old / new)).sum(axis=1)) > share * far
    # What is acted on next are the weights as they are now.
    np.testing.assert_allclose(
        [list(row.values()) for row in bound.policy.probabilities(decisions)],
        table(bound.policy, decisions),
        rtol=1e-5,
    )


def test_a_step_within_the_limit_is_taken_whole(decisions: tuple[Decision, ...]) -> None:
    found = []
    for limit in (math.inf, 10.0):
        learner = LocalLearner(new_policy(), max_step_kl=limit)
        assert learner.update(new_batch(decisions), 1e-3, 0.1, 0.1)["step_taken"] == 1.0
        found.append(weights(learner.policy, "default"))
    assert equal(*found)
