"""One sample for each generation that may be trained, with what it counts for."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools
from equipoise.policies.local.loading import load_spec
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.registry import load_game
from equipoise.training.arena import Arena
from equipoise.training.batch import SampledStep, sampled_batch
from equipoise.training.config import SepoConfig
from equipoise.training.samples import decision_samples


def step_of(mode: str) -> tuple[Arena, SampledStep]:
    policy = LocalPolicy(load_spec("tiny-random"), mode, max_new_tokens=4)
    game = load_game("ipd", {"rounds": 2})
    objective = Objective.of(
        game.info_record, Pools(("mixed_half",), ("always_defect",), ("always_cooperate",))
    )
    config = SepoConfig(deals=2, rollouts=2, gates="running")
    arena = Arena(game, objective, policy, config)
    return arena, arena.sample(policy, 0, {})


def test_a_chosen_word_has_one_sample_with_the_tokens_it_was_chosen_among() -> None:
    _, step = step_of("choose")
    samples = decision_samples(step)
    assert len(samples) == sum(len(one.decisions) for one in step.played)
    for sample in samples:
        for token, logprob, sampled, among in zip(
            sample.completion_ids, sample.sampled_logprobs, sample.mask, sample.allowed, strict=True
        ):
            assert (among is not None) == bool(sampled)
            assert among is None or (token in among and len(among) > 1 and logprob < 0.0)


def test_their_weights_are_those_of_the_batch() -> None:
    _, step = step_of("choose")
    assert math.fsum(s.weight for s in decision_samples(step)) == pytest.approx(
        float(sampled_batch(step).log_weights.sum()), abs=1e-12
    )
    assert any(s.weight for s in decision_samples(step))
    halved = decision_samples(replace(step, divisor=2.0 * step.divisor))
    assert [h.advantage for h in halved] == [s.advantage / 2.0 for s in decision_samples(step)]


def test_the_stream_and_its_episodes_are_those_of_the_step() -> None:
    _, step = step_of("choose")
    assert {s.stream: s.episodes_of_stream for s in decision_samples(step)} == {
        ("train", "mixed_half"): 4,
        ("exploiter", "always_defect"): 4,
        ("collusive", "always_cooperate"): 4,
    }


def test_free_text_is_credited_even_where_it_was_not_valid() -> None:
    _, step = step_of("free")
    turns = [t for one in step.played for t in one.episode.turns if t.seat == one.episode.seat]
    assert any(turn.choice.action is None for turn in turns)
    samples = decision_samples(step)
    assert len(samples) == len(turns)
    assert {among for sample in samples for among in sample.allowed} == {None}
    assert all(set(sample.mask) == {1} for sample in samples)


def test_what_is_not_trainable_is_left_out() -> None:
    _, step = step_of("choose")
    frozen = []
    for one in step.played:
        turns = tuple(
            replace(
                t,
                choice=replace(
                    t.choice, generations=tuple(replace(g, trainable=False) for g in t.choice.generations)
                ),
            )
            for t in one.episode.turns
        )
        frozen.append(replace(one, episode=replace(one.episode, turns=turns)))
    assert decision_samples(replace(step, played=frozen)) == []


def test_decisions_of_independent_hands_are_told_apart() -> None:
    policy = LocalPolicy(load_spec("tiny-random"), "think", thought_tokens=2)
    game = load_game("kuhn", {"rounds": 3})
    objective = Objective.of(game.info_record, Pools(("random",), ("nash",), ()))
    arena = Arena(game, objective, policy, SepoConfig(deals=1, rollouts=2, gates="running"))
    step = arena.sample(policy, 0, {})
    samples = decision_samples(step)
    found = [(one.episode, one.index, one.role) for one in samples]
    assert len(set(found)) == len(found)
    assert len({pair[:2] for pair in found}) == sum(len(one.decisions) for one in step.played)
    for one in step.played:
        own = sorted({s.index for s in samples if s.episode == one.episode.id})
        assert own == list(range(len(one.decisions)))
