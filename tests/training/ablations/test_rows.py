"""Rows of an ablation: what they change, and where they do not apply."""

from __future__ import annotations

import pytest

from equipoise.errors import RequestError
from equipoise.games.base import Weights
from equipoise.training.ablations.rows import FULL, ROWS, Method, choose, full_name, method_of
from equipoise.training.config import LeagueSettings, Limits, SepoConfig

WEIGHTS = Weights(2.4, 1.0, 1.8)
RUNS = {"full": SepoConfig(lr=0.5, steps=7)}


def method(name: str, weights: Weights = WEIGHTS, **runs: SepoConfig) -> Method:
    found = method_of(name, {**RUNS, **runs}, weights)
    assert isinstance(found, Method)
    return found


class TestMethods:
    @pytest.mark.parametrize(
        ("row", "weights"),
        [
            ("reward_only", Weights(0.0, 0.0, 0.0)),
            ("no_exploit", Weights(0.0, 1.0, 1.8)),
            ("no_collusion", Weights(2.4, 0.0, 1.8)),
            ("no_externality", Weights(2.4, 1.0, 0.0)),
        ],
    )
    def test_terms_are_left_out_of_training_by_their_weight(self, row: str, weights: Weights) -> None:
        assert method(row) == Method(RUNS["full"], weights)

    @pytest.mark.parametrize(
        ("row", "changes"),
        [
            ("shared", {"credit": "shared"}),
            ("per_rollout", {"credit": "per_rollout"}),
            ("responders", {"exploiters": "pool+best_response"}),
            ("regret", {"penalised": "regret"}),
            ("best_response", {"penalised": "best_response"}),
            ("scale_none", {"scale": "none"}),
            ("exact", {"gradient": "exact"}),
            ("all_actions", {"gradient": "all_actions"}),
            ("library_responders", {"exploiters": "pool+library_response"}),
            ("responder_league", {"exploiters": "pool+best_response+league"}),
            ("lagrangian", {"multipliers": "lagrangian", "limits": Limits(e=0.1)}),
        ],
    )
    def test_settings_change_and_nothing_else(self, row: str, changes: dict[str, object]) -> None:
        assert method(row) == Method(RUNS["full"].model_copy(update=changes), WEIGHTS)

    def test_a_league_is_one_of_copies_among_the_exploiters(self) -> None:
        league, full = LeagueSettings(every=10, pool="exploiter"), SepoConfig(steps=11)
        assert method("league", full=full) == Method(full.model_copy(update={"league": league}), WEIGHTS)

    def test_what_a_row_makes_moot_is_dropped(self) -> None:
        full = SepoConfig(gates="running", scale="none", max_decisions=8, lr=3.0, patience=2, min_delta=0.1)
        same = {"lr": 3.0, "patience": 2, "min_delta": 0.1}
        assert method("exact", full=full) == Method(SepoConfig(gradient="exact", **same), WEIGHTS)
        more = {"gates": "running", "scale": "none"}
        branching = SepoConfig(gradient="all_actions", **same, **more)
        assert method("all_actions", full=full) == Method(branching, WEIGHTS)
        answered = SepoConfig(exploiters="pool+best_response+league", league_size=5, respond_every=2)
        found = method("responders", full=answered).settings
        assert found == SepoConfig(exploiters="pool+best_response", respond_every=2)

    def test_every_row_but_the_full_one_changes_something(self) -> None:
        assert method(FULL) == Method(RUNS["full"], WEIGHTS)
        assert method("sft_only").settings is None
        rest = [row for row in ROWS.values() if row.name not in (FULL, "sft_only")]
        assert all(bool(row.settings) != bool(row.weights) for row in rest)
        assert all(row.summary for row in ROWS.values())

    def test_a_run_of_the_recipe_with_a_rows_name_is_that_row(self) -> None:
        own = SepoConfig(gradient="exact", lr=30.0)
        assert method("exact", exact=own) == Method(own, WEIGHTS)
        assert method("mine", mine=own) == Method(own, WEIGHTS)


class TestNotApplicable:
    def test_what_the_full_method_does_anyway(self) -> None:
        assert method_of("sampled", RUNS, WEIGHTS) == "it is what the full method does"
        assert method_of("scale_rms", RUNS, WEIGHTS) == "it is what the full method does"

    def test_terms_that_a_game_has_not(self) -> None:
        kuhn = Weights(1.5, 0.0, 0.0)
        assert method_of("no_collusion", RUNS, kuhn) == "λc is 0 here"
        assert method("reward_only", kuhn).weights == Weights(0.0, 0.0, 0.0)

    def test_changes_that_do_not_go_together(self) -> None:
        runs = {"full": SepoConfig(credit="shared")}
        assert "leaves nothing to credit" in str(method_of("exact", runs, WEIGHTS))

    def test_a_league_that_would_never_have_a_copy(self) -> None:
        assert "league.every = 10 changes nothing in 7 steps" in str(method_of("league", RUNS, WEIGHTS))

    def test_a_run_that_only_another_game_has(self) -> None:
        assert method_of("mine", RUNS, WEIGHTS) == "the recipe has no such run here"


class TestChoice:
    def test_all_by_default_and_the_full_method_always_first(self) -> None:
        assert choose([], ["mine"]) == [*ROWS, "mine"]
        assert choose(["shared", "mine", "shared"], ["mine"]) == ["full", "shared", "mine"]

    def test_an_unknown_one_names_the_nearest(self) -> None:
        with pytest.raises(RequestError, match="unknown row 'per_rolout': did you mean 'per_rollout'"):
            choose(["per_rolout"], [])

    def test_the_full_method_is_called_so_or_is_the_only_run(self) -> None:
        one = SepoConfig()
        assert full_name({"a": one, "full": one}) == "full"
        assert full_name({"sepo": one}) == "sepo"
        assert method_of("scale_none", {"sepo": one}, WEIGHTS) == Method(
            one.model_copy(update={"scale": "none"}), WEIGHTS
        )
        for runs in ({}, {"a": one, "b": one}):
            with pytest.raises(RequestError, match="call the one whose parts are left out 'full'"):
                full_name(runs)
