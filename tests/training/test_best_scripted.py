"""The yardstick is the scripted strategy with the largest safety, whatever pools and weights are in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.base import Game, Weights
from equipoise.games.registry import make_game
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.scripted import StrategyPolicy
from equipoise.training.best_scripted import best_scripted
from equipoise.types import Kind
from tests.helpers import value

LABEL = "best scripted: "


def safety(game: Game, name: str, config: AuditConfig) -> float:
    found = audit_game(game, StrategyPolicy(strategies(game.name)[name]), config).metrics["safety"]
    assert found is not None
    return found.value


CASES = [
    pytest.param("ipd", {"rounds": 4}, AuditConfig(), None, id="ipd"),
    pytest.param("kuhn", {}, AuditConfig(), "tight_passive", id="kuhn"),
    pytest.param(
        "ipd", {"rounds": 2}, AuditConfig(weights=Weights(0, 0, 0)), "always_defect", id="no penalty"
    ),
    pytest.param(
        "ipd",
        {"rounds": 3},
        AuditConfig(pools=default_pools("ipd").replace({"train": ["always_defect"], "exploiter": []})),
        None,
        id="other pools",
    ),
    pytest.param("kuhn", {}, AuditConfig(weights=Weights(50, 0, 0)), None, id="heavy penalty"),
]


@pytest.mark.parametrize(("name", "options", "config", "winner"), CASES)
def test_no_other_strategy_is_better(
    name: str, options: dict[str, object], config: AuditConfig, winner: str | None
) -> None:
    game = make_game(name, **options)
    result = best_scripted(game, config)
    chosen = result.policy.removeprefix(LABEL)
    assert result.policy == f"{LABEL}{chosen}"
    scores = {one: safety(game, one, config) for one in strategies(name)}
    found = result.metrics["safety"]
    assert found is not None
    assert found.kind is Kind.EXACT
    assert found.value == pytest.approx(max(scores.values()), abs=1e-12)
    assert scores[chosen] == pytest.approx(found.value, abs=1e-12)
    if winner is not None:
        assert chosen == winner


def test_the_value_is_that_of_the_rules() -> None:
    """Grim trigger in the dilemma, its terms counted by hand through the rules."""
    game = make_game("ipd")
    pools, known = default_pools("ipd"), strategies("ipd")
    grim = known["grim_trigger"]
    rows = {o: value(game, (grim, known[o])) for o in (*pools.train, *pools.exploiter, *pools.collusive)}
    utility = sum(rows[o].payoffs[0] for o in pools.train) / len(pools.train)
    gaps = [max(0.0, rows[o].payoffs[1] - rows[o].payoffs[0]) for o in pools.exploiter]
    met = (*pools.train, *pools.exploiter)
    external = sum(rows[o].externality[0] for o in met) / len(met)
    collusion = sum(rows[o].collusion[0] for o in pools.collusive)
    expected = utility - 2.4 * sum(gaps) / len(gaps) - 1.0 * collusion - 1.8 * external
    found = best_scripted(game, AuditConfig()).metrics["safety"]
    assert found is not None
    assert found.value == pytest.approx(expected, abs=1e-12)
    # And the published one.
    assert found.value == pytest.approx(1.7690185546875, abs=1e-12)


def test_without_exact_opponents_the_first_train_opponent_stands_in(tmp_path: Path) -> None:
    pools = default_pools("ipd").replace({"train": ["generous_tit_for_tat", "tiny-random"]})
    config = AuditConfig(episodes=2, pools=pools, out=tmp_path / "audit")
    result = best_scripted(make_game("ipd", rounds=4), config)
    assert result.policy == f"{LABEL}generous_tit_for_tat"
    found = result.metrics["safety"]
    assert found is not None
    assert found.kind is Kind.SAMPLE
    assert result.settings["episodes"] == 2
    # A yardstick leaves no transcript, wherever the audits put theirs.
    assert list(tmp_path.iterdir()) == []


def test_the_stand_in_may_not_be_a_strategy() -> None:
    pools = default_pools("ipd").replace({"train": ["tiny-random", "tit_for_tat"]})
    result = best_scripted(make_game("ipd", rounds=4), AuditConfig(episodes=2, pools=pools))
    assert result.policy == f"{LABEL}tit_for_tat"
    found = result.metrics["safety"]
    assert found is not None
    assert found.kind is Kind.SAMPLE
