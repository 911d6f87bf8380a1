"""A visit to the shop, from the search page to the purchase or the last step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.tasks.base import Line, TextEnvironment, View
from equipoise.tasks.shop.browser import Browser
from equipoise.tasks.shop.goals import Wanted
from equipoise.tasks.shop.grammar import LIMIT, Move, read
from equipoise.tasks.shop.pages import Page
from equipoise.tasks.shop.scoring import Score, score_of
from equipoise.types import RoundOutcome, Seat

if TYPE_CHECKING:
    from equipoise.tasks.shop.task import Shop

__all__ = ["DIAGNOSTICS", "OPEN", "SEEN", "STEPS", "ShopEpisode", "ShopView"]

DIAGNOSTICS = ("bought", "kind", "attributes", "options", "price", "unfit", "cut")
"""Whether something was bought, r_type, matched shares of attributes and options, whether the price is in
order, turns that did nothing, turns that were cut."""

STEPS = 10
"""Most actions of a visit."""

SEEN = 0.4
"""What a purchase in sight counts for while its page is not open."""

OPEN = 0.8
"""What a purchase counts for while it is not made."""

NAME = "Shopper"


@dataclass(frozen=True, slots=True)
class ShopView(View):
    """What a shopper knows.

    Attributes:
        pages: All pages it has seen, oldest first; the last one is open.
    """

    pages: tuple[Page, ...] = ()

    @property
    def page(self) -> Page:
        """The page that is open."""
        return self.pages[-1]


class ShopEpisode(TextEnvironment):
    """One seat, ten steps, one purchase."""

    def __init__(self, task: Shop, wanted: Wanted) -> None:
        """Start on the search page."""
        super().__init__(task, wanted.goal.id, seats=1, turns=STEPS)
        self.wanted = wanted
        self.browser = Browser(task.catalogue)
        self.pages = [self.browser.page]
        self.lines = [Line("", self.browser.page.text)]
        self.moves: list[tuple[str, Move, bool]] = []
        self._hope = 0.0

    def view(self, seat: Seat) -> ShopView:
        """Return what the shopper knows now."""
        return ShopView(
            scenario=self.scenario,
            name=NAME,
            others=(),
            setting="An online shop. You search, read pages, choose options and buy one product.",
            goal=self.wanted.instruction,
            private=(),
            lines=tuple(self.lines),
            options=self.browser.page.actions,
            turn=self.taken[seat],
            turns=STEPS,
            pages=tuple(self.pages),
        )

    def act(self, seat: Seat, text: str) -> None:
        """Take an action; what is none, or does not fit the page, does nothing."""
        move = read(text)
        fits = self.browser.go(move)
        self.moves.append((text[:LIMIT], move, fits))
        self.pages.append(self.browser.page)
        self.lines += [Line(NAME, text[:LIMIT]), Line("", self.browser.page.text)]
        self._hope = max(self._hope, self._worth())
        self.ended = "bought" if self.browser.bought is not None else None

    @property
    def score(self) -> Score | None:
        """The score of the purchase with its parts, or None while nothing is bought."""
        bought = self.browser.bought
        return None if bought is None else score_of(self.wanted, bought, self.browser.chosen)

    def scores(self) -> Sequence[float]:
        """Return the score of the purchase; 0 without one."""
        return [self.score.value if self.score is not None else 0.0]

    def _worth(self) -> float:
        """Return what the open page is worth: the open product as chosen, or the best in the list."""
        browser = self.browser
        if browser.product is not None:
            return OPEN * score_of(self.wanted, browser.product, browser.chosen).value
        return SEEN * max((score_of(self.wanted, one, {}).value for one in browser.listed), default=0.0)

    def achievable(self, seat: Seat) -> float:
        """Return the score of the purchase, or before it what the best one so far in sight counts for.

        A product page counts for 0.8 of the score of buying now, a product in a list for 0.4 of its score
        without options; the best of the visit so far is kept. So every step that brings a better purchase
        nearer raises it, looking round does not lower it, and buying that best one raises it to its score.
        """
        if self.is_over or self.browser.bought is not None or self.taken[seat] >= STEPS:
            return float(self.scores()[0])
        return self._hope

    def outcome(self) -> RoundOutcome:
        """Return the score and the diagnostics."""
        score, goal = self.score, self.wanted.goal
        row = [
            float(score is not None),
            0.0 if score is None else score.kind,
            0.0 if score is None else score.attributes / max(1, len(goal.attributes)),
            0.0 if score is None else score.options / max(1, len(goal.options)),
            float(score is not None and score.price),
            float(sum(not fits for _, _, fits in self.moves)),
            float(sum(move.cut for _, move, _ in self.moves)),
        ]
        return RoundOutcome((float(self.scores()[0]),), None, None, tuple((value,) for value in row))

    @property
    def notes(self) -> Mapping[str, object]:
        """Add the goal's truth, the purchase with the parts of its score, and which turns did nothing."""
        goal, bought, score = self.wanted.goal, self.browser.bought, self.score
        return {
            **super().notes,
            "split": goal.split,
            "wanted": self.wanted.product.id,
            "attributes": list(goal.attributes),
            "options": [list(option) for option in goal.options],
            "cap": self.wanted.cap if goal.capped else None,
            "bought": None if bought is None else bought.id,
            "chosen": dict(self.browser.chosen),
            "score": None if score is None else score.to_json(),
            "searches": [page.words for page in self.pages if page.place == "results" and page.number == 1],
            "unfit": [k for k, (_, _, fits) in enumerate(self.moves) if not fits],
            "cut": [k for k, (_, move, _) in enumerate(self.moves) if move.cut],
        }
