"""Audits of free-text tasks: the same numbers as games have, from episodes only."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import GameResult, paired
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.tables import as_text, metric_table
from equipoise.errors import RequestError
from equipoise.opponents.pools import Pools
from equipoise.policies.base import Policy
from equipoise.tasks.registry import NOBODY, get_actor
from equipoise.types import Estimate, Kind
from tests.tasks.toys import Counting, CountingAlone, Speaker

PAIR = Pools(("helper", "silent"), ("silent",))


def audited(policy: Policy, folder: Path | None = None, **settings: object) -> GameResult:
    others = {"helper": Speaker("helper"), "silent": Speaker("silent", silent=True)}
    task = Counting.create()
    config = AuditConfig(episodes=12, pools=PAIR, out=folder, **settings)  # type: ignore[arg-type]
    return audit_game(task, policy, config, opponents=Opponents.of(others, task, None))


def value(result: GameResult, metric: str) -> Estimate:
    found = result.metrics[metric]
    assert found is not None
    return found


def test_scores_are_payoffs_with_intervals_over_deals() -> None:
    result = audited(Speaker("good"))
    own = result.per_opponent["train"]["helper"]["own"]
    assert own is not None
    assert (own.value, own.kind, own.clusters) == (1.0, Kind.SAMPLE, 12)
    silent = result.per_opponent["train"]["silent"]["own"]
    assert silent is not None
    # With a silent one nothing but the first step is ever done: 1 of 2, 3 or 4, from one of the seats.
    assert 0.25 / 2 < silent.value < 0.5 / 2
    assert value(result, "utility").value == pytest.approx((1.0 + silent.value) / 2)
    assert value(result, "welfare").value == pytest.approx(1.0 + silent.value)
    assert value(result, "exploitability").value == 0.0
    assert result.metrics["collusion"] is None
    assert result.metrics["optimum"] is None
    assert result.metrics["regret"] is None


def test_what_is_not_said_is_counted() -> None:
    assert value(audited(Speaker("mute", silent=True)), "invalid_rate").value == 1.0
    assert value(audited(Speaker("good")), "invalid_rate").value == 0.0


def test_two_policies_are_paired_on_the_same_scenarios() -> None:
    good, mute = audited(Speaker("good")), audited(Speaker("mute", silent=True))
    (difference,) = [d for d in paired(good, mute, ("good", "mute"), 0.95) if d.metric == "utility"]
    assert difference.estimate.low is not None
    assert difference.estimate.low > 0.0


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = audited(Speaker("good"), tmp_path)
    speaker = Speaker("good")
    assert audited(speaker, tmp_path).metrics == whole.metrics
    assert speaker.seen == []


def test_alone_there_is_nobody_to_harm() -> None:
    task = CountingAlone.create()
    config = AuditConfig(episodes=6, pools=Pools((NOBODY,)))
    from equipoise.policies.texts import ActorPolicy

    met = Opponents.of({NOBODY: ActorPolicy(get_actor("counting_alone", NOBODY), NOBODY)}, task, None)
    result = audit_game(task, Speaker("good"), config, opponents=met)
    assert value(result, "utility").value == 1.0
    assert result.metrics["exploitability"] is None
    for metric in ("nra", "best_response", "security", "welfare"):
        assert result.metrics[metric] is None
        assert result.measures.get(metric) is None
    assert result.alone
    assert not audited(Speaker("good")).alone
    table = as_text([metric_table([result])])
    assert "utility" in table
    assert "n/a" not in table
    assert "security" not in table
    # What does not apply between two sides is said to be so.
    assert "n/a" in as_text([metric_table([audited(Speaker("good"))])])
    assert result.metrics["externality"] is None


def test_exact_values_are_refused() -> None:
    with pytest.raises(RequestError, match="free-text task"):
        audited(Speaker("good"), exact=True)
