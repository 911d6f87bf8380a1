"""The lists of words that the grammar listens for."""

from __future__ import annotations

import pytest

from equipoise.tasks.social import words as lexicon
from equipoise.tasks.social.words import any_of, words


def test_words_are_found_whole() -> None:
    assert words(("at", "deal")).search("a deal at last")
    assert not words(("at", "deal")).search("a dealer sat")
    assert any_of(("a", "b")) == "(?:a|b)"


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        ("CUES", "i would take 60", "it rains 60 days"),
        ("CUES", "how about 60", "sixty people"),
        ("NEGATIONS", "that is too steep", "that is steep"),
        ("BOUNDS", "no more than 60", "60 more"),
        ("REPORTS", "somebody already offered 60", "i offer 60"),
        ("CONDITIONS", "as long as it is new", "a long time"),
        ("COURTESIES", "if that works for you", "if you deliver"),
        ("UNITS", "60 kilos", "60 euros"),
    ],
)
def test_each_list_tells_its_own(name: str, text: str, other: str) -> None:
    pattern = words(getattr(lexicon, name))
    assert pattern.search(text)
    assert not pattern.search(other)


def test_no_entry_stands_twice_in_a_list() -> None:
    for name in (
        "CUES",
        "FILLERS",
        "NEGATIONS",
        "BOUNDS",
        "REPORTS",
        "CONDITIONS",
        "COURTESIES",
        "ROLES",
        "UNITS",
    ):
        entries = getattr(lexicon, name)
        assert len(set(entries)) == len(entries)
