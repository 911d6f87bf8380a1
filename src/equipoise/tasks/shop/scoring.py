"""What a purchase is worth: WebShop's score (Yao et al., NeurIPS 2022, arXiv 2207.01206, section 3).

score = r_type · (matched attributes + matched options + price ok) / (attributes + options + 1)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from equipoise.tasks.shop.catalogue import Product

if TYPE_CHECKING:
    from equipoise.tasks.shop.goals import Wanted

__all__ = ["Score", "alike", "score_of", "title_score", "type_factor"]

ALIKE = 85.0
"""Token-set ratio, 0 to 100, above which two phrases count as the same."""

EXACT = ("size",)
"""Options whose values must be equal: 10 is not 10.5."""


@dataclass(frozen=True, slots=True)
class Score:
    """A score and its parts.

    Attributes:
        value: The score, 0 to 1.
        kind: The factor r_type.
        attributes: Attributes of the goal that the product has.
        options: Options of the goal that were chosen.
        price: Whether the price is within the cap.
    """

    value: float
    kind: float
    attributes: int
    options: int
    price: bool

    def to_json(self) -> dict[str, float | int | bool]:
        """Return the parts as plain data."""
        return asdict(self)


@lru_cache(maxsize=65_536)
def alike(one: str, two: str) -> bool:
    """Tell whether two phrases are the same up to order and additions (token-set ratio above 85)."""
    from rapidfuzz.fuzz import token_set_ratio

    return bool(token_set_ratio(one.casefold(), two.casefold()) > ALIKE)


def title_score(bought: Product, wanted: Product) -> float:
    """Return the share of the wanted title's nouns that stand in the bought one's; 0.2 if it has none."""
    if not wanted.nouns:
        return 0.2
    return len(bought.nouns & wanted.nouns) / len(wanted.nouns)


def type_factor(bought: Product, wanted: Product) -> float:
    """Return r_type: whether the bought product is of the wanted kind; 1, 0.5, 0.1 or 0."""
    titles = title_score(bought, wanted)
    same = bought.query.strip().casefold() == wanted.query.strip().casefold()
    shared = len({*bought.category} & {*wanted.category})
    factor = 1.0 if same or shared >= 2 or titles > 0.2 else 0.5
    if titles < 0.1:
        factor = 0.1
    return 0.0 if titles == 0.0 else factor


def _has(bought: Product, attribute: str) -> bool:
    return any(alike(one, attribute) for one in bought.attributes) or attribute.casefold() in bought.text


def _chose(chosen: Mapping[str, str], name: str, value: str) -> bool:
    """Tell whether a goal's option was chosen; under any name where the goal gives none."""
    for mine, what in chosen.items():
        if name and mine.casefold() != name.casefold():
            continue
        exact = mine.casefold() in EXACT
        if what.casefold() == value.casefold() or (not exact and alike(what, value)):
            return True
    return False


def score_of(wanted: Wanted, bought: Product, chosen: Mapping[str, str]) -> Score:
    """Return what buying a product with the chosen options is worth.

    Args:
        wanted: The goal of this episode, its cap drawn.
        bought: What is bought.
        chosen: Values of options by name.
    """
    goal = wanted.goal
    kind = type_factor(bought, wanted.product)
    attributes = sum(_has(bought, one) for one in goal.attributes)
    options = sum(_chose(chosen, name, value) for name, value in goal.options)
    price = bought.price <= wanted.cap
    share = (attributes + options + price) / (len(goal.attributes) + len(goal.options) + 1)
    return Score(kind * share, kind, attributes, options, price)
