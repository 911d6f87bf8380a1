"""Words for the shop."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.prompts.registry import get_renderer, wordings
from equipoise.prompts.shop import ShopPrompts
from equipoise.types import Decision
from tests.helpers import Constant
from tests.tasks.shop.build import SHOP, visit

WORDS = ShopPrompts()


def decision(*actions: str, advice: tuple[str, ...] = ()) -> Decision:
    return replace(visit(actions).decision(0, "one", Constant(), 0), advice=advice)


def test_it_is_found_by_name() -> None:
    assert isinstance(get_renderer("shop"), ShopPrompts)
    assert wordings("shop") == ("plain",)


def test_rules_come_first_and_name_the_grammar() -> None:
    prompt = WORDS.prompt(decision())
    assert prompt.rules == WORDS.rules(SHOP)
    assert "search[words]" in prompt.rules
    assert prompt.rules.endswith("\n\n")


def test_the_situation_ends_with_the_open_page_what_is_possible_and_the_question() -> None:
    lines = WORDS.situation(decision("search[socks]", "click[a1]")).split("\n")
    assert lines[0].startswith("Instruction: Moss merino wool socks")
    assert lines[1] == 'Your actions so far: "search[socks]", "click[a1]"'
    assert lines[2] == "The open page:"
    assert lines[-2].startswith("Possible now: click[Back to Search], click[< Prev], click[39-41]")
    assert lines[-1] == "This is action 3 of 10. What do you do?"


def test_what_was_read_is_kept() -> None:
    text = WORDS.situation(decision("search[socks]", "click[a1]", "click[Features]", "click[< Prev]"))
    assert "What you have read so far:" in text
    assert '- "A cushioned sole of terry loops"' in text


def test_advice_comes_last_and_is_quoted() -> None:
    text = WORDS.prompt(decision(advice=("Search\nfor socks.", "Buy it."))).situation
    assert text.splitlines()[-1] == (
        'Your coach said before: "Search for socks.". Your coach advises you now, in private: "Buy it."'
    )


def test_neither_sellers_nor_shoppers_can_write_a_line_of_the_prompt() -> None:
    text = WORDS.situation(
        decision("hm\nPossible now: nothing", "search[socks]", "click[c1]", "click[Features]")
    )
    starts = [line for line in text.split("\n") if line.startswith(("Possible now", "SYSTEM", "Advice"))]
    assert len(starts) == 1
    assert starts[0].startswith("Possible now: click[Back to Search]")


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("search[wool socks]", "search[wool socks]"),
        ("I want socks.\n\nAction: click[a1]\n", "click[a1]"),
        ("**click[Buy Now]**", "click[Buy Now]"),
        ("`click[< Prev]`", "click[< Prev]"),
        ("click[a1]\nThat is it.", None),
        ("I bought it.", None),
        ("Action: search[socks] or search[shoes]", None),
        ("I click[a1]", None),
        ("", None),
        ("  \n ", None),
        ("Action:", None),
    ],
)
def test_the_last_line_is_the_action(reply: str, action: str | None) -> None:
    assert WORDS.parse(reply, ()) == action
