"""The products that come with the package, and what a catalogue must be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.shop.catalogue import Catalogue, Product, lines, own_catalogue, read_products
from tests.tasks.shop.build import SHOES, SOCKS, THIN

ALL = own_catalogue().products
LINES = {one.line: one for one in ALL}


def words(text: str) -> frozenset[str]:
    """Return the words of a text without figures."""
    return frozenset(re.findall(r"[^\W\d_]+", text.casefold()))


def alike(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two)


def test_there_are_many_products_of_many_kinds() -> None:
    assert len(ALL) >= 500
    assert len({one.category[0] for one in ALL}) >= 15
    assert all(len(one.category) == 3 and one.options and one.attributes for one in ALL)
    assert len({one.id for one in ALL}) == len(ALL)


def test_product_lines_differ_when_names_and_numbers_are_taken_out() -> None:
    names = {line: words(LINES[line].title) for line in LINES}
    texts = {line: words(LINES[line].text) - names[line] for line in LINES}
    same = {k for i, j in combinations(texts, 2) if alike(texts[i], texts[j]) > 0.5 for k in (i, j)}
    assert len(same) / len(texts) <= 0.05


def test_models_of_a_line_differ_in_what_their_pages_say_and_not_in_what_they_are() -> None:
    by_line: dict[str, list[Product]] = {}
    for one in ALL:
        by_line.setdefault(one.line, []).append(one)
    assert all(len(models) >= 3 for models in by_line.values())
    for models in by_line.values():
        assert len({one.bullets[-1] for one in models}) == len(models)
        assert len({one.attributes for one in models}) == len(models)
        assert len({(one.query, one.category, one.description) for one in models}) == 1


def test_half_of_the_lines_do_not_tell_their_models_apart_in_the_title() -> None:
    titles = Counter(one.line for one in {(p.line, p.title): p for p in ALL}.values())
    assert sum(count == 1 for count in titles.values()) >= 0.4 * len(titles)


def test_search_finds_what_shares_words_best_first() -> None:
    catalogue = Catalogue((SOCKS, THIN, SHOES))
    assert [one.id for one in catalogue.search("trail shoe")] == ["b1"]
    assert catalogue.search("terry LOOPS")[0].id == "a1"
    assert catalogue.search("zebra") == ()
    assert len(own_catalogue().search("the and of with")) == 50


def test_results_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.tasks.shop.catalogue.KEPT", 2)
    catalogue = Catalogue((SOCKS, THIN, SHOES))
    found = [catalogue.search(words) for words in ("socks", "shoes", "trail", "socks", "Socks")]
    assert found[0] == found[3]
    assert found[3] is found[4]
    assert len(catalogue._found) <= 2


def test_search_sees_title_bullets_and_description() -> None:
    catalogue = Catalogue((SOCKS, SHOES, *ALL[:20]))
    for found in ("Fellside", "terry loops", "sheep with a view"):
        assert catalogue.search(found)[0].id == "a1"


def test_an_identifier_twice_is_refused() -> None:
    with pytest.raises(RequestError, match="'a1' stands twice"):
        Catalogue((SOCKS, SOCKS))


def test_a_line_that_is_none_is_named() -> None:
    line = {**lines()[0], "models": [{**lines()[0]["models"][0], "price": -1.0}]}
    with pytest.raises(RequestError, match=r"price = -1\.0"):
        read_products([line])


def test_prices_are_real_and_in_dollars() -> None:
    assert 1.0 < min(one.price for one in ALL) < max(one.price for one in ALL) < 1000.0
