"""What a shopper makes of what it has seen."""

from __future__ import annotations

from dataclasses import replace

from equipoise.tasks.shop.actors.situation import Situation, situation
from tests.helpers import Constant
from tests.tasks.shop.build import visit


def now(*actions: str, advice: tuple[str, ...] = (), cap: float = 20.0) -> Situation:
    return situation(replace(visit(actions, cap).decision(0, "one", Constant(), 0), advice=advice))


def test_the_instruction_is_split_into_wish_and_cap() -> None:
    assert now().cap == 20.0
    assert now().wish == "moss merino wool socks with a cushioned sole, size 42-44"
    assert now(cap=float("inf")).cap == float("inf")


def test_only_what_was_seen_is_known() -> None:
    listed = now("search[merino socks]")
    assert (listed.opened, listed.searched, listed.price("a1")) == ((), ("merino socks",), 16.0)
    assert listed.known("a1") == "fellside merino socks"
    assert listed.price("b1") == float("inf")
    read = now("search[merino socks]", "click[a1]", "click[Features]")
    assert "terry loops" in read.known("a1")
    assert read.has_read("a1")
    assert not read.has_read("a1", "description")
    assert "ankle length" not in read.known("a2")
    assert read.fit("a1") > read.fit("a2")


def test_what_the_coach_requires_counts_more() -> None:
    plain = now("search[merino socks]", "click[a2]", "click[Features]")
    told = now("search[merino socks]", "click[a2]", "click[Features]", advice=("It must have ankle length.",))
    assert told.fit("a2") == plain.fit("a2") + 1.0
