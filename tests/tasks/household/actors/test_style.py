"""How advice changes a style."""

from __future__ import annotations

import pytest

from equipoise.tasks.household.actors.style import Style, advised
from tests.tasks.household.build import PLACE, now

STYLE = Style(dither=0.0, opens=0.5, remembers=False, processes=0.5)


@pytest.mark.parametrize(
    ("advice", "opens", "remembers"),
    [
        ((), 0.5, False),
        (("Well done.",), 0.5, False),
        (("Open everything.", "Hm."), 1.0, False),
        (("Do not open anything.",), 0.0, False),
        (("Don't repeat yourself.", "Hm."), 0.5, True),
        (("Do not go back.", "Check again."), 0.5, False),
    ],
)
def test_attitudes_are_taken_over(advice: tuple[str, ...], opens: float, remembers: bool) -> None:
    style = advised(STYLE, now(PLACE, (), advice))
    assert (style.opens, style.remembers) == (opens, remembers)
