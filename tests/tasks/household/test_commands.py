"""The grammar of commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.household.commands import LIMIT, Command, read, say


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("go to drawer 1", Command("go", "drawer 1")),
        ("  Go to the  Kitchen. ", Command("go", "kitchen")),
        ("take mug 1 from coffee table 2", Command("take", "mug 1", "coffee table 2")),
        ("move mug 1 to shelf 1", Command("put", "mug 1", "shelf 1")),
        ("put mug 1 in/on shelf 1", Command("put", "mug 1", "shelf 1")),
        ("put the mug 1 on the shelf 1", Command("put", "mug 1", "shelf 1")),
        ("put mug 1 in shelf 1", Command("put", "mug 1", "shelf 1")),
        ("open fridge 1", Command("open", "fridge 1")),
        ("close fridge 1", Command("close", "fridge 1")),
        ("heat mug 1 with stove 1", Command("heat", "mug 1", "stove 1")),
        ("cool mug 1 with fridge 1", Command("cool", "mug 1", "fridge 1")),
        ("clean mug 1 with sink 1", Command("clean", "mug 1", "sink 1")),
        ("use desk lamp 1", Command("use", "desk lamp 1")),
        ("toggle desk lamp 1", Command("use", "desk lamp 1")),
        ("examine t-shirt 1", Command("examine", "t-shirt 1")),
        ("look", Command("look")),
        ("INVENTORY", Command("inventory")),
    ],
)
def test_commands_are_read(text: str, command: Command) -> None:
    assert read(text) == command


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "go", "go to", "go drawer 1", "take mug 1", "please look", "look around", "look\nlook",
        "put mug 1 under shelf 1", "open fridge 1 and take apple 1 from fridge 1", "heat mug 1", "open 1",
        "I think I should look", "Action: look", "go to drawer -1", "go to " + "a" * LIMIT,
    ],
)  # fmt: skip
def test_what_is_no_command_is_none(text: str) -> None:
    assert read(text) is None


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    command = read(text)
    assert command is None or read(say(command)) == command


NAMES = st.sampled_from(["mug 1", "coffee table 12", "t-shirt 3", "kitchen", "deck of cards 1"])


@given(st.sampled_from(["take", "put", "heat", "cool", "clean"]), NAMES, NAMES)
def test_what_is_said_is_read_back(verb: str, first: str, second: str) -> None:
    command = Command(verb, first, second)  # type: ignore[arg-type]
    assert read(say(command)) == command
