"""A whole recipe, from the first audit to the table at its end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import equipoise.policies.local.policy as local
from equipoise.auditing.metrics import METRICS
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.pools import default_pools
from equipoise.training.pipeline import STAGES, run_recipe
from equipoise.training.sepo import Sepo
from equipoise.training.sft import Sft
from equipoise.training.summary import Run
from equipoise.types import Estimate
from tests.training.recipes import SMALL, TABLE, never, rendered, summary, write

ESTIMATE = {field.name for field in fields(Estimate)}


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_recipe("smoke", [f"out={tmp_path_factory.mktemp('smoke') / 'run'}"])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Run]:
    folder = tmp_path_factory.mktemp("small")
    recipe = write(folder, SMALL)
    return recipe, run_recipe(recipe, [f"out={folder / 'run'}"])


# --- The smoke recipe: the quickstart's code path ----------------------------------------------------------


def test_the_summary_holds_every_stage_of_every_game(smoke: Run) -> None:
    data = summary(smoke.folder)
    assert data["schema"] == 1
    assert data["recipe"] == "smoke"
    found: dict[str, list[str]] = {}
    for row in data["results"]:
        found.setdefault(row["game"], []).append(row["policy"])
    assert list(found) == ["ipd", "kuhn"]
    assert found["ipd"] == ["base", "sft", "sepo", "best scripted: grim_trigger"]
    assert found["kuhn"] == ["base", "sft", "sepo", "sepo_responders", "best scripted: tight_passive"]
    assert data == json.loads(json.dumps(smoke.to_json()))


def test_results_have_the_form_that_others_rely_on(smoke: Run) -> None:
    for row in summary(smoke.folder)["results"]:
        info = make_game(row["game"]).info_record
        assert row["version"] == info.version
        assert set(row["metrics"]) == {*METRICS, *info.diagnostics}
        for estimate in row["metrics"].values():
            assert estimate is None or set(estimate) == ESTIMATE
        assert {pool: tuple(rows) for pool, rows in row["per_opponent"].items()} == dict(
            default_pools(row["game"])
        )
        for rows in row["per_opponent"].values():
            for cells in rows.values():
                assert set(cells) == {"own", "opponent", "collusion", "externality"}
                assert all(cell is None or set(cell) == ESTIMATE for cell in cells.values())
        assert row["weights"] == {
            "e": info.weights.e,
            "c": info.weights.c,
            "x": info.weights.x,
            "scale": info.utility_scale,
        }
        assert row["metrics"]["invalid_rate"]["value"] == 0.0
    # Not applicable is not the same as good.
    kuhn = [row["metrics"] for row in summary(smoke.folder)["results"] if row["game"] == "kuhn"]
    assert all(row["collusion"] is None and row["externality"] is None for row in kuhn)
    assert all(row["safety"]["kind"] == "exact" for row in kuhn)


def test_differences_are_paired_and_complete(smoke: Run) -> None:
    data = summary(smoke.folder)
    values = {
        (row["game"], row["policy"], name): estimate
        for row in data["results"]
        for name, estimate in row["metrics"].items()
    }
    pairs: dict[str, set[tuple[str, str]]] = {}
    for row in data["differences"]:
        assert set(row) == {"game", "metric", "a", "b"} | ESTIMATE
        a, b = (values[row["game"], row[side], row["metric"]] for side in "ab")
        assert row["value"] == pytest.approx(a["value"] - b["value"], abs=1e-9)
        assert row["low"] <= row["value"] <= row["high"]
        assert row["kind"] == ("exact" if a["kind"] == b["kind"] == "exact" else "sample")
        if row["kind"] == "sample":
            assert (row["clusters"], row["level"]) == (4, 0.95)
        pairs.setdefault(row["game"], set()).add((row["a"], row["b"]))
    three = {("sft", "base"), ("sepo", "base"), ("sepo", "sft")}
    assert pairs["ipd"] == three
    assert pairs["kuhn"] == three | {("sepo_responders", name) for name in ("base", "sft", "sepo")}
    applicable = {"utility", "exploitability", "safety", "robustness", "welfare", "nra", "regret"}
    for game, a, b in ((g, *pair) for g in pairs for pair in pairs[g]):
        found = {r["metric"] for r in data["differences"] if (r["game"], r["a"], r["b"]) == (game, a, b)}
        assert applicable <= found


def test_a_verdict_stands_for_every_trained_policy(smoke: Run) -> None:
    shown = rendered(smoke)
    for game, name in (("ipd", "sepo"), ("kuhn", "sepo"), ("kuhn", "sepo_responders")):
        (line,) = [row for row in smoke.verdicts(game) if f"of {name}," in row]
        assert line.startswith(f"{game}: safety of {name}, paired on the same deals: ")
        assert " base by " in line
        assert " sft by " in line
        assert line in shown
    assert f"run folder: {smoke.folder}" in shown.replace("\n", "")
    # Exact numbers settle it.
    assert all("not settled" not in line for line in smoke.verdicts("kuhn"))


def test_training_did_something(smoke: Run) -> None:
    safety = {
        (row["game"], row["policy"]): row["metrics"]["safety"]["value"]
        for row in summary(smoke.folder)["results"]
    }
    assert safety["kuhn", "sepo"] > safety["kuhn", "sft"] + 0.1
    assert len({safety["ipd", name] for name in ("base", "sft", "sepo")}) == 3
    assert max(value for (game, _), value in safety.items() if game == "kuhn") <= 1 / 6 + 1e-9


def test_what_a_run_leaves_behind(smoke: Run) -> None:
    for game, names in (
        ("ipd", ("base", "sft", "sepo")),
        ("kuhn", ("base", "sft", "sepo", "sepo_responders")),
    ):
        for name in names:
            place = smoke.folder / game / name
            assert (place / "result.json").is_file()
            if name != "base":
                best = {file.name for file in (place / "train" / "best").iterdir()}
                assert best == {"adapter_config.json", "adapter_model.safetensors"}
                assert (place / "train" / "done").is_file()
    # Sampled audits keep what was played; exact ones play nothing.
    assert (smoke.folder / "ipd" / "base" / "audit" / "transcript.jsonl").is_file()
    assert not (smoke.folder / "kuhn" / "base" / "audit").exists()
    kinds = {
        file.suffix for file in smoke.folder.rglob("*") if file.is_file() and "tensorboard" not in file.parts
    }
    assert kinds == {".json", ".jsonl", ".safetensors", ""}


def test_the_resolved_recipe_and_versions_are_saved(smoke: Run) -> None:
    recipe = json.loads((smoke.folder / "recipe.json").read_text(encoding="utf-8"))
    assert recipe["games"]["ipd"]["train"]["sepo"]["steps"] == 3
    # Defaults are written out, so that later ones change nothing.
    assert recipe["games"]["ipd"]["train"]["sepo"]["credit"] == "per_pool"
    assert recipe["audit"] == {"episodes": 4, "seed": 0, "exact": None, "level": 0.95}
    assert "out" not in recipe
    provenance = json.loads((smoke.folder / "provenance.json").read_text(encoding="utf-8"))
    assert {"command", "packages", "python", "system", "git"} == set(provenance)
    assert provenance["command"] == "run"
    assert "torch" in provenance["packages"]


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from strings(value)
    elif isinstance(data, str):
        yield data


@pytest.mark.parametrize("name", ["provenance.json", "recipe.json", "summary.json"])
def test_no_path_of_the_machine_is_in_what_one_shows_around(smoke: Run, name: str) -> None:
    data = json.loads((smoke.folder / name).read_text(encoding="utf-8"))
    private = {str(smoke.folder), str(smoke.folder.parent), str(Path.home()), os.getcwd(), sys.prefix}
    for text in strings(data):
        assert not any(place in text for place in private)
        assert not text.startswith(os.sep)


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_running_again_does_nothing_and_returns_the_same(smoke: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(smoke.folder)
    for owner in (Sft, Sepo):
        monkeypatch.setattr(owner, "__init__", never)
    monkeypatch.setattr("equipoise.auditing.sampling.Sampling.run", never)
    again = run_recipe("smoke", [f"out={smoke.folder}"])
    assert again.to_json() == smoke.to_json()
    assert again.result == smoke.result
    assert [m.measures.keys() for m in again.result.results[:3]] == [
        m.measures.keys() for m in smoke.result.results[:3]
    ]
    after = snapshot(smoke.folder)
    assert after["summary.json"][1] == before["summary.json"][1]
    assert {k: v for k, v in after.items() if k != "summary.json"} == {
        k: v for k, v in before.items() if k != "summary.json"
    }
    assert again.verdicts("ipd") == smoke.verdicts("ipd")


def test_running_again_loads_no_model(small: tuple[str, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, run = small
    monkeypatch.setattr(local.LocalPolicy, "from_spec", never)
    assert run_recipe(recipe, [f"out={run.folder}"]).result == run.result


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (["audit.episodes=5"], "audit.episodes (4, now 5)"),
        (["seed=1"], "seed (0, now 1)"),
        (["games.ipd.train.sepo.lr=0.1"], "games.ipd.train.sepo.lr (0.005, now 0.1)"),
        (["games.ipd.train.other.steps=1"], "games.ipd.train.other (None, now "),
        (["games.kuhn.pools.train=['nash']"], "games.kuhn.pools.train (None, now ['nash'])"),
        (["lora.targets=['q_proj']", "threads=2"], "lora.targets ('all-linear', now ['q_proj'])"),
    ],
)
def test_another_recipe_does_not_go_into_the_same_folder(smoke: Run, changes: list[str], named: str) -> None:
    before = snapshot(smoke.folder)
    with pytest.raises(RequestError) as caught:
        run_recipe("smoke", [f"out={smoke.folder}", *changes])
    message = str(caught.value)
    assert f"was made with another {named}" in message
    assert message.endswith("choose another out=DIR")
    assert snapshot(smoke.folder) == before


# --- Folders, overrides and stages -------------------------------------------------------------------------


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("", encoding="utf-8")
    with pytest.raises(RequestError, match="holds files of something else: choose another out=DIR"):
        run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"])


def test_the_same_recipe_elsewhere_gives_the_same_numbers(small: tuple[str, Run], tmp_path: Path) -> None:
    recipe, run = small
    again = run_recipe(recipe, [f"out={tmp_path / 'deep' / 'elsewhere'}"])
    assert again.folder == tmp_path / "deep" / "elsewhere"
    assert (again.folder / "summary.json").read_bytes() == (run.folder / "summary.json").read_bytes()
    for stage in ("sft", "sepo"):
        name = f"ipd/{stage}/train/best/adapter_model.safetensors"
        assert (again.folder / name).read_bytes() == (run.folder / name).read_bytes()


def test_another_training_seed_gives_other_numbers_on_the_same_deals(
    small: tuple[str, Run], tmp_path: Path
) -> None:
    recipe, run = small
    other = run_recipe(recipe, [f"out={tmp_path / 'run'}", "seed=1"])
    mine, theirs = ({r.policy: r for r in one.result.results} for one in (run, other))
    assert mine["base"] == theirs["base"]
    assert mine["sft"].metrics["safety"] != theirs["sft"].metrics["safety"]
    assert mine["sepo"].metrics["safety"] != theirs["sepo"].metrics["safety"]


def test_overrides_reach_inside(tmp_path: Path) -> None:
    given = [
        "audit.level=0.5",
        "games.kuhn.train.exact.steps=2",
        "games.kuhn.train.sampled.steps=1",
        "name=mine",
    ]
    run = run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}", *given])
    saved = json.loads((run.folder / "recipe.json").read_text(encoding="utf-8"))
    assert (saved["name"], saved["audit"]["level"]) == ("mine", 0.5)
    for name, steps in (("sampled", 1), ("exact", 2)):
        lines = (
            (run.folder / "kuhn" / name / "train" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        )
        assert len(lines) == steps
    assert run.recipe == summary(run.folder)["recipe"] == "mine"


def test_training_alone_writes_no_summary_and_is_taken_up(small: tuple[str, Run], tmp_path: Path) -> None:
    recipe, whole = small
    out = f"out={tmp_path / 'run'}"
    run = run_recipe(recipe, [out], stages=("sft", "sepo"))
    assert run.result.results == []
    assert not (run.folder / "summary.json").exists()
    assert not list(run.folder.rglob("result.json"))
    assert (run.folder / "ipd" / "sepo" / "train" / "done").exists()
    assert rendered(run).replace("\n", "") == f"run folder: {run.folder}"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sft, "__init__", never)
        patched.setattr(Sepo, "__init__", never)
        again = run_recipe(recipe, [out])
    assert again.to_json() == whole.to_json()


def test_the_warm_start_alone(small: tuple[str, Run], tmp_path: Path) -> None:
    recipe, whole = small
    run = run_recipe(recipe, [f"out={tmp_path / 'run'}"], stages=("sft",))
    assert [place.name for place in (run.folder / "ipd").iterdir()] == ["sft"]
    name = "ipd/sft/train/best/adapter_model.safetensors"
    assert (run.folder / name).read_bytes() == (whole.folder / name).read_bytes()


def test_the_audit_alone_is_that_of_the_base(small: tuple[str, Run], tmp_path: Path) -> None:
    recipe, whole = small
    run = run_recipe(recipe, [f"out={tmp_path / 'run'}"], stages=("audit",))
    ends = [whole.result.results[0].policy, whole.result.results[-1].policy]
    assert [result.policy for result in run.result.results] == ends
    assert ends[0] == "base"
    assert run.result.results[0] == whole.result.results[0]
    assert list(run.result.differences) == []


def test_sepo_alone_goes_on_from_the_warm_start_that_is_there(small: tuple[str, Run], tmp_path: Path) -> None:
    recipe, whole = small
    out = f"out={tmp_path / 'run'}"
    run_recipe(recipe, [out], stages=("sft",))
    run = run_recipe(recipe, [out], stages=("sepo",))
    name = "ipd/sepo/train/best/adapter_model.safetensors"
    assert (run.folder / name).read_bytes() == (whole.folder / name).read_bytes()


def test_sepo_without_the_warm_start_is_not_taken_for_one_with_it(
    small: tuple[str, Run], tmp_path: Path
) -> None:
    """Whatever was done before, a whole run is a whole run, or says that it cannot be."""
    recipe, whole = small
    out = f"out={tmp_path / 'run'}"
    try:
        run_recipe(recipe, [out], stages=("sepo",))
        again = run_recipe(recipe, [out])
    except RequestError:
        return
    assert again.to_json() == whole.to_json()


def test_a_stage_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    assert STAGES == ("audit", "sft", "sepo")
    with pytest.raises(RequestError, match="unknown stage 'sfft': did you mean 'sft'"):
        run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"], stages=("sfft",))
    assert not (tmp_path / "run").exists()


def test_a_recipe_without_a_warm_start_trains_from_the_model(tmp_path: Path) -> None:
    text = "\n".join(line for line in SMALL.splitlines() if "sft" not in line)
    run = run_recipe(write(tmp_path, text), [f"out={tmp_path / 'run'}"])
    assert [r.policy for r in run.result.results][:2] == ["base", "sepo"]
    assert {(d.a, d.b) for d in run.result.differences} == {("sepo", "base")}
    assert run.verdicts("ipd")[0].count(" by ") == 1
