"""Long audits: blocks of deals, what is kept, and what identifies the deals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.panel import Panel, PanelBuilder, block_of, panel_key
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.tally import Tally
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.policies.registry import load_policy
from equipoise.rollout.deals import Split
from equipoise.types import Choice, Episode, RoundOutcome, StopReason, Turn

GAME = make_game("ipd", rounds=2)
POOLS = Pools(("mixed_half",), ("always_defect",), ("always_cooperate",))


def episode(deal: int, seat: int, payoff: float, action: str = "DEFECT") -> Episode:
    """Return a one-round episode of the policy at a seat."""
    outcome = RoundOutcome((payoff, 1.0) if seat == 0 else (1.0, payoff))
    turn = Turn(seat, 0, 0, "-", action, Choice(action))
    return Episode(
        f"{deal}/{seat}", "ipd@1", {}, "train", "o", seat, deal, "report", 0, ("p", "o"), (turn,), (outcome,),
        StopReason.FINISHED,
    )  # fmt: skip


@pytest.mark.parametrize(("deals", "blocks"), [(10, 4), (9, 9), (5, 8), (1000, 7), (4097, 4096)])
def test_blocks_hold_consecutive_deals_and_differ_by_one_at_most(deals: int, blocks: int) -> None:
    found = [block_of(deal, deals, blocks) for deal in range(deals)]
    assert found == sorted(found)
    sizes = np.bincount(found)
    assert len(sizes) == min(deals, blocks)
    assert sizes.max() - sizes.min() <= 1


class TestBlocks:
    def build(self, deals: int, blocks: int) -> Panel:
        builder = PanelBuilder(deals, blocks)
        for deal in range(deals):
            for seat in (0, 1):
                builder.add(episode(deal, seat, float(deal + seat)))
        return builder.panel()

    def test_an_observation_is_the_mean_of_its_block(self) -> None:
        panel = self.build(10, 4)
        assert (panel.observations, panel.deals, panel.seats) == (4, 10, 2)
        # Deals 0-2, 3-4, 5-7 and 8-9.
        assert panel.features["o"][:, 0, 0].tolist() == [1.0, 3.5, 6.0, 8.5]
        assert panel.features["o"][:, 1, 0].tolist() == [2.0, 4.5, 7.0, 9.5]
        assert panel.by_deal("o")[:, 0].tolist() == [1.5, 4.0, 6.5, 9.0]

    def test_below_the_cap_nothing_is_averaged(self) -> None:
        few, many = self.build(6, 6), self.build(6, 4096)
        assert np.array_equal(few.features["o"], many.features["o"])
        assert few.features["o"][:, 0, 0].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]

    def test_rates_are_those_of_blocks_and_count_the_deals(self) -> None:
        tally = Tally(8, 2)
        for deal in range(8):
            for seat in (0, 1):
                tally.add(episode(deal, seat, 0.0, "DEFECT" if deal in (0, 1, 5) else "COOPERATE"))
        rates = tally.rates(0.95)["-"]
        assert rates["DEFECT"].value == pytest.approx((2 / 4 + 1 / 4) / 2)
        assert (rates["DEFECT"].n, rates["DEFECT"].clusters) == (16, 8)
        assert rates["DEFECT"].value + rates["COOPERATE"].value == pytest.approx(1.0)


def audit(**changes: Any) -> Any:
    config = AuditConfig(**{"episodes": 24, "exact": False, "pools": POOLS, "chunk": 5, **changes})
    return audit_game(GAME, load_policy("scripted:random", GAME), config)


class TestAudit:
    def test_with_blocks_the_metrics_stay_near_and_count_all_deals(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        whole = audit()
        monkeypatch.setattr(PanelBuilder.__init__, "__defaults__", (8,))
        monkeypatch.setattr(Tally.__init__, "__defaults__", (8,))
        blocked = audit(out=tmp_path / "a")
        for metric, wanted in whole.metrics.items():
            found = blocked.metrics[metric]
            if wanted is not None and wanted.kind.value == "sample":
                # 24 deals in 8 blocks of three: the mean of block means is the mean.
                assert found.value == pytest.approx(wanted.value), metric
                assert (found.n, found.clusters) == (wanted.n, wanted.clusters)
        assert len(blocked.measures["utility"].values) == 8
        assert blocked == audit(out=tmp_path / "a")

    def test_the_panel_names_the_deals_and_who_was_met(self) -> None:
        base = audit(episodes=2).settings["panel"]
        assert len(base) == 12
        assert audit(episodes=2, chunk=1).settings["panel"] == base
        assert audit(episodes=2, level=0.5).settings["panel"] == base
        for change in (
            {"seed": 1},
            {"split": Split.SELECT},
            {"episodes": 3},
            {"pools": Pools(("mixed_half",), ("always_defect",))},
        ):
            assert audit(**{"episodes": 2, **change}).settings["panel"] != base, change

    def test_other_rules_are_other_deals(self) -> None:
        other = make_game("ipd", rounds=3)
        config = AuditConfig(episodes=2, exact=False, pools=POOLS)
        found = audit_game(other, load_policy("scripted:random", other), config)
        assert found.settings["panel"] != audit(episodes=2).settings["panel"]

    def test_every_policy_meets_the_same_panel(self) -> None:
        config = AuditConfig(episodes=2, exact=False, pools=POOLS)
        found = audit_game(GAME, load_policy("scripted:tit_for_tat", GAME), config)
        assert found.settings["panel"] == audit(episodes=2).settings["panel"]

    def test_exact_results_have_no_panel(self) -> None:
        assert "panel" not in audit(exact=True).settings


def test_the_key_does_not_depend_on_order() -> None:
    assert panel_key({"a": 1, "b": [1, 2]}) == panel_key({"b": [1, 2], "a": 1})
    assert panel_key({"a": 1}) != panel_key({"a": 2})
