"""What an actor tells, keeps and asks."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.actors.playing import LEAVE, speak
from equipoise.tasks.social.actors.style import Style, advised
from equipoise.tasks.social.actors.telling import answer, question
from tests.tasks.social.actors.speaking import after
from tests.tasks.social.build import ITEMS, SECRETS

ASK_CLOCK = "What can you tell me about the state of the clocks?"
ASK_PIANO = "What can you tell me about the state of the pianos?"
CLOCK, PIANO = "The clock is broken.", "The piano is broken."
"""Ben's fact and his secret; Ada asks."""


@pytest.mark.parametrize(
    ("style", "asked", "told"),
    [
        (Style(tells="turn"), ASK_CLOCK, [CLOCK]),
        (Style(tells="freely"), ASK_CLOCK, [CLOCK]),
        (Style(tells="asked", keeps=False), ASK_PIANO, [PIANO]),
        (Style(tells="turn"), "Lovely weather.", []),
        (Style(tells="turn"), "Tell me about the state of the clocks.", [CLOCK]),
    ],
)
def test_what_is_asked_is_told_by_style(style: Style, asked: str, told: list[str]) -> None:
    assert answer(after(SECRETS, [asked]), style) == told


@pytest.mark.parametrize(
    ("style", "asked"),
    [
        (Style(tells="turn"), ASK_PIANO),
        (Style(tells="nothing"), ASK_CLOCK),
        (Style(tells="turn", leads=False), ASK_CLOCK),
    ],
)
def test_what_is_kept_is_deflected(style: Style, asked: str) -> None:
    (said,) = answer(after(SECRETS, [asked]), style)
    assert "broken" not in said


def test_a_fact_is_traded_for_a_fact() -> None:
    style = Style(tells="turn", leads=False)
    assert answer(after(SECRETS, ["Hm.", "Hm.", f"The boiler is broken. {ASK_CLOCK}"]), style) == [CLOCK]


@pytest.mark.parametrize(
    ("advice", "told"),
    [
        ("Share what you know.", [CLOCK]),
        ("Tell her your secret.", [PIANO]),
        ("Keep your secret.", []),
        ("Smile.", []),
    ],
)
def test_advice_to_tell_is_followed(advice: str, told: list[str]) -> None:
    now = after(SECRETS, ["Hello."], (advice,))
    assert answer(now, advised(Style(), now)) == told


def test_advice_to_guard_closes_the_mouth_of_a_talker() -> None:
    now = after(SECRETS, [ASK_PIANO], ("Keep your secret.",))
    assert PIANO not in answer(now, advised(Style(tells="asked", keeps=False), now))


def test_open_facts_are_asked_for_one_after_the_other_and_secrets_by_those_who_know() -> None:
    assert "boilers" in question(after(SECRETS, ["Hello."]), Style())[0]
    lines = ["Hello.", "What can you tell me about the state of the boilers?", "No."]
    assert "lifts" in question(after(SECRETS, lines), Style())[0]
    heard = ["The boiler is broken. The lift is broken."]
    assert question(after(SECRETS, heard), Style()) == []
    assert "safes" in question(after(SECRETS, heard), Style(reads="truth"))[0]
    assert question(after(SECRETS, ["Hello."], draw=0.9), Style(asks=0.5)) == []


def test_what_matters_most_is_said_when_asked() -> None:
    (said,) = answer(after(ITEMS, ["What matters most to you?"]), Style())
    assert "canoe" in said
    assert answer(after(ITEMS, ["What matters most to you?"]), Style(tells="nothing")) == []


def test_whoever_has_heard_everything_leaves() -> None:
    heard = ["Hm.", "Hm.", "Hm.", "Hm.", "The boiler is broken. The lift is broken."]
    assert speak(after(SECRETS, heard), Style()) == LEAVE
    assert speak(after(SECRETS, [f"{heard[-1]} {ASK_CLOCK}"]), Style()) != LEAVE


def test_advice_to_leave_is_followed() -> None:
    assert speak(after(ITEMS, [], ("Leave now.",)), Style()) == LEAVE
