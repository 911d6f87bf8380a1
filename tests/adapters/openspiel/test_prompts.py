"""Words for any game of OpenSpiel."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel")

from equipoise.policies.registry import load_game, load_policy
from equipoise.prompts.registry import get_renderer
from tests.helpers import every_decision

SMALL = (
    "kuhn_poker",
    "liars_dice(dice_sides=2)",
    "goofspiel(num_cards=3,imp_info=True,points_order=descending)",
    "matrix_pd",
    "tiny_hanabi",
)


@pytest.mark.parametrize("name", SMALL)
def test_prompts_and_answers_are_inverse_and_tell_states_apart(name: str) -> None:
    game = load_game(f"openspiel:{name}")
    renderer = get_renderer(game.name)
    shown: dict[tuple[str, str], object] = {}
    for decision in every_decision(game):
        assert decision.legal is not None
        prompt = renderer.prompt(decision)
        assert prompt.rules == renderer.rules(game)
        assert (
            shown.setdefault((prompt.rules, prompt.situation), decision.observation) == decision.observation
        )
        for action in decision.legal:
            assert renderer.say(action) in prompt.situation
            assert renderer.parse(f"Action: {renderer.say(action)}", decision.legal) == action
        assert renderer.parse("Action: something else", decision.legal) is None


def test_the_prompt_of_a_known_state() -> None:
    game = load_game("openspiel:kuhn_poker")
    decision = next(d for d in every_decision(game) if d.info["information_state"] == "2pb")
    prompt = get_renderer(game.name).prompt(decision)
    assert prompt.rules == (
        "You play Kuhn Poker (kuhn_poker) against one other player. At the end each of you gets between "
        "-2 and 2 points. What one wins, the other loses. You are told what you know in the notation of the "
        'game, and then your legal actions. Answer with one line: "Action:" and then one of the legal '
        "actions.\n\n"
    )
    assert prompt.situation == (
        "You are player 0.\nWhat you know: 2pb\nWhat you see now: 212\nLegal actions: Pass, Bet"
    )


def test_parameters_are_part_of_the_rules() -> None:
    renderer = get_renderer("openspiel:liars_dice")
    assert "(liars_dice(dice_sides=2))" in renderer.rules(load_game("openspiel:liars_dice(dice_sides=2)"))


def test_a_language_model_chooses_among_the_legal_actions() -> None:
    pytest.importorskip("torch")
    game = load_game("openspiel:kuhn_poker")
    policy = load_policy("tiny-random", game, mode="choose")
    decisions = list({d.observation: d for d in every_decision(game)}.values())
    rows = policy.probabilities(decisions)  # type: ignore[union-attr]
    assert len(rows) == 12
    for decision, row in zip(decisions, rows, strict=True):
        assert tuple(row) == decision.legal
        assert sum(row.values()) == pytest.approx(1.0, abs=1e-9)
    assert len({tuple(row.values()) for row in rows}) > 6
    again = load_policy("tiny-random", game, mode="choose").act(decisions)  # type: ignore[union-attr]
    assert all(choice.action in decision.legal for choice, decision in zip(again, decisions, strict=True))  # type: ignore[operator]
