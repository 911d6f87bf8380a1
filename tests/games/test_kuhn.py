"""Kuhn poker: the betting tree, showdowns, positions, memory, and the published exact values.

Golden values come from the table of the game in ``domains.md`` and from H. W. Kuhn (1950).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product
from typing import Any

import pytest

from equipoise.games.kuhn import BET, CALL, CARDS, FOLD, PASS, Hand, View
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.opponents.base import Classifier, Strategy, certain
from equipoise.opponents.registry import get_strategy
from equipoise.types import Action
from tests.helpers import Play, every_decision, value, walk

# domains.md, "kuhn": chips a hand, seat-averaged, value of row against column; last the best response.
COLUMNS = ("nash", "tight_passive", "loose_aggressive", "always_bet", "max_exploiter")
GOLDEN = {
    "nash": (0, 0, 1 / 36, 1 / 9, 1 / 36, 0),
    "tight_passive": (0, 0, 1 / 6, 0, 1 / 12, 1 / 4),
    "loose_aggressive": (-1 / 36, -1 / 6, 0, 1 / 3, -1 / 12, 1 / 6),
    "always_bet": (-1 / 9, 0, -1 / 3, 0, -1 / 6, 1 / 3),
    "always_pass": (-2 / 9, 0, -1 / 3, -1, -1 / 3, 1),
    "random": (-1 / 6, -1 / 24, -1 / 3, -3 / 8, -1 / 4, 11 / 24),
    "max_exploiter": (-1 / 36, -1 / 12, 1 / 12, 1 / 6, 0, 1 / 4),
}

DEALS = tuple(permutations(CARDS, 2))
LINES = {
    "pp": (PASS, PASS),
    "bp": (BET, FOLD),
    "bb": (BET, CALL),
    "pbp": (PASS, BET, FOLD),
    "pbb": (PASS, BET, CALL),
}


class Pure(Strategy):
    """A pure strategy of one position: an aggressive action at the given (card, bets), else a passive one."""

    name = "pure"
    classifier = Classifier(memory_depth=0, knows_private=True)
    source = "a test"

    def __init__(self, aggressive: frozenset[tuple[str, str]]) -> None:
        self.aggressive = aggressive

    def probabilities(
        self, memory: Any, observation: View, legal: tuple[Action, ...]
    ) -> Mapping[Action, float]:
        yes, no = (CALL, FOLD) if legal == (CALL, FOLD) else (BET, PASS)
        return certain(yes if (observation.card, observation.bets) in self.aggressive else no)


def pure_strategies(bets: tuple[str, str]) -> list[Strategy]:
    """Return the 64 pure strategies of a position, given the bets it can face."""
    spots = list(product(CARDS, bets))
    return [
        Pure(frozenset(spot for spot, bold in zip(spots, chosen, strict=True) if bold))
        for chosen in product((False, True), repeat=len(spots))
    ]


def hands(cards: list[tuple[str, str]], lines: list[str], memory: bool = False) -> Play:
    """Play hands with given cards by seat and given bets."""
    moves = [action for line in lines for action in LINES[line]]
    dealt = {
        (hand, f"card/{seat}"): card for hand, pair in enumerate(cards) for seat, card in enumerate(pair)
    }
    queue = iter(moves)
    game = make_game("kuhn", rounds=len(cards), memory=memory)
    return walk(game, lambda *_: next(queue), lambda state: dealt[state.round, str(state.chance)])


@pytest.mark.parametrize("row", GOLDEN)
def test_values_against_each_opponent_are_the_published_ones(row: str) -> None:
    # Two hands: each position once, so the mean is seat-averaged.
    game, policy = make_game("kuhn", rounds=2), get_strategy("kuhn", row)
    found = [value(game, [policy, get_strategy("kuhn", column)]).payoffs[0] for column in COLUMNS]
    assert found == pytest.approx(GOLDEN[row][:-1], abs=1e-12)


@pytest.mark.parametrize("row", GOLDEN)
def test_the_best_response_is_the_published_one(row: str) -> None:
    game, policy = make_game("kuhn", rounds=1), get_strategy("kuhn", row)
    as_opener = max(value(game, [reply, policy]).payoffs[0] for reply in pure_strategies(("", "pb")))
    as_second = max(value(game, [policy, reply]).payoffs[1] for reply in pure_strategies(("p", "b")))
    assert (as_opener + as_second) / 2.0 == pytest.approx(GOLDEN[row][-1], abs=1e-12)


def test_the_value_to_the_first_player_is_minus_one_eighteenth() -> None:
    # Kuhn 1950; no reply to the equilibrium strategy gains on it in either position.
    game, nash = make_game("kuhn", rounds=1), get_strategy("kuhn", "nash")
    assert value(game, [nash, nash]).payoffs == pytest.approx((-1 / 18, 1 / 18))
    best = max(value(game, [reply, nash]).payoffs[0] for reply in pure_strategies(("", "pb")))
    assert best == pytest.approx(-1 / 18)


@pytest.mark.parametrize("cards", DEALS)
@pytest.mark.parametrize(
    ("line", "stake"), [("pp", 1.0), ("bb", 2.0), ("pbb", 2.0), ("bp", None), ("pbp", None)]
)
@pytest.mark.parametrize("hand", [0, 1])
def test_payoffs_of_every_line(cards: tuple[str, str], line: str, stake: float | None, hand: int) -> None:
    played = hands([("J", "Q")] * hand + [cards], ["pp"] * hand + [line])
    payoffs, opener = played.outcomes[hand].payoffs, hand
    if stake is None:
        folder = opener if line == "pbp" else 1 - opener
        assert payoffs[folder] == -1.0
    else:
        better = 0 if CARDS.index(cards[0]) > CARDS.index(cards[1]) else 1
        assert payoffs[better] == stake
    assert sum(payoffs) == 0.0


def test_seat_zero_opens_every_other_hand() -> None:
    match = Match(make_game("kuhn"), lambda round_, purpose: 0.0)
    openers = []
    while not match.is_over:
        openers.append(match.players_to_move[0])
        match.apply({match.players_to_move[0]: BET})
        match.apply({match.players_to_move[0]: FOLD})
    assert openers == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("bets", "legal"), [("", (PASS, BET)), ("p", (PASS, BET)), ("b", (CALL, FOLD)), ("pb", (CALL, FOLD))]
)
def test_legal_actions_depend_on_the_bets_faced(bets: str, legal: tuple[str, ...]) -> None:
    found = {
        decision.legal
        for decision in every_decision(make_game("kuhn", rounds=1))
        if decision.info["bets"] == bets
    }
    assert found == {legal}


def test_cards_are_dealt_without_replacement_one_draw_a_node() -> None:
    state = make_game("kuhn").initial_state()
    assert state.chance == "card/0"
    assert dict(state.chance_outcomes()) == pytest.approx(dict.fromkeys(CARDS, 1 / 3))
    second = state.apply_chance("Q").state
    assert second.chance == "card/1"
    assert dict(second.chance_outcomes()) == {"J": 0.5, "K": 0.5}
    assert second.players_to_move == ()


def test_terms_do_not_apply() -> None:
    record = make_game("kuhn").info_record
    assert record.zero_sum
    assert (record.collusion, record.externality) == (None, None)
    assert (record.weights.e, record.weights.c, record.weights.x) == (1.5, 0.0, 0.0)
    assert (record.rounds, record.payoff_bounds, record.payoff_scale) == (6, (-2.0, 2.0), 2.0)
    outcome = hands([("J", "K")], ["bb"]).outcomes[0]
    assert (outcome.collusion, outcome.externality) == (None, None)


class TestWithoutMemory:
    def test_there_are_twelve_information_states_in_any_number_of_hands(self) -> None:
        for rounds in (1, 2, 3):
            states = {d.information_state for d in every_decision(make_game("kuhn", rounds=rounds))}
            assert len(states) == 12

    def test_a_hand_tells_nothing_of_other_hands(self) -> None:
        game = make_game("kuhn", rounds=2)
        for decision in every_decision(game):
            assert decision.history == ()
            assert decision.info == {
                "game": "kuhn",
                "seat": decision.seat,
                "round": 0,
                "rounds": 1,
                "card": decision.info["card"],
                "bets": decision.info["bets"],
            }

    def test_hands_are_independent_and_the_stage_is_one_of_them(self) -> None:
        game = make_game("kuhn")
        assert game.info_record.independent_rounds
        assert game.info_record.solution == "exact"
        assert game.stage().info_record.rounds == 1
        assert game.stage().info_record.key == game.info_record.key

    def test_labels_are_card_and_bets(self) -> None:
        game = make_game("kuhn", rounds=1)
        labels = {game.label(d.observation, d.history) for d in every_decision(game)}
        assert labels == {f"{card}:{bets}" for card in CARDS for bets in ("", "p", "b", "pb")}


class TestMemory:
    def test_a_showdown_shows_both_cards(self) -> None:
        last = hands([("J", "K"), ("Q", "J")], ["pbb", "pp"], memory=True).nodes[-2]
        assert last.histories == ((Hand("J", "pbb", True, "K"),), (Hand("K", "pbb", False, "J"),))

    @pytest.mark.parametrize("line", ["bp", "pbp"])
    def test_a_fold_shows_nothing(self, line: str) -> None:
        last = hands([("J", "K"), ("Q", "J")], [line, "pp"], memory=True).nodes[-2]
        assert last.histories == ((Hand("J", line, True, None),), (Hand("K", line, False, None),))

    def test_positions_are_remembered_as_they_were(self) -> None:
        last = hands([("J", "K"), ("Q", "J")], ["pp", "bb"], memory=True).nodes[-1]
        assert [hand.opened for hand in last.histories[0]] == [True, False]  # type: ignore[attr-defined]

    def test_the_info_counts_hands(self) -> None:
        game = make_game("kuhn", rounds=2, memory=True)
        for decision in every_decision(game):
            assert decision.info["round"] == decision.round == len(decision.history)
            assert decision.info["rounds"] == 2
            assert decision.info["hands"] == decision.history

    def test_hands_are_not_independent_and_the_game_is_solved_by_bounds(self) -> None:
        game = make_game("kuhn", memory=True)
        assert not game.info_record.independent_rounds
        assert game.info_record.solution == "bounds"
        assert game.stage() is game

    def test_payoffs_are_those_without_memory(self) -> None:
        cards, lines = [("J", "K"), ("Q", "J"), ("K", "Q")], ["pbb", "bp", "bb"]
        with_memory, without = hands(cards, lines, memory=True), hands(cards, lines)
        assert with_memory.outcomes == without.outcomes
