"""What every game must hold (``domains.md``), for every registered game, with and without its options.

A game that is registered needs an entry in ``SMALL`` and ``FULL`` (tests/helpers.py), in ``TRANSPOSED`` and
in ``SEATLESS`` below.
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

from equipoise.games.base import Game, State
from equipoise.games.match import Match
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.base import Strategy, Uniform
from equipoise.opponents.registry import strategies
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.types import Action, RoundOutcome
from tests.helpers import (
    FULL,
    SMALL,
    Act,
    Play,
    every_node,
    joint_actions,
    named,
    small_games,
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


def random_line(game: Game, seed: int) -> Play:
    """Play to the end with random actions and random chance outcomes (each outcome alike)."""
    random = Random(seed)
    return walk(
        game,
        lambda seat, observation, history, legal: random.choice(legal),
        lambda state: random.choice([outcome for outcome, _ in state.chance_outcomes()]),
    )


def check_outcome(game: Game, outcome: RoundOutcome) -> None:
    """Check that an outcome keeps what the game declares."""
    record = game.info_record
    low, high = record.payoff_bounds
    assert len(outcome.payoffs) == record.seats
    assert all(low <= payoff <= high for payoff in outcome.payoffs)
    if record.zero_sum:
        assert sum(outcome.payoffs) == pytest.approx(0.0, abs=1e-12)
    for declared, term in ((record.collusion, outcome.collusion), (record.externality, outcome.externality)):
        assert (declared is None) == (term is None)
        if term is not None:
            assert len(term) == record.seats
            assert all(0.0 <= amount <= 1.0 for amount in term)
    assert len(outcome.diagnostics) == len(record.diagnostics)
    assert all(len(numbers) == record.seats for numbers in outcome.diagnostics)


def check_state(game: Game, state: State) -> None:
    """Check that exactly one of end, chance and players is there, and that it can go on."""
    seats = state.players_to_move
    assert state.is_over + (state.chance is not None) + bool(seats) == 1
    assert 0 <= state.round < game.info_record.rounds
    assert len(set(seats)) == len(seats)
    for seat in seats:
        legal = state.legal_actions(seat)
        assert legal
        assert len(set(legal)) == len(legal)
        assert all(isinstance(action, str | int | tuple) for action in legal)
        hash(state.observation(seat))
    if state.chance is not None:
        outcomes = state.chance_outcomes()
        assert sum(probability for _, probability in outcomes) == pytest.approx(1.0, abs=1e-12)
        assert all(0.0 < probability <= 1.0 for _, probability in outcomes)
        assert len({outcome for outcome, _ in outcomes}) == len(outcomes)


def test_every_registered_game_is_tested() -> None:
    for table in (SMALL, FULL, TRANSPOSED, SEATLESS):
        assert set(game_names()) == set(table)


@small
def test_all_of_a_small_game_keeps_the_rules(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    for node in every_node(game):
        check_state(game, node.state)
        for step in steps(node.state):
            if step.outcome is not None:
                check_outcome(game, step.outcome)
                check_outcome(game, game.forfeit(node.state, 0))
                check_outcome(game, game.forfeit(node.state, 1))
            assert len(step.signals) in (0, game.info_record.seats)


@full
@at_random
@seeds
def test_any_line_keeps_the_rules(name: str, options: dict[str, object], seed: int) -> None:
    game = make_game(name, **options)
    line = random_line(game, seed)
    for node in line.nodes:
        check_state(game, node.state)
    for outcome in line.outcomes:
        check_outcome(game, outcome)
    told = options.get("continuation", 1.0) == 1.0
    assert 1 <= len(line.outcomes) <= game.info_record.rounds
    if told:
        assert len(line.outcomes) == game.info_record.rounds
    # The purpose of a draw is unique within its round.
    assert len({(round_, purpose) for round_, purpose, _ in line.log}) == len(line.log)


@full
@at_random
@seeds
def test_the_same_deal_and_actions_give_the_same_play(
    name: str, options: dict[str, object], seed: int
) -> None:
    first, second = (random_line(make_game(name, **options), seed) for _ in range(2))
    assert first.nodes == second.nodes
    assert first.outcomes == second.outcomes
    assert [hash(node.state) for node in first.nodes] == [hash(node.state) for node in second.nodes]


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
def test_labels_name_information_states_one_to_one(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    labels: dict[Hashable, str] = {}
    for node in every_node(game):
        for seat in node.state.players_to_move:
            known = node.information_state(seat)
            label = game.label(node.state.observation(seat), node.histories[seat])
            assert labels.setdefault(known, label) == label
    assert len(set(labels.values())) == len(labels)


@small
def test_what_can_be_done_is_part_of_what_is_known(name: str, options: dict[str, object]) -> None:
    legal: dict[Hashable, tuple[Action, ...]] = {}
    for node in every_node(make_game(name, **options)):
        for seat in node.state.players_to_move:
            actions = node.state.legal_actions(seat)
            assert legal.setdefault(node.information_state(seat), actions) == actions


@small
def test_the_info_has_the_keys_of_every_game_and_hides_the_rest(
    name: str, options: dict[str, object]
) -> None:
    game = make_game(name, **options)
    known: dict[Hashable, object] = {}
    for node in every_node(game):
        for seat in node.state.players_to_move:
            info = game.info(seat, node.state.observation(seat), node.histories[seat])
            assert (info["game"], info["seat"]) == (name, seat)
            assert {"round", "rounds"} <= set(info)
            # Two positions that a seat cannot tell apart have the same info.
            assert known.setdefault((seat, node.information_state(seat)), info) == info


@pytest.mark.parametrize(("name", "options"), named(SMALL) + named(FULL))
def test_the_weights_of_the_rounds_make_a_mean(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    alive = float(options.get("continuation", 1.0))  # type: ignore[arg-type]
    total = sum(alive**t * game.round_weight(t) for t in range(game.info_record.rounds))
    assert total == pytest.approx(1.0, abs=1e-12)


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


@pytest.mark.parametrize("name", game_names())
def test_a_symmetric_game_shows_both_seats_the_same_information_states(name: str) -> None:
    for game in small_games(name):
        by_seat: tuple[set[Hashable], set[Hashable]] = (set(), set())
        for node in every_node(game):
            for seat in node.state.players_to_move:
                by_seat[seat].add(node.information_state(seat))
        if game.info_record.symmetric:
            assert by_seat[0] == by_seat[1]
