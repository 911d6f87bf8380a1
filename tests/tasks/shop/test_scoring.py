"""The score, with values computed by hand for every branch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.tasks.shop.catalogue import own_catalogue
from equipoise.tasks.shop.goals import Goal, Wanted, goals
from equipoise.tasks.shop.scoring import alike, score_of, title_score, type_factor
from tests.tasks.shop.build import GOAL, SHOES, SOCKS, THIN, product, wanted

ALL = {"size": "42-44", "color": "moss"}
FIVE = "alder birch cedar dogwood elm"
ELEVEN = f"{FIVE} fir gum hazel ivy juniper kauri"


def test_the_wanted_product_with_its_options_within_the_price_is_worth_1() -> None:
    score = score_of(wanted(), SOCKS, ALL)
    assert (score.value, score.kind, score.attributes, score.options, score.price) == (1.0, 1.0, 2, 2, True)


@pytest.mark.parametrize(
    ("bought", "chosen", "cap", "value"),
    [
        (SOCKS, {}, 20.0, 3 / 5),
        (SOCKS, {"size": "42-44"}, 20.0, 4 / 5),
        (SOCKS, ALL, 15.0, 4 / 5),
        (SOCKS, ALL, 16.0, 1.0),
        (THIN, ALL, 20.0, 4 / 5),
        (THIN, {"size": "39-41", "color": "dark plum"}, 10.0, 1 / 5),
        (SHOES, {}, 200.0, 0.0),
    ],
)
def test_what_is_met_counts_in_equal_parts(
    bought: object, chosen: dict[str, str], cap: float, value: float
) -> None:
    assert score_of(wanted(cap=cap), bought, chosen).value == pytest.approx(value)  # type: ignore[arg-type]


def kind(title: str, query: str, category: tuple[str, ...], wanted_title: str = FIVE) -> float:
    bought = product("x", title, query=query, category=category)
    return type_factor(bought, product("y", wanted_title, query="q", category=("A", "B", "C")))


@pytest.mark.parametrize(
    ("title", "query", "category", "wanted_title", "factor"),
    [
        ("alder", "q", ("Z",), FIVE, 1.0),  # same query, a fifth of the nouns
        ("alder", "other", ("B", "A"), FIVE, 1.0),  # two parts of the category, in any order
        ("alder birch", "other", ("Z",), FIVE, 1.0),  # two of five nouns: 0.4 > 0.2
        ("alder", "other", ("A",), FIVE, 0.5),  # one of five: 0.2 is not above 0.2
        ("alder", "q", ("A", "B"), ELEVEN, 0.1),  # one of eleven: below 0.1, whatever else is the same
        ("zebra", "q", ("A", "B"), FIVE, 0.0),  # none
        ("zebra", "other", ("Z",), "42", 0.5),  # a title without nouns counts as 0.2
        ("zebra", "q", ("Z",), "42", 1.0),
    ],
)
def test_every_branch_of_the_type(
    title: str, query: str, category: tuple[str, ...], wanted_title: str, factor: float
) -> None:
    assert kind(title, query, category, wanted_title) == factor


def test_the_title_score_is_a_share_of_the_wanted_nouns() -> None:
    assert title_score(product("x", "alder birch zebra"), product("y", FIVE)) == pytest.approx(2 / 5)
    assert title_score(product("x", "alder"), product("y", "42")) == 0.2


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("wool merino", "merino wool", True),
        ("pure merino wool", "merino wool", True),
        ("ankle length", "cushioned sole", False),
        ("dark roast", "light roast", False),
    ],
)
def test_phrases_are_compared_without_order_and_additions(one: str, two: str, same: bool) -> None:
    assert alike(one, two) is same


def test_an_attribute_may_also_stand_in_title_bullets_or_description() -> None:
    goal = GOAL.model_copy(
        update={"attributes": ("terry loops", "sheep with", "fellside", "zip"), "options": ()}
    )
    score = score_of(wanted(goal), SOCKS, {})
    assert score.attributes == 3
    assert score.value == pytest.approx(4 / 5)


def test_sizes_must_be_equal_and_other_options_may_differ_in_words() -> None:
    goal = Goal(id="g", product="a1", say="x", options=(("size", "9"), ("color", "plum")))
    assert score_of(wanted(goal), SOCKS, {"size": "9 wide", "color": "plum"}).options == 1
    assert score_of(wanted(goal), SOCKS, {"size": "9", "color": "dark plum"}).options == 2
    assert score_of(wanted(goal), SOCKS, {"color": "9", "size": "plum"}).options == 0


def test_an_option_without_a_name_is_met_by_any_choice() -> None:
    goal = Goal(id="g", product="a1", say="x", options=(("", "moss"), ("", "42-44")))
    assert score_of(wanted(goal), SOCKS, ALL).value == 1.0


@given(st.integers(0, 511), st.integers(0, 300), st.floats(1.0, 900.0))
def test_a_score_is_never_out_of_range(number: int, which: int, cap: float) -> None:
    catalogue = own_catalogue()
    goal, bought = goals()[which], catalogue.products[number]
    first = {name: values[0] for name, values in bought.options.items()}
    score = score_of(Wanted(goal, catalogue.by_id[goal.product], cap), bought, first)
    assert 0.0 <= score.value <= 1.0
