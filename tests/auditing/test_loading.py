"""What audits and runs leave on disk, read back for comparisons."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import equipoise.api as api
from equipoise.auditing.loading import Kept, load_kept
from equipoise.auditing.result import AuditResult
from equipoise.errors import RequestError
from equipoise.files import write_json

SMALL = {"train": ["mixed_half"], "exploiter": ["always_defect"], "shift": []}
ASKED = {"episodes": 6, "exact": False, "options": {"rounds": 2}, "pools": SMALL}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a sampled audit with a baseline."""
    place = tmp_path_factory.mktemp("loading") / "audit"
    api.audit("ipd", "scripted:random", baseline="scripted:tit_for_tat", out=place, **ASKED)
    return place


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> Path:
    """Return a folder laid out like that of a run."""
    place = tmp_path / "run"
    results = []
    for one, name in zip(load_kept(folder).results, ("base", "sepo"), strict=True):
        data = {**one.to_json(measures=True), "policy": name}
        write_json(place / "ipd" / name / "result.json", data)
        results.append({k: v for k, v in data.items() if k != "measures"})
    exact = api.audit("ipd", "scripted:tit_for_tat", **{**ASKED, "exact": True}).results[0]
    results.append({**exact.to_json(), "policy": "best scripted: tit_for_tat"})
    write_json(place / "summary.json", {"schema": 1, "results": results, "recipe": "r"})
    return place


def names(kept: Kept) -> list[str]:
    return [one.policy for one in kept.results]


class TestAudits:
    def test_a_folder_gives_back_what_was_measured(self, folder: Path) -> None:
        kept = load_kept(folder)
        fresh = api.audit("ipd", "scripted:random", baseline="scripted:tit_for_tat", **ASKED)
        again = api.compare(AuditResult(kept.results[:1]), AuditResult(kept.results[1:]), paired=True)
        assert names(kept) == ["scripted:random", "scripted:tit_for_tat"]
        assert again.differences == fresh.differences

    def test_its_json_is_as_good(self, folder: Path) -> None:
        assert load_kept(folder / "audit.json").results == load_kept(folder).results
        assert load_kept(folder / "audit.json").results[0].measures.keys() == (
            load_kept(folder).results[0].measures.keys()
        )

    def test_the_first_policy_is_meant_unless_another_is_named(self, folder: Path) -> None:
        kept = load_kept(folder)
        assert kept.select(None, "--a")["ipd"].policy == "scripted:random"
        assert kept.select("scripted:tit_for_tat", "--a")["ipd"].policy == "scripted:tit_for_tat"
        with pytest.raises(RequestError, match=r"unknown policy of .* 'random': did you mean"):
            kept.select("random", "--a")

    def test_one_kept_policy_of_a_run(self, run: Path) -> None:
        assert names(load_kept(run / "ipd" / "sepo")) == ["sepo"]

    def test_without_observations_only_exact_values_are_compared(self, folder: Path, tmp_path: Path) -> None:
        shutil.copy(folder / "audit.json", tmp_path / "mine.json")
        kept = load_kept(tmp_path / "mine.json")
        with pytest.raises(RequestError, match="holds no observations of scripted:random in ipd: audit with"):
            kept.select(None, "--a")
        exact = api.audit("kuhn", "scripted:nash")
        exact.save(tmp_path / "exact.json")
        found = api.compare(tmp_path / "exact.json", api.audit("kuhn", "scripted:random"))
        best = {row.metric: row.estimate.value for row in found.differences}
        # domains.md: NashConv / 2 of nash is 0, of random 11/24.
        assert best["best_response"] == pytest.approx(-11 / 24)


class TestRuns:
    def test_the_policies_of_a_run_must_be_named(self, run: Path) -> None:
        kept = load_kept(run)
        with pytest.raises(RequestError, match=r"holds base, sepo, best .*: choose one with --b NAME"):
            kept.select(None, "--b")
        chosen = kept.select("sepo", "--b")["ipd"]
        assert chosen.measures["utility"] is not None
        assert chosen.measures["utility"].clusters == 6

    def test_its_yardstick_is_exact(self, run: Path) -> None:
        found = api.compare(run, run, policy_a="sepo", policy_b="best scripted: tit_for_tat")
        rows = {row.metric: row for row in found.differences}
        # The same policy, sampled and exact.
        estimate = rows["utility"].estimate
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= 0.0 <= estimate.high


class TestRequests:
    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(RequestError, match=r"holds none of audit\.json, summary\.json, result\.json"):
            load_kept(tmp_path)
        with pytest.raises(RequestError, match="does not exist: name the folder or the JSON"):
            load_kept(tmp_path / "x.json")

    def test_something_else(self, tmp_path: Path) -> None:
        (tmp_path / "result.json").write_text("{}", encoding="utf-8")
        with pytest.raises(RequestError, match="is no result of a policy"):
            load_kept(tmp_path)
        (tmp_path / "result.json").write_text("{", encoding="utf-8")
        with pytest.raises(RequestError, match="cannot read"):
            load_kept(tmp_path)

    @pytest.mark.parametrize(
        ("name", "text", "said"),
        [
            ("measures.json", "{}", "holds no measures of an audit"),
            ("measures.json", '{"measures": [3]}', "holds no measures of an audit"),
            ("audit.json", '{"schema": 1}', "is not whole"),
            ("audit.json", '{"schema": 1, "results": [{"game": "ipd"}]}', "is not whole"),
        ],
    )
    def test_files_that_are_not_whole(
        self, folder: Path, tmp_path: Path, name: str, text: str, said: str
    ) -> None:
        shutil.copytree(folder, tmp_path / "copy")
        (tmp_path / "copy" / name).write_text(text, encoding="utf-8")
        with pytest.raises(RequestError, match=f"{name}' {said}"):
            load_kept(tmp_path / "copy")

    def test_the_level_is_checked(self, folder: Path) -> None:
        with pytest.raises(RequestError, match=r"level = 2\.0"):
            api.compare(folder, folder, level=2.0)


def test_measures_are_bounded_numbers(folder: Path) -> None:
    data = json.loads((folder / "measures.json").read_text(encoding="utf-8"))
    assert data["schema"] == 1
    for row in data["measures"]:
        for measure in row["measures"].values():
            assert measure is None or len(measure["values"]) in (1, 6)
