"""The shoppers by name, of rising skill."""

from __future__ import annotations

from equipoise.tasks.shop.actors.shopping import Style, step
from equipoise.tasks.shop.actors.situation import situation
from equipoise.tasks.shop.pages import BACK, BUY, NEXT, PREV
from equipoise.tasks.shop.task import Shop
from equipoise.types import Decision

__all__ = ["hasty", "oracle", "sensible", "weak"]

_WEAK = Style()
_SENSIBLE = Style(narrow=True, price=True, options=True, read=True)


def hasty(decision: Decision) -> str:
    """Searches for the first three words and buys the first thing there is; no advice reaches it."""
    now = situation(decision)
    if now.page.place == "search":
        return f"search[{' '.join(now.wish.split()[:3])}]"
    if now.page.place == "results":
        return f"click[{now.page.listed[0].id}]" if now.page.listed else f"click[{BACK}]"
    return f"click[{BUY}]" if now.page.place == "item" else f"click[{PREV}]"


def weak(decision: Decision) -> str:
    """Searches for the whole instruction and buys the first result as it is."""
    return step(situation(decision), _WEAK)


def sensible(decision: Decision) -> str:
    """Searches for what matters, minds the price, reads the features, chooses the options it finds named."""
    return step(situation(decision), _SENSIBLE)


def oracle(decision: Decision) -> str:
    """Knows the product that the instruction was written for, and its options."""
    now, task = situation(decision), decision.rules
    assert isinstance(task, Shop)
    goal = next(one for one in task.source if one.id == now.view.scenario)
    product = task.catalogue.by_id[goal.product.casefold()]
    page = now.page
    if page.place == "search":
        return f"search[{_words(' '.join((product.title, *product.bullets[-1:])))}]"
    if page.place == "results":
        if product.id in page.things:
            return f"click[{product.id}]"
        return f"click[{NEXT}]" if page.more else f"click[{BACK}]"
    if page.place != "item":
        return f"click[{PREV}]"
    if page.product is None or page.product.id != product.id:
        return f"click[{PREV}]"
    chosen = {value for _, value in page.chosen}
    wanted = {value for _, value in goal.options}
    for thing, _, value in page.values:
        if value in wanted and value not in chosen:
            return f"click[{thing}]"
    return f"click[{BUY}]"


def _words(text: str) -> str:
    return text.replace("[", " ").replace("]", " ")[:250]
