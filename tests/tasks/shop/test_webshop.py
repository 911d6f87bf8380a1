"""Products and goals of WebShop, on files written after its schema (its own data cannot be had here)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.shop.task import Shop
from equipoise.tasks.shop.webshop import read_webshop


def item(asin: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "asin": asin,
        "name": name,
        "category": "beauty",
        "query": "Face Cream ",
        "product_category": "Beauty & Personal Care › Skin Care › Face",
        "full_description": "A cream.",
        "small_description": ["For dry skin", "50 ml"],
        "pricing": "$10.99",
        "images": ["x.jpg"],
        "customization_options": {
            "Size": [{"value": "50 ml", "image": None}, {"value": "100 ml"}],
            "Color": None,
            "Scent": [{"value": "Rose/Mint "}],
        },
        **more,
    }


HUMAN = {
    "B0001": [
        {
            "asin": "B0001",
            "instruction": "I need a cream for dry skin.",
            "instruction_attributes": ["dry skin"],
            "instruction_options": ["50 ml"],
        },
        {"asin": "B0001", "instruction": "None.", "instruction_attributes": [], "instruction_options": []},
    ],
    "B0002": [
        {
            "asin": "B0002",
            "instruction": "Find a rose cream",
            "instruction_attributes": ["rose oil"],
            "instruction_options": {"scent": "rose | mint"},
        }
    ],
    "B9999": [{"instruction": "Gone", "instruction_attributes": ["x"], "instruction_options": []}],
}
ATTRIBUTES = {
    "B0001": {
        "attributes": ["dry skin", "fragrance free"],
        "instruction": "i want a face cream for dry skin.",
        "instruction_attributes": ["dry skin"],
    },
    "B0002": {"attributes": ["rose oil"], "instruction": None, "instruction_attributes": None},
}
ITEMS = [
    item("B0001", "Halden Face Cream"),
    item("B0001", "The same again"),
    item("B0002", "Rose Face Cream", pricing="$8.00$12.00", small_description="one text"),
    item("B0003", "Plain Cream", pricing="", customization_options={}, full_description=None),
    item("nan", "No number"),
    item("B0123456789", "Number too long"),
]


def folder(path: Path, items: object = None, human: object = None, attributes: object = None) -> Path:
    for name, data in (
        ("items_shuffle_1000", ITEMS if items is None else items),
        ("items_ins_v2_1000", ATTRIBUTES if attributes is None else attributes),
        ("items_human_ins", HUMAN if human is None else human),
    ):
        (path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return path


def test_products_are_read_as_webshop_reads_them(tmp_path: Path) -> None:
    first, second, third = read_webshop(folder(tmp_path)).products
    assert (first.id, first.title, first.query, first.price) == (
        "B0001",
        "Halden Face Cream",
        "face cream",
        10.99,
    )
    assert first.category == ("Beauty & Personal Care", "Skin Care", "Face")
    assert first.attributes == ("dry skin", "fragrance free")
    assert first.options == {"size": ("50 ml", "100 ml"), "scent": ("rose | mint",)}
    assert (second.price, second.bullets) == (10.0, ("one text",))
    assert (third.price, third.options, third.description, third.attributes) == (100.0, {}, "", ())


def test_goals_of_people_are_read_without_those_that_ask_for_nothing(tmp_path: Path) -> None:
    found = read_webshop(folder(tmp_path)).goals
    assert [(one.id, one.options) for one in found] == [
        ("B0001-0", (("", "50 ml"),)),
        ("B0002-0", (("scent", "rose | mint"),)),
    ]
    assert found[0].attributes == ("dry skin",)


def test_synthetic_goals_are_made_for_every_combination_of_options(tmp_path: Path) -> None:
    found = read_webshop(folder(tmp_path), "synthetic").goals
    assert [one.say for one in found] == [
        "i want a face cream for dry skin with scent: rose | mint, and size: 50 ml",
        "i want a face cream for dry skin with scent: rose | mint, and size: 100 ml",
    ]


def test_a_tagger_finds_the_nouns(tmp_path: Path) -> None:
    read = read_webshop(folder(tmp_path), tagger=lambda title: title.split()[-1:])
    assert read.products[0].nouns == {"cream"}


def test_goals_of_a_product_stay_in_one_split(tmp_path: Path) -> None:
    items = [item(f"B{k:04d}", f"Cream {k}") for k in range(20)]
    row = {"instruction": "A cream", "instruction_attributes": ["dry skin"], "instruction_options": []}
    found = read_webshop(folder(tmp_path, items, {one["asin"]: [row, row] for one in items})).goals
    assert [one.split for one in found[::2]] == (["train"] * 8 + ["held_out", "hard"]) * 2
    assert [one.split for one in found[::2]] == [one.split for one in found[1::2]]


def test_splits_of_ones_own_must_be_disjoint_in_goals_and_products(tmp_path: Path) -> None:
    folder(tmp_path)
    splits = tmp_path / "splits.json"
    splits.write_text(json.dumps({"train": ["B0001-0"], "held_out": ["B0002-0"]}))
    task = Shop.create(webshop=str(tmp_path), split="held_out")
    assert [one.id for one in task.dealt] == ["B0002-0"]
    splits.write_text(json.dumps({"train": ["B0001-0"], "held_out": ["B0002-0", "B0001-0"]}))
    with pytest.raises(RequestError, match="'B0001-0' is in train and in held_out"):
        read_webshop(tmp_path)
    row = HUMAN["B0001"][0]
    folder(tmp_path, human={"B0001": [row, row]})
    splits.write_text(json.dumps({"train": ["B0001-0"], "hard": ["B0001-1"]}))
    with pytest.raises(RequestError, match="'B0001' is asked for in two splits"):
        Shop.create(webshop=str(tmp_path))
    splits.write_text(json.dumps({"test": ["B0001-0"]}))
    with pytest.raises(RequestError, match="unknown split 'test'"):
        read_webshop(tmp_path)
    splits.write_text(json.dumps({"train": ["B0007-0"]}))
    with pytest.raises(RequestError, match="no goal 'B0007-0'"):
        read_webshop(tmp_path)
    splits.write_text("[]")
    with pytest.raises(RequestError, match=r"splits\.json holds a list"):
        read_webshop(tmp_path)


def test_a_visit_to_the_imported_shop(tmp_path: Path) -> None:
    task = Shop.create(webshop=str(folder(tmp_path)))
    episode = task.start(0, lambda round_, purpose: 0.0)
    assert episode.wanted.cap == 12.0
    for action in ("search[halden cream]", "click[B0001]", "click[50 ml]", "click[Buy Now]"):
        episode.apply({0: action})
    assert list(episode.scores()) == [1.0]


def test_files_that_are_not_webshops_are_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="holds no items_shuffle"):
        read_webshop(tmp_path)
    with pytest.raises(RequestError, match="holds a dict, not a list"):
        read_webshop(folder(tmp_path, items={}))
    broken = item("B0001", "Halden")
    del broken["query"]
    with pytest.raises(RequestError, match=r"'B0001' .*field 'query' is missing"):
        read_webshop(folder(tmp_path, items=[broken]))
    silent = {"B0001": [{"instruction_attributes": ["x"]}]}
    with pytest.raises(RequestError, match="goal B0001-0 is not as WebShop writes it"):
        read_webshop(folder(tmp_path, human=silent))
    (tmp_path / "items_human_ins.json").write_text("{")
    with pytest.raises(RequestError, match="not JSON"):
        read_webshop(tmp_path)
    folder(tmp_path)
    (tmp_path / "items_shuffle.json").write_text("[]")
    with pytest.raises(RequestError, match="several files"):
        read_webshop(tmp_path)
