"""The goals that come with the package, splits and price caps."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.tasks.shop.catalogue import Catalogue, own_catalogue
from equipoise.tasks.shop.goals import (
    SPLITS,
    Goal,
    Wanted,
    cap_of,
    check_goals,
    choose,
    goals,
    read_goals,
    steps,
)
from equipoise.tasks.shop.scoring import score_of
from tests.tasks.shop.build import GOAL, SHOES, SOCKS, THIN, wanted

ALL, SHOP = goals(), own_catalogue()


def test_there_are_goals_in_every_split_and_none_stands_twice() -> None:
    counts = Counter(one.split for one in ALL)
    assert len(ALL) >= 300
    assert all(counts[split] >= 60 for split in SPLITS)
    assert len({one.id for one in ALL}) == len({one.say for one in ALL}) == len(ALL)


def test_splits_share_neither_products_nor_lines() -> None:
    check_goals(SHOP, ALL)
    lines = {split: {SHOP.by_id[g.product].line for g in ALL if g.split == split} for split in SPLITS}
    assert not any(lines[a] & lines[b] for a, b in combinations(SPLITS, 2))


def test_instructions_differ_when_names_and_numbers_are_taken_out() -> None:
    words = [frozenset(re.findall(r"[^\W\d_]+", one.say.casefold())) for one in ALL]
    same = {
        k
        for i, j in combinations(range(len(words)), 2)
        if len(words[i] & words[j]) > 0.5 * len(words[i] | words[j])
        for k in (i, j)
    }
    assert len(same) / len(words) <= 0.05


@pytest.mark.parametrize("split", SPLITS)
def test_the_product_of_a_goal_is_worth_1_and_its_siblings_less(split: str) -> None:
    for goal in (one for one in ALL if one.split == split):
        product = SHOP.by_id[goal.product]
        asked = Wanted(goal, product, cap_of(product.price, 0.0))
        assert score_of(asked, product, dict(goal.options)).value == 1.0, goal.id
        for other in SHOP.products:
            if other.line == product.line and other.id != product.id:
                assert score_of(asked, other, dict(goal.options)).value < 1.0, (goal.id, other.id)


def test_hard_instructions_say_it_in_other_words() -> None:
    def verbatim(split: str) -> float:
        found = [one.attributes[0] in one.say.casefold() for one in ALL if one.split == split]
        return sum(found) / len(found)

    assert verbatim("train") > 0.6
    assert verbatim("hard") < 0.1


@given(st.floats(1.0, 900.0), st.floats(0.0, 1.0, exclude_max=True))
def test_a_cap_is_one_of_four_round_figures_above_the_price(price: float, draw: float) -> None:
    found = steps(price)
    assert price < found[0] <= price + 50.0
    assert cap_of(price, draw) in found


def test_every_cap_can_be_drawn() -> None:
    assert [cap_of(18.9, draw) for draw in (0.0, 0.3, 0.6, 0.99)] == [20.0, 22.0, 24.0, 26.0]
    assert steps(44.0) == (45.0, 50.0, 55.0, 60.0)
    assert steps(300.0)[0] == 350.0


def test_the_instruction_names_the_cap_if_there_is_one() -> None:
    assert wanted().instruction.endswith("size 42-44, and price lower than 20.00 dollars")
    assert wanted(cap=float("inf")).instruction == GOAL.say


def test_a_product_in_two_splits_or_in_none_is_refused() -> None:
    catalogue = Catalogue((SOCKS, THIN, SHOES))
    other = GOAL.model_copy(update={"id": "again", "split": "held_out"})
    with pytest.raises(RequestError, match=r"'a1' is asked for in two splits, train .* and held_out"):
        check_goals(catalogue, [GOAL, other])
    with pytest.raises(RequestError, match="'zz', which the catalogue lacks"):
        check_goals(catalogue, [GOAL.model_copy(update={"product": "zz"})])


def test_what_is_no_goal_is_named() -> None:
    with pytest.raises(RequestError, match="goal 'x': say"):
        read_goals([{"id": "x", "product": "a1", "say": ""}])
    with pytest.raises(RequestError, match="'warm' stands twice"):
        read_goals([GOAL.model_dump(), GOAL.model_dump()])


def test_a_split_and_names_choose() -> None:
    assert {one.split for one in choose(ALL, "hard")} == {"hard"}
    assert [one.id for one in choose(ALL, "train", ["crib-1"])] == ["crib-1"]
    with pytest.raises(RequestError, match="unknown goal 'crib-9': did you mean 'crib-"):
        choose(ALL, "train", ["crib-9"])
    with pytest.raises(RequestError, match="no goal is in split 'hard'"):
        choose([Goal(id="a", product="a1", say="x")], "hard")
