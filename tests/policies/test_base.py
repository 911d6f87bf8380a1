"""Distributions: what a policy may answer, and how an action is drawn from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import NoProbabilitiesError, PolicyError
from equipoise.games.registry import make_game
from equipoise.policies.base import Policy, check_distribution, draw
from tests.helpers import Constant, decision_at, root

LEGAL = ("COOPERATE", "DEFECT")
IPD = make_game("ipd", rounds=1)


class TestCheckDistribution:
    @pytest.mark.parametrize("legal", [LEGAL, (1, 2, 3), ((0, 1), (1, 0))])
    def test_an_action_is_a_certainty(self, legal: tuple[Any, ...]) -> None:
        assert check_distribution(legal[1], legal, "p") == {legal[1]: 1.0}

    def test_a_mapping_is_a_distribution(self) -> None:
        assert check_distribution({"COOPERATE": 0.25, "DEFECT": 0.75}, LEGAL, "p") == {
            "COOPERATE": 0.25,
            "DEFECT": 0.75,
        }
        assert check_distribution({"DEFECT": 1}, LEGAL, "p") == {"DEFECT": 1.0}

    def test_rounding_is_mended(self) -> None:
        found = check_distribution({"COOPERATE": 0.3333333, "DEFECT": 0.6666666}, LEGAL, "p")
        assert math.fsum(found.values()) == pytest.approx(1.0, abs=1e-15)
        assert found["COOPERATE"] == pytest.approx(0.3333333 / 0.9999999, abs=1e-15)

    def test_numbers_of_numpy_are_numbers(self) -> None:
        found = check_distribution({"COOPERATE": np.float32(0.5), "DEFECT": np.float64(0.5)}, LEGAL, "p")
        assert found == {"COOPERATE": 0.5, "DEFECT": 0.5}
        assert all(type(p) is float for p in found.values())

    @pytest.mark.parametrize(
        "answer",
        ["cooperate", "", None, 0, b"DEFECT", ["DEFECT"], {"DEFECT"}, object, float("nan")],
        ids=str,
    )
    def test_what_is_not_legal(self, answer: Any) -> None:
        with pytest.raises(PolicyError, match=r"^me returned .* which is not legal: choose one of \['COOP"):
            check_distribution(answer, LEGAL, "me")

    @pytest.mark.parametrize(("answer", "legal"), [(True, (1, 2)), (1.0, (1, 2)), (1, ((1,), (2,)))])
    def test_what_only_looks_legal(self, answer: Any, legal: tuple[Any, ...]) -> None:
        with pytest.raises(PolicyError, match="not legal"):
            check_distribution(answer, legal, "me")
        with pytest.raises(PolicyError, match=r"gave a probability to .* not one of"):
            check_distribution({answer: 1.0}, legal, "me")

    @pytest.mark.parametrize(
        "p", [float("nan"), float("inf"), -0.1, 1.1, True, None, "half", [1], 1j], ids=str
    )
    def test_what_is_no_probability(self, p: Any) -> None:
        with pytest.raises(PolicyError, match=r"me gave 'DEFECT' the probability .*, not one in \[0, 1\]"):
            check_distribution({"COOPERATE": 0.0, "DEFECT": p}, LEGAL, "me")

    @pytest.mark.parametrize(
        ("row", "total"),
        [({}, "0"), ({"COOPERATE": 0.5}, "0.5"), ({"COOPERATE": 1.0, "DEFECT": 1.0}, "2")],
    )
    def test_what_does_not_sum_to_one(self, row: dict[str, float], total: str) -> None:
        with pytest.raises(PolicyError, match=rf"sum to {total}, not 1"):
            check_distribution(row, LEGAL, "me")

    @settings(max_examples=100, derandomize=True, deadline=None)
    @given(p=st.floats(0.0, 1.0), off=st.floats(-2e-6, 2e-6))
    def test_the_tolerance_is_a_millionth(self, p: float, off: float) -> None:
        row = {"COOPERATE": p, "DEFECT": min(1.0, max(0.0, 1.0 - p + off))}
        total = math.fsum(row.values())
        if abs(total - 1.0) > 1e-6:
            with pytest.raises(PolicyError):
                check_distribution(row, LEGAL, "me")
        else:
            assert math.fsum(check_distribution(row, LEGAL, "me").values()) == pytest.approx(1.0, abs=1e-12)


class TestDraw:
    @pytest.mark.parametrize(
        ("u", "action"), [(0.0, "COOPERATE"), (0.2499, "COOPERATE"), (0.25, "DEFECT"), (0.9999, "DEFECT")]
    )
    def test_by_quantile_in_the_order_of_legal_actions(self, u: float, action: str) -> None:
        decision = decision_at(IPD, root(IPD), 0, draws=Constant(u))
        # The order of the mapping does not matter.
        assert draw({"DEFECT": 0.75, "COOPERATE": 0.25}, decision) == action

    @pytest.mark.parametrize("u", [0.0, 0.5, 0.999999999999])
    def test_an_action_left_out_is_never_drawn(self, u: float) -> None:
        decision = decision_at(IPD, root(IPD), 0, draws=Constant(u))
        assert draw({"DEFECT": 1.0}, decision) == "DEFECT"

    def test_without_legal_actions_those_of_the_mapping_stand(self) -> None:
        decision = decision_at(IPD, root(IPD), 0, legal=None, draws=Constant(0.9))
        assert draw({"a": 0.5, "b": 0.5}, decision) == "b"


def test_a_policy_without_probabilities_says_so() -> None:
    class Silent(Policy):
        name = "silent"

        def act(self, decisions: Any) -> list[Any]:
            return []

    with pytest.raises(NoProbabilitiesError, match="'silent' gives no action probabilities"):
        Silent().probabilities([])
    assert Silent().strategy(IPD) is None
    assert Silent().state_dict() == {}
