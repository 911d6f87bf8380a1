"""What a product is, and the products that come with the package.

The data file holds one product line in every line of JSON: what its models share, and the models, which
differ in an attribute, an option or the price. Each model is a product of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from equipoise.errors import RequestError
from equipoise.tasks.shop.nouns import nouns
from equipoise.tasks.shop.search import Index

__all__ = ["Catalogue", "Product", "lines", "own_catalogue", "read_products"]

FOUND = 50
"""Most results of a search, as in WebShop."""

KEPT = 4096
"""Searches whose results are kept."""


class Product(BaseModel):
    """A product.

    Attributes:
        id: What it is called in the shop, and clicked by.
        query: The shop's name of its kind, as in "face moisturizer".
        category: The path of its category, outermost first.
        title: Its title.
        price: Its price in dollars.
        attributes: What is true of it, in the shop's own terms; not shown as such.
        options: What a buyer chooses: values by name.
        bullets: What its page lists under Features.
        description: What its page says under Description.
        line: Identifier of its product line; its own where it stands alone.
        words: Nouns of the title, where a tagger has found them; by rule if None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    query: str
    category: tuple[str, ...]
    title: str = Field(min_length=1)
    price: float = Field(gt=0.0)
    attributes: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = {}
    bullets: tuple[str, ...] = ()
    description: str = ""
    line: str = ""
    words: tuple[str, ...] | None = None

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The nouns of the title."""
        return nouns(self.title) if self.words is None else frozenset(self.words)

    @cached_property
    def text(self) -> str:
        """Title, bullets and description, in lower case and in lines of their own; what search sees."""
        return "\n".join((self.title, " ".join(self.bullets), self.description)).casefold()

    def __hash__(self) -> int:
        """Return a hash of the identifier."""
        return hash(self.id)


@dataclass(frozen=True)
class Catalogue:
    """Products that can be searched.

    Attributes:
        products: The products, in order.
    """

    products: tuple[Product, ...]
    _found: dict[str, tuple[Product, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check that no identifier stands twice.

        Raises:
            RequestError: One does.
        """
        seen: set[str] = set()
        for one in self.products:
            if one.id.casefold() in seen:
                raise RequestError(f"product {one.id!r} stands twice in the catalogue: leave one out")
            seen.add(one.id.casefold())

    @cached_property
    def by_id(self) -> dict[str, Product]:
        """All products by identifier in lower case."""
        return {one.id.casefold(): one for one in self.products}

    @cached_property
    def _index(self) -> Index:
        return Index([one.text for one in self.products])

    def search(self, words: str) -> tuple[Product, ...]:
        """Return the best matches, best first, at most 50; products that share no word are none."""
        key = " ".join(words.casefold().split())
        if key not in self._found:
            if len(self._found) >= KEPT:
                self._found.clear()
            self._found[key] = tuple(self.products[k] for k in self._index.best(key, FOUND))
        return self._found[key]


@cache
def lines() -> tuple[Mapping[str, Any], ...]:
    """Return the package's product lines as they are stored."""
    text = files("equipoise.tasks.shop").joinpath("data", "products.jsonl").read_text(encoding="utf-8")
    return tuple(json.loads(one) for one in text.splitlines() if one.strip())


@cache
def own_catalogue() -> Catalogue:
    """Return the package's catalogue."""
    return Catalogue(read_products(lines()))


def read_products(source: Iterable[Mapping[str, Any]]) -> tuple[Product, ...]:
    """Return the products of product lines.

    Args:
        source: Product lines: ``id``, ``query``, ``category``, ``title`` (with ``{}`` where the model's name
            goes), ``attributes``, ``options``, ``bullets``, ``description`` and ``models``, each with ``id``,
            ``name``, ``price``, ``attributes``, ``bullet`` and, where they differ, ``options``.

    Raises:
        RequestError: A line is not one.
    """
    return tuple(_product(line, model) for line in source for model in line["models"])


def _product(line: Mapping[str, Any], model: Mapping[str, Any]) -> Product:
    title = re.sub(r"\s+", " ", line["title"].replace("{}", model["name"])).strip(" ,")
    try:
        return Product(
            id=model["id"],
            query=line["query"],
            category=tuple(line["category"]),
            title=title,
            price=model["price"],
            attributes=(*line["attributes"], *model["attributes"]),
            options={**line["options"], **model.get("options", {})},
            bullets=(*line["bullets"], model["bullet"]),
            description=line["description"],
            line=line["id"],
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RequestError(f"product {model['id']!r}: {where} = {first['input']!r}: {first['msg']}") from None
