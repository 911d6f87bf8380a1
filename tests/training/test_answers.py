"""Rates and lengths of a step's answers, counted by hand."""

from __future__ import annotations

from dataclasses import replace

from equipoise.rollout.requests import Played
from equipoise.training.answers import answer_counts
from equipoise.types import Choice, Episode, Generation, StopReason, Turn, Validity


def made(role: str, tokens: int, stop: StopReason = StopReason.FINISHED) -> Generation:
    return Generation(role, (1,), (2,) * tokens, (-1.0,) * tokens, (1,) * tokens, stop)


def played(choices: list[Choice], seat: int = 0) -> Played:
    turns = [Turn(seat, 0, 0, "", "A", choice) for choice in choices]
    turns += [
        Turn(1 - seat, 0, 0, "", "A", Choice(None, Validity.REFUSAL, generations=(made("action", 99),)))
    ]
    return Played(
        Episode("", "g@1", {}, "train", "o", seat, 0, "train", 0, (), tuple(turns), (), StopReason.FINISHED)
    )


def test_they_are_counted_over_own_decisions_only() -> None:
    choices = [
        Choice("A", generations=(made("thought", 8, StopReason.LENGTH), made("action", 1))),
        Choice("A", generations=(made("thought", 2), made("action", 3))),
        Choice(None, Validity.TRUNCATED, generations=(made("action", 8, StopReason.LENGTH),)),
        Choice(None, Validity.REFUSAL, generations=(made("action", 4),)),
        Choice(None, Validity.INVALID, generations=(made("action", 4),)),
    ]
    for episodes in ([played(choices)], [played(choices[:2]), played(choices[2:], seat=1)]):
        assert answer_counts(episodes) == {
            "truncation_rate": 0.2,
            "refusal_rate": 0.2,
            "budget_rate": 0.4,
            "action_tokens": 4.0,
            "thought_tokens": 5.0,
        }


def test_who_writes_no_text_has_none() -> None:
    one = played([Choice("A")])
    assert answer_counts([]) == {}
    assert answer_counts([replace(one, episode=replace(one.episode, turns=one.episode.turns[:1]))]) == {}
