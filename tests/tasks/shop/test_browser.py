"""How clicks move a seat through the shop."""

from __future__ import annotations

import pytest

from equipoise.tasks.shop.browser import Browser
from equipoise.tasks.shop.catalogue import own_catalogue
from equipoise.tasks.shop.grammar import read
from tests.tasks.shop.build import SHOP, visit


def browse(*actions: str) -> Browser:
    browser = Browser(SHOP.catalogue)
    for action in actions:
        browser.go(read(action))
    return browser


def test_a_way_through_the_shop() -> None:
    browser = browse("search[socks]", "click[A1]", "click[moss]", "click[Description]")
    assert browser.page.place == "description"
    assert browser.page.texts == ("From sheep with a view.",)
    assert browser.go(read("click[< Prev]"))
    assert (browser.page.place, browser.chosen) == ("item", {"color": "moss"})
    assert browser.go(read("click[dark plum]"))
    assert browser.chosen == {"color": "dark plum"}
    assert browser.go(read("click[buy now]"))
    assert browser.bought is not None
    assert (browser.bought.id, browser.page.place, browser.page.actions) == ("a1", "done", ())


def test_choices_are_forgotten_with_the_product() -> None:
    browser = browse("search[socks]", "click[a1]", "click[moss]", "click[< Prev]")
    assert (browser.page.place, browser.product, browser.chosen) == ("results", None, {})
    browser = browse("search[socks]", "click[a1]", "click[moss]", "click[Back to Search]")
    assert (browser.page.place, browser.chosen) == ("search", {})


@pytest.mark.parametrize(
    ("before", "action", "says"),
    [
        ((), "click[a1]", "no such thing to click"),
        ((), "click[Buy Now]", "no such thing to click"),
        (("search[socks]",), "search[shoes]", "no search box"),
        (("search[socks]",), "click[b1]", "no such thing"),
        (("search[socks]",), "click[Buy Now]", "no such thing"),
        (("search[socks]", "click[a1]"), "click[red]", "no such thing"),
        (("search[socks]", "click[a1]", "click[Features]"), "click[Buy Now]", "no such thing"),
        (("search[socks]", "click[a1]"), "I bought it.", "is no action"),
        (("search[socks]", "click[a1]"), "x" * 999, "too long"),
    ],
)
def test_what_does_not_fit_the_page_does_nothing_and_says_so(
    before: tuple[str, ...], action: str, says: str
) -> None:
    browser = browse(*before)
    page, chosen = browser.page, dict(browser.chosen)
    assert not browser.go(read(action))
    assert says in browser.page.notice
    assert browser.page.text.startswith("Nothing happens")
    assert (browser.page.place, browser.page.things, browser.chosen) == (page.place, page.things, chosen)
    assert browser.bought is None


def test_results_come_in_tens_and_at_most_fifty() -> None:
    browser = Browser(own_catalogue())
    browser.go(read("search[the with and of in]"))
    assert (browser.page.total, len(browser.page.listed)) == (50, 10)
    first = browser.page.listed
    for _ in range(4):
        assert browser.go(read("click[Next >]"))
    assert browser.page.number == 5
    assert not browser.go(read("click[Next >]"))
    for _ in range(4):
        assert browser.go(read("click[< Prev]"))
    assert browser.page.listed == first


def test_a_product_leads_back_to_the_page_it_was_on() -> None:
    browser = Browser(own_catalogue())
    for action in ("search[the with and of in]", "click[Next >]"):
        browser.go(read(action))
    browser.go(read(f"click[{browser.page.listed[3].id}]"))
    browser.go(read("click[< Prev]"))
    assert browser.page.number == 2


def test_a_search_without_a_match_shows_an_empty_list() -> None:
    assert browse("search[zebra]").page.things == ("Back to Search",)
    assert visit(["search[zebra]"]).achievable(0) == 0.0
