"""WebShop's own products and goals.

Read are the files of WebShop's data folder: ``items_shuffle*.json`` (a list of products),
``items_ins_v2*.json`` (attributes and synthetic instructions by product) and ``items_human_ins*.json``
(instructions by people, by product). ``docs/shop.md`` lists the fields. The public data are not part of this
package.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from equipoise.errors import RequestError
from equipoise.tasks.shop.catalogue import Product
from equipoise.tasks.shop.goals import Goal, Split

__all__ = ["Imported", "read_webshop"]

Record = Mapping[str, Any]
Tagger = Callable[[str], Sequence[str]]

NO_PRICE = 100.0
"""What WebShop takes where a product has no price."""

COMBINATIONS = 20
"""Most synthetic goals of one product; WebShop makes one for every combination of options."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Products and goals as they were read."""

    products: tuple[Product, ...]
    goals: tuple[Goal, ...]


def read_webshop(
    folder: Path, kind: Literal["human", "synthetic"] = "human", tagger: Tagger | None = None
) -> Imported:
    """Return WebShop's products and goals.

    Products go to splits by the order in which goals ask for them: of ten, eight are train, one is held_out
    and one is hard, all goals of a product together. A file ``splits.json`` beside the data, lists of goal
    identifiers by split, takes their place.

    Args:
        folder: The folder with WebShop's files.
        kind: Goals written by people, or WebShop's synthetic ones.
        tagger: Returns the nouns of a title; None takes them by rule (``tasks/shop/nouns.py``).

    Raises:
        RequestError: A file is missing or is not WebShop's, or a product is in two splits.
    """
    items = _load(folder, "items_shuffle", list)
    attributes = _load(folder, "items_ins_v2", dict)
    human = _load(folder, "items_human_ins", dict) if kind == "human" else {}
    products: dict[str, Product] = {}
    for item in items:
        one = _product(item, attributes, tagger)
        if one is not None and one.id.casefold() not in products:
            products[one.id.casefold()] = one
    made = _human(products, human) if kind == "human" else _synthetic(products, attributes)
    return Imported(tuple(products.values()), _split(list(made), folder / "splits.json"))


def _load(folder: Path, name: str, shape: type) -> Any:
    found = sorted(folder.glob(f"{name}*.json"))
    if len(found) != 1:
        what = "holds no" if not found else "holds several files"
        raise RequestError(f"{folder} {what} {name}*.json: give the folder of WebShop's data, one file each")
    return _json(found[0], shape)


def _json(path: Path, shape: type) -> Any:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RequestError(f"{path.name} is not JSON: {error}") from None
    if not isinstance(data, shape):
        raise RequestError(f"{path.name} holds a {type(data).__name__}, not a {shape.__name__}")
    return data


def _product(item: Record, attributes: Mapping[str, Record], tagger: Tagger | None) -> Product | None:
    asin = str(item.get("asin", "nan"))
    if asin == "nan" or len(asin) > 10:
        return None
    try:
        bullets = item["small_description"]
        return Product(
            id=asin,
            query=str(item["query"]).casefold().strip(),
            category=tuple(part.strip() for part in str(item["product_category"]).split("›")),
            title=item["name"],
            price=_price(item.get("pricing")),
            attributes=tuple(attributes.get(asin, {}).get("attributes", ())),
            options=_options(item.get("customization_options") or {}),
            bullets=tuple(bullets) if isinstance(bullets, list) else (str(bullets or ""),),
            description=item.get("full_description") or "",
            words=None if tagger is None else tuple(word.casefold() for word in tagger(item["name"])),
        )
    except (KeyError, TypeError, ValidationError) as error:
        raise RequestError(f"product {asin!r} is not as WebShop writes it: {_short(error)}") from None


def _short(error: Exception) -> str:
    return f"field {error} is missing" if isinstance(error, KeyError) else str(error).splitlines()[0]


def _price(pricing: object) -> float:
    """Return a price: the middle of a range, where WebShop draws one before it is seeded."""
    found = [float(re.sub(r"[^\d.]", "", part) or 0.0) for part in str(pricing or "").split("$")[1:]][:2]
    mean = sum(found) / len(found) if found else 0.0
    return mean if mean > 0.0 else NO_PRICE


def _options(found: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    made = {}
    for name, rows in found.items():
        values = [str(row["value"]).strip().replace("/", " | ").casefold() for row in rows or ()]
        if values:
            made[name.casefold()] = tuple(dict.fromkeys(value for value in values if value))
    return made


def _human(products: Mapping[str, Product], human: Mapping[str, Any]) -> Iterator[Goal]:
    for asin, rows in human.items():
        if asin.casefold() not in products:
            continue
        for number, row in enumerate(rows):
            if row.get("instruction_attributes"):
                options = row.get("instruction_options", ())
                pairs = options.items() if isinstance(options, dict) else (("", value) for value in options)
                yield _goal(
                    asin, number, row.get("instruction") or "", row["instruction_attributes"], tuple(pairs)
                )


def _synthetic(products: Mapping[str, Product], attributes: Mapping[str, Record]) -> Iterator[Goal]:
    for product in products.values():
        row = attributes.get(product.id, {})
        if not row.get("instruction") or not row.get("instruction_attributes"):
            continue
        names = sorted(product.options)
        combinations = itertools.product(*(product.options[name] for name in names))
        for number, values in enumerate(itertools.islice(combinations, COMBINATIONS)):
            pairs = tuple(zip(names, values, strict=True))
            said = ", and ".join(f"{name}: {value}" for name, value in pairs)
            say = row["instruction"].strip().rstrip(".") + (f" with {said}" if said else "")
            yield _goal(product.id, number, say, row["instruction_attributes"], pairs)


def _goal(
    asin: str, number: int, say: str, attributes: Sequence[str], options: tuple[tuple[str, str], ...]
) -> Goal:
    try:
        return Goal(
            id=f"{asin}-{number}", product=asin, say=say, attributes=tuple(attributes), options=options
        )
    except ValidationError as error:
        raise RequestError(f"goal {asin}-{number} is not as WebShop writes it: {_short(error)}") from None


def _split(made: list[Goal], listed: Path) -> tuple[Goal, ...]:
    if listed.exists():
        return _listed(made, listed)
    order = {asin: k for k, asin in enumerate(dict.fromkeys(goal.product for goal in made))}
    places: dict[int, Split] = {8: "held_out", 9: "hard"}
    return tuple(
        goal.model_copy(update={"split": places.get(order[goal.product] % 10, "train")}) for goal in made
    )


def _listed(made: list[Goal], listed: Path) -> tuple[Goal, ...]:
    """Return the goals that a file of splits names; an identifier in two splits is refused."""
    splits = _json(listed, dict)
    known, found = {goal.id: goal for goal in made}, dict[str, Goal]()
    for split, names in splits.items():
        if split not in ("train", "held_out", "hard"):
            raise RequestError(f"{listed.name}: unknown split {split!r}: choose among train, held_out, hard")
        for name in names:
            if name not in known:
                raise RequestError(f"{listed.name}: there is no goal {name!r}")
            if name in found:
                raise RequestError(
                    f"{listed.name}: goal {name!r} is in {found[name].split} and in {split}: the splits must "
                    "be disjoint"
                )
            found[name] = known[name].model_copy(update={"split": split})
    return tuple(found.values())
