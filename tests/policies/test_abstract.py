"""Tables by abstraction: looked up, saved, valued exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import PolicyError, RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.policies.abstract import AbstractPolicy, load_table, merged
from equipoise.policies.abstractions.registry import abstraction_of
from equipoise.policies.registry import load_policy
from equipoise.policies.tabular import TabularPolicy
from equipoise.training.table import SoftmaxTable
from equipoise.types import Kind
from tests.helpers import every_decision

IPD = make_game("ipd", rounds=3)
POOLS = Pools(("tit_for_tat", "mixed_half"), ("always_defect",), ("always_cooperate",), ("pavlov",))


def policy(game: Any = IPD, name: str = "recent", seed: int = 3) -> AbstractPolicy:
    found = SoftmaxTable.abstract(game, abstraction_of(game, name), seed).table()
    assert isinstance(found, AbstractPolicy)
    return found


def test_what_the_key_does_not_keep_makes_no_difference() -> None:
    rows: dict[str, Any] = {}
    one, told = policy(), 0
    for decision in every_decision(IPD):
        key = one.abstraction.key(one.abstraction.memory(decision.history), decision.observation)
        row = one.probabilities([decision])[0]
        assert sum(row.values()) == pytest.approx(1.0, abs=1e-12)
        assert rows.setdefault(key, row) == row
        told += 1
    assert len(rows) < told


def test_it_is_worth_what_its_rows_are_worth_by_information_state() -> None:
    # Two roads to the exact values: on keys, and on every information state.
    one = policy()
    decisions = list(every_decision(IPD))
    rows = dict(
        zip(
            (IPD.label(d.observation, d.history) for d in decisions),
            one.probabilities(decisions),
            strict=True,
        )
    )
    config = AuditConfig(exact=True, pools=POOLS)
    a, b = (audit_game(IPD, p, config).metrics for p in (one, TabularPolicy("ipd@1", rows)))
    for name in (
        "safety",
        "utility",
        "exploitability",
        "collusion",
        "robustness",
        "best_response",
        "security",
    ):
        first, second = a[name], b[name]
        assert first is not None
        assert second is not None
        assert first.value == pytest.approx(second.value, abs=1e-12)


def test_sampling_agrees_with_the_exact_values_where_columns_are_rules() -> None:
    game = make_game("multi_issue", pool=(2, 3, 1), rounds=2)
    one = policy(game, "shares")
    exact = audit_game(game, one, AuditConfig()).metrics
    assert exact["utility"] is not None
    assert exact["utility"].kind is Kind.EXACT
    sampled = audit_game(game, one, AuditConfig(exact=False, episodes=80, level=0.999)).metrics
    for name in ("utility", "externality", "collusion"):
        truth, found = exact[name], sampled[name]
        assert truth is not None
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low <= truth.value <= found.high


def test_columns_that_name_one_action_add_up() -> None:
    assert merged([(0,), (1,), (0,)], [0.25, 0.5, 0.25]) == {(0,): 0.5, (1,): 0.5}


class TestFiles:
    @pytest.mark.parametrize(("name", "abstraction"), [("ipd", "recent"), ("multi_issue", "shares")])
    def test_what_is_loaded_is_what_was_saved(self, tmp_path: Path, name: str, abstraction: str) -> None:
        game = make_game(name)
        one = policy(game, abstraction)
        one.save(tmp_path / "t.json")
        again = load_policy(f"tabular:{tmp_path / 't.json'}", game)
        assert isinstance(again, AbstractPolicy)
        assert again.table == one.table
        assert again.fingerprint == one.fingerprint
        assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))["schema"] == 2

    def refused(self, tmp_path: Path, game: Any = IPD, **changes: Any) -> str:
        data = {**policy()._data(), **changes}
        (tmp_path / "t.json").write_text(json.dumps(data), encoding="utf-8")
        with pytest.raises(RequestError) as caught:
            load_policy(f"tabular:{tmp_path / 't.json'}", game)
        return str(caught.value)

    def test_another_game(self, tmp_path: Path) -> None:
        assert "is a table for ipd@1, not for split@1" in self.refused(tmp_path, make_game("split"))

    def test_an_unknown_abstraction(self, tmp_path: Path) -> None:
        assert "unknown abstraction 'rcent': did you mean 'recent'" in self.refused(
            tmp_path, abstraction="rcent"
        )

    def test_a_table_by_information_state_is_read_as_one(self, tmp_path: Path) -> None:
        TabularPolicy("ipd@1", {"-": {"COOPERATE": 1.0}}).save(tmp_path / "t.json")
        assert type(load_table(tmp_path / "t.json", IPD)) is TabularPolicy
        policy().save(tmp_path / "a.json")
        with pytest.raises(RequestError, match="is a table by abstraction"):
            TabularPolicy.load(tmp_path / "a.json")


def test_a_row_that_is_missing_or_wrong_is_an_error() -> None:
    one = policy()
    (decision,) = [d for d in every_decision(IPD) if d.seat == 0 and d.round == 0]
    del one.table["0 open"]
    with pytest.raises(PolicyError, match="has no row for the key '0 open'"):
        one.probabilities([decision])
    one.table["0 open"] = {"COOPERATE": 0.7}
    with pytest.raises(PolicyError, match="0 open"):
        one.probabilities([replace(decision, retry=1)])


def test_labels_without_a_row_are_played_uniformly_where_the_table_says_so(tmp_path: Path) -> None:
    one = TabularPolicy("ipd@1", {}, silent=True)
    (decision, *_) = every_decision(IPD)
    assert one.probabilities([decision]) == [{"COOPERATE": 0.5, "DEFECT": 0.5}]
    one.save(tmp_path / "t.json")
    again = TabularPolicy.load(tmp_path / "t.json")
    assert again.silent
    assert again.fingerprint == one.fingerprint != TabularPolicy("ipd@1", {}).fingerprint
