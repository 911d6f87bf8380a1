"""Tables: read and written exactly, checked at every row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.errors import PolicyError, RequestError
from equipoise.games.registry import make_game
from equipoise.policies.tabular import TabularPolicy
from tests.auditing.oracle import random_policy, reading, states
from tests.helpers import Constant, every_decision

KUHN = make_game("kuhn", rounds=1)
IPD = make_game("ipd", rounds=2)
HEAD: dict[str, Any] = {"format": "equipoise.tabular", "schema": 1, "game": "kuhn@1"}


@settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    table=st.dictionaries(
        st.text(),
        st.dictionaries(
            st.text() | st.integers() | st.lists(st.integers(0, 9), max_size=3).map(tuple),
            st.floats(0.0, 1.0),
            max_size=3,
        ),
        max_size=3,
    )
)
def test_a_table_comes_back_bit_for_bit(table: dict[str, Any], tmp_path: Path) -> None:
    policy = TabularPolicy("any@1", table)
    policy.save(tmp_path / "deep" / "t.json")
    again = TabularPolicy.load(tmp_path / "deep" / "t.json")
    assert (again.game, again.table, again.fingerprint) == ("any@1", table, policy.fingerprint)
    assert again.name == f"tabular:{tmp_path / 'deep' / 't.json'}"


def test_the_fingerprint_is_the_behaviours() -> None:
    a, b = random_policy(KUHN, 0), random_policy(KUHN, 0)
    assert a.fingerprint == b.fingerprint
    b.table["J:"] = {"PASS": 1.0}
    assert TabularPolicy(b.game, b.table).fingerprint != a.fingerprint
    assert TabularPolicy("ipd@1", a.table).fingerprint != a.fingerprint


def test_rows_are_looked_up_by_label() -> None:
    policy = random_policy(IPD, 1)
    ((player, _),) = reading(IPD, policy.table)
    strategy = policy.strategy(IPD)
    for decision in every_decision(IPD):
        wanted = player(decision.observation, decision.history, decision.legal or ())
        (row,) = policy.probabilities([decision])
        assert row == pytest.approx(wanted)
        assert strategy.probabilities(
            decision.history, decision.observation, decision.legal or ()
        ) == pytest.approx(wanted)


def test_an_action_is_drawn_from_its_row() -> None:
    policy = TabularPolicy("ipd@1", {"-/-": {"COOPERATE": 0.25, "DEFECT": 0.75}})
    game = make_game("ipd", rounds=1)
    for u, action in ((0.24, "COOPERATE"), (0.26, "DEFECT")):
        (choice,) = policy.act([next(every_decision(game, draws=Constant(u)))])
        assert choice.action == action


def test_a_missing_state_is_an_error() -> None:
    policy = random_policy(KUHN, 0)
    del policy.table["Q:pb"]
    decision = next(d for d in every_decision(KUHN) if KUHN.label(d.observation, d.history) == "Q:pb")
    with pytest.raises(PolicyError, match="no row for the information state 'Q:pb'"):
        policy.probabilities([decision])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"PASS": 0.5, "BET": 0.6}, r"at 'J:' gave probabilities that sum to 1\.1"),
        ({"PASS": 0.5, "FOLD": 0.5}, "at 'J:' gave a probability to 'FOLD'"),
        ({"PASS": "all"}, "at 'J:' gave 'PASS' the probability 'all'"),
    ],
)
def test_a_wrong_row_is_an_error_when_it_is_used(row: dict[Any, Any], message: str) -> None:
    policy = random_policy(KUHN, 0)
    policy.table["J:"] = row
    decision = next(d for d in every_decision(KUHN) if KUHN.label(d.observation, d.history) == "J:")
    with pytest.raises(PolicyError, match=message):
        policy.act([decision])


def test_a_table_belongs_to_its_game() -> None:
    policy = random_policy(KUHN, 0)
    assert policy.strategy(make_game("kuhn").stage()) is not None
    with pytest.raises(PolicyError, match="is a table for kuhn@1, not for ipd@1"):
        policy.strategy(IPD)


class TestLoading:
    def refused(self, tmp_path: Path, text: str | bytes, message: str) -> None:
        path = tmp_path / "t.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(RequestError, match=message):
            TabularPolicy.load(path)

    @pytest.mark.parametrize("text", ["", "{", "nonsense", b"\xff\xfe"], ids=repr)
    def test_what_is_no_json(self, tmp_path: Path, text: str | bytes) -> None:
        self.refused(tmp_path, text, r"t\.json' is no JSON")

    @pytest.mark.parametrize("data", [[], None, {}, {"format": "other"}, 3], ids=str)
    def test_what_is_no_table(self, tmp_path: Path, data: Any) -> None:
        self.refused(tmp_path, json.dumps(data), 'is no policy table: it lacks "format": "equipoise.tabular"')

    @pytest.mark.parametrize(
        "rest",
        [
            {},
            {"table": 3},
            {"table": [1]},
            {"table": {"J:": 1}},
            {"table": {"J:": [1]}},
            {"table": {"J:": [["PASS"]]}},
            {"table": {"J:": [[{"a": 1}, 1.0]]}},
        ],
        ids=str,
    )
    def test_what_is_damaged(self, tmp_path: Path, rest: dict[str, Any]) -> None:
        self.refused(tmp_path, json.dumps({**HEAD, **rest}), "is a damaged policy table")

    def test_what_is_missing(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.json", tmp_path):
            with pytest.raises(RequestError, match="cannot read table"):
                TabularPolicy.load(path)

    def test_what_has_another_schema(self, tmp_path: Path) -> None:
        self.refused(tmp_path, json.dumps({**HEAD, "schema": 3, "table": {}}), "schema 3")


def test_a_table_covers_the_game_it_was_made_for() -> None:
    assert set(random_policy(KUHN, 0).table) == set(states(KUHN))
