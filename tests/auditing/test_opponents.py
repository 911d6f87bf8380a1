"""Opponents of an audit: loaded, shared, and in finite-memory form like policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_policy
from equipoise.types import Choice, Decision, Kind
from tests.auditing.oracle import random_policy

GAME, KUHN = make_game("ipd", rounds=3), make_game("kuhn")
TWINS = "def copy(d):\n    return d.info['other'][-1] if d.info['other'] else 'COOPERATE'\n"


class Scorer(Policy):
    """Counts in its table what it was asked; may give probabilities for a few states only."""

    strict = False

    def __init__(self, name: str, states: int = 0) -> None:
        self.name, self.fingerprint, self.exact_states = name, f"{name}-weights", states
        self.table: dict[str, float] = {}

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        for d in decisions:
            self.table.setdefault(d.rules.label(d.observation, d.history), float(len(self.table)))
        return [
            Choice(DEFECT if self.table[d.rules.label(d.observation, d.history)] % 2 else COOPERATE)
            for d in decisions
        ]

    def probabilities(self, decisions: Sequence[Decision]) -> list[Any]:
        return [{COOPERATE: 0.5, DEFECT: 0.5} for _ in decisions]

    def state_dict(self) -> dict[str, Any]:
        return {"version": 0, "table": dict(self.table)}

    def load_state_dict(self, state: Any) -> None:
        self.table = dict(state["table"])


def test_functions_and_tables_are_valued_like_the_strategies_they_are(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TWINS, encoding="utf-8")
    mine = f"python:{tmp_path / 'm.py'}:copy"
    config = AuditConfig(exact=True)
    policy = load_policy("scripted:mixed_half", GAME)
    found = audit_game(GAME, policy, replace(config, pools=Pools((mine,), (f"frozen:{mine}",), (mine,))))
    wanted = audit_game(GAME, policy, replace(config, pools=Pools(*[("tit_for_tat",)] * 3)))
    for metric, estimate in wanted.metrics.items():
        here = found.metrics[metric]
        assert (here is None) == (estimate is None)
        if estimate is not None and here is not None:
            assert here.kind is Kind.EXACT
            assert here.value == pytest.approx(estimate.value, abs=1e-9), metric
    random_policy(KUHN, 0).save(tmp_path / "t.json")
    table = f"frozen:tabular:{tmp_path / 't.json'}"
    exact = audit_game(KUHN, load_policy("scripted:nash", KUHN), AuditConfig(pools=Pools((table,), (table,))))
    assert exact.settings["method"] == "exact"
    assert exact.metrics["optimum"] is not None


def test_a_model_is_tabulated_only_where_it_has_few_states() -> None:
    few = {"scorer": Scorer("scorer", states=21)}
    assert Opponents.of(few, GAME, None).strategies is not None
    many = {"scorer": Scorer("scorer", states=20)}
    assert Opponents.of(many, GAME, None).strategies is None
    assert Opponents.of(many, GAME, True).strategies is not None
    assert Opponents.of(few, GAME, False).strategies is None


def test_opponents_that_act_on_their_seat_are_sampled() -> None:
    by_seat = FunctionPolicy(lambda d: COOPERATE if d.seat else DEFECT, "by seat")
    assert Opponents.of({"mine": by_seat}, GAME, None).strategies is None
    with pytest.raises(
        NoProbabilitiesError, match="opponent 'mine' acts on its seat: audit it without --exact"
    ):
        Opponents.of({"mine": by_seat}, GAME, True)


def test_models_are_shared_with_what_was_loaded_before() -> None:
    shared: dict[str, AnyPolicy] = {"smollm2": Scorer("smollm2")}
    pools = Pools(("frozen:smollm2", "smollm2"), ("noisy:0.1:smollm2", "mixture:smollm2+pavlov"))
    met = Opponents.named(pools, GAME, False, shared)
    assert met.players["frozen:smollm2"] is met.players["smollm2"] is shared["smollm2"]
    for name in ("noisy:0.1:smollm2", "mixture:smollm2+pavlov"):
        assert met.players[name].parts[0] is shared["smollm2"]  # type: ignore[union-attr]


def test_a_wrong_opponent_is_named_with_the_whole() -> None:
    with pytest.raises(RequestError) as caught:
        Opponents.named(Pools(("noisy:0.1:mixture:pavlov+tit_for_tit",)), GAME, None)
    message = str(caught.value)
    assert "'tit_for_tit' in 'noisy:0.1:mixture:pavlov+tit_for_tit'" in message
    assert "did you mean 'tit_for_tat'?" in message


def test_opponents_of_other_pools_are_not_met() -> None:
    players = {name: load_policy(f"scripted:{name}", GAME) for name in ("pavlov", "random")}
    met = Opponents.of(players, GAME, None)
    assert list(met.among(Pools(("random",))).players) == ["random"]
    found = audit_game(
        GAME, players["pavlov"], AuditConfig(exact=False, episodes=2, pools=Pools(("random",))), opponents=met
    )
    assert found.metrics["utility"] is not None
    assert found.metrics["utility"].n == 4


def test_fingerprints_are_of_those_whose_name_is_not_enough() -> None:
    players = {"pavlov": load_policy("scripted:pavlov", GAME), "scorer": Scorer("scorer")}
    assert Opponents.of(players, GAME, False).fingerprints == {"scorer": "scorer-weights"}


class TestResume:
    """What opponents scored is kept as well, so that a resumed audit ends with the same bytes."""

    def audit(self, folder: Path, stop: int = 0) -> Any:
        class Tired(Scorer):
            calls = 0

            def act(self, decisions: Sequence[Decision]) -> list[Choice]:
                self.calls += 1
                if self.calls == stop:
                    raise KeyboardInterrupt
                return super().act(decisions)

        pools = Pools(("random",), ("scorer",))
        players = {"random": load_policy("scripted:random", GAME), "scorer": Tired("scorer")}
        config = AuditConfig(exact=False, episodes=6, chunk=2, pools=pools, out=folder)
        met = Opponents.of(players, GAME, False)
        return audit_game(GAME, load_policy("scripted:random", GAME), config, opponents=met)

    def test_tables_of_opponents_are_restored(self, tmp_path: Path) -> None:
        with pytest.raises(KeyboardInterrupt):
            self.audit(tmp_path / "parts", stop=8)
        parts, whole = self.audit(tmp_path / "parts"), self.audit(tmp_path / "whole")
        assert parts == whole
        for name in ("transcript.jsonl", "chunks.jsonl", "request.json"):
            assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()

    def test_other_weights_do_not_take_over_the_folder(self, tmp_path: Path) -> None:
        self.audit(tmp_path / "a")
        players: dict[str, AnyPolicy] = {
            "random": load_policy("scripted:random", GAME),
            "scorer": Scorer("other"),
        }
        config = AuditConfig(
            exact=False, episodes=6, chunk=2, pools=Pools(("random",), ("scorer",)), out=tmp_path / "a"
        )
        with pytest.raises(RequestError, match="was made with another opponents"):
            audit_game(GAME, players["random"], config, opponents=Opponents.of(players, GAME, False))
