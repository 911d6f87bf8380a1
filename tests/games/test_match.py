"""A match: what is asked, what is remembered, what is drawn, and what is refused."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.games.ipd import COOPERATE, DEFECT, Seen
from equipoise.games.kuhn import BET, CALL, FOLD, PASS
from equipoise.games.match import Match, pick
from equipoise.games.registry import make_game
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.types import Decision
from tests.helpers import Constant

C, D = COOPERATE, DEFECT


def low(round_: int, purpose: str) -> float:
    """Draw the first outcome every time: jack for seat 0, queen for seat 1."""
    return 0.0


def test_pick_takes_the_outcome_at_the_quantile() -> None:
    outcomes = (("a", 0.25), ("b", 0.0), ("c", 0.75))
    assert [pick(outcomes, u) for u in (0.0, 0.2499, 0.25, 0.9999)] == ["a", "a", "c", "c"]


def test_pick_never_returns_an_outcome_without_weight() -> None:
    assert pick((("a", 0.0), ("b", 1.0)), 0.0) == "b"
    # The total is a hair below 1 and the draw above it.
    assert pick((("a", 0.1), ("b", 0.2), ("c", 0.7 - 1e-12), ("d", 0.0)), 1.0 - 1e-16) == "c"


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any), st.floats(0.0, 1.0, exclude_max=True))
def test_pick_is_the_inverse_of_the_distribution_function(weights: list[int], u: float) -> None:
    outcomes = [(index, weight / sum(weights)) for index, weight in enumerate(weights)]
    chosen = pick(outcomes, u)
    assert isinstance(chosen, int)
    assert weights[chosen] > 0
    below = sum(probability for index, probability in outcomes if index < chosen)
    assert below <= u + 1e-12
    assert u <= below + outcomes[chosen][1] + 1e-12


def test_a_match_is_dealt_before_the_first_question() -> None:
    match = Match(make_game("kuhn"), low)
    assert match.chance_log == [("0/card/0", "J"), ("0/card/1", "Q")]
    assert match.players_to_move == (0,)
    assert (match.seats, match.is_over, match.outcomes) == (2, False, ())


def test_chance_is_asked_by_round_and_purpose_in_order() -> None:
    asked: list[tuple[int, str]] = []

    def chance(round_: int, purpose: str) -> float:
        asked.append((round_, purpose))
        return 0.0

    match = Match(make_game("ipd", rounds=2, noise=0.1, continuation=0.9), chance)
    while not match.is_over:
        match.apply({0: C, 1: C})
    assert asked == [(0, "noise/0"), (0, "noise/1"), (0, "stop"), (1, "noise/0"), (1, "noise/1")]


def test_a_question_says_where_the_seat_stands() -> None:
    match = Match(make_game("kuhn"), low)
    match.apply({0: PASS})
    match.apply({1: BET})
    asked = match.observe(0)
    assert (asked.round, asked.step, asked.index) == (0, 1, 1)
    assert asked.legal == (CALL, FOLD)
    assert asked.label == "J:pb"
    match.apply({0: FOLD})
    # Seat 1 opens the second hand: its second decision of the episode, its first of the hand.
    assert match.players_to_move == (1,)
    asked = match.observe(1)
    assert (asked.round, asked.step, asked.index) == (1, 0, 1)


def test_a_decision_repeats_the_question() -> None:
    match = Match(make_game("ipd"), low)
    match.apply({0: C, 1: D})
    asked, draws = match.observe(1), Constant(0.25)
    decision = match.decision(1, "e7", draws, 2)
    assert isinstance(decision, Decision)
    assert (decision.round, decision.step, decision.index) == (asked.round, asked.step, asked.index)
    assert (decision.legal, decision.observation) == (asked.legal, asked.observation)
    assert decision.history == asked.history == (Seen(D, C),)
    assert (decision.episode, decision.seat, decision.retry, decision.draws) == ("e7", 1, 2, draws)
    assert decision.information_state == match.information_state(1)


def test_every_seat_remembers_its_own_view() -> None:
    match = Match(make_game("ipd"), low)
    match.apply({0: C, 1: D})
    match.apply({0: D, 1: D})
    assert match.histories == [(Seen(C, D), Seen(D, D)), (Seen(D, C), Seen(D, D))]


def test_outcomes_are_kept_in_order() -> None:
    match = Match(make_game("ipd", rounds=2), low)
    match.apply({0: C, 1: D})
    match.apply({0: D, 1: D})
    assert [outcome.payoffs for outcome in match.outcomes] == [(0.0, 5.0), (1.0, 1.0)]
    assert match.is_over
    assert match.players_to_move == ()


def test_a_seat_that_must_act_and_does_not_is_named() -> None:
    match = Match(make_game("ipd"), low)
    with pytest.raises(RequestError, match="seat 1 must act"):
        match.apply({0: C})


@pytest.mark.parametrize("action", ["BET", "cooperate", "", 0])
def test_an_illegal_action_is_named_with_the_legal_ones(action: str | int) -> None:
    match = Match(make_game("ipd"), low)
    with pytest.raises(RequestError, match=rf"seat 0: {action!r} is not legal, .*COOPERATE.*DEFECT"):
        match.apply({0: action, 1: C})
    assert match.outcomes == ()


def test_a_refused_action_changes_nothing() -> None:
    match = Match(make_game("ipd"), low)
    before = match.observe(0)
    with pytest.raises(RequestError):
        match.apply({0: C, 1: "FOLD"})
    assert match.observe(0) == before


def test_nothing_can_be_played_after_the_end() -> None:
    match = Match(make_game("ipd", rounds=1), low)
    match.apply({0: C, 1: C})
    with pytest.raises(RequestError):
        match.apply({0: C, 1: C})
    assert len(match.outcomes) == 1


def test_a_forfeit_settles_the_rounds_that_are_left() -> None:
    match = Match(make_game("ipd", rounds=3), low)
    match.apply({0: C, 1: C})
    match.forfeit(1)
    assert [outcome.payoffs for outcome in match.outcomes] == [(3.0, 3.0), (0.0, 0.0), (0.0, 0.0)]
    assert match.outcomes[1].collusion == (0.0, 0.0)


@pytest.mark.parametrize("options", [{"continuation": 0.6}, {"continuation": 0.6, "noise": 0.3}, {}])
def test_a_forfeit_costs_the_rounds_that_the_deal_would_have_had(options: dict[str, object]) -> None:
    game = make_game("ipd", **options)
    lengths = set()
    for index in range(12):
        deal = Deal(0, Split.TRAIN, game.info_record.key, index)
        played, forfeited = Match(game, deal.chance), Match(game, deal.chance)
        while not played.is_over:
            played.apply(dict.fromkeys((0, 1), "DEFECT"))
        seen = (list(forfeited.chance_log), list(forfeited.histories))
        forfeited.forfeit(0)
        assert len(forfeited.outcomes) == len(played.outcomes)
        assert (forfeited.chance_log, forfeited.histories) == seen
        assert {outcome.payoffs for outcome in forfeited.outcomes} == {(0.0, 0.0)}
        lengths.add(len(played.outcomes))
    assert len(lengths) > 1 or not options


def test_a_forfeit_in_a_zero_sum_game_pays_the_other() -> None:
    match = Match(make_game("kuhn", rounds=2), low)
    match.forfeit(0)
    assert [outcome.payoffs for outcome in match.outcomes] == [(-2.0, 2.0), (-2.0, 2.0)]
    assert match.outcomes[0].collusion is None


def test_a_forfeit_ends_the_episode() -> None:
    match = Match(make_game("ipd", rounds=3), low)
    match.forfeit(0)
    assert match.is_over
    assert match.players_to_move == ()


@pytest.mark.parametrize(("name", "options"), [("ipd", {"noise": 0.3}), ("kuhn", {"memory": True})])
def test_the_same_draws_and_actions_give_the_same_match(name: str, options: dict[str, object]) -> None:
    def run() -> tuple[Hashable, ...]:
        match = Match(
            make_game(name, **options), lambda round_, purpose: keyed_uniform(f"{round_}/{purpose}")
        )
        while not match.is_over:
            match.apply({seat: str(match.state.legal_actions(seat)[-1]) for seat in match.players_to_move})
        return (match.state, match.outcomes, tuple(match.chance_log), tuple(match.histories))

    assert run() == run()
