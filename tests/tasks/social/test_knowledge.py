"""Which facts are told, and by what."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.knowledge import holds, tells
from equipoise.tasks.social.scenarios import Fact

LEAVING = Fact(
    text="You move to Oslo.",
    say="I move to Oslo.",
    topic="your plans",
    keys=(("oslo",), ("moving", "norway")),
)
CANNOT = Fact(text="You cannot swim.", say="I can't swim.", topic="the water", keys=(("swim", "not"),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I move to Oslo.", True),
        ("I am MOVING to Norway next year.", True),
        ("Norway is cold. I move on Friday.", False),
        ("I am not moving to Oslo.", False),
        ("Who told you of Oslo?", True),
        ('They said "Oslo" to me.', True),
        ("Ben: Ada moves to Oslo.", True),
        ("I have plans.", False),
        ("Well. " * 200 + "I move to Oslo.", False),
    ],
)
def test_a_sentence_tells_a_fact(text: str, told: bool) -> None:
    assert tells(LEAVING, text) is told


@pytest.mark.parametrize(
    ("text", "told"), [("I can't swim.", True), ("I can swim.", False), ("I never learnt swimming.", True)]
)
def test_a_fact_may_be_a_denial(text: str, told: bool) -> None:
    assert tells(CANNOT, text) is told


@pytest.mark.parametrize(
    ("before", "text", "told"),
    [
        ("Is it Oslo?", "Yes.", True),
        ("Is it Oslo?", "Well, you guessed it.", True),
        ("It is Oslo.", "Yes.", False),
        ("Is it Oslo?", "No.", False),
        ("Is it Oslo?", "Why do you ask?", False),
        ("Is it Rome?", "Yes.", False),
    ],
)
def test_a_plain_yes_confirms_what_was_asked(before: str, text: str, told: bool) -> None:
    assert tells(LEAVING, text, before) is told


def test_only_questions_are_looked_at_where_asked() -> None:
    assert holds(LEAVING, "Oslo?", asked=True)
    assert not holds(LEAVING, "Oslo.", asked=True)


def test_a_short_key_is_a_whole_word() -> None:
    tea = Fact(text="Tea.", say="It is tea.", topic="the cake", keys=(("tea",),))
    assert tells(tea, "It is tea.")
    assert not tells(tea, "We are a team.")
