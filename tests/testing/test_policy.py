"""``check_policy``: right policies pass, and each broken one is told the rule it breaks."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.registry import load_policy
from equipoise.policies.tabular import TabularPolicy
from equipoise.testing import POLICY_RULES, ConformanceError, Status, check_policy, examine_policy
from equipoise.types import Choice, Decision, Validity
from tests.helpers import every_decision
from tests.testing.broken_games import Raises as UnplayableToy
from tests.testing.broken_policies import BROKEN, CONSEQUENCES, Answers, Base, Service, firsts

KUHN = make_game("kuhn")


@pytest.mark.parametrize(
    ("rule", "policy", "named"),
    [pytest.param(rule, policy, named, id=f"{rule} {case}") for rule, case, policy, named in BROKEN],
)
def test_a_broken_policy_is_told_the_rule(rule: str, policy: Any, named: str) -> None:
    report = examine_policy(policy, KUHN, timeout=0.05)
    failed = [one.rule for one in report.failed]
    assert failed[0] == rule, str(report)
    assert set(failed) <= {rule} | CONSEQUENCES.get(rule, set()), str(report)
    assert named in report[rule].detail
    assert "\n" not in report[rule].detail
    with pytest.raises(ConformanceError) as caught:
        check_policy(policy, KUHN, timeout=0.05)
    assert caught.value.rule == rule


def test_every_rule_has_a_policy_that_breaks_it() -> None:
    assert {rule for rule, *_ in BROKEN} == {rule.id for rule in POLICY_RULES}


def test_a_right_policy_passes_every_rule_that_applies() -> None:
    report = check_policy(Base(), KUHN)
    skipped = {one.rule for one in report.findings if one.status is Status.NOT_APPLICABLE}
    assert skipped == {"answers-in-time"}
    assert report["act-agrees"].detail.endswith("4 of them 400 times")


@pytest.mark.parametrize("game", game_names())
def test_scripted_policies_pass(game: str) -> None:
    rules, pools = make_game(game), default_pools(game)
    for name in {*pools.train, *pools.exploiter, *pools.shift, "random"}:
        check_policy(f"scripted:{name}", rules, walks=3)
    assert strategies(game)


def test_a_table_passes(tmp_path: Path) -> None:
    rows = {d.rules.label(d.observation, d.history): d.legal or () for d in every_decision(KUHN.stage())}
    table = {label: {legal[0]: 0.25, legal[1]: 0.75} for label, legal in rows.items()}
    TabularPolicy("kuhn@1", table).save(tmp_path / "table.json")
    report = check_policy(f"tabular:{tmp_path / 'table.json'}", KUHN)
    assert report["act-agrees"].status is Status.OK


def test_a_function_passes() -> None:
    def player(decision: Decision) -> Any:
        own = decision.info["own"]
        return {"COOPERATE": 0.9, "DEFECT": 0.1} if own else "COOPERATE"

    assert check_policy(player, make_game("ipd")).ok


def test_a_language_model_passes() -> None:
    pytest.importorskip("torch")
    report = check_policy(load_policy("tiny-random", KUHN, quiet=True), KUHN, most=12)
    assert report["batch-composition"].status is Status.OK
    assert report["legal"].detail.endswith("0 without a legal action, which is allowed")


def test_a_language_model_that_writes_freely_passes_with_its_failures_counted() -> None:
    pytest.importorskip("torch")
    model = load_policy("tiny-random", KUHN, mode="free", max_new_tokens=3, quiet=True)
    report = check_policy(model, KUHN, most=6)
    assert report["distribution"].status is Status.NOT_APPLICABLE
    assert report["keyed-draws"].status is Status.OK
    # A random model names no action; were it to, the count would say so.
    assert report["legal"].detail == "6 decisions, 6 without a legal action, which is allowed"


def test_what_is_not_strict_may_be_invalid_and_is_counted() -> None:
    def answers(decisions: Any) -> list[Choice]:
        right = firsts(decisions)
        return [Choice(None, Validity.INVALID), Choice("BETRAY"), *right[2:]]

    report = examine_policy(Answers(answers, strict=False), KUHN)
    assert report["legal"].status is Status.OK
    assert ", 2 without a legal action, which is allowed" in report["legal"].detail


def test_a_service_is_asked_within_its_limit_and_in_time() -> None:
    open_now, most = 0, 0

    class Counting(Service):
        limit = 3

        async def decide(self, decision: Decision) -> Choice:
            nonlocal open_now, most
            open_now += 1
            most = max(most, open_now)
            await asyncio.sleep(0.001)
            open_now -= 1
            return await super().decide(decision)

    report = check_policy(Counting(), KUHN)
    assert most == 3
    assert report["answers-in-time"].status is Status.OK
    assert report["distribution"].status is Status.NOT_APPLICABLE
    assert report["keyed-draws"].status is Status.NOT_APPLICABLE


def test_a_service_that_hangs_is_given_up_soon() -> None:
    began = time.monotonic()
    examine_policy(Service(wait=60.0), KUHN, timeout=0.05)
    assert time.monotonic() - began < 10.0


def test_a_running_loop_changes_nothing() -> None:
    async def notebook() -> bool:
        return check_policy(Service(), KUHN).ok

    assert asyncio.run(notebook())


def test_a_game_that_cannot_be_played_is_not_the_policys_fault() -> None:
    with pytest.raises(RequestError, match=r"toy cannot be played \(KeyError.*check the game first"):
        examine_policy(Base(), UnplayableToy())


def test_no_more_decisions_are_asked_than_allowed() -> None:
    seen: list[int] = []

    def answers(decisions: Any) -> list[Choice]:
        seen.append(len(decisions))
        return firsts(decisions)

    examine_policy(Answers(answers), make_game("ipd"), most=5)
    assert seen[0] == 5


def test_the_same_seed_finds_the_same() -> None:
    one, other = (str(examine_policy("scripted:nash", KUHN, seed=5)) for _ in range(2))
    assert one == other
