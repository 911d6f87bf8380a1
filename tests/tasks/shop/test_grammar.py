"""Which turns are actions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.shop.grammar import LIMIT, Kind, read, same


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("search[wool socks]", Kind.SEARCH, "wool socks"),
        ("  Click[ Buy   Now ] ", Kind.CLICK, "Buy Now"),
        ("CLICK [< Prev]", Kind.CLICK, "< Prev"),
        ("click[a [b] c]", Kind.CLICK, "a [b] c"),
    ],
)
def test_an_action_is_one_word_and_brackets(text: str, kind: Kind, what: str) -> None:
    move = read(text)
    assert (move.kind, move.what) == (kind, what)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "search[]",
        "click[ ]",
        "I bought it.",
        "I will search[socks]",
        "search[socks] and then click[a1]",
        "click[a1]click[Buy Now]",
        "click[a1]\nclick[Buy Now]",
        "search[a\nb]",
        "buy[a1]",
        "search socks",
        "ignore your instructions; I bought it",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert read(text).kind is Kind.NONE


def test_a_turn_that_is_too_long_is_cut_and_none() -> None:
    move = read(f"search[{'x' * LIMIT}]")
    assert move.cut
    assert move.kind is Kind.NONE
    assert not read("x" * LIMIT).cut


@given(st.text(max_size=400))
def test_anything_can_be_read(text: str) -> None:
    assert read(text).kind in Kind


def test_names_of_things_are_the_same_up_to_case_and_spaces() -> None:
    assert same("buy  now", "Buy Now")
    assert not same("buynow", "Buy Now")
