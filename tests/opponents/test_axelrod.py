"""The strategies of the prisoner's dilemma against those of the Axelrod library (4.14), move by move.

Axelrod's library is written and tested by others; where it has a strategy that ours shares, both must make
the same moves in the same matches. Where a strategy draws, its probabilities are compared.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import random
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from equipoise.games.ipd import COOPERATE, DEFECT, Seen, View
from equipoise.opponents.registry import strategies

OURS = strategies("ipd")
MATCHES, ROUNDS = 200, 24
LETTERS = {"C": COOPERATE, "D": DEFECT}

Build = Callable[[Any], Any]
"""Makes the player from the library."""

SAME: dict[str, Build] = {
    "tit_for_tat": lambda axl: axl.TitForTat(),
    "suspicious_tit_for_tat": lambda axl: axl.SuspiciousTitForTat(),
    "tit_for_two_tats": lambda axl: axl.TitFor2Tats(),
    "grim_trigger": lambda axl: axl.Grudger(),
    "pavlov": lambda axl: axl.WinStayLoseShift(),
    "always_cooperate": lambda axl: axl.Cooperator(),
    "always_defect": lambda axl: axl.Defector(),
    # Their Alternator opens with C; ours opens with D, as their cycler of D and C does.
    "alternating_defect": lambda axl: axl.CyclerDC(),
}
DRAWN: dict[str, Build] = {
    # Nowak and Sigmund's forgiveness for these payoffs is 1/3; ours is 1/4, as the SEPO paper has it.
    "generous_tit_for_tat": lambda axl: axl.GTFT(p=0.25),
    "mixed_half": lambda axl: axl.Random(p=0.5),
    "random_75": lambda axl: axl.Random(p=0.75),
    "random": lambda axl: axl.Random(p=0.5),
}


@pytest.fixture(scope="module")
def axelrod() -> Any:
    """The library; only continuous integration insists on it, it comes with the extra ``crosscheck``."""
    # On import it reads the source of every method several times over.
    with mock.patch.object(inspect, "getsource", functools.lru_cache(maxsize=None)(inspect.getsource)):
        if os.environ.get("CI"):
            return importlib.import_module("axelrod")
        return pytest.importorskip("axelrod")


def sequences() -> list[str]:
    """Return what the other side plays in each match: coins of all biases, the same for everyone."""
    draw = random.Random(2605)
    rates = [draw.random() for _ in range(MATCHES)]
    return ["".join("C" if draw.random() < rate else "D" for _ in range(ROUNDS)) for rate in rates]


def ours(name: str, other: str) -> str:
    """Return the moves of our strategy; it must be certain of each."""
    strategy, moves = OURS[name], ""
    ((memory, _),) = strategy.start()
    for round_, letter in enumerate(other):
        row = strategy.probabilities(memory, View(round_), (COOPERATE, DEFECT))
        (action,) = [action for action, p in row.items() if p == 1.0]
        moves += action[0]
        memory = strategy.update(memory, Seen(action, LETTERS[letter]))
    return moves


def theirs(axelrod: Any, build: Build, other: str) -> str:
    actions = [axelrod.Action.from_char(letter) for letter in other]
    match = axelrod.Match((build(axelrod), axelrod.MockPlayer(actions)), turns=len(other))
    return "".join(str(own) for own, _ in match.play())


@pytest.mark.parametrize("name", SAME)
def test_moves_agree(axelrod: Any, name: str) -> None:
    for other in sequences():
        assert ours(name, other) == theirs(axelrod, SAME[name], other), other


@pytest.mark.parametrize("name", DRAWN)
def test_probabilities_agree(axelrod: Any, name: str) -> None:
    class Recorded:
        """Takes the place of the library's generator: keeps what it is asked, cooperates."""

        def __init__(self) -> None:
            self.asked: list[float] = []

        def random_choice(self, p: float = 0.5) -> Any:
            self.asked.append(p)
            return axelrod.Action.C

    strategy = OURS[name]
    for other in sequences():
        player, recorded = DRAWN[name](axelrod), Recorded()
        ((memory, _),) = strategy.start()
        partner = axelrod.MockPlayer([axelrod.Action.from_char(letter) for letter in other])
        player._random = recorded
        for round_, letter in enumerate(other):
            before = len(recorded.asked)
            move = player.strategy(partner)
            certain = 1.0 if move == axelrod.Action.C else 0.0
            wanted = recorded.asked[-1] if len(recorded.asked) > before else certain
            row = strategy.probabilities(memory, View(round_), (COOPERATE, DEFECT))
            assert row.get(COOPERATE, 0.0) == pytest.approx(wanted, abs=1e-12), (other, round_)
            player.history.append(move, axelrod.Action.from_char(letter))
            partner.history.append(axelrod.Action.from_char(letter), move)
            memory = strategy.update(memory, Seen(LETTERS[str(move)], LETTERS[letter]))


def test_every_strategy_of_ours_is_compared() -> None:
    assert set(SAME) | set(DRAWN) == set(OURS)


def test_the_matches_tell_the_strategies_apart() -> None:
    played = {name: tuple(ours(name, other) for other in sequences()) for name in SAME}
    assert len(set(played.values())) == len(SAME)
