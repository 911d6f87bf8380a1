"""A user's strategy that says something wrong is told so by name; one that is right plays as before."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise import audit
from equipoise.errors import PolicyError
from equipoise.opponents.base import Classifier, MemoryOne
from equipoise.opponents.registry import get_strategy
from equipoise.policies.checked import CheckedStrategy

LEGAL = ("COOPERATE", "DEFECT")


def strategy(row: Any, learn: Any = None, first: Any = None) -> MemoryOne:
    def act(memory: Any, observation: Any) -> Any:
        if isinstance(row, BaseException):
            raise row
        return row

    return MemoryOne("mine", Classifier(memory_depth=1), "a test", act=act, learn=learn, first=first)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"COOPERATE": 1.0, "DEFECT": 1.0}, "sum to 2, not 1"),
        ({"COOPERATE": 0.3, "DEFECT": 0.3}, "sum to 0.6, not 1"),
        ({"COOPERATE": float("nan"), "DEFECT": 0.5}, "the probability nan"),
        ({"HIDE": 1.0}, "'HIDE', not one of"),
        ("COOPERATE", "return a mapping of probabilities"),
        (RuntimeError("oops"), "raised RuntimeError: oops"),
        (SystemExit(3), "raised SystemExit: 3"),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_wrong_rows_stop_an_audit(row: Any, said: str, exact: bool) -> None:
    with pytest.raises(PolicyError, match="strategy 'mine'") as error:
        audit("ipd", strategy(row), exact=exact, episodes=1, options={"rounds": 2})
    assert said in str(error.value)


def test_wrong_memories_do_too() -> None:
    row = {"COOPERATE": 1.0}
    with pytest.raises(PolicyError, match=r"memory \[\] cannot be hashed"):
        CheckedStrategy(strategy(row, first=[]), "mine")
    checked = CheckedStrategy(strategy(row, learn=lambda memory, signal: [signal]), "mine")
    with pytest.raises(PolicyError, match="cannot be hashed: use a tuple"):
        checked.update(None, 1)


@pytest.mark.parametrize("weights", [(0.9,), (0.5, 0.6), (), (1.5, -0.5)])
def test_initial_memories_are_a_distribution(weights: tuple[float, ...]) -> None:
    class Starts(MemoryOne):
        def start(self) -> tuple[tuple[Any, float], ...]:
            return tuple(enumerate(weights))

    starts = Starts("mine", Classifier(memory_depth=0), "a test", act=lambda m, o: {"COOPERATE": 1.0})
    with pytest.raises(PolicyError, match=r"start\(\)"):
        CheckedStrategy(starts, "mine")


def test_a_right_strategy_is_valued_as_it_is() -> None:
    known = get_strategy("ipd", "generous_tit_for_tat")
    found = audit("ipd", known, exact=True)["ipd"].metrics
    expected = audit("ipd", "scripted:generous_tit_for_tat", exact=True)["ipd"].metrics
    assert found == expected
