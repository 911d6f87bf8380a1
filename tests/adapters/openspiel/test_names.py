"""Names of games as users write them, and words of actions that a reader can tell apart."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from equipoise.adapters.openspiel.names import action_words, parse_name, plain
from equipoise.errors import RequestError
from equipoise.prompts.base import parse_action


@pytest.mark.parametrize(
    ("text", "short", "parameters"),
    [
        ("kuhn_poker", "kuhn_poker", {}),
        ("kuhn_poker()", "kuhn_poker", {}),
        (" liars_dice( numdice = 1 , dice_sides=2 ) ", "liars_dice", {"numdice": "1", "dice_sides": "2"}),
        ("goofspiel(num_turns=-1,imp_info=True)", "goofspiel", {"num_turns": "-1", "imp_info": "True"}),
        ("misere(game=kuhn_poker(players=2))", "misere", {"game": "kuhn_poker(players=2)"}),
        ("universal_poker(blind=100 100,stack=5 5)", "universal_poker", {"blind": "100 100", "stack": "5 5"}),
        ("f(a=b=c)", "f", {"a": "b=c"}),
    ],
)
def test_a_name_is_read(text: str, short: str, parameters: dict[str, str]) -> None:
    assert parse_name(text) == (short, parameters)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "(a=1)",
        "f(",
        "f(a=1",
        "f(a=1)x",
        "f)",
        "f(a)",
        "f(=1)",
        "f(a=1,)",
        "f(a=(1)",
        "f(a=1))",
        "f(a=)(,b=1)",
    ],
)
def test_a_malformed_name_is_a_wrong_request(text: str) -> None:
    with pytest.raises(RequestError, match="write 'openspiel:NAME' or") as caught:
        parse_name(text)
    assert f"'openspiel:{text}'" in str(caught.value)


def test_a_parameter_twice_is_a_wrong_request() -> None:
    with pytest.raises(RequestError, match=r"'openspiel:f\(a=1,a=2\)': a is given twice"):
        parse_name("f(a=1,a=2)")


def test_words_that_differ_are_kept() -> None:
    assert action_words(((0, "Fold"), (1, "Call"), (2, "Raise"))) == ("Fold", "Call", "Raise")


def test_spaces_and_line_ends_become_single_spaces() -> None:
    assert action_words(((0, " Bid:\n 1 "),)) == ("Bid: 1",)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([(0, "Pass"), (3, "Pass"), (4, "Bet")], ("Pass 0", "Pass 3", "Bet")),
        ([(0, "bxc3"), (1, "Bxc3")], ("bxc3 0", "Bxc3 1")),
        ([(0, '"Go"'), (1, "Go.")], ('"Go" 0', "Go. 1")),
        ([(0, "Action: Go"), (1, "Go")], ("Action: Go 0", "Go 1")),
        ([(7, ""), (8, "**")], ("7", "** 8")),
        # The number makes two of them alike again.
        ([(0, "a"), (1, "a"), (2, "a 1")], ("action 0", "action 1", "action 2")),
    ],
)
def test_words_a_reader_cannot_tell_apart_get_numbers(
    found: list[tuple[int, str]], words: tuple[str]
) -> None:
    assert action_words(tuple(found)) == words


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(st.text(alphabet="aA1 .*_`\"'\n:bet", max_size=5), min_size=1, max_size=6))
@example(["action:", "Action: 0"])
def test_every_word_is_read_back_as_its_action(texts: list[str]) -> None:
    words = action_words(tuple(enumerate(texts)))
    table = {plain(word): number for number, word in enumerate(words)}
    assert len(table) == len(words)
    for number, word in enumerate(words):
        assert parse_action(word, table) == number
        assert parse_action(f"I think.\nAction: {word}", table) == number
        assert parse_action(f"**{word}**.", table) == number
