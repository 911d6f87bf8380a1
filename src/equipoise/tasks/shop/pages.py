"""The pages of the shop: what can be done on each, and the text that a seat sees.

What a seller wrote (titles, option values, bullets, descriptions) stands in quotation marks with quotes and
line breaks escaped: it is data, and cannot pass for a page's own line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from equipoise.tasks.shop.catalogue import Product

__all__ = [
    "BACK",
    "BUY",
    "DESCRIPTION",
    "FEATURES",
    "NEXT",
    "PREV",
    "SEARCH",
    "Page",
    "Place",
    "Shown",
    "shown",
]

Place = Literal["search", "results", "item", "description", "features", "done"]
BACK, BUY, NEXT, PREV = "Back to Search", "Buy Now", "Next >", "< Prev"
DESCRIPTION, FEATURES = "Description", "Features"
SEARCH = "search[words]"
"""How a page with a search box says so among its options."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A product as a list of results shows it."""

    id: str
    title: str
    price: float


@dataclass(frozen=True, slots=True)
class Page:
    """A page as a seat sees it.

    Attributes:
        place: Which kind of page it is.
        words: What was searched for; empty before the first search.
        number: Page of the results, from 1.
        total: Number of results.
        listed: The results on the page.
        product: The open product, or None.
        options: What a buyer chooses: (name, values).
        chosen: What has been chosen: (name, value).
        texts: What the page says of the product: its bullets, or its description.
        notice: What the shop says about the last action where it did nothing; else empty.
    """

    place: Place
    words: str = ""
    number: int = 1
    total: int = 0
    listed: tuple[Shown, ...] = ()
    product: Shown | None = None
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    chosen: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ()
    notice: str = ""

    @property
    def more(self) -> bool:
        """Whether there is a next page of results."""
        return self.place == "results" and self.number * 10 < self.total

    @property
    def things(self) -> tuple[str, ...]:
        """What can be clicked."""
        if self.place in ("search", "done"):
            return ()
        if self.place == "results":
            around = ((NEXT,) if self.more else ()) + ((PREV,) if self.number > 1 else ())
            return (BACK, *around, *(one.id for one in self.listed))
        if self.place == "item":
            return (BACK, PREV, *(name for name, _, _ in self.values), DESCRIPTION, FEATURES, BUY)
        return (BACK, PREV)

    @property
    def values(self) -> tuple[tuple[str, str, str], ...]:
        """The option values as (what to click, option, value); one of two options is ``option: value``."""
        every = [value.casefold() for _, values in self.options for value in values]
        return tuple(
            (value if every.count(value.casefold()) == 1 else f"{name}: {value}", name, value)
            for name, values in self.options
            for value in values
        )

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that fit the page."""
        if self.place == "search":
            return (SEARCH,)
        return tuple(f"click[{thing}]" for thing in self.things)

    @property
    def text(self) -> str:
        """The page as text."""
        said = [self.notice] if self.notice else []
        return "\n".join((*said, *_BODIES[self.place](self)))


def shown(product: Product) -> Shown:
    """Return a product as lists show it."""
    return Shown(product.id, product.title, product.price)


def quoted(text: str) -> str:
    """Return a seller's text in quotation marks on one line."""
    return json.dumps(text, ensure_ascii=False)


def _search(page: Page) -> list[str]:
    return ["Search page. The search box is empty."]


def _results(page: Page) -> list[str]:
    head = f"Results for {quoted(page.words)}: page {page.number}, {page.total} in all."
    return [head, *(f"{one.id}: {quoted(one.title)}, ${one.price:.2f}" for one in page.listed)]


def _head(page: Page) -> list[str]:
    assert page.product is not None
    return [f"Product {page.product.id}: {quoted(page.product.title)}, ${page.product.price:.2f}"]


def _item(page: Page) -> list[str]:
    chosen = dict(page.chosen)
    rows = [
        f"Option {quoted(name)}: {', '.join(quoted(value) for value in values)}; "
        f"chosen: {quoted(chosen[name]) if name in chosen else 'nothing yet'}"
        for name, values in page.options
    ]
    return [*_head(page), *rows]


def _texts(page: Page) -> list[str]:
    said = [f"- {quoted(text)}" for text in page.texts if text] or ["Nothing is said here."]
    return [*_head(page), f"{page.place.capitalize()}, in the seller's words:", *said]


def _done(page: Page) -> list[str]:
    return [*_head(page), "You have bought it. Thank you for shopping."]


_BODIES = {
    "search": _search,
    "results": _results,
    "item": _item,
    "description": _texts,
    "features": _texts,
    "done": _done,
}
