"""The seam of free-text tasks, on the smallest one: two people count to a number together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.policies.base import Policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.rollout.transcript import episode_from_json, episode_to_json
from equipoise.types import Choice, Decision, StopReason
from tests.tasks.toys import Counting, Speaker


def request(players: tuple[Policy, Policy], index: int = 0) -> EpisodeRequest:
    task = Counting.create()
    return EpisodeRequest(task, Deal(0, Split.REPORT, "counting@1", index), "train", "Ben", 0, players)


def test_the_engine_plays_a_task_to_its_score() -> None:
    one, two = Speaker("one"), Speaker("two")
    (played,) = play([request((one, two))])
    episode = played.episode
    goal = int(str(episode.notes["scenario"]).removeprefix("to-"))
    assert [turn.action for turn in episode.turns] == [str(n + 1) for n in range(goal)]
    assert [turn.seat for turn in episode.turns] == [n % 2 for n in range(goal)]
    assert [outcome.payoffs for outcome in episode.rounds] == [(1.0, 1.0)]
    assert episode.notes["ended"] == "reached"
    # Each seat's own turns, before and after.
    first = [round(value * goal) for value in episode.notes["achievable"][0]]  # type: ignore[index]
    assert first == [n for k in range(0, goal, 2) for n in (k, k + 1)]
    assert one.seen[0]["goal"] == f"Reach {goal}."
    assert one.seen[0]["others"] == ("Ben",)
    assert two.seen[0]["lines"] == (("Ada", "1"),)


def test_deals_differ_and_repeat() -> None:
    goals = [play([request((Speaker("a"), Speaker("b")), k)])[0].episode.notes["scenario"] for k in range(20)]
    assert set(goals) == {"to-2", "to-3", "to-4"}
    again = [play([request((Speaker("a"), Speaker("b")), k)])[0].episode.notes["scenario"] for k in range(20)]
    assert goals == again


def test_silence_is_data_and_the_turns_run_out() -> None:
    (played,) = play([request((Speaker("one"), Speaker("two", silent=True)))])
    turns = played.episode.turns
    assert len(turns) == 6
    assert {turn.action for turn in turns if turn.seat == 1} == {""}
    assert played.episode.notes["ended"] == "turns"
    assert played.episode.stop is StopReason.FINISHED


def test_a_forfeit_ends_it_where_it_stands() -> None:
    rule = InvalidRule(retries=0, then="forfeit")
    (played,) = play([request((Speaker("one"), Speaker("two", silent=True)))], rule)
    assert played.episode.stop is StopReason.FORFEIT
    assert len(played.episode.turns) == 2
    assert played.episode.rounds[0].payoffs[0] == pytest.approx(
        1 / int(str(played.episode.notes["scenario"])[3:])
    )


def test_transcripts_keep_the_notes() -> None:
    (played,) = play([request((Speaker("one"), Speaker("two")))])
    assert episode_from_json(episode_to_json(played.episode)) == played.episode


def test_what_is_not_said_cannot_be_applied(tmp_path: Path) -> None:
    episode = Counting.create().start(0, lambda round_, purpose: 0.0)
    with pytest.raises(RequestError, match="seat 0 must say something, got None"):
        episode.apply({})
    for _ in range(6):
        episode.apply({0: "", 1: ""})
    with pytest.raises(RequestError, match="the episode is over"):
        episode.apply({0: "1"})


def test_advice_sets_decisions_apart() -> None:
    asked: list[Decision] = []

    class Watching(Speaker):
        def act(self, decisions: Sequence[Decision]) -> list[Choice]:
            asked.extend(decisions)
            return super().act(decisions)

    play([request((Watching("one"), Speaker("two")))])
    advised = replace(asked[0], advice=("Be quick.",))
    assert advised.information_state != asked[0].information_state
    assert replace(advised, advice=()).information_state == asked[0].information_state
