"""Drawings are well-formed, accessible, and hold no markup of others."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from equipoise.report.drawing import (
    PALETTE,
    SERIES,
    Disc,
    Drawing,
    Line,
    Path,
    Rect,
    Text,
    fitted,
    spread_labels,
    width_of,
)

SVG = "{http://www.w3.org/2000/svg}"


def drawing(words: str = "a word") -> Drawing:
    marks = [
        Line(0, 0, 1, 1, dash=True),
        Rect(0, 0, 5, 5, opacity=0.5, hint=words),
        Disc(3, 3, 2, hollow=True),
        Path(((0, 0), (1, 2)), hint=words),
        Text(1, 2, words, hint=words, halo=True),
    ]
    return Drawing(words, words, 20, 10, list(marks))


@given(st.text())
def test_any_words_give_well_formed_drawings_that_hold_them(words: str) -> None:
    words = words.encode("utf-8", "replace").decode()
    root = ElementTree.fromstring(drawing(words).svg(alone=True))
    shown = "".join(sign if sign.isprintable() else " " for sign in words)
    assert next(root.iter(f"{SVG}title")).text in (shown, shown or None)
    assert {element.tag for element in root.iter()} <= {
        SVG + name for name in ("svg", "title", "desc", "style", "rect", "line", "circle", "polyline", "text")
    }


def test_a_drawing_names_itself_to_those_who_do_not_see_it() -> None:
    root = ElementTree.fromstring(drawing("two < three").svg())
    assert root.get("role") == "img"
    assert root.get("aria-label") == "two < three"
    assert [child.tag for child in root][:2] == ["title", "desc"]


def test_colours_come_from_the_page_or_from_the_file() -> None:
    assert not re.search("#[0-9a-f]{6}", drawing().svg())
    assert PALETTE["s0"] in drawing().svg(alone=True)


def test_no_style_attribute_needs_the_page_to_allow_it() -> None:
    assert " style=" not in drawing().svg()


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_series_can_be_read_as_words_on_paper() -> None:
    # WCAG 2 asks for 4.5 in small text.
    for role in (*SERIES, "ink", "soft", "against"):
        assert 1.05 / (luminance(PALETTE[role]) + 0.05) >= 4.5, role


def test_long_names_are_cut_to_their_room() -> None:
    assert fitted("short", 200) == "short"
    cut = fitted("a_very_long_name_indeed", 60)
    assert cut.endswith("…")
    assert width_of(cut) <= 60


@given(st.lists(st.floats(0, 100), max_size=12))
def test_labels_never_overlap(heights: list[float]) -> None:
    found = sorted(spread_labels(heights, 12.0))
    assert all(b - a >= 12.0 - 1e-9 for a, b in pairwise(found))
