"""Certified intervals within a budget, through a policy that is asked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from equipoise.auditing.certify import Budget, certify
from equipoise.auditing.exact.reply import worst_case
from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.registry import get_strategy
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.types import Choice, Decision, Kind, Probabilities

IPD = make_game("ipd", rounds=5)


def grudging(decision: Decision) -> dict[str, float]:
    """Cooperate less the more often the other has defected."""
    p = 0.9 ** (1 + 3 * list(decision.info["other"]).count("DEFECT"))  # type: ignore[call-overload]
    return {"COOPERATE": p, "DEFECT": 1.0 - p}


def by_seat(decision: Decision) -> str:
    """Cooperate at seat 0, defect at seat 1."""
    return "DEFECT" if decision.seat else "COOPERATE"


def test_with_enough_questions_it_is_exact() -> None:
    policy = StrategyPolicy(get_strategy("ipd", "generous_tit_for_tat"))
    found = certify(policy, IPD, Budget(queries=10_000))
    exact = worst_case(IPD, [(get_strategy("ipd", "generous_tit_for_tat"), 0)])
    assert found.best_response.kind is Kind.EXACT
    assert found.best_response.value == pytest.approx(exact.best_response, abs=1e-12)
    assert found.security.value == pytest.approx(exact.security, abs=1e-12)


def test_a_small_budget_gives_a_wide_interval_that_holds() -> None:
    policy = FunctionPolicy(grudging, "grudging")
    whole = certify(policy, IPD, Budget(queries=10_000))
    widths = []
    for queries in (6, 60, 200):
        found = certify(policy, IPD, Budget(queries=queries))
        assert found.queries <= queries
        for name in ("best_response", "security"):
            here, exact = getattr(found, name), getattr(whole, name).value
            assert here.low <= exact <= here.high
            assert here.level == 1.0
        assert found.best_response.kind is Kind.INTERVAL
        widths.append(found.best_response.high - found.best_response.low)
    assert widths[0] > widths[1] > widths[2] > 0.0


def test_a_policy_that_acts_on_its_seat_is_searched_at_both() -> None:
    found = certify(FunctionPolicy(by_seat, "by_seat"), IPD, Budget(queries=10_000))
    # The sucker at one seat (T = 5), the wall at the other (P = 1); keeps S = 0 or P = 1.
    assert found.best_response.value == pytest.approx((5 + 1) / 2)
    assert found.security.value == pytest.approx((0 + 1) / 2)


def test_kuhn_is_searched_at_both_seats() -> None:
    kuhn = make_game("kuhn")
    found = certify(StrategyPolicy(get_strategy("kuhn", "random")), kuhn, Budget(queries=100))
    # domains.md: NashConv / 2 of random is 11/24.
    assert found.best_response.value == pytest.approx(11 / 24, abs=1e-12)
    assert found.security.value == pytest.approx(-11 / 24, abs=1e-12)


def late(decision: Decision) -> Any:
    """Fold facing a first bet, but call where it passed first: the step in the hand decides."""
    if decision.step == 1:
        return "CALL"
    return {"PASS": 0.5, "BET": 0.5} if "PASS" in decision.legal else "FOLD"  # type: ignore[operator]


def seated(decision: Decision) -> Any:
    """Bet and call everything at seat 0; mix, and call with the king alone, at seat 1."""
    if decision.seat == 0:
        return "BET" if "BET" in decision.legal else "CALL"  # type: ignore[operator]
    if "PASS" in decision.legal:  # type: ignore[operator]
        return {"PASS": 0.5, "BET": 0.5}
    return "CALL" if decision.info["card"] == "K" else "FOLD"


@pytest.mark.parametrize("function", [late, seated, by_seat])
def test_what_is_searched_to_the_end_is_what_exact_values_are(function: Any) -> None:
    game = IPD if function is by_seat else make_game("kuhn")
    policy = FunctionPolicy(function, "it")
    exact = audit_game(game, policy, AuditConfig(exact=True)).metrics
    found = certify(policy, game, Budget(queries=10_000))
    for name in ("best_response", "security"):
        assert getattr(found, name).value == pytest.approx(exact[name].value, abs=1e-12)  # type: ignore[union-attr]


def test_an_odd_number_of_hands_gives_a_seated_policy_no_worst_case() -> None:
    with pytest.raises(NoProbabilitiesError, match="3 rounds do not give the seats equal positions"):
        certify(FunctionPolicy(seated, "it"), make_game("kuhn", rounds=3), Budget(queries=1000))


def test_a_function_that_draws_by_itself_is_refused() -> None:
    coin = Random(0)
    policy = FunctionPolicy(lambda decision: coin.choice(decision.legal), "coin")
    with pytest.raises(NoProbabilitiesError, match="answers differently when asked twice"):
        certify(policy, IPD, Budget(queries=100))


def test_a_very_long_game_has_an_interval_too() -> None:
    game = make_game("ipd", rounds=1000)
    found = certify(FunctionPolicy(grudging, "g"), game, Budget(queries=40)).best_response
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.high <= 5.0


def test_time_ends_it_too() -> None:
    class Slow(FunctionPolicy):
        def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
            time.sleep(0.05)
            return super().probabilities(decisions)

    found = certify(Slow(grudging, "slow"), make_game("ipd"), Budget(seconds=0.2))
    assert 0 < found.queries < 2000
    assert found.best_response.kind is Kind.INTERVAL


def test_batches_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.auditing.certify.KEEP", 1)
    calls: list[int] = []
    certify(FunctionPolicy(grudging, "g"), IPD, Budget(queries=100), keep=lambda: calls.append(1))
    assert len(calls) >= 3


def test_a_policy_without_probabilities_cannot_be_certified() -> None:
    class Mute(FunctionPolicy):
        def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
            raise NoProbabilitiesError("mute")

    with pytest.raises(NoProbabilitiesError):
        certify(Mute(grudging, "mute"), IPD, Budget(queries=5))


def sampled(policy: Any, tmp: Path | None = None, **changes: Any) -> GameResult:
    config = AuditConfig(episodes=3, exact=False, out=tmp, **changes)
    return audit_game(IPD, policy, config)


def test_an_audit_with_a_budget_reports_certified_intervals() -> None:
    policy = FunctionPolicy(grudging, "grudging")
    without = sampled(policy)
    assert without.metrics["best_response"].kind is Kind.LOWER_BOUND  # type: ignore[union-attr]
    assert without.settings["replies"] == "strongest opponent met"
    found = sampled(policy, budget=Budget(queries=90))
    exact = certify(policy, IPD, Budget(queries=10_000))
    for name in ("best_response", "security"):
        here, value = found.metrics[name], getattr(exact, name).value
        assert here is not None
        assert here.kind in (Kind.INTERVAL, Kind.EXACT)
        assert here.low <= value <= here.high  # type: ignore[operator]
    assert found.metrics["best_response"].kind is Kind.INTERVAL  # type: ignore[union-attr]
    assert 30 < int(found.settings["replies"].removesuffix(" queries")) <= 90
    assert found.metrics["utility"] == without.metrics["utility"]


def test_what_was_asked_is_kept_with_the_audit(tmp_path: Path) -> None:
    model = load_policy("tiny-random", IPD)
    first = sampled(model, tmp_path, budget=Budget(queries=40))
    table = model.state_dict()["table"]
    again = load_policy("tiny-random", IPD)
    second = sampled(again, tmp_path, budget=Budget(queries=40))
    assert second.metrics == first.metrics
    assert again.state_dict()["table"] == table


def test_who_gives_no_probabilities_is_told_so() -> None:
    class Remote(AsyncPolicy):
        name = "remote"

        async def decide(self, decision: Decision) -> Choice:
            return Choice("COOPERATE")

    with pytest.raises(RequestError, match="'remote' gives no probabilities: leave out --budget"):
        sampled(Remote(), budget=Budget(queries=5))


@pytest.mark.parametrize(
    ("text", "queries", "seconds"),
    [("5000", 5000, None), (7, 7, None), ("90s", None, 90.0), ("10m", None, 600.0), ("1.5h", None, 5400.0)],
)
def test_budgets_are_read(text: Any, queries: int | None, seconds: float | None) -> None:
    budget = Budget.parse(text)
    assert (budget.queries, budget.seconds) == (queries, seconds)
    assert Budget.parse(str(budget)) == budget


@pytest.mark.parametrize("text", ["", "0", "0s", "-5", "ten", "1.5", "10 minutes", "5d"])
def test_a_wrong_budget_is_named(text: str) -> None:
    with pytest.raises(RequestError, match="budget = ") as error:
        Budget.parse(text)
    assert repr(text) in str(error.value)
