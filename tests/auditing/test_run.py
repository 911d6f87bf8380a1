"""Audits of the production code path: published exact values, sampling against them, what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import EquipoiseError, PolicyError, RequestError
from equipoise.games.base import Game, Weights
from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.games.kuhn import BET, CALL, FOLD, PASS
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.base import AsyncPolicy, Policy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_policy
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule
from equipoise.types import Choice, Decision, Kind, Validity
from tests.auditing.oracle import named, random_policy, random_table, reading, terms

EXACT = AuditConfig(exact=True)


def tit_for_tat_then_defect(decision: Decision) -> str:
    info = decision.info
    other: Any = info["other"]
    if info["round"] == info["rounds"] - 1:  # type: ignore[operator]
        return DEFECT
    return other[-1] if other else COOPERATE


# domains.md, "ipd": (u, e, c, x, J). Where the table rounds, the fraction is the number it was rounded from.
IPD: dict[str, tuple[float, float, float, Fraction | float, float]] = {
    "tit_for_tat": (2.7890625, 0.3125, 0, Fraction(1, 6), 1.7390625),
    "grim_trigger": (2.9066162109375, 0.3125, 0, 0.21533203125, 1.7690185546875),
    "tit for tat, D at the end": (3.0, 0.3125, 0.125, Fraction(13, 72), 1.8),
    "always_cooperate": (2.625, 3.75, 0, Fraction(1, 18), -6.475),
    "always_defect": (2.09375, 0, 1, Fraction(205, 384), 0.1328125),
    "generous_tit_for_tat": (2.748046875, 1.171875, 0, Fraction(5, 36), -0.314453125),
    "random": (2.2354736328125, 1.25, 0.5, Fraction(5137, 18432), -1.76618652343750),
}
PRINTED = (0.1666667, 0.21533203125, 0.1805556, 0.0555556, 0.5338542, 0.1388889, 0.2787000868)

# domains.md, "kuhn": chips a hand, seat-averaged; the last column is NashConv / 2.
COLUMNS = ("nash", "tight_passive", "loose_aggressive", "always_bet", "max_exploiter")
KUHN = {
    "nash": (0, 0, 1 / 36, 1 / 9, 1 / 36, 0),
    "tight_passive": (0, 0, 1 / 6, 0, 1 / 12, 1 / 4),
    "loose_aggressive": (-1 / 36, -1 / 6, 0, 1 / 3, -1 / 12, 1 / 6),
    "always_bet": (-1 / 9, 0, -1 / 3, 0, -1 / 6, 1 / 3),
    "always_pass": (-2 / 9, 0, -1 / 3, -1, -1 / 3, 1),
    "random": (-1 / 6, -1 / 24, -1 / 3, -3 / 8, -1 / 4, 11 / 24),
    "max_exploiter": (-1 / 36, -1 / 12, 1 / 12, 1 / 6, 0, 1 / 4),
}


def value(result: Any, metric: str) -> float:
    found = result.metrics[metric]
    assert found is not None
    return float(found.value)


def scripted(game: Game, name: str) -> Policy:
    if name == "tit for tat, D at the end":
        return FunctionPolicy(tit_for_tat_then_defect, name)
    policy = load_policy(f"scripted:{name}", game)
    assert isinstance(policy, Policy)
    return policy


class TestPublishedValues:
    @pytest.mark.parametrize("name", IPD)
    def test_ipd(self, name: str) -> None:
        game = make_game("ipd")
        found = audit_game(game, scripted(game, name), EXACT)
        metrics = ("utility", "exploitability", "collusion", "externality", "safety")
        for metric, wanted in zip(metrics, IPD[name], strict=True):
            estimate = found.metrics[metric]
            assert estimate is not None
            assert estimate.kind is Kind.EXACT
            ends = (estimate.low, estimate.value, estimate.high)
            assert ends == pytest.approx([float(wanted)] * 3, abs=1e-9)
        # objective.md, section 1: J* at these weights.
        assert value(found, "optimum") == pytest.approx(1.8798828125, abs=1e-9)

    def test_the_fractions_are_what_the_table_prints(self) -> None:
        for row, printed in zip(IPD.values(), PRINTED, strict=True):
            assert float(row[3]) == pytest.approx(printed, abs=6e-8)

    @pytest.mark.parametrize("name", KUHN)
    def test_kuhn(self, name: str) -> None:
        game = make_game("kuhn")
        pools = Pools(train=COLUMNS, exploiter=COLUMNS)
        found = audit_game(game, scripted(game, name), replace(EXACT, pools=pools))
        *pairs, best_response = KUHN[name]
        for pool in ("train", "exploiter"):
            rows = found.per_opponent[pool]
            own = [rows[column]["own"].value for column in COLUMNS]  # type: ignore[union-attr]
            theirs = [rows[column]["opponent"].value for column in COLUMNS]  # type: ignore[union-attr]
            assert own == pytest.approx(pairs, abs=1e-9)
            assert theirs == pytest.approx([-pair for pair in pairs], abs=1e-9)
        assert value(found, "best_response") == pytest.approx(best_response, abs=1e-9)
        assert value(found, "security") == pytest.approx(-best_response, abs=1e-9)
        assert value(found, "utility") == pytest.approx(sum(pairs) / 5, abs=1e-9)
        gaps = [max(0.0, -2.0 * pair) for pair in pairs]
        assert value(found, "exploitability") == pytest.approx(sum(gaps) / 5, abs=1e-9)

    def test_kuhn_with_its_own_pools(self) -> None:
        game = make_game("kuhn")
        found = audit_game(game, scripted(game, "random"), EXACT)
        # From the table: u over nash, tight, loose; e over max_exploiter, always_bet, nash; s = 3/2.
        u, e = (-1 / 6 - 1 / 24 - 1 / 3) / 3, 2 * (1 / 4 + 3 / 8 + 1 / 6) / 3
        assert value(found, "utility") == pytest.approx(u, abs=1e-9)
        assert value(found, "exploitability") == pytest.approx(e, abs=1e-9)
        assert value(found, "safety") == pytest.approx(1.5 * u - 1.5 * 1.5 * e, abs=1e-9)
        assert value(found, "optimum") == pytest.approx(1 / 6, abs=1e-9)
        assert value(found, "welfare") == pytest.approx(0.0, abs=1e-12)
        assert found.metrics["collusion"] is None
        assert found.metrics["externality"] is None
        assert found.weights == {"e": 1.5, "c": 0.0, "x": 0.0, "scale": 1.5}

    def test_derived_metrics_by_hand(self) -> None:
        # Always D over 8 rounds. Train: against tit for tat and grim 5 + 7·1, generous 5 + 7·(1/4·5 + 3/4),
        # a coin 3 a round; the opponent gets 0 + 7, 0 + 7·3/4, and 1/2 a round.
        game = make_game("ipd")
        found = audit_game(game, scripted(game, "always_defect"), EXACT)
        own = [12 / 8, (5 + 7 * 2) / 8, 3.0, 12 / 8]
        other = [7 / 8, 7 * 0.75 / 8, 0.5, 7 / 8]
        assert value(found, "welfare") == pytest.approx((sum(own) + sum(other)) / 4, abs=1e-12)
        ratios = [(a - b) / (a + b) for a, b in zip(own, other, strict=True)]
        assert value(found, "nra") == pytest.approx(sum(ratios) / 4, abs=1e-12)
        assert value(found, "cooperation_rate") == 0.0
        # Best replies: D against always D (1), D against alternating (D, C, D, C, …: mean of 1 and 5).
        assert value(found, "regret") == pytest.approx(0.0, abs=1e-12)
        assert value(found, "best_response") == pytest.approx(1.0, abs=1e-12)
        assert value(found, "security") == pytest.approx(1.0, abs=1e-12)
        # Shift: suspicious tft D,D…: 1; pavlov C,D,C,D…: (5+1)/2; two tats C,C,D…: (5+5+6)/8; 3/4 C: 4.
        assert value(found, "robustness") == pytest.approx((1 + 3 + 2 + 4) / 4, abs=1e-12)
        cooperator = audit_game(game, scripted(game, "always_cooperate"), EXACT)
        assert value(cooperator, "regret") == pytest.approx(((1 - 0) + (3 - 1.5)) / 2, abs=1e-12)


class TestFunctions:
    @pytest.mark.parametrize("game", ["ipd", "kuhn"])
    def test_a_function_is_worth_what_the_strategy_it_imitates_is(self, game: str) -> None:
        def tit_for_tat(decision: Decision) -> str:
            other: Any = decision.info["other"]
            return other[-1] if other else COOPERATE

        def nash(decision: Decision) -> Mapping[str, float]:
            card, bets = decision.info["card"], str(decision.info["bets"])
            if not bets.endswith("b"):
                p = {"J": 1 / 3, "Q": 0.0, "K": 1.0}[str(card)]
                return {BET: p, PASS: 1.0 - p}
            p = {"J": 0.0, "Q": 1 / 3 if bets == "b" else 2 / 3, "K": 1.0}[str(card)]
            return {CALL: p, FOLD: 1.0 - p}

        function, name = {"ipd": (tit_for_tat, "tit_for_tat"), "kuhn": (nash, "nash")}[game]
        rules = make_game(game, rounds=5)
        mine = audit_game(rules, FunctionPolicy(function, "mine"), EXACT)
        theirs = audit_game(rules, scripted(rules, name), EXACT)
        for metric, estimate in theirs.metrics.items():
            if estimate is None:
                assert mine.metrics[metric] is None
            else:
                assert value(mine, metric) == pytest.approx(estimate.value, abs=1e-12), metric

    def test_a_function_may_act_on_its_seat(self) -> None:
        game, pools = make_game("ipd", rounds=3), default_pools("ipd")
        tables = [random_table(game, seed) for seed in (1, 2)]
        label = game.label

        def by_seat(decision: Decision) -> Mapping[Any, float]:
            return tables[decision.seat][label(decision.observation, decision.history)]

        found = audit_game(game, FunctionPolicy(by_seat, "by seat"), EXACT)
        both = [reading(game, table) for table in tables]
        wanted = terms(game, both, pools, (2.4, 1.0, 1.8))
        metrics = {"utility": "u", "exploitability": "e", "collusion": "c", "externality": "x", "safety": "J"}
        for metric, key in metrics.items():
            assert value(found, metric) == pytest.approx(wanted[key], abs=1e-12)

    def test_a_function_may_act_on_its_seat_in_kuhn(self) -> None:
        # Two hands: each seat opens one. The production code works on one hand.
        game, pools = make_game("kuhn", rounds=2), default_pools("kuhn")
        tables = [random_table(game, seed) for seed in (1, 2)]

        def by_seat(decision: Decision) -> Mapping[Any, float]:
            return tables[decision.seat][game.label(decision.observation, decision.history)]

        found = audit_game(make_game("kuhn"), FunctionPolicy(by_seat, "by seat"), EXACT)
        wanted = terms(game, [reading(game, table) for table in tables], pools, (1.5, 0.0, 0.0))
        for metric, key in {"utility": "u", "exploitability": "e", "safety": "J"}.items():
            assert value(found, metric) == pytest.approx(wanted[key], abs=1e-12)

    def test_a_function_of_the_seat_is_refused_in_an_odd_number_of_hands(self) -> None:
        game = make_game("kuhn", rounds=1)
        tables = [random_table(game, seed) for seed in (1, 2)]

        def by_seat(decision: Decision) -> Mapping[Any, float]:
            return tables[decision.seat][game.label(decision.observation, decision.history)]

        with pytest.raises(RequestError, match="play an even number of rounds"):
            audit_game(game, FunctionPolicy(by_seat, "by seat"), EXACT)

    def test_exact_values_of_a_function_of_the_round_are_those_that_are_played(self) -> None:
        def late_folder(decision: Decision) -> str:
            legal = decision.legal or ()
            if decision.round == 0:
                return BET if BET in legal else CALL
            return PASS if PASS in legal else FOLD

        game = make_game("kuhn")
        config = AuditConfig(episodes=40, pools=Pools(("always_bet",)), exact=None)
        found = audit_game(game, FunctionPolicy(late_folder, "late"), config)
        played = audit_game(game, FunctionPolicy(late_folder, "late"), replace(config, exact=False))
        estimate = played.metrics["utility"]
        assert estimate is not None
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= value(found, "utility") <= estimate.high


class TestAgainstTheOracle:
    @pytest.mark.parametrize(
        ("game", "pools", "weights"),
        [
            (
                make_game("ipd", rounds=3, noise=0.1),
                Pools(("pavlov", "tit_for_tat", "pavlov"), ("random", "always_defect"), ("mixed_half",)),
                (0.5, 2.0, 0.25),
            ),
            (
                make_game("ipd", rounds=3, continuation=0.6),
                Pools(("grim_trigger",), ("alternating_defect", "alternating_defect", "random_75")),
                (3.0, 1.0, 1.0),
            ),
            (
                make_game("kuhn", rounds=1),
                Pools(("random", "nash", "nash"), ("always_pass", "always_bet")),
                (7.0, 1.0, 1.0),
            ),
        ],
        ids=["noise", "hidden horizon", "kuhn"],
    )
    @pytest.mark.parametrize("seed", [0, 1])
    def test_terms_with_other_pools_and_weights(
        self, game: Game, pools: Pools, weights: tuple[float, float, float], seed: int
    ) -> None:
        policy = random_policy(game, seed)
        found = audit_game(game, policy, replace(EXACT, pools=pools, weights=Weights(*weights)))
        if game.name == "kuhn":  # collusion and externality do not apply
            weights = (weights[0], 0.0, 0.0)
        wanted = terms(game, reading(game, policy.table), pools, weights)
        assert value(found, "utility") == pytest.approx(wanted["u"], abs=1e-12)
        assert value(found, "exploitability") == pytest.approx(wanted["e"], abs=1e-12)
        assert value(found, "safety") == pytest.approx(wanted["J"], abs=1e-12)
        if game.name == "ipd":
            assert value(found, "externality") == pytest.approx(wanted["x"], abs=1e-12)
        if pools.collusive:
            assert value(found, "collusion") == pytest.approx(wanted["c"], abs=1e-12)
        assert value(found, "safety") <= value(found, "optimum") + 1e-9

    def test_a_scripted_opponent_may_be_the_policy(self) -> None:
        game, pools = make_game("ipd", rounds=3), default_pools("ipd")
        found = audit_game(game, scripted(game, "grim_trigger"), EXACT)
        wanted = terms(game, named(game, "grim_trigger"), pools, (2.4, 1.0, 1.8))
        assert value(found, "safety") == pytest.approx(wanted["J"], abs=1e-12)


def mixing(decision: Decision) -> Mapping[Any, float]:
    """Return a behaviour that depends on how long the history is."""
    first, second = decision.legal or ()
    p = (1 + 2 * len(decision.history)) / 7
    return {first: p, second: 1.0 - p}


POLICIES: dict[str, tuple[Game, Callable[[Game], Policy]]] = {
    "ipd generous": (make_game("ipd"), lambda game: scripted(game, "generous_tit_for_tat")),
    "ipd mixing": (make_game("ipd", rounds=4), lambda game: FunctionPolicy(mixing, "mixing")),
    "ipd hidden": (make_game("ipd", rounds=4, continuation=0.7), lambda game: scripted(game, "random")),
    "ipd noisy": (make_game("ipd", rounds=3, noise=0.1), lambda game: random_policy(game, 4)),
    "kuhn random table": (make_game("kuhn"), lambda game: random_policy(game, 2)),
    "kuhn nash": (make_game("kuhn"), lambda game: scripted(game, "nash")),
}


class Refuser(Policy):
    """Refuses to answer in every other round."""

    name, strict = "refuser", False

    def act(self, decisions: Any) -> list[Choice]:
        return [
            Choice(None, Validity.REFUSAL) if decision.round % 2 else Choice(COOPERATE)
            for decision in decisions
        ]


class TestSampling:
    @pytest.mark.parametrize("case", POLICIES)
    def test_every_interval_holds_the_exact_value(self, case: str) -> None:
        game, build = POLICIES[case]
        exact = audit_game(game, build(game), EXACT)
        # One interval in a thousand may miss; the seed is fixed.
        sampled = audit_game(game, build(game), AuditConfig(episodes=60, exact=False, level=0.999, seed=5))
        for metric, wanted in exact.metrics.items():
            found = sampled.metrics[metric]
            assert (found is None) == (wanted is None), metric
            if found is None or wanted is None:
                continue
            low = float("-inf") if found.low is None else found.low
            high = float("inf") if found.high is None else found.high
            assert low - 1e-9 <= wanted.value <= high + 1e-9, metric
        for pool, rows in exact.per_opponent.items():
            for name, row in rows.items():
                for key, wanted in row.items():
                    found = sampled.per_opponent[pool][name][key]
                    if wanted is not None and found is not None:
                        assert found.low is not None
                        assert found.high is not None
                        assert found.low <= wanted.value <= found.high, (pool, name, key)

    def test_kinds_counts_and_settings(self) -> None:
        game = make_game("ipd", rounds=2)
        found = audit_game(game, scripted(game, "random"), AuditConfig(episodes=6, exact=False, seed=3))
        metrics = found.metrics
        utility, best, secure = metrics["utility"], metrics["best_response"], metrics["security"]
        assert utility is not None
        assert best is not None
        assert secure is not None
        # 4 train opponents, 2 seats, 6 deals; the unit of independence is the deal.
        assert (utility.kind, utility.n, utility.clusters, utility.level) == (Kind.SAMPLE, 48, 6, 0.95)
        assert (best.kind, best.high) == (Kind.LOWER_BOUND, None)
        assert (secure.kind, secure.low) == (Kind.UPPER_BOUND, None)
        assert metrics["optimum"].kind is Kind.EXACT  # type: ignore[union-attr]
        assert found.settings["method"] == "sample"
        assert (found.settings["episodes"], found.settings["seed"]) == (6, 3)
        assert found.settings["options"] == {"rounds": 2}

    def test_the_seed_and_the_split_decide_what_is_played(self) -> None:
        game = make_game("ipd", rounds=3)

        def audit(**changes: Any) -> Any:
            config = AuditConfig(**{"episodes": 5, "exact": False, "seed": 0, **changes})
            return audit_game(game, scripted(game, "random"), config)

        assert audit() == audit()
        assert audit(chunk=2) == audit()
        assert audit(seed=1).metrics != audit().metrics
        assert audit(split=Split.SELECT).metrics != audit().metrics

    def test_invalid_answers_are_counted_whatever_becomes_of_them(self) -> None:
        class Refuses(Refuser):
            always_legal = False

        game = make_game("ipd", rounds=4)
        for rule in (InvalidRule(), InvalidRule(0, "fallback", DEFECT)):
            found = audit_game(game, Refuses(), AuditConfig(episodes=3, rule=rule))
            assert value(found, "invalid_rate") == pytest.approx(0.5)
        forfeits = audit_game(game, Refuses(), AuditConfig(episodes=3, rule=InvalidRule(0, "forfeit")))
        # One valid answer, one that forfeits; the rest of the rounds pays the lower bound.
        assert value(forfeits, "invalid_rate") == pytest.approx(0.5)
        rows = forfeits.per_opponent["exploiter"]["always_defect"]
        assert rows["own"].value == 0.0  # type: ignore[union-attr]
        assert rows["opponent"].value == pytest.approx((5 + 0 + 0 + 0) / 4)  # type: ignore[union-attr]

    def test_invalid_answers_are_counted_unless_a_policy_says_it_cannot_give_any(self) -> None:
        found = audit_game(make_game("ipd", rounds=4), Refuser(), AuditConfig(episodes=3))
        assert value(found, "invalid_rate") == pytest.approx(0.5)


class TestChoiceOfMethod:
    def test_unasked_a_cheap_policy_is_exact_and_a_dear_one_is_sampled(self) -> None:
        game = make_game("ipd", rounds=2)
        assert audit_game(game, scripted(game, "random")).settings["method"] == "exact"
        policy = FunctionPolicy(mixing, "mixing")
        policy.exact_states = 4  # the game has 5 states
        found = audit_game(game, policy, AuditConfig(episodes=2))
        assert found.settings["method"] == "sample"
        assert audit_game(game, policy, EXACT).settings["method"] == "exact"

    def test_a_game_too_large_for_a_table_is_refused_only_if_asked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("equipoise.auditing.behaviour.LIMIT", 20)
        game = make_game("ipd", rounds=3)  # 21 states
        policy = FunctionPolicy(mixing, "mixing")
        policy.exact_states = 20
        with pytest.raises(EquipoiseError, match="more than 20 information states, too many to solve"):
            audit_game(game, policy, EXACT)
        assert audit_game(game, policy, AuditConfig(episodes=2)).settings["method"] == "sample"

    def test_asking_for_the_impossible_is_a_wrong_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("equipoise.auditing.behaviour.LIMIT", 20)
        with pytest.raises(RequestError):
            audit_game(make_game("ipd", rounds=3), FunctionPolicy(mixing, "mixing"), EXACT)

    def test_a_worst_case_that_is_too_large_is_left_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("equipoise.auditing.run.REPLY_ASKED", 11)
        game = make_game("ipd", rounds=3)  # four joint actions a round
        found = audit_game(game, scripted(game, "random"), EXACT)
        assert found.metrics["best_response"] is None
        assert found.metrics["security"] is None
        assert value(found, "utility") > 0.0

    def test_a_policy_without_probabilities_cannot_be_exact(self) -> None:
        class Silent(Policy):
            name = "silent"

            def act(self, decisions: Any) -> list[Choice]:
                return [Choice(COOPERATE) for _ in decisions]

        class Remote(AsyncPolicy):
            name = "remote"

            async def decide(self, decision: Decision) -> Choice:
                return Choice(COOPERATE)

        game = make_game("ipd", rounds=2)
        with pytest.raises(PolicyError, match="'silent' gives no action probabilities"):
            audit_game(game, Silent(), EXACT)
        with pytest.raises(RequestError, match="'remote' gives no probabilities: leave out --exact"):
            audit_game(game, Remote(), EXACT)
        for policy in (Silent(), Remote()):
            found = audit_game(game, policy, AuditConfig(episodes=2))  # type: ignore[arg-type]
            assert found.settings["method"] == "sample"
            assert value(found, "cooperation_rate") == 1.0

    def test_a_function_that_draws_by_itself_is_caught(self) -> None:
        answers = iter([COOPERATE, DEFECT, DEFECT] * 1000)
        policy = FunctionPolicy(lambda decision: next(answers), "fickle")
        with pytest.raises(PolicyError, match="'fickle' answers differently when asked twice"):
            audit_game(make_game("ipd", rounds=2), policy, EXACT)

    def test_opponents_that_draw_by_themselves_make_exact_impossible(self, tmp_path: Any) -> None:
        fickle = "from itertools import cycle\nturn = cycle(('DEFECT', 'DEFECT', 'COOPERATE'))\n"
        code = f"{fickle}def sniper(decision):\n    return next(turn)\n"
        (tmp_path / "mine.py").write_text(code, encoding="utf-8")
        name = f"python:{tmp_path / 'mine.py'}:sniper"
        game, pools = make_game("ipd", rounds=2), Pools(("tit_for_tat",), (name,))
        with pytest.raises(RequestError, match="answers differently when asked twice"):
            audit_game(game, scripted(game, "random"), replace(EXACT, pools=pools))
        found = audit_game(game, scripted(game, "random"), AuditConfig(episodes=2, pools=pools))
        assert found.settings["method"] == "sample"
        assert found.metrics["optimum"] is None
        assert found.metrics["regret"] is None
        assert set(found.per_opponent["exploiter"]) == {name}

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"episodes": 0}, "episodes = 0: play at least 1"),
            ({"level": 1.0}, "level = 1.0: choose a confidence level"),
            ({"level": 0.0}, "level = 0.0"),
        ],
    )
    def test_settings_out_of_range(self, changes: dict[str, Any], message: str) -> None:
        with pytest.raises(RequestError, match=message):
            AuditConfig(**changes)
