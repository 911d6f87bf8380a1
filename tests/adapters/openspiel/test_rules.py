"""OpenSpiel's games keep what every game of this package must hold."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel")

from equipoise.adapters.openspiel import rules
from equipoise.adapters.openspiel.rules import OpenSpielGame, View
from equipoise.games.match import Match
from equipoise.policies.registry import load_game
from equipoise.testing import check_game
from tests.helpers import every_decision, every_node, joint_actions, root, steps

SMALL = (
    "kuhn_poker",
    "liars_dice(dice_sides=2)",
    "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "matrix_pd",
    "tiny_hanabi",
    "misere(game=kuhn_poker)",
    "python_kuhn_poker",
)
"""Games all of which can be walked: poker, dice, simultaneous, general-sum, cooperative, transformed."""

small = pytest.mark.parametrize("name", SMALL)


def loaded(name: str) -> OpenSpielGame:
    game = load_game(f"openspiel:{name}")
    assert isinstance(game, OpenSpielGame)
    return game


@small
def test_all_of_a_small_game_keeps_the_rules(name: str) -> None:
    game = loaded(name)
    check_game(game, walks=10)
    for node in every_node(game):
        for step in steps(node.state):
            assert step.state.is_over == (step.outcome is not None)


@small
def test_applying_an_action_changes_no_state(name: str) -> None:
    game = loaded(name)
    state = game.initial_state()
    while state.chance is not None:
        state = state.apply_chance(state.chance_outcomes()[0][0]).state
    (seat,) = state.players_to_move
    before = (state.legal_actions(seat), state.observation(seat), hash(state))
    first = [state.apply(actions).state for actions in joint_actions(state)]
    again = [state.apply(actions).state for actions in joint_actions(state)]
    assert (state.legal_actions(seat), state.observation(seat), hash(state)) == before
    assert first == again
    assert len(set(first)) == len(first)


@small
def test_two_loads_of_a_game_have_equal_states(name: str) -> None:
    assert set(every_node(loaded(name))) == set(every_node(loaded(name)))


@small
def test_a_state_keeps_to_openspiels_history(name: str) -> None:
    """The same words lead through OpenSpiel's own states, with the same strings and returns."""
    game = loaded(name)
    theirs = game._rules.new_initial_state()
    state = game.initial_state()
    while not state.is_over:
        chance = state.chance is not None
        assert theirs.is_chance_node() == chance
        words = [o for o, _ in state.chance_outcomes()] if chance else list(state.legal_actions(0))
        word, number = words[-1], theirs.legal_actions()[-1]
        assert theirs.action_to_string(theirs.current_player(), number) == word
        if not chance:
            (seat,) = state.players_to_move
            assert state.observation(seat).text == theirs.information_state_string(seat)
        theirs.apply_action(number)
        step = state.apply_chance(word) if chance else state.apply({state.players_to_move[0]: str(word)})
        state = step.state
    assert theirs.is_terminal()
    assert step.outcome is not None
    assert list(step.outcome.payoffs) == theirs.returns()


@small
def test_labels_are_unique_and_on_one_line(name: str) -> None:
    game = loaded(name)
    labels: dict[str, object] = {}
    for decision in every_decision(game):
        label = game.label(decision.observation, decision.history)
        assert labels.setdefault(label, decision.observation) == decision.observation
        assert "\n" not in label
    assert len(set(labels.values())) == len(labels)


@small
def test_equal_information_states_have_equal_legal_actions_and_observations(name: str) -> None:
    game, seen = loaded(name), {}
    for decision in every_decision(game):
        view = decision.observation
        assert isinstance(view, View)
        assert seen.setdefault(view, (decision.legal, view.seen)) == (decision.legal, view.seen)


def test_a_label_can_be_read_back() -> None:
    game = loaded("kuhn_poker")
    assert game.label(View(1, "0pb"), ()) == "1: 0pb"
    assert game.label(View(0, "a\nb"), ()) != game.label(View(0, "a\\nb"), ())


def test_draws_have_purposes_of_their_own_along_every_path() -> None:
    game = loaded("leduc_poker")
    asked: list[tuple[int, str]] = []
    match = Match(game, lambda round_, purpose: asked.append((round_, purpose)) or 0.5)  # type: ignore[func-returns-value]
    while not match.is_over:
        (seat,) = match.players_to_move
        match.apply({seat: "Call"})
    assert asked == [(0, "draw/0"), (0, "draw/1"), (0, "draw/2")]
    # Half of six cards, of the five left, of the four left.
    assert [outcome for _, outcome in match.chance_log] == [f"Chance outcome:{c}" for c in (3, 2, 4)]
    assert len(match.outcomes) == 1


def test_what_a_seat_knows_is_a_plain_mapping() -> None:
    decision = next(iter(every_decision(loaded("liars_dice(dice_sides=2)"))))
    assert decision.info == {
        "game": "openspiel:liars_dice",
        "seat": 0,
        "round": 0,
        "rounds": 1,
        "information_state": decision.observation.text,  # type: ignore[attr-defined]
        # OpenSpiel has no observation strings for liar's dice.
        "observation": "",
    }


def test_observation_strings_are_shown_where_there_are_any() -> None:
    game = loaded("tic_tac_toe")
    step = game.initial_state().apply({0: game.initial_state().legal_actions(0)[4]})
    assert game.info(1, step.state.observation(1), ())["observation"] == "...\n.x.\n..."


def test_a_forfeit_costs_the_lower_bound() -> None:
    game = loaded("leduc_poker")
    assert game.forfeit(game.initial_state(), 1).payoffs == (13.0, -13.0)


def test_what_is_kept_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = loaded("kuhn_poker")
    first = kept.initial_state().chance_outcomes()[0][0]
    assert kept.initial_state().apply_chance(first).state is kept.initial_state().apply_chance(first).state
    monkeypatch.setattr(rules, "KEPT", 0)
    anew = loaded("kuhn_poker")
    assert (
        anew.initial_state().apply_chance(first).state is not anew.initial_state().apply_chance(first).state
    )
    assert set(every_node(kept)) == set(every_node(anew))
    assert root(anew) == root(kept)
