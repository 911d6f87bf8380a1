"""Strategies of the prisoner's dilemma, move by move, and whether their classifiers tell the truth.

Behaviour and names come from ``domains.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from equipoise.games.ipd import ACTIONS, COOPERATE, DEFECT, Seen, View
from equipoise.games.registry import make_game
from equipoise.opponents.base import Strategy
from equipoise.opponents.ipd import STRATEGIES, forgiving, random_cooperator
from equipoise.opponents.registry import strategies
from equipoise.types import Action
from tests.helpers import Script, memory_after, play, reachable_memories

C, D = COOPERATE, DEFECT
SIGNALS = tuple(Seen(own, other) for own, other in product(ACTIONS, repeat=2))
ALL = strategies("ipd")
DEPTH = 4

every = pytest.mark.parametrize("strategy", ALL.values(), ids=ALL)


def word(letters: str) -> tuple[str, ...]:
    return tuple({"C": C, "D": D}[letter] for letter in letters)


def distribution(strategy: Strategy, memory: object, round_: int) -> tuple[float, ...]:
    given = strategy.probabilities(memory, View(round_), ACTIONS)
    return tuple(given.get(action, 0.0) for action in ACTIONS)


def after(strategy: Strategy, signals: Sequence[Seen], round_: int | None = None) -> tuple[float, ...]:
    """Return the distribution after a history, by default in the round that follows it."""
    return distribution(strategy, memory_after(strategy, signals), len(signals) if round_ is None else round_)


@pytest.mark.parametrize(
    ("name", "other", "own"),
    [
        ("tit_for_tat", "CDDCDCCD", "CCDDCDCC"),
        ("suspicious_tit_for_tat", "CDDCDCCD", "DCDDCDCC"),
        ("grim_trigger", "CCDCCCCC", "CCCDDDDD"),
        ("grim_trigger", "CCCCCCCC", "CCCCCCCC"),
        ("always_defect", "CDCDCDCD", "DDDDDDDD"),
        ("always_cooperate", "DDDDDDDD", "CCCCCCCC"),
        # Defects in the 1st, 3rd, 5th, 7th round, whatever the other does.
        ("alternating_defect", "CCCCCCCC", "DCDCDCDC"),
        ("alternating_defect", "DDDDDDDD", "DCDCDCDC"),
        # Win-stay, lose-shift: repeats after C from the other, changes after D.
        ("pavlov", "CDDCCDCC", "CCDCCCDD"),
        ("pavlov", "DDDDDDDD", "CDCDCDCD"),
        ("tit_for_two_tats", "DCDDCDDD", "CCCCDCCD"),
        ("tit_for_two_tats", "CDCDCDCD", "CCCCCCCC"),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_moves_of_deterministic_strategies(name: str, other: str, own: str, seat: int) -> None:
    players = [STRATEGIES[name], Script(*word(other))]
    match = play(make_game("ipd"), players if seat == 0 else players[::-1], lambda round_, purpose: 0.0)
    assert tuple(seen.own for seen in match.histories[seat]) == word(own)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "signals", "cooperates"),
    [
        ("generous_tit_for_tat", (), 1.0),
        ("generous_tit_for_tat", (Seen(C, C),), 1.0),
        ("generous_tit_for_tat", (Seen(C, D),), 0.25),
        ("generous_tit_for_tat", (Seen(C, D), Seen(D, C)), 1.0),
        ("mixed_half", (), 0.5),
        ("mixed_half", (Seen(D, D), Seen(C, D)), 0.5),
        ("random_75", (), 0.75),
        ("random_75", (Seen(D, D), Seen(C, D)), 0.75),
        ("random", (), 0.5),
        ("random", (Seen(D, D), Seen(C, D)), 0.5),
    ],
)
def test_probabilities_of_stochastic_strategies(
    name: str, signals: tuple[Seen, ...], cooperates: float
) -> None:
    assert after(ALL[name], signals) == pytest.approx((cooperates, 1.0 - cooperates))


def test_pavlov_judges_what_was_executed_not_what_was_meant() -> None:
    # It meant to cooperate, a flip made it defect, and it won: it stays with the defection.
    assert after(STRATEGIES["pavlov"], (Seen(D, C),)) == (0.0, 1.0)


def test_the_names_are_those_of_the_domain() -> None:
    assert set(ALL) == {
        "tit_for_tat",
        "generous_tit_for_tat",
        "mixed_half",
        "grim_trigger",
        "always_defect",
        "alternating_defect",
        "always_cooperate",
        "suspicious_tit_for_tat",
        "pavlov",
        "tit_for_two_tats",
        "random_75",
        "random",
    }


def test_the_strategies_differ_from_one_another() -> None:
    histories = [history for n in range(DEPTH) for history in product(SIGNALS, repeat=n)]
    behaviour = {name: tuple(after(s, history) for history in histories) for name, s in ALL.items()}
    # Two names for one coin: the train pool's, and the one every game has.
    assert behaviour.pop("random") == behaviour["mixed_half"]
    assert len(set(behaviour.values())) == len(behaviour)


@every
def test_a_strategy_has_one_initial_memory_with_probability_one(strategy: Strategy) -> None:
    ((memory, probability),) = strategy.start()
    assert probability == 1.0
    hash(memory)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("tit_for_tat", C),
        ("suspicious_tit_for_tat", D),
        ("generous_tit_for_tat", C),
        ("pavlov", C),
        ("grim_trigger", False),
        ("tit_for_two_tats", 0),
        ("always_defect", None),
        ("mixed_half", None),
    ],
)
def test_initial_memories(name: str, first: object) -> None:
    assert STRATEGIES[name].start() == ((first, 1.0),)


@every
def test_answers_are_distributions_over_legal_actions(strategy: Strategy) -> None:
    for round_, memories in enumerate(reachable_memories(strategy, SIGNALS, 8)):
        for memory in memories:
            given: Mapping[Action, float] = strategy.probabilities(memory, View(round_), ACTIONS)
            assert set(given) <= set(ACTIONS)
            assert all(probability >= 0.0 for probability in given.values())
            assert sum(given.values()) == pytest.approx(1.0, abs=1e-12)


@every
def test_memories_stay_few(strategy: Strategy) -> None:
    assert len(set().union(*reachable_memories(strategy, SIGNALS, 8))) <= 3


@every
def test_the_stochastic_flag_tells_the_truth(strategy: Strategy) -> None:
    drawn = any(
        0.0 < probability < 1.0
        for round_, memories in enumerate(reachable_memories(strategy, SIGNALS, 8))
        for memory in memories
        for probability in strategy.probabilities(memory, View(round_), ACTIONS).values()
    )
    assert strategy.classifier.stochastic == (drawn or len(strategy.start()) > 1)


def depends_beyond(strategy: Strategy, depth: int) -> bool:
    """Tell whether two histories that end in the same ``depth`` rounds can be answered differently."""
    for length in range(depth, DEPTH + 1):
        answers: dict[tuple[Seen, ...], set[tuple[float, ...]]] = {}
        for history in product(SIGNALS, repeat=length):
            answers.setdefault(history[length - depth :], set()).add(after(strategy, history))
        if any(len(found) > 1 for found in answers.values()):
            return True
    return False


@every
def test_the_memory_depth_is_enough(strategy: Strategy) -> None:
    if strategy.classifier.memory_depth is not None:
        assert not depends_beyond(strategy, strategy.classifier.memory_depth)


@every
def test_the_memory_depth_is_needed(strategy: Strategy) -> None:
    depth = strategy.classifier.memory_depth
    less = DEPTH - 1 if depth is None else depth - 1
    assert less < 0 or depends_beyond(strategy, less)


@every
def test_the_horizon_flag_tells_the_truth(strategy: Strategy) -> None:
    histories = [history for n in range(DEPTH) for history in product(SIGNALS, repeat=n)]
    uses = any(len({after(strategy, history, round_) for round_ in range(8)}) > 1 for history in histories)
    assert strategy.classifier.uses_horizon == uses


@every
def test_nothing_is_private_here(strategy: Strategy) -> None:
    assert not strategy.classifier.knows_private


@every
def test_every_strategy_says_where_it_comes_from(strategy: Strategy) -> None:
    assert strategy.source
    assert ALL[strategy.name] is strategy or strategy.name == "random"


def test_families_take_their_rate() -> None:
    assert after(forgiving(0.1, "a", "b"), (Seen(C, D),)) == pytest.approx((0.1, 0.9))
    assert after(random_cooperator(0.2, "a", "b"), ()) == pytest.approx((0.2, 0.8))
