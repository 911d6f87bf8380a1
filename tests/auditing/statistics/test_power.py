"""The power line: which metric, how wide, how many deals would halve it."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.auditing.metrics import Measure
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.statistics.hinge import Gap
from equipoise.auditing.statistics.intervals import Range
from equipoise.auditing.statistics.power import power_line, power_of
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.policies.registry import load_policy


def measure(count: int, high: float = 1.0, **changes: object) -> Measure:
    values = np.random.default_rng(count).random(count)
    return Measure(values, Range(0.0, high), 2 * count, **changes)  # type: ignore[arg-type]


def test_safety_comes_first() -> None:
    found = power_of({"utility": measure(40, 0.1), "safety": measure(40, 50.0), "nra": None}, 0.95)
    assert found is not None
    low, high = measure(40).ends(0.95)
    assert found["metric"] == "safety"
    assert found["half_width"] == pytest.approx((high - low) / 2)
    assert (found["deals"], found["deals_to_halve"], found["undecided"]) == (40, 160, [])
    assert power_line({**found, "half_width": 0.19}) == (
        "safety ± 0.19 from 40 deals; 160 deals would halve it"
    )


def test_without_it_the_widest_for_its_range() -> None:
    found = power_of({"utility": measure(40, 9.0), "collusion": measure(10, 1.0)}, 0.95)
    assert found is not None
    assert found["metric"] == "collusion"


def test_exact_results_have_none() -> None:
    assert power_of({"safety": Measure.exact(1.0), "nra": None}, 0.95) is None


def test_an_undecided_gap_is_said() -> None:
    open_ = np.tile([1.0, -1.0], 20)
    gap = Gap("sniper", open_, Range(-5.0, 5.0), -1.0)
    found = power_of({"safety": measure(40, gaps=(gap,))}, 0.95)
    assert found is not None
    assert found["undecided"] == ["sniper"]
    assert power_line(found).endswith("(in it, gap to sniper of undecided sign: once settled, fewer do)")


def test_the_rule_of_three_is_halved_by_twice_the_deals() -> None:
    def flat(count: int) -> dict[str, Measure | None]:
        return {"safety": Measure(np.zeros(count), Range(0.0, 1.0), 2 * count)}

    found = power_of(flat(200), 0.95)
    assert found is not None
    more = power_of(flat(found["deals_to_halve"]), 0.95)
    assert more is not None
    assert more["half_width"] == pytest.approx(found["half_width"] / 2, rel=0.02)


def test_that_many_deals_do_halve_it() -> None:
    game = make_game("ipd", rounds=2)

    def audit(deals: int) -> dict[str, float]:
        config = AuditConfig(deals, exact=False, pools=Pools(("mixed_half",), ("always_defect",)))
        found: dict[str, float] = audit_game(game, load_policy("scripted:random", game), config).settings[
            "power"
        ]
        return found

    few = audit(40)
    more = audit(int(few["deals_to_halve"]))
    assert more["half_width"] == pytest.approx(few["half_width"] / 2, rel=0.2)


def test_tables_show_it_below_sampled_results_only() -> None:
    import equipoise.api as api

    sampled = api.audit("kuhn", "scripted:random", episodes=4, exact=False)
    assert "from 4 deals; 16 deals would halve it" in str(sampled)
    assert "would halve it" not in str(api.audit("kuhn", "scripted:random"))
