"""The study of credit estimators: what it shows with few batches, and that it catches bias."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.credit import Credit, Gates, per_pool
from equipoise.objective.groups import Group
from equipoise.objective.penalties import ESTIMATORS, per_rollout
from equipoise.objective.safety import Objective
from equipoise.training import study
from equipoise.training.study import SMALL, study_credit
from equipoise.training.study_result import MEASURES, CreditStudy
from equipoise.types import Estimate, Kind

BATCHES = {"kuhn": 50, "ipd": 16}


@cache
def found(game: str) -> CreditStudy:
    return study_credit(make_game(game, **SMALL[game]), BATCHES[game])


def ends(one: Estimate | None) -> tuple[float, float]:
    assert one is not None
    assert one.low is not None
    assert one.high is not None
    return one.low, one.high


@pytest.mark.parametrize("game", BATCHES)
class TestWhatItShows:
    def test_per_pool_is_unbiased(self, game: str) -> None:
        row = found(game)[game, "per_pool"]
        for one in (row.projection, row.exploit_projection):
            low, high = ends(one)
            assert low <= 1.0 <= high
            assert high - low < 0.3
        assert row.cosine is not None
        assert row.cosine.value > 0.95
        assert ends(row.cosine)[1] == 1.0
        assert row.variance_ratio == Estimate.exact(1.0)

    def test_per_rollout_is_blind_to_exploitation(self, game: str) -> None:
        row = found(game)[game, "per_rollout"]
        low, high = ends(row.exploit_projection)
        assert low <= 0.0 <= high
        assert high - low < 0.2
        assert ends(row.projection)[1] < 0.8
        assert row.cosine is not None
        assert row.cosine.value < 0.9

    def test_shared_has_exactly_no_exploit_gradient(self, game: str) -> None:
        row = found(game)[game, "shared"]
        assert row.exploit_projection == Estimate.exact(0.0)
        assert ends(row.projection)[1] < 0.8

    def test_blind_penalties_are_noise_on_top(self, game: str) -> None:
        noisy, calm = (found(game)[game, name].variance_ratio for name in ("per_rollout", "shared"))
        assert noisy is not None
        assert calm is not None
        assert noisy.value > 1.1 * calm.value

    def test_all_actions_are_unbiased_and_calmer_at_equal_cost(self, game: str) -> None:
        row = found(game)[game, "all_actions"]
        for one in (row.projection, row.exploit_projection):
            low, high = ends(one)
            assert low <= 1.0 <= high
            assert high - low < 0.3
        assert row.variance_ratio is not None
        assert row.variance_ratio.value < 0.97
        # Branches are episodes, too, and cost questions.
        settings = found(game).settings[game]
        assert row.projection is not None
        assert row.projection.n > settings["episodes"]
        questions = settings["questions"]
        assert questions["all_actions"] > questions["per_pool"] == questions["shared"]

    def test_every_number_is_an_estimate_over_batches(self, game: str) -> None:
        result = found(game)
        assert [row.credit for row in result.rows] == [*ESTIMATORS, "all_actions"]
        settings = result.settings[game]
        streams = 6 if game == "kuhn" else 7
        assert settings["episodes"] == BATCHES[game] * study.TABLES * streams * study.DEALS * study.ROLLOUTS
        for row in result.rows:
            for name in MEASURES:
                one = getattr(row, name)
                assert isinstance(one, Estimate)
                if one.kind is Kind.SAMPLE and row.credit != "all_actions":
                    assert (one.clusters, one.n, one.level) == (BATCHES[game], settings["episodes"], 0.95)


def hinge_on_episodes(
    groups: Sequence[Group],
    objective: Objective,
    gates: Gates,
    independent: bool,
    components: Sequence[str] | None = None,
) -> Credit:
    """Take the hinge of every noisy group instead of the population's."""
    return per_pool(groups, objective, [float(group.gap > 0.0) for group in groups], independent, components)


def divided_by_spread(
    groups: Sequence[Group],
    objective: Objective,
    gates: Gates,
    independent: bool,
    components: Sequence[str] | None = None,
) -> Credit:
    """Divide each group's advantages by their standard deviation: λ cancels."""
    credit = per_pool(groups, objective, gates, independent, components)
    advantages = []
    for rows in credit.advantages:
        spread = float(np.std(np.concatenate(rows)))
        advantages.append([row / spread if spread > 0.0 else row for row in rows])
    return replace(credit, advantages=advantages)


@cache
def biased() -> CreditStudy:
    estimators = {"hinge": hinge_on_episodes, "spread": divided_by_spread}
    return study_credit(make_game("kuhn", rounds=1), 24, estimators=estimators)


@pytest.mark.parametrize("name", ["hinge", "spread"])
def test_a_biased_estimator_is_caught(name: str) -> None:
    row = biased()["kuhn", name]
    # Kuhn's u and e are of like size, so the whole gradient alone might keep its length by chance.
    assert ends(row.exploit_projection)[1] < 0.9
    assert ends(row.exploit_projection)[0] > 0.2
    # There is nothing to compare variances with.
    assert row.variance_ratio is None


def test_zero_is_exact_only_where_nothing_is_sampled() -> None:
    # An estimator of another name that happens to have no exploit component proves nothing.
    estimators = {"mine": ESTIMATORS["shared"], "shared": per_rollout}
    result = study_credit(make_game("kuhn", rounds=1), 3, estimators=estimators)
    assert result["kuhn", "mine"].exploit_projection is None
    sampled = result["kuhn", "shared"].exploit_projection
    assert sampled is not None
    assert sampled.kind is Kind.SAMPLE


class TestRequests:
    @pytest.mark.parametrize("game", SMALL)
    def test_games_are_small_enough_as_they_are_studied(self, game: str) -> None:
        result = study_credit(make_game(game, **SMALL[game]), 2)
        assert [row.credit for row in result.rows] == [*ESTIMATORS, "all_actions"]
        assert result.settings[game]["options"] == SMALL[game]

    def test_seeds_decide_tables_and_deals(self) -> None:
        game = make_game("kuhn", rounds=1)
        first, again, other = (study_credit(game, 2, seed).to_json() for seed in (0, 0, 1))
        assert first == again
        assert first["results"] != other["results"]
        norms = [one["settings"]["kuhn"]["gradient_norm"] for one in (first, other)]
        assert norms[0] != norms[1]

    def test_samples_default_by_game(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(study, "SAMPLES", {"kuhn": 3})
        assert study_credit(make_game("kuhn", rounds=1)).rows[0].samples == 3

    def test_one_batch_has_no_interval(self) -> None:
        with pytest.raises(RequestError, match="samples = 1: an interval needs at least 2 batches"):
            study_credit(make_game("kuhn", rounds=1), 1)

    @pytest.mark.parametrize(
        ("game", "options"), [("ipd", {"rounds": 6}), ("multi_issue", {}), ("kuhn", {"memory": True})]
    )
    def test_large_games_are_refused(self, game: str, options: dict[str, Any]) -> None:
        with pytest.raises(RequestError, match=f"{game} with these options has no exact gradient"):
            study_credit(make_game(game, **options), 2)


class TestResult:
    def test_json(self, tmp_path: Path) -> None:
        result = found("kuhn") + found("ipd")
        result.save(tmp_path / "credit.json")
        data = json.loads((tmp_path / "credit.json").read_text(encoding="utf-8"))
        assert data["schema"] == 1
        assert [(row["game"], row["credit"]) for row in data["results"]] == [
            (game, credit) for game in ("kuhn", "ipd") for credit in (*ESTIMATORS, "all_actions")
        ]
        for row in data["results"]:
            assert set(row) == {"game", "credit", "samples", *MEASURES}
            assert row["samples"] == BATCHES[row["game"]]
            read = Estimate.from_json(row["projection"])
            assert read == result[row["game"], row["credit"]].projection
        assert data["settings"]["ipd"]["options"] == {"rounds": 3}

    def test_what_is_not_applicable_is_null_and_shown_as_such(self) -> None:
        result = biased()
        assert {row["variance_ratio"] for row in result.to_json()["results"]} == {None}
        assert "n/a" in str(result)

    def test_it_prints_a_table_a_game(self) -> None:
        text = str(found("kuhn") + found("ipd"))
        assert text.count("per_rollout") == 2
        assert text == repr(found("kuhn") + found("ipd"))
        assert "kuhn (version 1, rounds = 1): 50 batches, 19200 episodes" in text
        assert f"exact gradient: {found('kuhn').settings['kuhn']['gradient_norm']:.4f}" in text
        assert str(found("ipd")["ipd", "per_pool"].projection) in text
