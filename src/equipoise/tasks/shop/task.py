"""The task ``shop``: buying what an instruction asks for, after WebShop.

Source: S. Yao, H. Chen, J. Yang and K. Narasimhan, *WebShop: Towards Scalable Real-World Web Interaction with
Grounded Language Agents*, NeurIPS 2022, arXiv 2207.01206. Catalogue and goals are this package's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from equipoise.games.rules import Chance, GameInfo, GameOptions, Weights
from equipoise.tasks.base import Task
from equipoise.tasks.shop.catalogue import Catalogue, own_catalogue
from equipoise.tasks.shop.episode import DIAGNOSTICS, STEPS, ShopEpisode
from equipoise.tasks.shop.goals import Goal, Split, Wanted, cap_of, check_goals, choose, goals
from equipoise.tasks.shop.search import check_installed
from equipoise.tasks.shop.webshop import read_webshop

__all__ = ["Options", "Shop"]


class Options(GameOptions):
    """Options of the shop.

    Attributes:
        split: Which goals are dealt: train, held_out or hard.
        only: Identifiers of the goals to deal, of any split; all of the split if empty.
        webshop: A folder with WebShop's data files, dealt in place of the package's products and goals.
        webshop_goals: Which of WebShop's goals: those written by people, or its synthetic ones.
    """

    split: Split = "train"
    only: tuple[str, ...] = ()
    webshop: str = ""
    webshop_goals: Literal["human", "synthetic"] = "human"


class Shop(Task):
    """One seat searches, reads, chooses and buys."""

    Options = Options
    name = "shop"

    def __init__(
        self,
        options: GameOptions | None = None,
        catalogue: Catalogue | None = None,
        source: Sequence[Goal] | None = None,
    ) -> None:
        """Take options, products and goals.

        Args:
            options: Validated options; None means the defaults.
            catalogue: Products, imported ones for instance; None takes those of the package.
            source: Goals; None takes those of the package. They need ``catalogue`` to hold their products.

        Raises:
            RequestError: A goal's product is missing, or stands in two splits.
        """
        super().__init__(options)
        if self.options.webshop and catalogue is None and source is None:
            read = read_webshop(Path(self.options.webshop), self.options.webshop_goals)
            catalogue, source = Catalogue(read.products), read.goals
        self.catalogue = own_catalogue() if catalogue is None else catalogue
        self.source = goals() if source is None else tuple(source)
        check_goals(self.catalogue, self.source)

    @cached_property
    def dealt(self) -> tuple[Goal, ...]:
        """The goals that are dealt, in order.

        Raises:
            RequestError: The options leave none.
        """
        return choose(self.source, self.options.split, self.options.only)

    def scenario_ids(self) -> tuple[str, ...]:
        """Return the identifiers of the goals that are dealt."""
        return tuple(one.id for one in self.dealt)

    @cached_property
    def info_record(self) -> GameInfo:
        """The declaration."""
        return GameInfo(
            id=self.name,
            version=1,
            title="Web shop",
            summary=f"A shopper alone has {STEPS} steps to search a catalogue, read pages, choose options "
            "and buy what an instruction asks for, within a price. The score, 0 to 1, is the share of what "
            "was asked for that the purchase meets.",
            rounds=1,
            seats=1,
            dynamics="sequential",
            information="imperfect",
            zero_sum=False,
            symmetric=False,
            payoff_bounds=(0.0, 1.0),
            payoff_scale=1.0,
            weights=Weights(0.0, 0.0, 0.0),
            diagnostics=DIAGNOSTICS,
            solution="none",
        )

    def start(self, index: int, chance: Chance) -> ShopEpisode:
        """Return the visit of a deal; consecutive deals go through the goals in turn, each draws its cap.

        Raises:
            RequestError: rank-bm25 or rapidfuzz is not installed.
        """
        check_installed()
        goal = self.dealt[index % len(self.dealt)]
        product = self.catalogue.by_id[goal.product.casefold()]
        cap = cap_of(product.price, chance(0, "price cap")) if goal.capped else float("inf")
        return ShopEpisode(self, Wanted(goal, product, cap))
