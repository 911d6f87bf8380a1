"""State abstractions: every decision has a key and legal columns, and keys keep what they say."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games import auction, commons, ipd, multi_issue, split
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.policies.abstractions.registry import abstraction_names, abstraction_of
from equipoise.testing.walks import Line, random_move, root

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("ipd", "recent", {}),
    ("ipd", "recent", {"rounds": 1}),
    ("ipd", "recent", {"rounds": 12, "continuation": 0.9, "noise": 0.1}),
    ("auction", "bids", {}),
    ("auction", "bids", {"rounds": 2}),
    ("split", "demands", {}),
    ("split", "demands", {"rounds": 9}),
    ("multi_issue", "shares", {}),
    ("multi_issue", "shares", {"rounds": 6, "valuation": "pool10"}),
    ("commons", "stock", {}),
    ("commons", "stock", {"rounds": 40}),
]


def keys_of(game: Game, name: str, seed: int) -> list[str]:
    """Play random lines and return the key of every decision, checking columns on the way."""
    found, one, random = [], abstraction_of(game, name), Random(seed)
    for _ in range(60):
        line = Line([root(game)])
        while not line.nodes[-1].state.is_over:
            node = line.nodes[-1]
            for seat in node.state.players_to_move:
                memory, view = one.memory(node.histories[seat]), node.state.observation(seat)
                legal = node.state.legal_actions(seat)
                columns = one.columns if one.rules is None else one.rules(memory, view)
                assert len(columns) == len(one.columns)
                assert set(columns) <= set(legal)
                found.append(one.key(memory, view))
            line.go(random_move(node.state, random))
    return found


@pytest.mark.parametrize(("name", "abstraction", "options"), CASES)
def test_every_decision_has_a_key_that_is_declared(
    name: str, abstraction: str, options: dict[str, Any]
) -> None:
    game = make_game(name, **options)
    one = abstraction_of(game, abstraction)
    assert len(set(one.keys)) == len(one.keys)
    assert len(set(one.columns)) == len(one.columns)
    found = keys_of(game, abstraction, 1)
    assert set(found) <= set(one.keys)
    assert len(set(found)) > 1 or options.get("rounds") == 1


@pytest.mark.parametrize(("name", "abstraction", "options"), CASES)
def test_there_are_few_keys(name: str, abstraction: str, options: dict[str, Any]) -> None:
    assert len(abstraction_of(make_game(name, **options), abstraction).keys) <= 400


def key(game: str, view: Any, *signals: Any, **options: Any) -> str:
    rules = make_game(game, **options)
    one = abstraction_of(rules, abstraction_names(game)[0])
    return one.key(one.memory(signals), view)


class TestKeys:
    def test_ipd(self) -> None:
        c, d = "COOPERATE", "DEFECT"
        assert key("ipd", ipd.View(0)) == "0 open"
        assert key("ipd", ipd.View(2), ipd.Seen(c, d), ipd.Seen(d, c)) == "2 DC1"
        assert key("ipd", ipd.View(6), *[ipd.Seen(c, d)] * 6) == "6 CD3"
        assert key("ipd", ipd.View(7), *[ipd.Seen(c, c)] * 7) == "last CC0"
        # Nobody knows which round is the last under a hidden horizon.
        assert key("ipd", ipd.View(7), *[ipd.Seen(c, c)] * 7, continuation=0.5) == "6 CC0"

    def test_auction(self) -> None:
        low, high = "LOW", "HIGH"
        seen = [auction.Seen(4, low, high, False), auction.Seen(2, high, low, True)]
        assert key("auction", auction.View(0, 6, 4)) == "early 4 open"
        assert key("auction", auction.View(2, 6, 2), *seen) == "early 2 H/LH"
        assert key("auction", auction.View(5, 6, 2), *seen[:1] * 5) == "last 2 L/H"

    def test_split(self) -> None:
        assert key("split", split.View(0)) == "0 open"
        assert key("split", split.View(1), split.Seen(5, 5)) == "1 5"
        assert key("split", split.View(2), split.Seen(5, 5), split.Seen(5, 6)) == "2 6!"

    def test_commons(self) -> None:
        seen = [commons.Seen("LOW", "HIGH"), commons.Seen("HIGH", "MEDIUM")]
        assert key("commons", commons.View(0, 8, 12)) == "12/4 open"
        assert key("commons", commons.View(2, 8, 9), *seen) == "9/4 M+"
        assert key("commons", commons.View(7, 8, 0), *seen[:1] * 7) == "0/1 H"

    @pytest.mark.parametrize(
        ("demand", "wanted"),
        [
            ((4, 3, 1), "all"),
            ((3, 2, 0), "but one"),
            ((2, 2, 0), "two thirds"),
            ((2, 1, 0), "half"),
            ((1, 1, 1), "other"),
        ],
    )
    def test_multi_issue(self, demand: Any, wanted: str) -> None:
        seen = [multi_issue.Seen((0, 0, 0), demand), multi_issue.Seen((0, 0, 0), (0, 0, 0))]
        for count in (1, 2):
            view = multi_issue.View(count, (4, 3, 1), (1, 1, 8))
            assert key("multi_issue", view, *seen[:count]) == f"{count} {wanted}"

    def test_where_units_are_few_several_shares_fit(self) -> None:
        view = multi_issue.View(1, (1, 1, 1), (1, 1, 8))
        seen = multi_issue.Seen((0, 0, 0), (0, 0, 0))
        assert key("multi_issue", view, seen) == "1 but one=two thirds=half"


def test_rules_name_shares_of_the_pool_and_what_the_other_left() -> None:
    one = abstraction_of(make_game("multi_issue"), "shares")
    assert one.rules is not None
    view = multi_issue.View(1, (4, 3, 1), (1, 1, 8))
    memory = one.memory((multi_issue.Seen((4, 3, 1), (3, 0, 1)),))
    assert dict(zip(one.columns, one.rules(memory, view), strict=True)) == {
        "nothing": (0, 0, 0),
        "one": (1, 1, 1),
        "two": (2, 2, 1),
        "half": (2, 1, 0),
        "rest of half": (2, 2, 1),
        "rest of two thirds": (2, 1, 1),
        "all": (4, 3, 1),
        "rest": (1, 3, 0),
    }
    # Nothing has been demanded yet: half is left for the other, as a fair one would leave it.
    assert one.rules(None, view)[-1] == (2, 2, 1)


class TestNames:
    def test_kuhn_needs_none(self) -> None:
        assert abstraction_names("kuhn") == []
        with pytest.raises(RequestError, match="kuhn has no abstraction 'bids'"):
            abstraction_of(make_game("kuhn"), "bids")

    def test_an_unknown_one_names_the_nearest(self) -> None:
        with pytest.raises(RequestError, match="unknown abstraction 'stok': did you mean 'stock'"):
            abstraction_of(make_game("commons"), "stok")
