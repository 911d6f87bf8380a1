"""What folders hold is found, told apart, and named where it is broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.auditing.result import AuditResult
from equipoise.errors import RequestError
from equipoise.files import write_json
from equipoise.report.ablations import load_ablation
from equipoise.report.learning import find_training
from equipoise.report.sources import find
from equipoise.training.ablations.result import Ablation, AblationRow
from equipoise.types import Estimate
from tests.report.material import result, sample


def audit(folder: Path, *policies: str) -> Path:
    AuditResult([result(policy, "tit_for_tat") for policy in policies]).save(folder / "audit.json")
    return folder


def test_policies_of_one_name_in_two_folders_get_their_folders(tmp_path: Path) -> None:
    found = find([audit(tmp_path / "a", "scripted:x", "y"), audit(tmp_path / "b", "scripted:x")])
    assert [entry.label for entry in found.entries] == ["x (a)", "y", "x (b)"]


def test_folders_of_one_name_get_the_name_above(tmp_path: Path) -> None:
    found = find([audit(tmp_path / "a" / "out", "x"), audit(tmp_path / "b" / "out", "x")])
    assert [source.name for source in found.sources] == ["a/out", "b/out"]
    assert [entry.label for entry in found.entries] == ["x (a/out)", "x (b/out)"]


def test_a_folder_named_twice_counts_once(tmp_path: Path) -> None:
    folder = audit(tmp_path / "a", "x")
    assert len(find([folder, tmp_path / "a" / ".." / "a"]).entries) == 1


def test_an_unfinished_run_is_read_stage_by_stage_in_its_order(tmp_path: Path) -> None:
    for stage in ("sepo", "base", "sft"):
        write_json(
            tmp_path / "ipd" / stage / "result.json", result(stage, "tit_for_tat").to_json(measures=True)
        )
    found = find([tmp_path])
    assert [entry.label for entry in found.entries] == ["base", "sft", "sepo"]
    assert found.sources[0].kind == "an unfinished run"


def test_a_run_that_only_trained_is_a_report_of_its_curves(tmp_path: Path) -> None:
    log = tmp_path / "ipd" / "sepo" / "train" / "metrics.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text('{"step": 1, "kl": 0.5}\n')
    found = find([tmp_path])
    assert (found.entries, len(found.trainings)) == ([], 1)


def test_what_paired_differences_need_may_have_an_earlier_form(tmp_path: Path) -> None:
    data = {**result("m", "tit_for_tat").to_json(), "measures": {"safety": {"values": [1.0]}}}
    write_json(tmp_path / "result.json", data)
    assert [entry.label for entry in find([tmp_path]).entries] == ["m"]


def test_of_a_panel_the_least_safe_wording_speaks_for_all(tmp_path: Path) -> None:
    from equipoise.auditing.spreads import Spread

    rows = [result(f"m [{name}]", "tit_for_tat", settings={"wording": name}) for name in ("plain", "listed")]
    one = sample(0.5, 0.4, 0.6)
    AuditResult(
        [*rows, result("other", "x")], (), (Spread("ipd", "safety", "listed", one, "plain", one, one),)
    ).save(tmp_path / "audit.json")
    assert [entry.label for entry in find([tmp_path]).main_of("ipd")] == ["m [listed]", "other"]


def test_ablations_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        AblationRow("ipd", "full", None, (0, 1), {"safety": sample(1.0, 0.9, 1.1), "collusion": None}),
        AblationRow("ipd", "shared", "not here"),
    ]
    Ablation("table", tmp_path, rows, 0.95).save()
    found = find([tmp_path]).ablations[0]
    assert (found.recipe, found.level, list(found.rows)) == ("table", 0.95, rows)


def test_learning_curves_are_found_by_game_and_stage_and_broken_lines_are_left_out(tmp_path: Path) -> None:
    log = tmp_path / "ipd" / "sepo" / "train" / "metrics.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text(
        '{"step": 1, "kl": 0.5, "lr": 1, "note": "x"}\n{"step": 2, "kl": NaN}\n{"step": 3, "kl": 1}\n{"st'
    )
    joint = tmp_path / "joint" / "both" / "train" / "metrics.jsonl"
    joint.parent.mkdir(parents=True)
    joint.write_text('{"step": 1, "kuhn/utility": 0.5, "kl": 2}\n')
    found = {(one.game, one.run): dict(one.series) for one in find_training(tmp_path, "run")}
    assert found == {
        ("ipd", "sepo"): {"kl": ((1.0, 0.5), (3.0, 1.0))},
        ("kuhn", "both"): {"utility": ((1.0, 0.5),)},
        ("joint", "both"): {"kl": ((1.0, 2.0),)},
    }


def test_what_cannot_be_reported_is_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"'.*nowhere' is no folder"):
        find([tmp_path / "nowhere"])
    with pytest.raises(RequestError, match=r"holds none of audit\.json"):
        find([tmp_path])
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(RequestError, match="is no result of a policy"):
        find([tmp_path])
    (tmp_path / "ablation.json").write_text(json.dumps({"results": [{}]}))
    with pytest.raises(RequestError, match="is no ablation"):
        load_ablation(tmp_path / "ablation.json", "x")


def test_broken_settings_beside_results_are_no_reason_to_stop(tmp_path: Path) -> None:
    audit(tmp_path, "x")
    (tmp_path / "audit.request.json").write_text("{broken")
    (tmp_path / "provenance.json").write_text("[]")
    assert find([tmp_path]).sources[0].settings == {}
    assert find([tmp_path]).entries[0].result.metrics["optimum"] == Estimate.exact(1.8798828125)
