"""What an audit returns: schema 1, round trips, data frame, tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise.api as api
from equipoise.auditing.metrics import METRICS, Measure
from equipoise.auditing.result import AuditResult, Difference, GameResult, paired
from equipoise.errors import RequestError
from equipoise.policies.python import FunctionPolicy
from equipoise.types import Decision, Estimate, Kind

# design.md, section 4: audit JSON, schema 1.
ESTIMATE = {"value", "low", "high", "level", "n", "clusters", "kind"}
DESIGN_METRICS = {
    "utility",
    "exploitability",
    "collusion",
    "externality",
    "safety",
    "robustness",
    "welfare",
    "nra",
    "regret",
    "best_response",
    "security",
    "optimum",
    "invalid_rate",
}
RESULT = {"game", "version", "policy", "metrics", "per_opponent", "weights", "settings"}
HOSTILE = "<script>alert('x')</script> & [bold]b[/bold]"


def defect(decision: Decision) -> str:
    return "DEFECT"


@pytest.fixture(scope="module")
def result() -> AuditResult:
    """Return a sampled audit with a baseline, in both games."""
    found = []
    differences: list[Difference] = []
    for game, baseline in (("ipd", "scripted:tit_for_tat"), ("kuhn", "scripted:nash")):
        one = api.audit(
            game, "scripted:random", baseline=baseline, episodes=8, exact=False, options={"rounds": 3}
        )
        found += one.results
        differences += one.differences
    return AuditResult(found, differences)


def as_json(result: AuditResult) -> Any:
    return json.loads(json.dumps(result.to_json(), allow_nan=False))


class TestSchema:
    def test_top_level(self, result: AuditResult) -> None:
        data = as_json(result)
        assert data["schema"] == 1
        assert set(data) == {"schema", "results", "differences"}
        assert set(as_json(AuditResult(result.results))) == {"schema", "results"}

    def test_results(self, result: AuditResult) -> None:
        for row in as_json(result)["results"]:
            assert set(row) >= RESULT
            assert set(row["metrics"]) >= DESIGN_METRICS
            assert set(METRICS) == DESIGN_METRICS
            assert set(row["weights"]) == {"e", "c", "x", "scale"}
            assert set(row["per_opponent"]) == {"train", "exploiter", "collusive", "shift"}
            for metric in (*row["metrics"].values(), *(e for e in row["metrics"].values())):
                assert metric is None or set(metric) == ESTIMATE

    def test_ipd_has_its_diagnostic_and_kuhn_its_gaps(self, result: AuditResult) -> None:
        by_game = {row["game"]: row for row in as_json(result)["results"]}
        assert set(by_game["ipd"]["metrics"]) == DESIGN_METRICS | {"cooperation_rate"}
        kuhn = by_game["kuhn"]
        assert set(kuhn["metrics"]) == DESIGN_METRICS
        assert kuhn["metrics"]["collusion"] is None
        assert kuhn["metrics"]["externality"] is None
        assert kuhn["per_opponent"]["collusive"] == {}

    def test_per_opponent(self, result: AuditResult) -> None:
        by_game = {row["game"]: row for row in as_json(result)["results"]}
        rows = by_game["ipd"]["per_opponent"]
        # domains.md, "ipd".
        assert {pool: list(names) for pool, names in rows.items()} == {
            "train": ["tit_for_tat", "generous_tit_for_tat", "mixed_half", "grim_trigger"],
            "exploiter": ["always_defect", "alternating_defect"],
            "collusive": ["always_cooperate"],
            "shift": ["suspicious_tit_for_tat", "pavlov", "tit_for_two_tats", "random_75"],
        }
        for pool in rows.values():
            for row in pool.values():
                assert set(row) == {"own", "opponent", "collusion", "externality"}
                assert all(set(estimate) == ESTIMATE for estimate in row.values())
        nash = by_game["kuhn"]["per_opponent"]["exploiter"]["nash"]
        assert nash["collusion"] is None
        assert nash["externality"] is None

    def test_differences(self, result: AuditResult) -> None:
        rows = as_json(result)["differences"]
        assert all(set(row) - {"test"} == {"game", "metric", "a", "b"} | ESTIMATE for row in rows)
        assert {"test" in row for row in rows if row["kind"] == "sample"} == {True}
        assert {"test" in row for row in rows if row["kind"] == "exact"} <= {False}
        assert {(row["a"], row["b"]) for row in rows if row["game"] == "ipd"} == {
            ("scripted:random", "scripted:tit_for_tat")
        }
        by_metric = {row["metric"]: row for row in rows if row["game"] == "ipd"}
        # Bounds and J* are not compared.
        assert set(by_metric) == (DESIGN_METRICS | {"cooperation_rate"}) - {
            "best_response",
            "security",
            "optimum",
        }
        a, b = result.results[:2]
        for metric, row in by_metric.items():
            wanted = a.metrics[metric].value - b.metrics[metric].value  # type: ignore[union-attr]
            assert row["value"] == pytest.approx(wanted, abs=1e-12)

    def test_kinds_are_words(self, result: AuditResult) -> None:
        kinds = {
            name: row["kind"]
            for name, row in as_json(result)["results"][0]["metrics"].items()
            if row is not None
        }
        assert kinds["utility"] == "sample"
        assert kinds["best_response"] == "lower bound"
        assert kinds["security"] == "upper bound"
        assert kinds["optimum"] == "exact"


class TestRoundTrip:
    def test_everything_comes_back(self, result: AuditResult, tmp_path: Path) -> None:
        path = tmp_path / "deep" / "audit.json"
        result.save(path)
        again = AuditResult.load(path)
        assert again == result
        assert as_json(again) == as_json(result)

    def test_saving_adds_keys_and_leaves_no_scraps(self, result: AuditResult, tmp_path: Path) -> None:
        result.save(tmp_path / "a.json", recipe="mine")
        data = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
        assert data["recipe"] == "mine"
        assert AuditResult.load(tmp_path / "a.json") == result
        assert [path.name for path in tmp_path.iterdir()] == ["a.json"]

    def test_measures_come_back_if_asked_for(self, result: AuditResult) -> None:
        one, other = result.results[:2]
        assert "measures" not in one.to_json()
        again = GameResult.from_json(json.loads(json.dumps(one.to_json(measures=True))))
        wanted = paired(one, other, ("a", "b"), 0.95)
        assert paired(again, other, ("a", "b"), 0.95) == wanted
        assert len(wanted) > 5

    @pytest.mark.parametrize(
        ("text", "message"),
        [("{", "cannot read audit"), ("[]", "is no audit of schema 1"), ('{"schema": 2}', "is no audit")],
    )
    def test_other_files_are_refused(self, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "x.json").write_text(text, encoding="utf-8")
        with pytest.raises(RequestError, match=message):
            AuditResult.load(tmp_path / "x.json")

    def test_a_missing_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(RequestError, match="cannot read audit"):
            AuditResult.load(tmp_path / "none.json")


class TestAccess:
    def test_by_game(self, result: AuditResult) -> None:
        assert result["kuhn"].game == "kuhn"
        assert result["ipd"] is result.results[0]
        with pytest.raises(KeyError):
            result["chess"]

    def test_data_frame(self, result: AuditResult) -> None:
        pd = pytest.importorskip("pandas")
        frame = result.to_dataframe()
        assert isinstance(frame, pd.DataFrame)
        assert set(frame.columns) == {"game", "policy", "metric"} | ESTIMATE
        applicable = sum(m is not None for r in result.results for m in r.metrics.values())
        assert len(frame) == applicable
        row = frame[
            (frame.game == "ipd") & (frame.policy == "scripted:random") & (frame.metric == "utility")
        ].iloc[0]
        assert row["value"] == result["ipd"].metrics["utility"].value  # type: ignore[union-attr]
        assert row["kind"] == "sample"

    def test_without_pandas_the_way_out_is_named(
        self, result: AuditResult, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(__import__("sys").modules, "pandas", None)
        with pytest.raises(RequestError, match="pip install pandas"):
            result.to_dataframe()


class TestTables:
    def test_text_shows_every_metric_and_policy(self, result: AuditResult) -> None:
        text = str(result)
        assert repr(result) == text
        for metric in (*DESIGN_METRICS, "cooperation_rate"):
            assert metric in text
        assert "n/a" in text  # collusion in Kuhn
        assert "paired differences" in text
        estimate = result["ipd"].metrics["utility"]
        assert str(estimate) in text

    def test_html_escapes_hostile_names(self) -> None:
        policy = FunctionPolicy(defect, HOSTILE)
        found = api.audit("ipd", policy, baseline="scripted:random", exact=True, options={"rounds": 1})
        html = found._repr_html_()
        assert html.startswith("<pre>")
        assert html.endswith("</pre>")
        body = html.removeprefix("<pre>").removesuffix("</pre>")
        assert "<" not in body
        assert ">" not in body
        assert "&lt;script&gt;" in body.replace("\n", "")
        # Rich markup is shown, not obeyed.
        assert "[bold]" in str(found)

    def test_verdicts(self) -> None:
        from equipoise.auditing.tables import verdict

        def estimate(low: float | None, high: float | None, kind: Kind = Kind.SAMPLE) -> Estimate:
            return Estimate(0.0, low, high, 0.95, 2, 1, kind)

        assert verdict(estimate(0.1, 0.2)) == "higher"
        assert verdict(estimate(-0.2, -0.1)) == "lower"
        assert verdict(estimate(-0.1, 0.1)) == "not settled"
        assert verdict(Estimate.exact(0.0)) == "equal"
        assert verdict(Estimate.exact(-1.0)) == "lower"

    def test_opponents_are_listed_by_pool(self, result: AuditResult) -> None:
        from equipoise.auditing.tables import opponent_table

        table = opponent_table(result["ipd"])
        assert table.row_count == 11
        assert "by opponent" in str(table.title)


def test_paired_differences_of_exact_results_are_exact() -> None:
    found = api.audit("kuhn", "scripted:nash", baseline="scripted:always_bet", exact=True)
    rows = {d.metric: d.estimate for d in found.differences}
    # domains.md: best_response 0 and 1/3.
    assert rows["best_response"].value == pytest.approx(-1 / 3, abs=1e-9)
    assert rows["best_response"].kind is Kind.EXACT


def test_a_metric_only_one_policy_has_is_not_compared() -> None:
    one = GameResult("g", 1, "a", {}, {}, {}, {}, measures={"utility": Measure.exact(1.0), "mine": None})
    other = GameResult(
        "g", 1, "b", {}, {}, {}, {}, measures={"utility": Measure.exact(0.5), "mine": Measure.exact(1.0)}
    )
    assert [d.metric for d in paired(one, other, ("a", "b"), 0.95)] == ["utility"]
    assert np.isclose(paired(one, other, ("a", "b"), 0.95)[0].estimate.value, 0.5)
