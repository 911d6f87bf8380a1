"""Combined policies in play: frequencies, draws, tables, and what answers in its own time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.behaviour import finite_forms
from equipoise.auditing.exact.product import expected_features
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.games.registry import make_game
from equipoise.policies.base import AsyncPolicy, Policy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.policies.wrappers import MixedPolicy, NoisyPolicy, mixed_policy, noisy_policy
from equipoise.rollout.engine import play
from equipoise.types import Choice, Decision, Episode
from tests.rollout.players import Answers, Remote, requests

IPD = make_game("ipd", rounds=4)
DEALS = 100
ALWAYS = {"C": "scripted:always_cooperate", "D": "scripted:always_defect"}


def local(spec: Any) -> Policy:
    policy = load_policy(spec, IPD)
    assert isinstance(policy, Policy)
    return policy


def played(
    policy: Any, opponents: Sequence[str] = ("always_cooperate",), deals: int = DEALS
) -> list[Episode]:
    return [one.episode for one in play(requests(IPD, policy, opponents, deals))]


def moves(episode: Episode, own: bool = True) -> tuple[Any, ...]:
    return tuple(turn.action for turn in episode.turns if (turn.seat == episode.seat) is own)


def near(found: float, wanted: float, n: int) -> bool:
    """Tell whether a share of n independent draws is within 4.5 standard errors."""
    return abs(found - wanted) <= 4.5 * math.sqrt(wanted * (1.0 - wanted) / n)


@pytest.mark.parametrize("own", [True, False], ids=["policy", "opponent"])
def test_a_mixture_is_drawn_once_an_episode_with_its_weights(own: bool) -> None:
    spec = "mixture:0.3*always_cooperate+0.7*always_defect"
    episodes = played(local(spec)) if own else played(local(ALWAYS["C"]), [spec])
    found = [moves(episode, own) for episode in episodes]
    assert set(found) == {(COOPERATE,) * 4, (DEFECT,) * 4}
    # As the opponent, one draw a deal serves both seats.
    count = len(found) if own else DEALS
    assert near(found.count((COOPERATE,) * 4) / len(found), 0.3, count)
    assert {episode.seat for episode in episodes} == {0, 1}


@pytest.mark.parametrize("own", [True, False], ids=["policy", "opponent"])
def test_slips_come_at_their_rate_and_independently(own: bool) -> None:
    spec = "noisy:0.4:always_cooperate"
    episodes = played(local(spec)) if own else played(local(ALWAYS["C"]), [spec])
    rows = np.array([[action == DEFECT for action in moves(episode, own)] for episode in episodes])
    for seat in (0, 1):
        mine = rows[[episode.seat == seat for episode in episodes]]
        assert near(float(mine.mean()), 0.2, mine.size)
        assert near(float((mine[:, 0] & mine[:, 1]).mean()), 0.04, len(mine))


def test_nested_slips_add_up() -> None:
    # 1 - (1 - 0.5)(1 - 0.5) = 0.75 of the actions are drawn uniformly.
    rows = [moves(episode) for episode in played(local("noisy:0.5:noisy:0.5:always_cooperate"))]
    share = np.mean([[action == DEFECT for action in row] for row in rows])
    assert near(float(share), 0.375, 4 * len(rows))


def test_nested_mixtures_draw_apart() -> None:
    spec = "mixture:0.5*(mixture:always_cooperate+always_defect)+0.5*always_defect"
    found = [moves(episode)[0] for episode in played(local(spec))]
    assert near(found.count(COOPERATE) / len(found), 0.25, len(found))


@pytest.mark.parametrize(
    "spec", ["noisy:0.3:pavlov", "mixture:tit_for_tat+grim_trigger", "noisy:0.2:mixture:pavlov+tit_for_tat"]
)
def test_sampled_payoffs_agree_with_exact_ones(spec: str) -> None:
    policy, other = local(spec), local("scripted:mixed_half")
    strategy, column = policy.strategy(IPD), other.strategy(IPD)
    assert strategy is not None
    assert column is not None
    exact = expected_features(IPD, strategy, column, 0)[0]
    own = [np.mean([o.payoffs[e.seat] for o in e.rounds]) for e in played(policy, ["mixed_half"])]
    assert abs(np.mean(own) - exact) <= 4.5 * np.std(own) / math.sqrt(DEALS)


def test_without_slips_play_is_the_same_move_by_move() -> None:
    plain, noisy = (
        played(local("scripted:mixed_half"), deals=20),
        played(local("noisy:0:mixed_half"), deals=20),
    )
    assert [moves(e, own=False) for e in plain] == [moves(e, own=False) for e in noisy]
    one, other = load_opponents(["mixed_half", "noisy:0:mixed_half"], IPD).values()
    assert [c.action for c in asked(one)] == [c.action for c in asked(other)]


def asked(policy: Any) -> list[Choice]:
    decisions = [d for one in play(requests(IPD, local(ALWAYS["C"]), deals=3)) for d in one.decisions]
    found: list[Choice] = policy.act(decisions)
    return found


def test_only_decisions_without_a_slip_reach_the_policy() -> None:
    inner = Answers(lambda decision: Choice(COOPERATE, probabilities={COOPERATE: 1.0}))
    policy = NoisyPolicy(inner, 0.5, "noisy")
    played(policy, deals=50)
    assert 0.4 < len(inner.asked) / (50 * 2 * 4) < 0.6
    given = [choice.probabilities for choice in asked(policy) if choice.probabilities is not None]
    assert given
    assert all(row == pytest.approx({COOPERATE: 0.75, DEFECT: 0.25}) for row in given)


def test_probabilities_mix() -> None:
    function = FunctionPolicy(lambda decision: {COOPERATE: 0.9, DEFECT: 0.1}, "mine")
    decisions = play(requests(IPD, function, deals=1))[0].decisions
    (row, *_) = NoisyPolicy(function, 0.2, "noisy").probabilities(decisions)
    assert row == pytest.approx({COOPERATE: 0.82, DEFECT: 0.18})
    with pytest.raises(NoProbabilitiesError):
        MixedPolicy([(function, 0.5), (function, 0.5)], "mixed").probabilities(decisions)


def test_functions_within_are_tabulated_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "def copy(d):\n    return d.info['other'][-1] if d.info['other'] else 'COOPERATE'\n", encoding="utf-8"
    )
    mine = f"python:{tmp_path / 'm.py'}:copy"
    for spec in ("noisy:0.1:mixture:{}+always_defect", "mixture:0.2*{}+0.8*(noisy:0.3:pavlov)"):
        found = finite_forms(local(spec.format(mine)), IPD, None)
        wanted = local(spec.format("tit_for_tat")).strategy(IPD)
        other = local("scripted:mixed_half").strategy(IPD)
        assert found is not None
        assert wanted is not None
        assert other is not None
        assert len(found) == 1
        np.testing.assert_allclose(
            expected_features(IPD, found[0], other, 0), expected_features(IPD, wanted, other, 0), atol=1e-12
        )


def test_parts_that_act_on_their_seat_make_the_whole_do_so() -> None:
    by_seat = FunctionPolicy(lambda decision: COOPERATE if decision.seat == 0 else DEFECT, "by seat")
    policy = mixed_policy([by_seat, local(ALWAYS["D"])], [0.5, 0.5], "mixed")
    found = finite_forms(policy, IPD, None)
    assert found is not None
    values = [expected_features(IPD, form, found[0], 0)[1] for form in found]
    assert len(values) == 2


class TestSettings:
    def test_the_strictest_wins_and_the_loosest_decides_what_is_data(self) -> None:
        loose = Answers(lambda decision: Choice(COOPERATE))
        mixed = mixed_policy([local(ALWAYS["C"]), loose], [0.5, 0.5], "mixed")
        assert isinstance(mixed, MixedPolicy)
        assert (mixed.strict, mixed.always_legal, mixed.exact_states) == (False, False, 0)
        assert (local("noisy:0.1:pavlov").strict, local("noisy:0.1:pavlov").always_legal) == (True, True)

    def test_fingerprints_follow_parts_weights_and_rates(self) -> None:
        specs = [
            "mixture:pavlov+random",
            "mixture:random+pavlov",
            "mixture:0.4*pavlov+0.6*random",
            "noisy:0.1:pavlov",
            "noisy:0.2:pavlov",
            "noisy:0.1:random",
        ]
        prints = [local(spec).fingerprint for spec in specs]
        assert len(set(prints)) == len(specs)
        assert prints == [local(spec).fingerprint for spec in specs]

    def test_tables_of_the_parts_are_kept_apart(self) -> None:
        class Scorer(Answers):
            table: dict[str, float]

            def state_dict(self) -> dict[str, Any]:
                return {"version": 0, "table": self.table}

            def load_state_dict(self, state: Mapping[str, Any]) -> None:
                self.table = dict(state["table"])

        parts = [Scorer(lambda decision: Choice(COOPERATE)) for _ in range(2)]
        parts[0].table, parts[1].table = {"a|b": 1.0}, {"a|b": 2.0}
        whole = NoisyPolicy(MixedPolicy([(part, 0.5) for part in parts], "inner"), 0.1, "outer")
        state = whole.state_dict()
        parts[0].table, parts[1].table = {}, {}
        whole.load_state_dict(state)
        assert (parts[0].table, parts[1].table) == ({"a|b": 1.0}, {"a|b": 2.0})
        assert local("noisy:0.1:pavlov").state_dict() == {}


class TestInTheirOwnTime:
    def test_they_play_what_local_ones_play(self) -> None:
        names = ("noisy:0.3:mixed_half", "mixture:0.5*mixed_half+0.5*always_defect")
        for name in names:
            part = Remote(local("scripted:mixed_half"), limit=3)
            other = local(ALWAYS["D"])
            remote = (
                noisy_policy(part, 0.3, name)
                if name.startswith("noisy")
                else mixed_policy([part, other], [0.5, 0.5], name)
            )
            assert isinstance(remote, AsyncPolicy)
            assert remote.limit == 3
            assert [moves(e) for e in played(remote, deals=10)] == [
                moves(e) for e in played(local(name), deals=10)
            ]


def test_free_text_has_nothing_to_slip_to() -> None:
    decision = Decision(IPD, "e", 0, 0, 0, 0, None, (0,), (), None)  # type: ignore[arg-type]
    with pytest.raises(RequestError, match="finite set of actions"):
        NoisyPolicy(local(ALWAYS["C"]), 0.5, "noisy").act([decision])
