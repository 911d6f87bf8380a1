"""Joint runs as recipes: what they are made of, what they leave behind, and going on when interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise import audit
from equipoise.errors import RequestError
from equipoise.training import pipeline
from equipoise.training.config import SepoConfig
from equipoise.training.joint import SHARED, JointRecipe, shares
from equipoise.training.pipeline import run_recipe
from equipoise.training.recipe import joint_start, load_recipe
from equipoise.training.sepo import Sepo
from equipoise.training.summary import Run
from tests.training.recipes import rendered, summary, write

TABLES = """
name = "tables"
model = "table"
audit.episodes = 2
games.kuhn.train.alone = {gradient = "exact", steps = 4, lr = 5.0, kl = 0.0, max_grad_norm = 9.0}
games.ipd.options.rounds = 2

[joint.both]
games = {kuhn = 3.0, ipd = 1.0}
steps = 4
lr = 5.0
kl = 0.0
max_grad_norm = 9.0
deals = 2
rollouts = 2
select_every = 2
per_game.kuhn.gradient = "exact"
"""


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Run]:
    folder = tmp_path_factory.mktemp("tables")
    recipe = write(folder, TABLES)
    return recipe, run_recipe(recipe, [f"out={folder / 'run'}"])


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_recipe("joint-smoke", [f"out={tmp_path_factory.mktemp('joint') / 'run'}"])


# --- Tables ------------------------------------------------------------------------------------------------


def test_the_policy_is_a_column_of_every_games_table(tables: tuple[str, Run]) -> None:
    _, run = tables
    found: dict[str, list[str]] = {}
    for row in summary(run.folder)["results"]:
        found.setdefault(row["game"], []).append(row["policy"])
    assert found["kuhn"] == ["base", "alone", "both", "best scripted: tight_passive"]
    assert found["ipd"][:2] == ["base", "both"]
    pairs = {(d.game, d.a, d.b) for d in run.result.differences}
    assert {("kuhn", "both", "base"), ("kuhn", "both", "alone"), ("ipd", "both", "base")} <= pairs
    assert "kuhn: safety of both, paired on the same deals: above base by" in rendered(run)


def test_a_joint_run_waits_until_all_its_games_are_done(tables: tuple[str, Run], tmp_path: Path) -> None:
    recipe, whole = tables
    out = f"out={tmp_path / 'run'}"
    alone = run_recipe(recipe, [out], games=["kuhn"])
    names = [result.policy for result in alone.result.results]
    assert names == ["base", "alone", "best scripted: tight_passive"]
    assert not (alone.folder / "joint").exists()
    assert run_recipe(recipe, [out], games=["ipd", "kuhn"]).to_json() == whole.to_json()


def test_it_learns_every_game(tables: tuple[str, Run]) -> None:
    _, run = tables
    safety = {(r.game, r.policy): r.metrics["safety"] for r in run.result.results}
    for game in ("kuhn", "ipd"):
        before, after = safety[game, "base"], safety[game, "both"]
        assert before is not None
        assert after is not None
        assert after.value > before.value + 0.1


def test_a_games_table_is_a_policy_by_its_name(tables: tuple[str, Run]) -> None:
    _, run = tables
    best = run.folder / "joint" / "both" / "train" / "best"
    assert {file.name for file in best.iterdir()} == {"kuhn.json", "ipd.json"}
    found = audit("kuhn", f"tabular:{best / 'kuhn.json'}")["kuhn"].metrics["safety"]
    (kept,) = [r for r in run.result.results if (r.game, r.policy) == ("kuhn", "both")]
    assert found == kept.metrics["safety"]


def test_metrics_are_told_apart_by_game(tables: tuple[str, Run]) -> None:
    _, run = tables
    rows = metrics(run.folder / "joint" / "both" / "train")
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    # Seven streams of the dilemma, two deals, two rollouts; poker is computed.
    assert all(row["ipd/episodes"] == 7 * 2 * 2 for row in rows)
    assert all("kuhn/utility" in row and "kuhn/episodes" not in row for row in rows)
    scored = [row for row in rows if "select_score" in row]
    assert [row["step"] for row in scored] == [2, 4]
    for row in scored:
        mean = 0.75 * row["kuhn/select_score"] + 0.25 * row["ipd/select_score"]
        assert row["select_score"] == pytest.approx(mean)


def test_an_interrupted_joint_run_goes_on_bit_for_bit(
    tables: tuple[str, Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, whole = tables
    out = f"out={tmp_path / 'run'}"
    real = Sepo._checkpoint

    def stop(self: Sepo, step: int) -> None:
        real(self, step)
        if "+" in self.title and step == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Sepo, "_checkpoint", stop)
        with pytest.raises(KeyboardInterrupt):
            run_recipe(recipe, [out])
    again = run_recipe(recipe, [out])
    assert again.to_json() == whole.to_json()
    for name in ("best/kuhn.json", "best/ipd.json", "checkpoint/0/logits.json", "checkpoint/1/logits.json"):
        place = f"joint/both/train/{name}"
        assert (again.folder / place).read_bytes() == (whole.folder / place).read_bytes()


def test_weights_count_by_their_shares(tables: tuple[str, Run], tmp_path: Path) -> None:
    recipe, whole = tables

    def table(*changes: str) -> bytes:
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        run_recipe(recipe, [f"out={out}", *changes], stages=("sepo",))
        return (out / "joint/both/train/best/kuhn.json").read_bytes()

    same = table("joint.both.games.kuhn=6.0", "joint.both.games.ipd=2.0")
    assert same == (whole.folder / "joint/both/train/best/kuhn.json").read_bytes()
    assert table("joint.both.games.ipd=9.0") != same


# --- Language models ---------------------------------------------------------------------------------------


def test_one_adapter_serves_all_games(smoke: Run) -> None:
    names = [(r.game, r.policy) for r in smoke.result.results]
    assert [policy for game, policy in names if game == "ipd"][:3] == ["base", "both-sft", "both"]
    assert [policy for game, policy in names if game == "kuhn"][:3] == ["base", "both-sft", "both"]
    best = smoke.folder / "joint" / "both" / "train" / "best"
    assert {file.name for file in best.iterdir()} == {"adapter_config.json", "adapter_model.safetensors"}
    shown = {(d.game, d.a, d.b) for d in smoke.result.differences}
    assert ("ipd", "both", "both-sft") in shown
    assert "not settled against both-sft" in rendered(smoke) or "both-sft by" in rendered(smoke)


def test_the_warm_start_is_on_all_games(smoke: Run) -> None:
    rows = metrics(smoke.folder / "joint" / "both-sft" / "train")
    for row in rows:
        assert row["loss"] == pytest.approx((2 * row["ipd/loss"] + row["kuhn/loss"]) / 3)
    for row in rows:
        if "select_score" in row:
            score = (2 * row["ipd/select_score"] + row["kuhn/select_score"]) / 3
            assert row["select_score"] == pytest.approx(score)


def test_training_goes_on_from_the_joint_warm_start(smoke: Run) -> None:
    first = metrics(smoke.folder / "joint" / "both" / "train")[0]
    (warm,) = [r for r in smoke.result.results if (r.game, r.policy) == ("kuhn", "both-sft")]
    assert warm.metrics["safety"] is not None
    assert first["kuhn/safety"] == pytest.approx(warm.metrics["safety"].value, abs=1e-5)


def test_stages_one_by_one(smoke: Run, tmp_path: Path) -> None:
    out = f"out={tmp_path / 'run'}"
    with pytest.raises(
        RequestError, match=r"joint\.both: its warm start is not done, do the stage sft first"
    ):
        run_recipe("joint-smoke", [out], stages=("sepo",))
    run_recipe("joint-smoke", [out], stages=("sft",))
    assert not (tmp_path / "run" / "joint" / "both").exists()
    run_recipe("joint-smoke", [out], stages=("sepo",))
    for name in ("both-sft", "both"):
        place = f"joint/{name}/train/best/adapter_model.safetensors"
        assert (tmp_path / "run" / place).read_bytes() == (smoke.folder / place).read_bytes()


@pytest.mark.parametrize("mode", ["think", "free"])
def test_text_is_trained_on_all_games_too(tmp_path: Path, mode: str) -> None:
    text = (
        f'name = "text"\nmodel = "tiny-random"\nmode = "{mode}"\nthreads = 1\nlora.rank = 2\n'
        f"{'thought' if mode == 'think' else 'max_new'}_tokens = 3\ngames.kuhn.options.rounds = 2\n"
        "games.ipd.options.rounds = 2\n"
        "[joint.both]\ngames = {kuhn = 1.0, ipd = 3.0}\nsteps = 2\ndeals = 1\nrollouts = 2\nlr = 5e-3\n"
        "select_every = 2\nselect_episodes = 1\nleague = {every = 1, keep = 1}\n"
    )
    run = run_recipe(write(tmp_path, text), [f"out={tmp_path / 'run'}"], stages=("sepo",))
    rows = metrics(run.folder / "joint" / "both" / "train")
    assert [row["kuhn/past"] for row in rows] == [[], ["past@1"]]
    assert all(row["kuhn/episodes"] > 0 and row["ipd/episodes"] > 0 for row in rows)
    assert all(row["grad_norm"] >= 0.0 for row in rows)


# --- Settings ----------------------------------------------------------------------------------------------


def test_settings_of_a_game_are_those_of_the_run_but_for_its_own() -> None:
    run = JointRecipe(games={"kuhn": 1.0, "ipd": 1.0}, deals=3, per_game={"kuhn": {"gradient": "exact"}})
    assert run.settings() == SepoConfig(deals=3)
    assert run.settings("ipd") == SepoConfig(deals=3)
    assert run.settings("kuhn") == SepoConfig(deals=3, gradient="exact")
    assert shares({"a": 3.0, "b": 1.0}) == {"a": 0.75, "b": 0.25}
    assert set(SepoConfig.model_fields) > SHARED
    assert set(JointRecipe.model_fields) - set(SepoConfig.model_fields) == {"games", "per_game", "sft"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("joint.both.games.split=1.0", "joint.both.games names 'split': give it a table [games.split]"),
        ("joint.both.games.kuhn=0.0", "the weight of a game is positive"),
        ("joint.both.games={}", "joint.both.games = {}"),
        ("joint.both.stepps=2", "unknown key 'joint.both.stepps': did you mean 'steps'"),
        ("joint.both.per_game.kuhn.steps=2", "the games share it"),
        ("joint.both.per_game.kuhn.gradients='exact'", "there is no such setting"),
        ("joint.both.per_game.kuhn.gradient='exakt'", "per_game.kuhn.gradient = 'exakt': Input should be"),
        ("joint.both.per_game.split.deals=2", "'split' is not among the games of this run"),
        ("joint.base.games={kuhn = 1.0}", "cannot be called 'base'"),
        ("joint.alone.games={kuhn = 1.0}", "kuhn has a policy of that name"),
        ('joint."both-sft".games={kuhn = 1.0}', "has a policy of that name"),
    ],
)
def test_wrong_joint_runs_are_refused_before_any_work(tmp_path: Path, change: str, message: str) -> None:
    key, _, value = change.partition("=")
    with pytest.raises(RequestError) as caught:
        load_recipe(write(tmp_path, TABLES), [f"{key.replace(chr(34), '')}={value}"])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_joint_runs_are_not_left_to_a_trainer_that_does_not_know_them(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="joint runs are not for TRL yet: use backend = 'local'"):
        load_recipe(write(tmp_path, TABLES), ["model=tiny-random", "backend=trl"])


def test_a_joint_warm_start_without_teachers_is_refused_before_any_work(tmp_path: Path) -> None:
    text = TABLES.replace('model = "table"', 'model = "tiny-random"') + "[joint.both.sft]\nsteps = 1\n"
    with pytest.raises(RequestError, match="is in the shift pool"):
        run_recipe(
            write(tmp_path, text), [f"out={tmp_path / 'run'}", 'games.ipd.pools.shift=["always_defect"]']
        )
    assert not (tmp_path / "run").exists()


def test_names_of_warm_starts() -> None:
    assert joint_start("both") == "both-sft"
    assert pipeline.STAGES == ("audit", "sft", "sepo")
