"""A judge's reply is validated, never trusted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.judges.base import Verdict
from equipoise.judges.reply import read_reply

GOOD = {"indexes": [1, 3], "reasoning": "It named a price."}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        "```json\n" + json.dumps(GOOD, indent=2) + "\n```",
        "Sure. {not json} Here: " + json.dumps(GOOD) + " I hope {this} helps.",
        '{"indexes": "none"} ' + json.dumps(GOOD),
        json.dumps({**GOOD, "indexes": [3, 1, 3], "extra": {"indexes": [2]}}),
    ],
)
def test_the_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert read_reply(text, 4) == Verdict((0, 2), "It named a price.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "turns 1 and 3",
        "[1, 3]",
        '{"indexes": 1}',
        '{"indexes": ["1"]}',
        '{"indexes": [1.5]}',
        '{"indexes": [true]}',
        '{"indexes": [null]}',
        '{"reasoning": "all"}',
        '{"indexes": [1',
        "{" * 5000,
        '{"indexes": [' + "[" * 5000,
    ],
)
def test_what_cannot_be_read_is_no_reply(text: str) -> None:
    assert read_reply(text, 4) is None


def test_numbers_that_are_no_turns_are_dropped_and_kept_apart() -> None:
    found = read_reply('{"indexes": [0, 1, 5, -2, 99999999999999999999]}', 4)
    assert found == Verdict((0,), dropped=(0, 5, -2, 99999999999999999999))


def test_no_turn_is_an_answer_too() -> None:
    assert read_reply('{"indexes": [], "reasoning": ""}', 3) == Verdict(())


def test_reasoning_is_data_of_bounded_length() -> None:
    found = read_reply(json.dumps({"indexes": [1], "reasoning": "x" * 10_000}), 1)
    assert found is not None
    assert len(found.reasoning) == 2000
    other = read_reply(json.dumps({"indexes": [1], "reasoning": ["no text"]}), 1)
    assert other == Verdict((0,))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["indexes", "reasoning", "a"]), inner),
    max_leaves=8,
)


@given(anything, st.text(), st.text(), st.integers(0, 5))
def test_no_reply_ever_raises_or_marks_what_is_no_turn(
    data: Any, before: str, after: str, turns: int
) -> None:
    found = read_reply(before + json.dumps(data) + after, turns)
    assert found is None or set(found.decisive) <= set(range(turns))
