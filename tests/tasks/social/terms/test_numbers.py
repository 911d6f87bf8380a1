"""Numbers in words and figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.social.terms.numbers import figures, number


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("fifty dollars", "50 dollars"),
        ("two hundred and fifty", "250"),
        ("a hundred", "100"),
        ("twenty-five", "25"),
        ("three thousand two hundred", "3200"),
        ("nine hundred and ninety nine thousand", "999000"),
        ("ninety-nine", "99"),
        ("one of them", "one of them"),
        ("fifty sixty", "fifty sixty"),
        ("the fort", "the fort"),
        ("fifteen twenty", "fifteen twenty"),
    ],
)
def test_words_become_figures(text: str, written: str) -> None:
    assert figures(text, least=10) == written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,200", 1200.0),
        ("1.200", 1200.0),
        ("1 200", 1200.0),
        ("12,50", 12.5),
        ("12.50", 12.5),
        ("1.2k", 1200.0),
        ("1,200.50", 1200.5),
        ("1.200,50", 1200.5),
        ("1,200,000", 1200000.0),
        ("60.123.4", None),
        ("1,200,50", None),
    ],
)
def test_figures_of_several_countries_are_read(text: str, value: float | None) -> None:
    assert number(text) == value


SPELLED = {
    20: "twenty",
    30: "thirty",
    40: "forty",
    50: "fifty",
    60: "sixty",
    70: "seventy",
    80: "eighty",
    90: "ninety",
}
UNITS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@given(st.integers(1, 9), st.sampled_from(sorted(SPELLED)), st.integers(0, 9))
def test_any_three_digits_in_words_are_read(hundreds: int, tens: int, unit: int) -> None:
    words = f"{UNITS[hundreds]} hundred and {SPELLED[tens]} {UNITS[unit]}".strip()
    assert figures(words, least=10) == str(100 * hundreds + tens + unit)
