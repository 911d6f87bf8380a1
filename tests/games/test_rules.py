"""What every game must hold (``domains.md``) beyond what ``equipoise.testing`` checks on any game.

The suite itself runs on every registered game, under the same options, in ``tests/testing/test_game.py``.
Here is what needs to know the game: which draw of a transposed deal is which, that the engine plays by the
rules, and exact values. A game that is registered needs an entry in ``SMALL`` and ``FULL``
(tests/helpers.py), in ``TRANSPOSED`` and in ``SEATLESS`` below.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Hashable
from dataclasses import FrozenInstanceError
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.games.base import State
from equipoise.games.match import Match
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.base import Strategy, Uniform
from equipoise.opponents.registry import strategies
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.types import Action
from tests.helpers import (
    FULL,
    SMALL,
    Act,
    every_node,
    joint_actions,
    named,
    steps,
    value,
    walk,
)

small = pytest.mark.parametrize(("name", "options"), named(SMALL))
full = pytest.mark.parametrize(("name", "options"), named(FULL))
at_random = settings(max_examples=25, derandomize=True, deadline=None)
seeds = given(st.integers(0, 2**32 - 1))

Draw = tuple[int, str]


def _swap_last(round_: int, purpose: str) -> Draw:
    """Exchange the seats in purposes like ``noise/0``."""
    stem, _, seat = purpose.rpartition("/")
    return (round_, f"{stem}/{1 - int(seat)}") if seat in ("0", "1") else (round_, purpose)


def _swap_hands(round_: int, purpose: str) -> Draw:
    """Exchange the seats and every odd hand with the one before it: the opener alternates by seat, so the
    mirror image of a hand that seat 0 opens is a hand that seat 1 opens."""
    _, swapped = _swap_last(round_, purpose)
    return round_ ^ 1, swapped


TRANSPOSED: dict[str, Callable[[int, str], Draw]] = {
    "ipd": _swap_last,
    "kuhn": _swap_hands,
    "auction": _swap_last,
    "split": _swap_last,
    "multi_issue": _swap_last,
    "commons": _swap_last,
}
"""Which draw of the transposed deal a draw becomes; rounds are exchanged in the same way."""


def _mirrored(purpose: str, outcome: Hashable) -> Hashable:
    """Exchange the seats in an outcome that names one: the winner of a tie."""
    return 1 - outcome if purpose == "tie" and isinstance(outcome, int) else outcome


def _all(observation: Hashable, history: tuple[Hashable, ...]) -> Hashable:
    return (observation, history)


SEATLESS: dict[str, Callable[[Hashable, tuple[Hashable, ...]], Hashable]] = {
    "ipd": _all,
    # The hands that are exchanged have other numbers and other pasts, so a policy may use card and bets only.
    "kuhn": lambda observation, history: (observation.card, observation.bets),  # type: ignore[attr-defined]
    "auction": _all,
    "split": _all,
    "multi_issue": _all,
    "commons": _all,
}
"""The part of an information state that transposition leaves alone."""


def test_every_registered_game_is_tested() -> None:
    for table in (SMALL, FULL, TRANSPOSED, SEATLESS):
        assert set(game_names()) == set(table)


@full
@at_random
@seeds
def test_a_match_plays_by_the_rules_of_its_states(name: str, options: dict[str, object], seed: int) -> None:
    game = make_game(name, **options)
    deal, random = Deal(seed, Split.TRAIN, game.info_record.key, 0), Random(seed)
    match = Match(game, deal.chance)
    while not match.is_over:
        assert match.players_to_move
        actions = {seat: random.choice(match.observe(seat).legal or ()) for seat in match.players_to_move}
        match.apply(actions)
    drawn = {(int(key.split("/", 1)[0]), key.split("/", 1)[1]): outcome for key, outcome in match.chance_log}
    again, random = Random(seed), Random(seed)
    line = walk(
        game,
        lambda seat, observation, history, legal: again.choice(legal),
        lambda state: drawn[state.round, str(state.chance)],
    )
    assert tuple(line.outcomes) == match.outcomes
    assert list(line.nodes[-1].histories) == match.histories


def pure(name: str, key: str) -> Act:
    """Return a deterministic policy that depends only on what transposition leaves alone."""

    def act(
        seat: int, observation: Hashable, history: tuple[Hashable, ...], legal: tuple[Action, ...]
    ) -> Action:
        seen = SEATLESS[name](observation, history)
        return legal[int(keyed_uniform(f"{key}|{seen!r}") * len(legal))]

    return act


TRANSPOSABLE = {
    name: tuple(
        options
        for options in variants
        # An odd number of hands has no mirror image: one seat opens once more than the other.
        if name != "kuhn" or int(options.get("rounds", 6)) % 2 == 0  # type: ignore[call-overload]
    )
    for name, variants in FULL.items()
}


@pytest.mark.parametrize(("name", "options"), named(TRANSPOSABLE))
@at_random
@seeds
def test_transposing_seats_policies_and_deal_transposes_payoffs(
    name: str, options: dict[str, object], seed: int
) -> None:
    game, random = make_game(name, **options), Random(seed)
    policies = (pure(name, f"{seed}|a"), pure(name, f"{seed}|b"))
    first = walk(
        game,
        lambda seat, *rest: policies[seat](seat, *rest),
        lambda state: random.choice([outcome for outcome, _ in state.chance_outcomes()]),
    )
    transposed = {
        TRANSPOSED[name](round_, purpose): _mirrored(purpose, outcome)
        for round_, purpose, outcome in first.log
    }
    # Kuhn deals seat 0 first in every hand, so the transposed deal is given by its cards, not by its draws.
    second = walk(
        game,
        lambda seat, *rest: policies[1 - seat](seat, *rest),
        lambda state: transposed[state.round, str(state.chance)],
    )
    assert len(first.outcomes) == len(second.outcomes)
    for round_, outcome in enumerate(first.outcomes):
        mirror = second.outcomes[TRANSPOSED[name](round_, "")[0]]
        assert mirror.payoffs == outcome.payoffs[::-1]
        assert mirror.collusion == (outcome.collusion and outcome.collusion[::-1])
        assert mirror.externality == (outcome.externality and outcome.externality[::-1])
        assert mirror.diagnostics == tuple(numbers[::-1] for numbers in outcome.diagnostics)


FEW: dict[str, dict[str, object]] = {
    "kuhn": {"rounds": 2},
    "multi_issue": {"rounds": 2, "valuation": "pool10", "pool": (2, 1, 4)},
}
"""Options under which any two strategies of a game can be valued in a moment, where the defaults are slow."""


@pytest.mark.parametrize("name", game_names())
def test_transposing_strategies_transposes_their_values(name: str) -> None:
    game, known = make_game(name, **FEW.get(name, {})), list(strategies(name).values())
    for one, other in zip(known, known[1:] + known[:1], strict=True):
        straight, crossed = value(game, [one, other]), value(game, [other, one])
        assert crossed.payoffs == pytest.approx(straight.payoffs[::-1], abs=1e-12)
        assert crossed.collusion == pytest.approx(straight.collusion[::-1], abs=1e-12)
        assert crossed.externality == pytest.approx(straight.externality[::-1], abs=1e-12)


@small
def test_states_are_immutable_and_hashable(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    for node in every_node(game):
        state = node.state
        before, digest = repr(state), hash(state)
        list(steps(state))
        assert (repr(state), hash(state)) == (before, digest)
        assert copy.copy(state) == state
        for field in map(str, state.__slots__):
            with pytest.raises((FrozenInstanceError, AttributeError)):
                setattr(state, field, None)
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            state.something_else = 1  # type: ignore[attr-defined]


@small
def test_states_can_be_pickled(name: str, options: dict[str, object]) -> None:
    for node in every_node(make_game(name, **options))[::7]:
        restored: Any = pickle.loads(pickle.dumps(node.state))  # noqa: S301
        assert restored == node.state
        assert list(steps(restored)) == list(steps(node.state))


@small
def test_the_probabilities_of_all_endings_sum_to_one(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    layer, ended = {game.initial_state(): 1.0}, 0.0
    while layer:
        following: dict[State, float] = {}
        for state, mass in layer.items():
            if state.chance is not None:
                moves = [(state.apply_chance(outcome), p) for outcome, p in state.chance_outcomes()]
            else:
                joint = list(joint_actions(state))
                moves = [(state.apply(actions), 1.0 / len(joint)) for actions in joint]
            for step, probability in moves:
                if step.state.is_over:
                    ended += mass * probability
                else:
                    following[step.state] = following.get(step.state, 0.0) + mass * probability
        layer = following
    assert ended == pytest.approx(1.0, abs=1e-12)


@small
def test_values_lie_within_the_payoff_bounds(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    players: list[Strategy] = [Uniform(), Uniform()]
    low, high = game.info_record.payoff_bounds
    found = value(game, players)
    assert all(low <= payoff <= high for payoff in found.payoffs)
    if game.info_record.zero_sum:
        assert sum(found.payoffs) == pytest.approx(0.0, abs=1e-12)
