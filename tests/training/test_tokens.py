"""Sampled tokens are trained as decisions are: the same gradient where both can be had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.errors import RequestError
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.registry import load_game
from equipoise.training.arena import Arena
from equipoise.training.arenas import weighted_samples
from equipoise.training.batch import SampledStep, sampled_batch
from equipoise.training.config import SepoConfig
from equipoise.training.lora import LocalLearner
from equipoise.training.samples import DecisionSample, decision_samples
from equipoise.training.tokens import TokenLearner, completions
from tests.training.adapters import FREE, close, equal, new_policy, trainable, weights


def policy_of(mode: str, temperature: float = 1.0, **settings: Any) -> LocalPolicy:
    """A tiny policy with an adapter that does something."""
    budgets = {"max_new_tokens": 6, "thought_tokens": 6, **settings}
    return LocalPolicy(new_policy().loaded, mode, temperature, **budgets)


def step_of(policy: LocalPolicy, rounds: int = 2) -> SampledStep:
    game = load_game("ipd", {"rounds": rounds})
    pools = Pools(("mixed_half",), ("always_defect",), ("always_cooperate",))
    config = SepoConfig(deals=1, rollouts=2, gates="running", scale="none")
    return Arena(game, Objective.of(game.info_record, pools), policy, config).sample(policy, 0, {})


def gradient(
    learner: Any, batch: Any, kl: float = 0.0, entropy: float = 0.0
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the direction a step goes up in, and the statistics, without making it."""
    found: list[torch.Tensor] = []

    def keep(lr: float) -> float:
        found.append(torch.cat([p.grad.flatten().double() for p in trainable(learner.policy)]))  # type: ignore[union-attr]
        for p in trainable(learner.policy):
            p.grad = None
        return 0.0

    learner.optimiser.step = keep
    stats = learner.update(batch, 1e-3, kl, entropy)
    return -found[0], stats


def by_hand(policy: LocalPolicy, sample: DecisionSample) -> torch.Tensor:
    """The log-probabilities of a sample's tokens by one plain pass of the model."""
    ids = torch.tensor([sample.prompt_ids + sample.completion_ids])
    logits = policy.loaded.model(input_ids=ids).logits[0, len(sample.prompt_ids) - 1 : -1]
    logs = []
    for i, token in enumerate(sample.completion_ids):
        row, among = logits[i] / policy.temperature, sample.allowed[i]
        if sample.mask[i]:
            kept = list(range(len(row))) if among is None else list(among)
            logs.append(torch.log_softmax(row[kept], -1)[kept.index(token)])
    return torch.stack(logs)


class TestGradient:
    @pytest.mark.parametrize("pass_tokens", [700, 100_000])
    def test_on_chosen_words_it_is_that_of_decisions(self, pass_tokens: int) -> None:
        policy = policy_of("choose")
        step = step_of(policy)
        of_decisions, _ = gradient(LocalLearner(policy, FREE), sampled_batch(step))
        of_tokens, stats = gradient(TokenLearner(policy, FREE, pass_tokens), decision_samples(step))
        assert float(of_decisions.norm()) > 1e-3
        assert close(of_tokens, of_decisions, 1e-4)
        assert stats["sampler_gap"] < 1e-5

    @pytest.mark.parametrize(("mode", "temperature"), [("think", 1.0), ("think", 0.7), ("free", 0.7)])
    def test_it_is_the_sum_over_tokens_over_the_episodes_of_each_stream(
        self, mode: str, temperature: float
    ) -> None:
        policy = policy_of(mode, temperature)
        samples = decision_samples(step_of(policy))
        total = sum(one.advantage / one.episodes_of_stream * by_hand(policy, one).sum() for one in samples)
        assert isinstance(total, torch.Tensor)
        total.backward()
        expected = torch.cat([p.grad.flatten().double() for p in trainable(policy)])  # type: ignore[union-attr]
        for p in trainable(policy):
            p.grad = None
        found, stats = gradient(TokenLearner(policy, FREE), samples)
        assert float(expected.norm()) > 1e-3
        assert close(found, expected, 1e-4)
        assert stats["sampler_gap"] < 1e-5
        assert stats["tokens"] == sum(sum(one.mask) for one in samples)

    def test_doubling_an_advantage_doubles_it(self) -> None:
        policy = policy_of("think")
        (one, two) = [s for s in decision_samples(step_of(policy)) if s.role == "thought"][:2]
        learner = TokenLearner(policy, FREE)
        both, _ = gradient(learner, [replace(one, advantage=1.0), replace(two, advantage=1.0)])
        first, _ = gradient(learner, [replace(one, advantage=1.0), replace(two, advantage=0.0)])
        more, _ = gradient(learner, [replace(one, advantage=2.0), replace(two, advantage=1.0)])
        assert close(more - both, first, 1e-4)
        assert float(first.norm()) > 1e-3

    def test_long_texts_of_one_stream_take_nothing_from_another(self) -> None:
        """A mean over rows or tokens would: here each sample's gradient is there in full."""
        short, long = (decision_samples(step_of(policy_of("free", max_new_tokens=n)))[0] for n in (3, 24))
        policy = policy_of("free")
        assert len(short.completion_ids) < len(long.completion_ids)
        short = replace(short, advantage=1.0, stream=("train", "a"), episodes_of_stream=4)
        long = replace(long, advantage=-0.5, stream=("exploiter", "b"), episodes_of_stream=2)
        learner = TokenLearner(policy, FREE)
        (alone, _), (other, _) = gradient(learner, [short]), gradient(learner, [long])
        both, _ = gradient(learner, [short, long])
        assert close(both, alone + other, 1e-4)
        twice, _ = gradient(learner, [short, long, long])
        assert close(twice, alone + 2.0 * other, 1e-4)
        fewer, _ = gradient(learner, [replace(short, episodes_of_stream=2)])
        assert close(fewer, 2.0 * alone, 1e-4)


class TestRegularisers:
    def test_kl_is_the_k3_estimate_and_its_derivative_that_of_kl(self) -> None:
        """E[−r ∇log π] is the gradient of KL(π ‖ reference): summed by hand over the sampled tokens."""
        policy = policy_of("think", 0.8)
        samples = [replace(one, advantage=0.0) for one in decision_samples(step_of(policy))]
        decisions = len({(one.episode, one.index) for one in samples})
        total, value = torch.zeros(()), 0.0
        for one in samples:
            with torch.no_grad(), policy.loaded.model.disable_adapter():
                reference = by_hand(policy, one)
            logs = by_hand(policy, one)
            r = (reference - logs).detach()
            total = total + (-r * logs).sum() / decisions
            value += float((torch.exp(r) - r - 1.0).sum()) / decisions
        total.backward()
        expected = torch.cat([p.grad.flatten().double() for p in trainable(policy)])  # type: ignore[union-attr]
        for p in trainable(policy):
            p.grad = None
        found, stats = gradient(TokenLearner(policy, FREE), samples, kl=0.3)
        assert stats["kl"] == pytest.approx(value, rel=1e-3)
        assert close(found, -0.3 * expected, 1e-3)
        assert value > 1e-3

    def test_entropy_is_that_of_every_sampled_position(self) -> None:
        policy = policy_of("choose")
        step = step_of(policy)
        zero = [replace(one, advantage=0.0) for one in decision_samples(step)]
        batch = sampled_batch(step)
        batch = replace(batch, log_weights=0.0 * batch.log_weights)
        # One token decides in this game, so that it is the entropy of decisions.
        of_decisions, wanted = gradient(LocalLearner(policy, FREE), batch, entropy=0.7)
        of_tokens, stats = gradient(TokenLearner(policy, FREE), zero, entropy=0.7)
        assert stats["entropy"] == pytest.approx(wanted["entropy"], rel=1e-4)
        assert close(of_tokens, of_decisions, 1e-4)
        assert float(of_tokens.norm()) > 1e-3

    def test_games_that_name_episodes_alike_have_decisions_of_their_own(self) -> None:
        policy = policy_of("think")
        samples = [replace(one, advantage=0.0) for one in decision_samples(step_of(policy))]
        alone, stats = gradient(TokenLearner(policy, FREE), samples, kl=0.5)
        both, twice = gradient(TokenLearner(policy, FREE), [*samples, *samples], kl=0.5)
        assert twice["kl"] == pytest.approx(stats["kl"])
        assert close(both, alone, 1e-4)

    def test_both_are_averaged_over_tokens_too(self) -> None:
        policy = policy_of("think")
        samples = decision_samples(step_of(policy))
        decisions = len({(one.episode, one.index) for one in samples})
        _, stats = gradient(TokenLearner(policy, FREE), samples)
        for name in ("kl", "entropy"):
            assert stats[f"token_{name}"] * stats["tokens"] == pytest.approx(stats[name] * decisions)


class TestSteps:
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_a_rewarded_text_gets_likelier(self, sign: float) -> None:
        policy = policy_of("free")
        sample = replace(decision_samples(step_of(policy))[0], advantage=sign, episodes_of_stream=1)
        before = float(by_hand(policy, sample).sum().detach())
        for _ in range(3):
            TokenLearner(policy, FREE).update([sample], 1e-3, 0.0, 0.0)
        assert sign * (float(by_hand(policy, sample).sum().detach()) - before) > 0.01

    def test_a_step_that_moves_too_far_is_held_back(self) -> None:
        moved = {}
        for limit in (math.inf, 1e-3):
            policy = policy_of("think")
            stats = TokenLearner(policy, FREE, max_step_kl=limit).update(
                decision_samples(step_of(policy)), 2e-2, 0.0, 0.0
            )
            moved[limit] = stats["step_kl"]
            assert (stats["step_taken"] < 1.0) == (limit < 1.0)
        assert moved[1e-3] <= 1e-3 < moved[math.inf]

    def test_the_distance_of_a_step_is_the_k3_estimate_on_its_tokens(self) -> None:
        policy = policy_of("free")
        samples = decision_samples(step_of(policy))
        with torch.no_grad():
            before = [by_hand(policy, one) for one in samples]
        stats = TokenLearner(policy, FREE).update(samples, 1e-2, 0.0, 0.0)
        with torch.no_grad():
            after = [by_hand(policy, one) for one in samples]
        gone = sum(
            float((torch.exp(b - a) - (b - a) - 1.0).sum()) for a, b in zip(before, after, strict=True)
        )
        assert stats["step_kl"] == pytest.approx(gone / len(samples), rel=1e-3)
        assert stats["step_kl"] > 1e-4

    def test_a_gradient_that_is_not_finite_makes_no_step(self) -> None:
        policy = policy_of("think")
        samples = decision_samples(step_of(policy))
        before = weights(policy, "default")
        stats = TokenLearner(policy).update(
            [replace(samples[0], advantage=math.inf), *samples[1:]], 1e-3, 0.1, 0.0
        )
        assert stats["skipped"] == 1.0
        assert equal(weights(policy, "default"), before)

    def test_a_sampler_with_other_weights_is_noticed(self) -> None:
        policy = policy_of("free")
        samples = decision_samples(step_of(policy))
        with torch.no_grad():
            for weight in trainable(policy):
                weight *= 1.5
            logs = [by_hand(policy, one) for one in samples]
        apart = [
            float((a - torch.tensor(s.sampled_logprobs)).abs().sum())
            for a, s in zip(logs, samples, strict=True)
        ]
        _, stats = gradient(TokenLearner(policy), samples)
        assert stats["sampler_gap"] == pytest.approx(sum(apart) / stats["tokens"], rel=1e-3)
        assert stats["sampler_gap"] > 0.05


def test_equal_completions_are_read_once() -> None:
    samples = decision_samples(step_of(policy_of("choose")))
    rows = completions(samples)
    assert len(rows) < len(samples)
    assert sum(row.count for row in rows) == len(samples)
    assert math.fsum(row.weight for row in rows) == pytest.approx(math.fsum(one.weight for one in samples))
    prompts = [row.sample.prompt_ids for row in rows]
    assert prompts == sorted(prompts)


def test_passes_hold_as_many_tokens_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = policy_of("think")
    rows = completions(decision_samples(step_of(policy)))
    sizes: list[int] = []
    real = policy.scorer.logits

    def watch(asked: Sequence[Any], **named: Any) -> Any:
        sizes.append(sum(len(row.ids) for row in asked))
        return real(asked, **named)

    monkeypatch.setattr(policy.scorer, "logits", watch)
    longest = max(len(row.row.ids) for row in rows)
    learner = TokenLearner(policy, pass_tokens=2 * longest)
    for chunk in learner._chunks(rows):
        learner._logs(chunk)
    assert longest < max(sizes) <= 2 * longest
    assert sum(sizes) == sum(len(row.row.ids) for row in rows)


@pytest.mark.parametrize(
    ("mode", "temperature", "message"),
    [("think", 0.0, "temperature 0 leaves no choice"), ("choose", 0.5, "is that of actions, not of tokens")],
)
def test_temperatures_that_cannot_be_trained_are_refused(mode: str, temperature: float, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        TokenLearner(policy_of(mode, temperature))


def test_it_goes_on_from_its_files_as_if_never_stopped(tmp_path: Path) -> None:
    policy = policy_of("think")
    learner = TokenLearner(policy)
    samples = decision_samples(step_of(policy))
    learner.update(samples, 1e-3, 0.1, 0.01)
    learner.save_weights(tmp_path)
    state = learner.save_state(tmp_path)
    learner.update(samples, 1e-3, 0.1, 0.01)
    other = TokenLearner(policy_of("think"))
    other.load(tmp_path, state)
    other.update(samples, 1e-3, 0.1, 0.01)
    assert equal(weights(other.policy, "default"), weights(policy, "default"))
    assert other.policy.version == policy.version


@pytest.mark.parametrize("mode", ["think", "free"])
def test_kl_and_entropy_of_games_count_for_what_the_games_do(mode: str) -> None:
    """A joint step ascends the weighted sum of the games' own steps, with penalties."""
    policy = policy_of(mode)
    # Games of two lengths, so that a mean over all decisions alike would be another one.
    parts = [(0.75, decision_samples(step_of(policy, 1))), (0.25, decision_samples(step_of(policy, 3)))]
    learner = TokenLearner(policy)
    alone = [gradient(learner, samples, kl=0.7, entropy=0.3) for _, samples in parts]
    found, stats = gradient(learner, weighted_samples(parts), kl=0.7, entropy=0.3)
    wanted = sum(share * one for (share, _), (one, _) in zip(parts, alone, strict=True))
    assert isinstance(wanted, torch.Tensor)
    assert float((found - wanted).norm() / wanted.norm()) < 1e-5
    alike = [replace(one, share=1.0) for one in weighted_samples(parts)]
    other, _ = gradient(learner, alike, kl=0.7, entropy=0.3)
    assert float((other - wanted).norm() / wanted.norm()) > 1e-3
    for name in ("kl", "entropy"):
        mean = sum(share * one[name] for (share, _), (_, one) in zip(parts, alone, strict=True))
        assert stats[name] == pytest.approx(mean, rel=1e-6)
    assert stats["tokens"] == sum(one["tokens"] for _, one in alone)
