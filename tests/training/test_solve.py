"""Solving small games: J*, tables, and what a fixed pool cannot see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import equipoise.api as api
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.policies.registry import load_policy
from equipoise.training.solve import solve

KUHN = make_game("kuhn")


def value(result: GameResult, metric: str) -> float:
    found = result.metrics[metric]
    assert found is not None
    return found.value


class TestOptimum:
    @pytest.mark.parametrize(
        ("game", "j"),
        [("ipd", 1.8798828125), ("kuhn", 1 / 6)],  # objective.md, section 1
    )
    def test_its_policy_is_audited_at_the_published_value(self, game: str, j: float) -> None:
        (found,) = solve(make_game(game), exploiters=()).results
        assert found.policy == "optimum"
        assert value(found, "safety") == pytest.approx(j, abs=1e-9)
        assert value(found, "optimum") == pytest.approx(j, abs=1e-9)

    @pytest.mark.parametrize(
        ("options", "pools"),
        [
            (
                {"rounds": 4},
                Pools(("pavlov", "random_75"), ("mixed_half", "always_defect"), ("tit_for_tat",)),
            ),
            ({"rounds": 3, "continuation": 0.6}, Pools(("grim_trigger", "grim_trigger"), ("random",))),
        ],
        ids=["other pools", "hidden horizon"],
    )
    def test_so_it_is_in_other_games(self, options: dict[str, Any], pools: Pools) -> None:
        (found,) = solve(make_game("ipd", **options), exploiters=(), pools=pools).results
        assert value(found, "safety") == pytest.approx(value(found, "optimum"), abs=1e-9)

    def test_with_noise_no_table_is_offered_as_the_optimum(self) -> None:
        # The best plan may act on what it meant to do, which no information state holds.
        assert list(solve(make_game("ipd", rounds=3, noise=0.1), exploiters=()).results) == []


class TestExploiters:
    # objective.md, "What a fixed pool cannot see": 0.363 and 0.014 chips a hand after long training.
    @pytest.mark.parametrize(
        ("kind", "steps", "low", "high"), [("pool", 100, 0.25, 1.0), ("pool+best_response", 600, 0.0, 0.02)]
    )
    def test_a_fixed_pool_leaves_a_policy_open_and_a_responder_closes_it(
        self, kind: str, steps: int, low: float, high: float
    ) -> None:
        results = api.solve("kuhn", kind, seeds=5, steps=steps).results[1:]
        assert [result.policy for result in results] == [f"{kind}/seed{seed}" for seed in range(5)]
        for result in results:
            assert low < value(result, "best_response") < high
            # Both look safe on the pool.
            assert value(result, "exploitability") < 0.001
        assert len({value(result, "best_response") for result in results}) == 5

    def test_a_table_comes_near_the_optimum_of_a_fixed_pool(self) -> None:
        optimum, table = solve(KUHN, ("pool",), steps=300).results
        assert value(table, "safety") == pytest.approx(value(optimum, "safety"), abs=0.005)
        assert value(table, "safety") <= value(optimum, "safety") + 1e-9

    def test_named_exploiters_train_but_the_games_own_pool_audits(self) -> None:
        _, weak, pool = solve(KUHN, ("always_pass, random", "pool"), steps=100).results
        assert weak.policy == "always_pass, random/seed0"
        assert set(weak.per_opponent["exploiter"]) == {"max_exploiter", "always_bet", "nash"}
        # Trained against the weak, it is further behind the strong.
        assert value(weak, "exploitability") > 2.0 * value(pool, "exploitability")

    def test_no_exploiter_at_all(self) -> None:
        results = solve(KUHN, ("none", "pool"), steps=100).results
        none, pool = results[1:]
        assert value(none, "utility") > value(pool, "utility") - 1e-3
        assert value(none, "exploitability") > value(pool, "exploitability")

    def test_responders_of_all_kinds_and_a_league(self) -> None:
        kinds = ("pool+library_response", "pool+best_response+league")
        found = solve(KUHN, kinds, steps=20).results
        assert [one.policy for one in found] == ["optimum", *(f"{kind}/seed0" for kind in kinds)]
        # In this game the pool does not lead everywhere that a responder does.
        found = solve(make_game("commons", rounds=2), kinds, steps=3).results
        assert len(found) == 3

    @pytest.mark.parametrize(
        ("kind", "message"),
        [
            ("pool+libary", "exploiters = 'pool\\+libary': no exploiters are called 'libary'"),
            ("pool+league", "exploiters = 'pool\\+league': a league keeps past responders"),
        ],
    )
    def test_a_wrong_kind_is_refused(self, kind: str, message: str) -> None:
        with pytest.raises(RequestError, match=message):
            solve(KUHN, [kind], steps=1)

    def test_an_unknown_exploiter_is_named(self) -> None:
        with pytest.raises(RequestError, match=r"did you mean 'always_bet'\?"):
            solve(KUHN, ("always_bett",), steps=1)


class TestFiles:
    def test_every_policy_can_be_used_again(self, tmp_path: Path) -> None:
        found = solve(KUHN, ("pool", "nash,always_bet"), seeds=2, steps=5, out=tmp_path)
        names = ["optimum", "pool-seed0", "pool-seed1", "nash_always_bet-seed0", "nash_always_bet-seed1"]
        assert {path.name for path in tmp_path.iterdir()} == {
            "solve.json",
            *(f"{name}.json" for name in names),
        }
        for name, result in zip(names, found.results, strict=True):
            policy = load_policy(f"tabular:{tmp_path / name}.json", KUHN)
            again = audit_game(KUHN, policy, AuditConfig(exact=True))
            assert value(again, "safety") == pytest.approx(value(result, "safety"), abs=1e-12)

    def test_the_result_is_an_audit_of_schema_1(self, tmp_path: Path) -> None:
        found = solve(make_game("ipd", rounds=2), ("pool",), steps=5, out=tmp_path)
        assert json.loads((tmp_path / "solve.json").read_text(encoding="utf-8"))["schema"] == 1
        assert AuditResult.load(tmp_path / "solve.json").results == found.results


class TestRequests:
    def test_a_game_too_large_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(RequestError, match="kuhn with these options is too large to solve"):
            solve(make_game("kuhn", rounds=2, memory=True))
        monkeypatch.setattr("equipoise.auditing.solution.LIMIT", 10)
        with pytest.raises(RequestError, match="ipd with these options is too large to solve"):
            solve(make_game("ipd", rounds=3, temptation=5.5))

    def test_functions_are_solved_against_as_the_strategies_they_imitate(self, tmp_path: Path) -> None:
        (tmp_path / "m.py").write_text("def f(d):\n    return 'DEFECT'\n", encoding="utf-8")
        game = make_game("ipd", rounds=2)
        names = ("always_defect", f"python:{tmp_path / 'm.py'}:f")
        found = [solve(game, (), pools=Pools(("tit_for_tat",), (name,))).results[0] for name in names]
        assert value(found[0], "optimum") == pytest.approx(value(found[1], "optimum"), abs=1e-12)

    def test_opponents_without_a_finite_form_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "m.py").write_text(
            "from itertools import cycle\nturn = cycle('CCD')\n"
            "def f(d):\n    return {'C': 'COOPERATE', 'D': 'DEFECT'}[next(turn)]\n",
            encoding="utf-8",
        )
        pools = Pools(("tit_for_tat",), (f"python:{tmp_path / 'm.py'}:f",))
        with pytest.raises(RequestError, match="answers differently when asked twice"):
            solve(make_game("ipd", rounds=2), pools=pools)

    def test_options_reach_the_game(self) -> None:
        found = api.solve("ipd", "pool", steps=2, options={"rounds": 2})
        assert found.results[0].settings["options"] == {"rounds": 2}

    def test_seeds_differ_and_repeat(self) -> None:
        one = api.solve("kuhn", "pool", seeds=2, steps=3)
        assert one == api.solve("kuhn", "pool", seeds=2, steps=3)
        assert value(one.results[1], "safety") != value(one.results[2], "safety")


class TestAbstraction:
    def test_a_game_that_can_be_solved_is_by_exact_steps(self) -> None:
        game = make_game("commons", rounds=3)
        optimum, table = solve(game, ("pool",), steps=60, abstraction="stock").results
        assert optimum.policy == "optimum"
        assert 0.9 * value(optimum, "safety") < value(table, "safety") <= value(optimum, "safety") + 1e-9

    def test_a_game_that_cannot_is_by_sampled_ones_and_has_no_optimum(self, tmp_path: Path) -> None:
        game = make_game("auction")
        (few, many) = (
            solve(game, ("pool",), steps=steps, abstraction="bids", out=tmp_path / str(steps)).results
            for steps in (1, 25)
        )
        assert len(few) == len(many) == 1
        assert value(few[0], "safety") < value(many[0], "safety")
        # What is saved is what was valued.
        again = audit_game(game, load_policy(f"tabular:{tmp_path / '25' / 'pool-seed0.json'}", game))
        assert value(again, "safety") == pytest.approx(value(many[0], "safety"), abs=1e-12)

    def test_what_is_too_large_names_the_abstraction(self) -> None:
        with pytest.raises(
            RequestError, match="too large to solve: train a table with the abstraction 'bids'"
        ):
            solve(make_game("auction"))

    def test_an_unknown_one_is_said_before_any_work(self) -> None:
        with pytest.raises(RequestError, match="unknown abstraction 'bid': did you mean 'bids'"):
            solve(make_game("auction"), abstraction="bid")


def test_tables_hold_what_only_held_out_opponents_lead_to() -> None:
    game = make_game("ipd", rounds=3)
    pools = Pools(train=("always_cooperate",), exploiter=("always_defect",), shift=("random_75",))
    found = solve(game, exploiters=("pool",), steps=5, pools=pools).results
    assert [one.policy for one in found] == ["optimum", "pool/seed0"]
    assert all(one.metrics["robustness"] is not None for one in found)
