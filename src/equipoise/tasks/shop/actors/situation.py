"""What a scripted shopper makes of what it knows: instruction, pages seen, advice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from equipoise.tasks.shop.advice import Advice, understand
from equipoise.tasks.shop.episode import ShopView
from equipoise.tasks.shop.pages import Page
from equipoise.tasks.shop.search import terms
from equipoise.types import Decision

__all__ = ["Situation", "content", "situation"]

_CAP = re.compile(r",? and price lower than (\d+(?:\.\d+)?) dollars\s*$")
_STOP = frozenset(
    (
        "a", "an", "and", "any", "are", "as", "at", "be", "because", "but", "by", "can", "could", "come",
        "do", "does", "for", "from", "get", "give", "go", "had", "has", "have", "he", "her", "his", "him",
        "i", "if", "in", "into", "is", "it", "its", "let", "like", "love", "me", "mine", "must", "my",
        "need", "needs", "no", "not", "of", "off", "on", "one", "or", "our", "out", "please", "rather",
        "she", "should", "since", "so", "some", "something", "than", "that", "the", "their", "them",
        "then", "there", "they", "thing", "this", "to", "too", "up", "us", "want", "wants", "was", "we",
        "what", "when", "which", "who", "will", "with", "without", "would", "you", "your", "ll", "d", "m",
        "s", "t", "re", "ve", "buy", "find", "order", "looking", "look", "only", "just", "never", "always",
        "also", "very", "much", "such", "kind", "sort", "sure", "take", "make",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Situation:
    """A decision, read.

    Attributes:
        view: What the shopper knows.
        advice: What its coach asks for.
    """

    view: ShopView
    advice: Advice

    @property
    def page(self) -> Page:
        """The page that is open."""
        return self.view.page

    @property
    def left(self) -> int:
        """How many actions are left, this one among them."""
        return self.view.turns - self.view.turn

    @cached_property
    def wish(self) -> str:
        """The instruction without the price, in lower case."""
        return _CAP.sub("", self.view.goal).casefold()

    @cached_property
    def cap(self) -> float:
        """The highest price that is in order."""
        found = _CAP.search(self.view.goal)
        return float(found[1]) if found else float("inf")

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The words of the instruction that say something."""
        return content(self.wish)

    @cached_property
    def opened(self) -> tuple[str, ...]:
        """The products that were opened, in order."""
        return tuple(dict.fromkeys(page.product.id for page in self.view.pages if page.product is not None))

    @cached_property
    def searched(self) -> tuple[str, ...]:
        """What was searched for so far."""
        return tuple(dict.fromkeys(page.words for page in self.view.pages if page.place == "results"))

    def has_read(self, product: str, place: str = "features") -> bool:
        """Tell whether a page of a product was read."""
        return any(
            p.place == place and p.product is not None and p.product.id == product for p in self.view.pages
        )

    def known(self, product: str) -> str:
        """Return what has been read of a product: title, option values and texts, in lower case."""
        parts: list[str] = []
        for page in self.view.pages:
            parts += [one.title for one in page.listed if one.id == product]
            if page.product is not None and page.product.id == product:
                values = (value for _, values in page.options for value in values)
                parts += [page.product.title, *page.texts, *values]
        return " ".join(dict.fromkeys(parts)).casefold()

    def fit(self, product: str) -> float:
        """Return how much of the instruction a product is known to meet; what the coach requires counts 1."""
        known = self.known(product)
        words = content(known)
        share = len(self.wanted & words) / max(1, len(self.wanted))
        return share + sum(content(must) <= words for must in self.advice.musts)

    def price(self, product: str) -> float:
        """Return a product's price, as it was shown."""
        shown = (
            one.price
            for page in self.view.pages
            for one in (*page.listed, *((page.product,) if page.product else ()))
            if one.id == product
        )
        return next(shown, float("inf"))


def situation(decision: Decision) -> Situation:
    """Return what a shopper makes of a decision."""
    view = decision.observation
    assert isinstance(view, ShopView)
    return Situation(view, understand(decision.advice))


def content(text: str) -> frozenset[str]:
    """Return the words of a text that say something, without a plural's s."""
    return frozenset(word for word in terms(text) if word not in _STOP)
