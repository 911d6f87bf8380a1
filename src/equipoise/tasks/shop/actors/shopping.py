"""How a scripted shopper goes about it: one step for each kind of page."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from equipoise.tasks.shop.actors.situation import Situation
from equipoise.tasks.shop.advice import Intent
from equipoise.tasks.shop.pages import BACK, BUY, DESCRIPTION, FEATURES, NEXT, PREV, Shown
from equipoise.tasks.shop.search import terms

__all__ = ["Style", "step"]


@dataclass(frozen=True, slots=True)
class Style:
    """What a shopper does of its own accord; advice changes it.

    Attributes:
        narrow: Whether it searches for the words that say something, or for the whole instruction.
        price: Whether it heeds the price.
        options: Whether it chooses options.
        read: Whether it reads a product's features before it buys.
        tries: How many products it looks at.
    """

    narrow: bool = False
    price: bool = False
    options: bool = False
    read: bool = False
    tries: int = 1


def step(now: Situation, style: Style) -> str:
    """Return the next action."""
    style = _advised(now, style)
    place = now.page.place
    if place == "search":
        return f"search[{_query(now, style)}]"
    if place == "results":
        return _result(now, style)
    if place == "item":
        return _item(now, style)
    return f"click[{PREV}]"


def _advised(now: Situation, style: Style) -> Style:
    advice = now.advice
    for name in ("narrow", "price", "options", "read"):
        said = getattr(advice, name)
        if said is not None:
            style = replace(style, **{name: said})
    if advice.compare is not None:
        style = replace(style, tries=max(2, style.tries) if advice.compare else 1)
    return style


def _query(now: Situation, style: Style) -> str:
    if now.advice.words:
        return _clean(now.advice.words)
    words = [word for word in terms(now.wish) if word in now.wanted]
    if now.searched and len(now.searched) % 2:
        # What was tried is not tried again: the longest words are the rarest.
        return " ".join(sorted(dict.fromkeys(words), key=len, reverse=True)[:4]) or "sale"
    musts = " ".join(now.advice.musts)
    return _clean(f"{' '.join(words) if style.narrow else now.view.goal} {musts}") or "sale"


def _clean(words: str) -> str:
    return re.sub(r"[\[\]]|\s+", " ", words).strip()[:250]


def _result(now: Situation, style: Style) -> str:
    page, asked = now.page, now.advice.now
    named = next(
        (one for one in page.listed if re.search(rf"\b{re.escape(one.id)}\b", now.advice.text)), None
    )
    if named is not None:
        return f"click[{named.id}]"
    if not page.listed or (Intent.SEARCH in asked and now.advice.words != page.words and now.left > 4):
        return f"click[{BACK}]"
    if Intent.NEXT in asked and page.more and now.left > 3:
        return f"click[{NEXT}]"
    if Intent.BACK in asked and now.left > 4 and len(now.searched) < 2:
        return f"click[{BACK}]"
    fresh = [one for one in page.listed if one.id not in now.opened]
    seen = [one for one in page.listed if one.id in now.opened]
    spent = len(now.opened) >= style.tries or now.left <= 4
    pool = seen if seen and (spent or not fresh) and Intent.BACK not in now.advice.now else fresh or seen
    return f"click[{_best(now, style, pool).id}]"


def _best(now: Situation, style: Style, pool: list[Shown]) -> Shown:
    """Return the first of a list, or for a shopper who minds them the one of the right price and best fit."""
    if style.price:
        pool = [one for one in pool if one.price <= now.cap] or pool
    if not style.read and not now.advice.musts:
        return pool[0]
    # Later results are less likely, whatever their titles say.
    place = {one.id: k for k, one in enumerate(now.page.listed)}
    return max(pool, key=lambda one: now.fit(one.id) - 0.1 * place[one.id])


def _item(now: Situation, style: Style) -> str:
    page, asked = now.page, now.advice.now
    assert page.product is not None
    if now.left <= 1:
        return f"click[{BUY}]"
    if Intent.BACK in asked and now.left > 3 and not page.chosen:
        return f"click[{PREV}]"
    picks = _picks(now, style)
    spare = now.left - 1 - len(picks)
    if Intent.BUY in asked and not picks:
        return f"click[{BUY}]"
    # A later product is only read where there is time to go back to an earlier one and buy that.
    if spare >= (2 if len(now.opened) == 1 else 4) and style.read and not now.has_read(page.product.id):
        return f"click[{FEATURES}]"
    if spare >= 2 and Intent.WAIT in asked:
        for place, thing in (("features", FEATURES), ("description", DESCRIPTION)):
            if not now.has_read(page.product.id, place):
                return f"click[{thing}]"
    if spare >= 2 and not page.chosen and _elsewhere(now, style, page.product.id, spare):
        return f"click[{PREV}]"
    return f"click[{picks[0]}]" if picks else f"click[{BUY}]"


def _elsewhere(now: Situation, style: Style, product: str, spare: int) -> bool:
    """Tell whether another product should be looked at, or taken in place of this one."""
    if style.price and now.price(product) > now.cap and len(now.opened) < 3:
        return True
    others = [one for one in now.opened if one != product]
    if len(now.opened) < style.tries:
        return spare >= 4
    best = max(others, key=now.fit, default=product)
    return now.fit(best) > now.fit(product) + 1e-9


def _picks(now: Situation, style: Style) -> list[str]:
    """Return what to click for the options that are still to be chosen."""
    page, chosen = now.page, dict(now.page.chosen)
    found: list[tuple[bool, str]] = []
    for name in dict(page.options):
        rows = [(thing, value) for thing, of, value in page.values if of == name]
        told = _named(now.advice.text, rows) if Intent.OPTIONS in now.advice.now else None
        wish = _named(now.wish, rows) if style.options else None
        thing = told or wish
        if thing is not None and chosen.get(name) != thing[1] and not (name in chosen and told is None):
            found.append((told is None, thing[0]))
    # What the coach names comes first.
    return [thing for _, thing in sorted(found, key=lambda one: one[0])]


def _named(text: str, rows: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the option value that a text names: the longest, the last of equally long ones."""
    hits = [
        (len(value), match[-1].start(), thing, value)
        for thing, value in rows
        if (match := list(re.finditer(rf"(?<![\w'’.]){re.escape(value.casefold())}(?![\w'’])", text)))
    ]
    return max(hits)[2:] if hits else None
