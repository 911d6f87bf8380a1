"""What an evaluator's reply says: all seven numbers, in range, once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.judges.rating import Rating, read_rating
from equipoise.tasks.social.dimensions import RANGES

GOOD = {
    "believability": 8, "relationship": -2.5, "knowledge": 3, "secret": -1, "social_rules": 0, "material": 4,
    "goal": 9,
}  # fmt: skip


def said(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


def test_seven_numbers_in_their_ranges_are_a_rating() -> None:
    found = read_rating(f"Here you are:\n```json\n{said(reasoning='fair')}\n```")
    assert found is not None
    assert (found.reasoning, found.outside) == ("fair", 0)
    assert found.dimensions.overall == pytest.approx((8 - 2.5 + 3 - 1 + 0 + 4 + 9) / 7)


@pytest.mark.parametrize("name", RANGES)
def test_a_number_out_of_its_range_is_told_from_one_that_cannot_be_read(name: str) -> None:
    low, high = RANGES[name]
    for value in (low - 0.5, high + 0.5, 1e308):
        assert read_rating(said(**{name: value})) == Rating(outside=1)
    for value in ("8", None, True, [8], {}, "ten"):
        assert read_rating(said(**{name: value})) is None
    missing = {key: value for key, value in GOOD.items() if key != name}
    assert read_rating(json.dumps(missing)) is None


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "8, 2, 3, 0, 0, 4, 9", '{"goal": 9', said(goal=float("nan")), said(goal=10**400),
     '{"scores": ' + said() + "}", "{" * 3000],
)  # fmt: skip
def test_what_is_no_rating(text: str) -> None:
    assert read_rating(text) is None


def test_two_different_ratings_are_none_and_one_said_twice_is_one() -> None:
    # A speaker's line that is repeated before the verdict must not become the verdict, nor outdo it.
    assert read_rating(f"Ben said {said(goal=10)}. I say {said()}") is None
    assert read_rating(f"Ben said {said(goal=99)}. I say {said()}") is None
    assert read_rating(f"{said()} {said()}") == read_rating(said())


@given(st.text(max_size=80))
def test_no_text_raises(text: str) -> None:
    found = read_rating(text)
    assert found is None or found.outside


@given(st.fixed_dictionaries({name: st.floats(*ends, allow_nan=False) for name, ends in RANGES.items()}))
def test_every_rating_in_range_is_read_as_it_stands(scores: dict[str, float]) -> None:
    found = read_rating(json.dumps(scores))
    assert found is not None
    assert {name: getattr(found.dimensions, name) for name in RANGES} == scores
