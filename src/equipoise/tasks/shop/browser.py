"""Where a seat is in the shop, and how clicks move it."""

from __future__ import annotations

from dataclasses import replace

from equipoise.tasks.shop.catalogue import Catalogue, Product
from equipoise.tasks.shop.grammar import Kind, Move, same
from equipoise.tasks.shop.pages import BACK, BUY, DESCRIPTION, FEATURES, NEXT, PREV, Page, shown

__all__ = ["Browser"]

WINDOW = 10
"""Results on a page, as in WebShop."""


class Browser:
    """A visit to the shop.

    Attributes:
        page: The page that is open.
        product: The product that is open, or None.
        chosen: What was chosen of its options.
        bought: The product that was bought, or None.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        """Open the search page."""
        self._catalogue = catalogue
        self.page = Page("search")
        self.product: Product | None = None
        self.chosen: dict[str, str] = {}
        self.bought: Product | None = None
        self._results: tuple[Product, ...] = ()
        self._words, self._number = "", 1

    def go(self, move: Move) -> bool:
        """Do what a turn asks for; a turn that does not fit the page changes nothing but the notice.

        Returns:
            Whether it fitted.
        """
        if move.kind is Kind.SEARCH and self.page.place == "search":
            return self._search(move.what)
        thing = next((one for one in self.page.things if same(one, move.what)), None)
        if move.kind is Kind.CLICK and thing is not None:
            return self._click(thing)
        self.page = replace(self.page, notice=_refusal(move, self.page))
        return False

    def _search(self, words: str) -> bool:
        self._words, self._results = words, self._catalogue.search(words)
        return self._list(1)

    def _list(self, number: int) -> bool:
        self._number, self.product, self.chosen = number, None, {}
        listed = self._results[(number - 1) * WINDOW : number * WINDOW]
        self.page = Page(
            "results", self._words, number, len(self._results), tuple(shown(one) for one in listed)
        )
        return True

    def _click(self, thing: str) -> bool:
        if thing == BACK:
            self.product, self.chosen, self.page = None, {}, Page("search")
            return True
        if thing in (NEXT, PREV):
            return self._turn(1 if thing == NEXT else -1)
        if self.page.place == "results":
            self.product, self.chosen = self._catalogue.by_id[thing.casefold()], {}
            return self._item()
        return self._on_item(thing)

    def _turn(self, way: int) -> bool:
        if self.page.place in ("description", "features"):
            return self._item()
        return self._list(self._number + way if self.page.place == "results" else self._number)

    def _on_item(self, thing: str) -> bool:
        product = self.product
        assert product is not None
        if thing == BUY:
            self.bought = product
            self.page = self._about("done", ())
        elif thing == DESCRIPTION:
            self.page = self._about("description", (product.description,))
        elif thing == FEATURES:
            self.page = self._about("features", product.bullets)
        else:
            name, value = next((n, v) for click, n, v in self.page.values if click == thing)
            self.chosen[name] = value
            return self._item()
        return True

    def _item(self) -> bool:
        self.page = self._about("item", ())
        return True

    def _about(self, place: str, texts: tuple[str, ...]) -> Page:
        product = self.product
        assert product is not None
        return Page(
            place,  # type: ignore[arg-type]
            self._words,
            self._number,
            len(self._results),
            product=shown(product),
            options=tuple(product.options.items()),
            chosen=tuple(self.chosen.items()),
            texts=texts,
        )

    @property
    def listed(self) -> tuple[Product, ...]:
        """The products on the open page of results."""
        return tuple(self._catalogue.by_id[one.id.casefold()] for one in self.page.listed)


def _refusal(move: Move, page: Page) -> str:
    """Return what the shop says about a turn that does nothing."""
    if move.cut:
        return "Nothing happens: that was too long to be an action."
    if move.kind is Kind.NONE:
        return "Nothing happens: that is no action. An action is search[words] or click[thing]."
    if move.kind is Kind.SEARCH:
        return "Nothing happens: there is no search box on this page."
    return "Nothing happens: there is no such thing to click on this page."
