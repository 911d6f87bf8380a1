"""Nouns of titles, by rule."""

from __future__ import annotations

import pytest

from equipoise.tasks.shop.nouns import nouns


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Wireless Bluetooth Headphones for Women", {"bluetooth", "headphones"}),
        ("Men's waterproof hiking boots, black, size 42", {"hiking", "boots", "size"}),
        ("Quillfern shampoo, refillable bottle", {"quillfern", "shampoo", "bottle"}),
        ("100 % pure, 5 x 7", set()),
        ("", set()),
    ],
)
def test_function_words_adjectives_and_figures_are_no_nouns(title: str, found: set[str]) -> None:
    assert nouns(title) == found
