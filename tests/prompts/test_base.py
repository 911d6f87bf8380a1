"""The strict parser, the registry, and what every renderer must hold."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.games.registry import game_names, make_game
from equipoise.prompts import registry
from equipoise.prompts.base import MARKER, Prompt, Renderer, parse_action
from equipoise.prompts.registry import get_renderer, register_renderer
from equipoise.types import Action
from tests.helpers import FULL, SMALL, Constant, every_decision, named

WORDS: dict[str, Action] = {"COOPERATE": "COOPERATE", "DEFECT": "DEFECT"}

small = pytest.mark.parametrize(("name", "options"), named(SMALL))


@pytest.mark.parametrize(
    "text",
    [
        "COOPERATE",
        "cooperate",
        "Cooperate",
        "COOPERATE.",
        " COOPERATE \n\n",
        "Action: COOPERATE",
        "Action:COOPERATE",
        "action: cooperate",
        "ACTION: COOPERATE.",
        "**COOPERATE**",
        "**COOPERATE**.",
        "**COOPERATE.**",
        "**Action:** COOPERATE",
        "**Action: COOPERATE**",
        "Action: **COOPERATE**.",
        "`COOPERATE`",
        "_COOPERATE_",
        '"COOPERATE"',
        "'COOPERATE'",
        'Action: "COOPERATE".',
        "They might DEFECT.\nAction: COOPERATE",
        "DEFECT is tempting, but it ends badly.\r\n\r\nCOOPERATE\r\n",
    ],
)
def test_an_answer_that_names_one_action_is_read(text: str) -> None:
    assert parse_action(text, WORDS) == "COOPERATE"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\n",
        "Action:",
        "...",
        "No defection yet",
        "No DEFECT yet",
        "I will not COOPERATE",
        "COOPERATE or DEFECT",
        "COOPERATE DEFECT",
        "COOPERATE, DEFECT",
        "Action: COOPERATE, then DEFECT",
        "Action: COOPERATE Action: DEFECT",
        "Action: Action: COOPERATE",
        "COOPERATE/DEFECT",
        "not DEFECT",
        "COOPERATES",
        "COOPERATE?",
        "COOP",
        "C",
        "CO OPERATE",
        "FOLD",
        "Answer: COOPERATE",
        "Action: COOPERATE\nas I said",
    ],
)
def test_an_answer_that_names_no_action_or_more_is_invalid(text: str) -> None:
    assert parse_action(text, WORDS) is None


def test_the_line_may_be_quoted_as_the_rules_quote_it() -> None:
    assert parse_action('"Action: COOPERATE"', WORDS) == "COOPERATE"


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(alphabet=st.sampled_from("CODEFPRAT dect:.*_`\"'\n\r\t/")))
def test_any_text_is_an_action_or_invalid(text: str) -> None:
    found = parse_action(text, WORDS)
    assert found is None or found in WORDS.values()


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    before=st.sampled_from(["", "Action: ", "**", "`", "* ", "**Action:** "]),
    action=st.sampled_from(sorted(WORDS)),
    other=st.text(alphabet=st.characters(categories=("L", "Nd")), min_size=1),
)
def test_a_further_word_in_the_line_makes_it_invalid(before: str, action: str, other: str) -> None:
    assert parse_action(f"{before}{action}", WORDS) == action
    assert parse_action(f"{before}{action} {other}", WORDS) is None
    assert parse_action(f"{before}{other} {action}", WORDS) is None


def test_numbers_and_tuples_are_read_as_words() -> None:
    numbers: dict[str, Action] = {str(n): n for n in range(1, 10)}
    assert parse_action("Action: 7.", numbers) == 7
    assert parse_action("17", numbers) is None
    assert parse_action("7 8", numbers) is None
    assert parse_action("Action: (2, 1, 0)", {"(2, 1, 0)": (2, 1, 0)}) == (2, 1, 0)


def test_every_game_has_words() -> None:
    assert {name: get_renderer(name).game for name in game_names()} == {name: name for name in game_names()}


def test_a_game_without_words_is_named_with_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"prompt renderer for game 'khun': did you mean 'kuhn'\?"):
        get_renderer("khun")


def test_a_renderer_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", dict(registry._RENDERERS))

    class Theirs(type(get_renderer("ipd"))):  # type: ignore[misc]
        game = "theirs"

    renderer: Renderer = Theirs()
    assert register_renderer(renderer) is renderer
    assert get_renderer("theirs") is renderer


@small
def test_rendering_and_parsing_are_inverse_for_every_legal_action(
    name: str, options: dict[str, object]
) -> None:
    renderer = get_renderer(name)
    for decision in every_decision(make_game(name, **options)):
        assert decision.legal is not None
        for action in decision.legal:
            said = renderer.say(action)
            marked = f"{MARKER} {said}"
            for text in (said, marked, f"I think so.\n{marked}.", f"**{MARKER}** {said.lower()}"):
                assert renderer.parse(text, decision.legal) == action


@small
def test_only_legal_actions_are_read(name: str, options: dict[str, object]) -> None:
    renderer = get_renderer(name)
    decisions = list(every_decision(make_game(name, **options)))
    every_action = {action for decision in decisions for action in decision.legal or ()}
    for decision in decisions:
        assert decision.legal is not None
        for action in every_action - set(decision.legal):
            assert renderer.parse(f"{MARKER} {renderer.say(action)}", decision.legal) is None
        two = f"{MARKER} {renderer.say(decision.legal[0])} {renderer.say(decision.legal[1])}"
        assert renderer.parse(two, decision.legal) is None


@small
def test_the_rules_come_first_and_are_the_same_at_every_decision(
    name: str, options: dict[str, object]
) -> None:
    game, renderer = make_game(name, **options), get_renderer(name)
    prompts = [renderer.prompt(decision) for decision in every_decision(game)]
    assert {prompt.rules for prompt in prompts} == {renderer.rules(game)}
    assert renderer.rules(game).endswith("\n\n")
    assert MARKER in renderer.rules(game)
    assert all(prompt.situation and prompt.situation == prompt.situation.strip() for prompt in prompts)


@pytest.mark.parametrize("name", game_names())
def test_the_rules_follow_the_options(name: str) -> None:
    assert all(get_renderer(name).rules(make_game(name, **options)) for options in FULL[name])


@small
def test_the_situation_is_a_function_of_the_information_state(name: str, options: dict[str, object]) -> None:
    game, renderer = make_game(name, **options), get_renderer(name)
    said: dict[Hashable, str] = {}
    for fields in ({}, {"episode": "another", "draws": Constant(0.7), "retry": 1, "step": 1, "index": 3}):
        for decision in every_decision(game, **fields):
            situation = renderer.situation(decision)
            assert said.setdefault(decision.information_state, situation) == situation
    # And no two information states sound alike, so a policy can tell apart what the rules tell apart.
    assert len(set(said.values())) == len(said)


def test_a_prompt_has_two_parts() -> None:
    prompt = Prompt("rules\n\n", "situation")
    assert prompt.rules + prompt.situation == "rules\n\nsituation"
