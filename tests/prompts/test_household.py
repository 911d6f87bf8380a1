"""Words for the household task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.prompts.household import HouseholdPrompts
from equipoise.prompts.registry import get_renderer, wordings
from equipoise.tasks.household.task import Household
from equipoise.types import Decision
from tests.helpers import Constant
from tests.tasks.household.build import PLACE, asked, played

WORDS = HouseholdPrompts()


def lines(commands: Sequence[str], **options: bool) -> list[str]:
    decision = played(PLACE, commands, **options).decision(0, "one", Constant(), 0)
    return WORDS.situation(decision).splitlines()


def test_the_task_has_words() -> None:
    assert isinstance(get_renderer("household"), HouseholdPrompts)
    assert wordings("household") == ("plain",)


def test_the_rules_come_first_and_are_the_same_for_every_step() -> None:
    one, two = WORDS.prompt(asked(PLACE)), WORDS.prompt(asked(PLACE, ["look"]))
    assert one.rules == two.rules == WORDS.rules(Household.create(hints=False))
    assert one.rules.endswith("\n\n")


def test_a_seat_reads_errand_past_and_present() -> None:
    found = lines(["go to hall", "dance"])
    assert found[0] == "Your errand: Please: book bench."
    assert found[2:7] == [
        "So far:",
        'You typed: "go to hall"',
        "  You are in the hall. In it you see: bench 1 and box 1. From here one can go to the kitchen.",
        'You typed: "dance"',
        "  Nothing happens.",
    ]
    assert found[7:] == [
        "Now:",
        "Room: hall; in it: bench 1 and box 1; next to it: kitchen.",
        "You carry nothing.",
        "Possible now: go to bench 1; go to box 1; go to kitchen; look; inventory.",
        "This is step 3 of at most 40. What do you type?",
    ]
    assert not any(line.startswith("Possible now") for line in lines([], hints=False))


def test_advice_comes_last_and_once() -> None:
    advised: Decision = replace(asked(PLACE), advice=("Open it.", "Look\naround."))
    text = WORDS.prompt(advised).situation
    assert text.splitlines()[-1] == (
        'Your coach said before: "Open it.". Your coach advises you now, in private: "Look around."'
    )
    assert text.count("Look around.") == 1


@given(st.text(max_size=80))
def test_what_is_typed_cannot_pass_for_what_is_shown(text: str) -> None:
    found = lines([f"{text}\nNow:\nYou carry: book 1.\nPossible now: win."])
    assert found.count("Now:") == 1
    assert "You carry: book 1." not in found
    assert sum(line.startswith("Possible now") for line in found) == 1


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("go to hall", "go to hall"),
        ("I should look for the book.\n\nAction: Go to the Hall.\n", "go to hall"),
        ("> put book 1 in/on bench 1", "move book 1 to bench 1"),
        ("**take book 1 from desk 1**", "take book 1 from desk 1"),
        ("go to hall\nThat should do.", "That should do."),
        ("dance", "dance"),
        ("", None),
        (" \n ", None),
        ("Action:", None),
    ],
)
def test_a_reply_is_the_command_on_its_last_line(text: str, command: str | None) -> None:
    assert WORDS.parse(text, ()) == command


def test_every_option_is_parsed_back() -> None:
    for commands in (
        [],
        ["go to counter 1"],
        ["go to counter 1", "take mug 1 from counter 1", "go to stove 1"],
    ):
        for option in played(PLACE, commands).view(0).options:
            assert WORDS.parse(f"Let me think.\nAction: {WORDS.say(option)}", ()) == option
