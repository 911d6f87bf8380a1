"""Panels from scores of episodes, and their metrics."""

from __future__ import annotations

import numpy as np

import equipoise
from equipoise.adapters.inspect.figures import Scored, figures, panel_of
from equipoise.adapters.scores import episode_scores
from equipoise.adapters.table import set_table
from equipoise.auditing.panel import Panel
from equipoise.rollout.engine import play

POOLS = {"train": ["mixed_half"], "exploiter": ["always_defect", "mixed_half"], "shift": ["random"]}
TABLE = set_table("ipd", pools=POOLS, seed=2)
INFO = TABLE.game.info_record
POLICY = equipoise.load_policy("scripted:random", TABLE.game)
EPISODES = [
    one.episode for one in play([TABLE.request(place, POLICY) for place in TABLE.places(3)], TABLE.rule)
]
ROWS = [Scored(e.opponent, e.deal, e.seat, episode_scores(e, INFO)) for e in EPISODES]


def test_a_panel_is_that_of_the_episodes() -> None:
    found, known = panel_of(reversed(ROWS), TABLE.names, INFO), Panel.of(EPISODES)
    assert found is not None
    assert found.deals == known.deals == 3
    for name in TABLE.names:
        assert np.array_equal(found.features[name], known.features[name])
        assert np.array_equal(found.invalid[name], known.invalid[name])


def test_a_deal_with_an_episode_missing_is_left_out() -> None:
    missing = [row for row in ROWS if (row.opponent, row.deal, row.seat) != ("random", 1, 0)]
    found = panel_of(missing, TABLE.names, INFO)
    assert found is not None
    assert found.deals == 2
    assert panel_of([row for row in ROWS if row.seat == 0], TABLE.names, INFO) is None


def test_figures_are_those_of_an_audit() -> None:
    found = figures(panel_of(ROWS, TABLE.names, INFO), TABLE.objective, INFO, 0.9)
    audit = equipoise.audit("ipd", POLICY, exact=False, episodes=3, seed=2, pools=POOLS, level=0.9)["ipd"]
    for name, estimate in audit.metrics.items():
        if estimate is None or name in ("regret", "optimum", "invalid_rate"):
            continue
        ends = {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        for key, value in ends.items():
            assert found.get(key) == value, key
    assert figures(None, TABLE.objective, INFO, 0.9) == {"deals": 0.0}
