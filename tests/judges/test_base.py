"""Cases made of episodes, the rule judge, and how far judges agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise.games.registry import make_game
from equipoise.judges.agreement import agreement
from equipoise.judges.base import Case, NoJudge, Turn, Verdict, case_of
from equipoise.judges.rule import RuleJudge
from equipoise.policies.registry import load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.rollout.engine import play
from equipoise.types import Kind
from tests.rollout.players import requests

IPD = make_game("ipd", rounds=3)


def one_case(seat: int | None = None) -> Case:
    actor = load_policy("scripted:always_defect", IPD)
    adviser = FunctionAdviser(lambda d: f"round {d.round}", "f", "f")
    asked = requests(IPD, advised(adviser, actor), ("grim_trigger",), 1)[:1]
    return case_of(play(asked)[0].episode, IPD, seat)


def test_a_case_holds_one_sides_turns_with_its_strategies() -> None:
    case = one_case()
    assert [turn.strategy for turn in case.turns] == ["round 0", "round 1", "round 2"]
    assert {turn.action for turn in case.turns} == {"DEFECT"}
    # Defecting on a trigger: 5, then 1 and 1, of 0 to 5 whose middle is 2.5.
    assert [turn.gain for turn in case.turns] == [2.5, -1.5, -1.5]
    assert case.score == pytest.approx((5 + 1 + 1) / 3 / 5)
    other = one_case(seat=1)
    assert [turn.gain for turn in other.turns] == [-2.5, -1.5, -1.5]
    assert {turn.strategy for turn in other.turns} == {""}


def test_moves_made_at_once_are_seen_after_the_turn_from_both_seats() -> None:
    def told(seat: int) -> list[tuple[str, ...]]:
        return [tuple(text for _, text in turn.before) for turn in one_case(seat).turns]

    # The trigger is cooperative once; what either does is known to the other from the next turn on.
    assert told(0) == [(), ("COOPERATE",), ("DEFECT",)]
    assert told(1) == [(), ("DEFECT",), ("DEFECT",)]


def test_what_follows_the_last_turn_and_the_end_are_told() -> None:
    first, second = one_case(0), one_case(1)
    assert [text for _, text in first.after] == ["DEFECT"]
    assert [text for _, text in second.after] == ["DEFECT"]
    assert first.end == "finished"


def test_who_moves_in_turn_is_seen_as_it_moved() -> None:
    kuhn = make_game("kuhn", rounds=1)
    asked = requests(kuhn, load_policy("scripted:always_bet", kuhn), ("always_bet",), 1)
    for one in play(asked):
        cases = [case_of(one.episode, kuhn, seat) for seat in (0, 1)]
        # The first to act sees nothing before its bet, the second that bet.
        counts = [[len(turn.before) for turn in case.turns] for case in cases]
        assert sorted(counts) == [[0], [1]]
        assert sorted(len(case.after) for case in cases) == [0, 1]


def test_the_rule_judge_marks_gains() -> None:
    case = one_case()
    assert RuleJudge().judge([case])[0] == Verdict((0,))
    assert RuleJudge(threshold=2.5).judge([case])[0] == Verdict(())
    unknown = replace(case, turns=tuple(replace(turn, gain=None) for turn in case.turns))
    assert RuleJudge().judge([unknown])[0] == Verdict(())
    assert NoJudge().judge([case, case]) == [Verdict(()), Verdict(())]


def test_marks_are_one_or_zero() -> None:
    assert Verdict((0, 2)).marks(4) == [1.0, 0.0, 1.0, 0.0]
    assert Verdict(()).marks(0) == []


def cases(sizes: list[int]) -> list[Case]:
    return [
        Case(str(n), 0, "", tuple(Turn("", "", (), None) for _ in range(size)), 0.0)
        for n, size in enumerate(sizes)
    ]


def test_kappa_is_cohens() -> None:
    # The textbook table: both yes 20, both no 15, one yes 5, the other yes 10: kappa 0.4.
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    rows = cases([1] * 50)
    a = [Verdict((0,) if one else ()) for one, _ in pairs]
    b = [Verdict((0,) if other else ()) for _, other in pairs]
    found = agreement(rows, a, b)
    assert found is not None
    assert found.value == pytest.approx(0.4)
    assert (found.kind, found.n, found.clusters) == (Kind.SAMPLE, 50, 50)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.4 < found.high
    same = agreement(rows, a, a)
    assert same is not None
    assert same.value == 1.0


def test_kappa_of_chance_is_about_zero() -> None:
    rng = np.random.Generator(np.random.Philox(3))
    rows = cases([4] * 400)
    a, b = ([Verdict(tuple(np.flatnonzero(rng.random(4) < 0.3))) for _ in rows] for _ in range(2))
    found = agreement(rows, a, b)
    assert found is not None
    assert abs(found.value) < 0.1
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.0 < found.high


def test_kappa_is_not_defined_where_nothing_varies() -> None:
    rows = cases([2, 2])
    nothing = [Verdict(()), Verdict(())]
    assert agreement(rows, nothing, nothing) is None
    assert agreement([], [], []) is None
    assert agreement(cases([0]), [Verdict(())], [Verdict(())]) is None
