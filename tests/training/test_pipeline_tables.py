"""Recipes of tables, and runs that go wrong or are interrupted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equipoise import audit
from equipoise.errors import RequestError
from equipoise.training.pipeline import STAGES, run_recipe
from equipoise.training.sepo import Sepo
from tests.training.recipes import SMALL, TABLE, never, write

# --- Tables ------------------------------------------------------------------------------------------------


def test_a_table_is_trained_by_both_gradients(tmp_path: Path) -> None:
    run = run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"])
    names = [result.policy for result in run.result.results]
    assert names == ["base", "sampled", "exact", "best scripted: tight_passive"]
    safety = {r.policy: r.metrics["safety"] for r in run.result.results}
    values = {name: found.value for name, found in safety.items() if found is not None}
    assert values["base"] < values["sampled"]
    assert values["base"] + 0.5 < values["exact"] <= 1 / 6
    assert {(d.a, d.b) for d in run.result.differences} == {
        ("sampled", "base"),
        ("exact", "base"),
        ("exact", "sampled"),
    }
    # What was audited is what can be used: the file by its name gives the same policy.
    file = run.folder / "kuhn" / "exact" / "train" / "best" / "table.json"
    found = audit("kuhn", f"tabular:{file}")["kuhn"].metrics["safety"]
    assert found is not None
    assert found.value == pytest.approx(values["exact"], abs=1e-12)


def test_the_warm_start_of_a_table_is_what_teachers_did_and_where_it_is_trained_from(tmp_path: Path) -> None:
    run = run_recipe(
        write(tmp_path, TABLE),
        [f"out={tmp_path / 'run'}", "games.kuhn.sft.episodes=60", "games.kuhn.train.exact.lr=1e-9"],
        stages=STAGES,
    )
    rows = {r.policy: r.metrics for r in run.result.results}
    assert list(rows) == ["base", "sft", "sampled", "exact", "best scripted: tight_passive"]
    warm, trained = rows["sft"]["safety"], rows["exact"]["safety"]
    assert warm is not None
    assert trained is not None
    assert rows["base"]["safety"] is not None
    assert warm.value > rows["base"]["safety"].value
    # A step of no length leaves what it started from.
    assert trained.value == pytest.approx(warm.value, abs=1e-6)


def in_a_process(tmp_path: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    recipe = write(tmp_path, TABLE)
    code = [
        "import sys",
        *lines[:-1],
        "from equipoise.training.pipeline import run_recipe",
        f"run = run_recipe({recipe!r}, ['out=run'])",
        "assert [r.policy for r in run.result.results][:3] == ['base', 'sampled', 'exact']",
        lines[-1],
    ]
    return subprocess.run(
        [sys.executable, "-c", "\n".join(code)], cwd=tmp_path, capture_output=True, text=True
    )


def test_a_table_needs_no_torch(tmp_path: Path) -> None:
    done = in_a_process(
        tmp_path, "for name in ('torch', 'transformers', 'peft'): sys.modules[name] = None", "pass"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "summary.json").exists()


def test_a_table_loads_no_torch(tmp_path: Path) -> None:
    done = in_a_process(tmp_path, "", "assert 'torch' not in sys.modules")
    assert done.returncode == 0, done.stderr


# --- What goes wrong ---------------------------------------------------------------------------------------


def test_a_run_killed_at_its_very_start_still_gets_its_provenance(tmp_path: Path) -> None:
    run = run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"], stages=())
    (run.folder / "provenance.json").unlink()
    run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"], stages=())
    assert (run.folder / "provenance.json").exists()


def test_an_interrupted_audit_of_a_table_goes_on_wherever_the_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        'name = "table"\nmodel = "table"\nthreads = 1\naudit.episodes = 2\n'
        "games.ipd.options.rounds = 2\n"
        # An opponent that can only be sampled.
        'games.ipd.pools.train = ["tit_for_tat", "tiny-random"]\n'
        "games.ipd.train.sepo = {steps = 1, deals = 1, rollouts = 2, select_episodes = 1}\n"
    )
    recipe = write(tmp_path, text)
    first = run_recipe(recipe, ["out=run"])
    (first.folder / "ipd" / "sepo" / "result.json").unlink()
    shutil.move("run", "moved")
    assert run_recipe(recipe, ["out=moved"]).to_json() == first.to_json()


@pytest.mark.parametrize("how", ["moved", "absolute"])
def test_an_interrupted_audit_goes_on_wherever_the_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.chdir(tmp_path)
    # Four rounds: too many for an exact audit of a model.
    recipe = write(tmp_path, SMALL.replace("rounds = 2", "rounds = 4"))
    stages = ("audit", "sft")
    first = run_recipe(recipe, ["out=run"], stages=stages)
    (first.folder / "ipd" / "sft" / "result.json").unlink()
    out = tmp_path / "run"
    if how == "moved":
        out = tmp_path / "moved"
        shutil.move("run", "moved")
    again = run_recipe(recipe, [f"out={out}"], stages=stages)
    assert again.to_json() == first.to_json()


@pytest.mark.parametrize(
    "name",
    ["base", "sft", "scripted", "../../outside", "", ".", "a/b"],
)
def test_names_that_stand_for_something_else_are_refused(tmp_path: Path, name: str) -> None:
    text = TABLE.replace("train.exact", f'train."{name}"')
    with pytest.raises(RequestError, match="a run cannot be called"):
        run_recipe(write(tmp_path, text), [f"out={tmp_path / 'a' / 'run'}"])
    assert not (tmp_path / "a").exists()


def test_a_model_with_an_adapter_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"model = 'tiny-random\+somewhere': .* without \+adapter"):
        run_recipe(write(tmp_path, SMALL), [f"out={tmp_path / 'run'}", "model=tiny-random+somewhere"])
    assert not (tmp_path / "run").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine", encoding="utf-8")
    with pytest.raises(RequestError):
        run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"])


def test_a_recipe_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(RequestError):
        run_recipe(str(tmp_path / "recipe.toml"), [f"out={tmp_path / 'run'}"])


# --- Some of the games -------------------------------------------------------------------------------------


def test_games_can_be_done_one_after_the_other(tmp_path: Path) -> None:
    recipe = write(tmp_path, f"{TABLE}audit.episodes = 2\ngames.ipd.options.rounds = 2\n")
    whole = run_recipe(recipe, [f"out={tmp_path / 'whole'}"])
    out = f"out={tmp_path / 'parts'}"
    first = run_recipe(recipe, [out], games=["ipd"])
    assert [place.name for place in first.folder.iterdir() if place.is_dir()] == ["ipd"]
    assert {result.game for result in first.result.results} == {"ipd"}
    second = run_recipe(recipe, [out], games=["kuhn"])
    assert {result.game for result in second.result.results} == {"kuhn"}
    # The table of all comes at once, in the order of the recipe.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sepo, "__init__", never)
        again = run_recipe(recipe, [out])
    assert again.to_json() == whole.to_json()
    assert run_recipe(recipe, [out], games=["ipd", "kuhn"]).to_json() == whole.to_json()


def test_a_game_that_the_recipe_does_not_have_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown game of the recipe 'kun': did you mean 'kuhn'"):
        run_recipe(write(tmp_path, TABLE), [f"out={tmp_path / 'run'}"], games=["kun"])
    assert not (tmp_path / "run").exists()
