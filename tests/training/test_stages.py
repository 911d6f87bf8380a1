"""What each training stage starts from, trains and leaves behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import equipoise.training.stages as stages
from equipoise.auditing.run import AuditConfig
from equipoise.games.registry import make_game
from equipoise.opponents.pools import default_pools
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.tabular import TabularPolicy
from equipoise.progress import silent
from equipoise.training.config import SepoConfig, SftConfig
from equipoise.training.lora import LocalLearner
from equipoise.training.recipe import GameRecipe, Recipe
from equipoise.training.sepo import Sepo
from equipoise.training.sft import Sft
from equipoise.training.stages import Stage, base_policy, train_sepo, train_sft
from equipoise.training.table import TabularLearner
from equipoise.types import Decision
from tests.helpers import every_decision

IPD, KUHN = make_game("ipd", rounds=2), make_game("kuhn")
SFT = SftConfig(episodes=10, steps=2, batch=8, lr=5e-2, select_every=1, select_episodes=1, warmup=0)
SEPO = SepoConfig(
    steps=2, gradient="exact", lr=1e-3, select_every=1, rows=7, max_grad_norm=0.25, max_step_kl=0.5
)


def new_recipe(model: str = "tiny-random", **settings: Any) -> Recipe:
    data: dict[str, Any] = {"name": "test", "model": model, "threads": 1, "games": {}}
    if model != "table":
        data["lora"] = {"rank": 4}
    return Recipe.model_validate({**data, **settings})


def config(game: str = "ipd") -> AuditConfig:
    return AuditConfig(pools=default_pools(game))


def asked() -> list[Decision]:
    return list({d.information_state: d for d in every_decision(IPD)}.values())


def table(policy: Any) -> Any:
    return np.array([list(row.values()) for row in policy.probabilities(asked())])


def warm(place: Path, recipe: Recipe | None = None, sft: SftConfig = SFT) -> Stage:
    return train_sft(recipe or new_recipe(), IPD, GameRecipe(sft=sft), config(), place, silent())


def test_frozen_models_among_the_opponents_run_as_the_recipes_own_does() -> None:
    pools = default_pools("ipd").replace({"train": ["frozen:tiny-random", "noisy:0.1:tiny-random"]})
    met = stages.opponents_of(new_recipe(dtype="bfloat16"), IPD, AuditConfig(pools=pools))
    model = met.players["frozen:tiny-random"]
    assert isinstance(model, LocalPolicy)
    assert model.loaded.model.dtype == torch.bfloat16
    assert met.players["noisy:0.1:tiny-random"].parts[0] is model  # type: ignore[union-attr]
    # Five states of two rounds: few enough to be tabulated.
    assert met.strategies is not None


def never(*arguments: Any, **settings: Any) -> Any:
    raise AssertionError("this should not have been called")


@pytest.mark.parametrize("name", ["ipd", "kuhn"])
def test_a_table_starts_uniform(name: str) -> None:
    game = make_game(name, **({"rounds": 2} if name == "ipd" else {}))
    for seed in (0, 1):
        policy = base_policy(new_recipe("table", seed=seed), game, quiet=True)
        decisions = list(every_decision(game if name == "ipd" else game.stage()))
        for decision, row in zip(decisions, policy.probabilities(decisions), strict=True):
            assert row == dict.fromkeys(decision.legal or (), 0.5)


def test_a_model_starts_as_it_is() -> None:
    policy = base_policy(new_recipe(dtype="float32"), IPD, quiet=True)
    assert isinstance(policy, LocalPolicy)
    assert not hasattr(policy.loaded.model, "peft_config")
    np.testing.assert_array_equal(table(policy), table(LocalPolicy.from_spec("tiny-random", quiet=True)))


def test_a_warm_start_leaves_its_best_weights(tmp_path: Path) -> None:
    stage = warm(tmp_path / "ipd")
    assert stage.folder == tmp_path / "ipd" / "sft" / "train"
    assert stage.best == stage.folder / "best"
    names = {file.name for file in stage.folder.iterdir()}
    assert {"best", "checkpoint", "done", "metrics.jsonl", "request.json"} <= names
    assert not {name for name in names if name.endswith((".part", ".old"))}
    policy = stage.load()
    assert isinstance(policy, LocalPolicy)
    np.testing.assert_allclose(
        table(policy),
        table(LocalPolicy.from_spec(f"tiny-random+{stage.folder / 'best'}", quiet=True)),
    )
    bare = table(LocalPolicy.from_spec("tiny-random", quiet=True))
    assert np.abs(table(policy) - bare).max() > 1e-3


def test_what_is_loaded_is_the_best_not_the_last(tmp_path: Path) -> None:
    stage = warm(tmp_path)
    last = table(stage.load())
    # Another set of weights in the place of the best ones.
    other = warm(tmp_path / "other", sft=SFT.model_copy(update={"seed": 9}))
    for name in ("adapter_model.safetensors", "adapter_config.json"):
        (stage.best / name).write_bytes((other.best / name).read_bytes())
    assert np.abs(table(stage.load()) - last).max() > 1e-3
    np.testing.assert_array_equal(table(stage.load()), table(other.load()))


def test_a_finished_stage_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = warm(tmp_path)
    before = {file: file.stat().st_mtime_ns for file in stage.folder.rglob("*")}
    monkeypatch.setattr(Sft, "__init__", never)
    again = warm(tmp_path)
    assert again == stage
    assert {file: file.stat().st_mtime_ns for file in stage.folder.rglob("*")} == before
    recipe = new_recipe("table")
    first = train_sepo(recipe, KUHN, SEPO, config("kuhn"), tmp_path / "sepo", None, silent())
    monkeypatch.setattr(Sepo, "__init__", never)
    assert train_sepo(recipe, KUHN, SEPO, config("kuhn"), tmp_path / "sepo", None, silent()) == first


@pytest.mark.parametrize("kind", ["sft", "sepo"])
def test_an_interrupted_stage_is_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    owner: Any = Sft if kind == "sft" else Sepo
    name = "_finish" if kind == "sft" else "_checkpoint"

    def train() -> Stage:
        if kind == "sft":
            return warm(tmp_path)
        return train_sepo(new_recipe("table"), KUHN, SEPO, config("kuhn"), tmp_path, None, silent())

    real, calls = getattr(owner, name), []

    def stop(self: Any, *arguments: Any) -> None:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, stop)
        with pytest.raises(KeyboardInterrupt):
            train()
    folder = tmp_path / "sft" / "train" if kind == "sft" else tmp_path / "train"
    assert not (folder / "done").exists()
    assert train().folder == folder
    assert (folder / "done").exists()
    steps = [json.loads(line)["step"] for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert steps == [1, 2]


class Caught(Exception):
    """Carries the learner that training was about to begin with."""

    def __init__(self, learner: Any) -> None:
        super().__init__()
        self.learner = learner


def caught_learner(
    monkeypatch: pytest.MonkeyPatch, recipe: Recipe, place: Path, start: Stage | None, seed: int = 0
) -> Any:
    def catch(self: Sepo) -> None:
        raise Caught(self.learner)

    with monkeypatch.context() as patched:
        patched.setattr(Sepo, "run", catch)
        settings = SEPO.model_copy(update={"seed": seed})
        with pytest.raises(Caught) as caught:
            train_sepo(recipe, IPD, settings, config(), place, start, silent())
    return caught.value.learner


def test_training_goes_on_from_the_warm_start_and_is_tied_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = warm(tmp_path / "warm")
    learner = caught_learner(monkeypatch, new_recipe(), tmp_path / "mine", stage)
    assert isinstance(learner, LocalLearner)
    assert learner.policy.name == "mine"
    assert (learner.rows, learner.optimiser.max_grad_norm, learner.max_step_kl) == (7, 0.25, 0.5)
    np.testing.assert_allclose(table(learner.policy), table(stage.load()), rtol=1e-6)
    model = learner.policy.loaded.model
    pairs = [(n, p) for n, p in model.named_parameters() if ".default." in n]
    others = dict(model.named_parameters())
    assert pairs
    for name, p in pairs:
        twin = others[name.replace(".default.", ".reference.")]
        assert torch.equal(p, twin)
        assert p.requires_grad
        assert not twin.requires_grad
    request = json.loads((tmp_path / "mine" / "train" / "request.json").read_text(encoding="utf-8"))
    assert request["origin"] == {"model": "tiny-random", "fingerprint": learner.policy.fingerprint}


def test_the_first_step_is_at_no_distance_from_the_warm_start(tmp_path: Path) -> None:
    stage = warm(tmp_path / "warm")
    for start, name in ((stage, "a"), (None, "b")):
        done = train_sepo(new_recipe(), IPD, SEPO, config(), tmp_path / name, start, silent())
        lines = (done.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        assert abs(rows[0]["kl"]) < 1e-6
        assert rows[1]["kl"] > 1e-7
    # And the two went from different places.
    first, second = (
        json.loads((tmp_path / name / "train" / "metrics.jsonl").read_text().splitlines()[0]) for name in "ab"
    )
    assert abs(first["safety"] - second["safety"]) > 1e-3


def test_without_a_warm_start_training_begins_at_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = caught_learner(monkeypatch, new_recipe(), tmp_path, None)
    bare = LocalPolicy.from_spec("tiny-random", quiet=True)
    np.testing.assert_allclose(table(learner.policy), table(bare), rtol=1e-6)
    assert set(learner.policy.loaded.model.peft_config) == {"default"}
    other = caught_learner(monkeypatch, new_recipe(seed=1), tmp_path / "other", None)

    def down(one: Any) -> list[torch.Tensor]:
        return [p for n, p in one.policy.loaded.model.named_parameters() if "lora_A" in n]

    assert not any(torch.equal(a, b) for a, b in zip(down(learner), down(other), strict=True))


def test_a_table_is_trained_as_a_table(tmp_path: Path) -> None:
    done = train_sepo(new_recipe("table"), KUHN, SEPO, config("kuhn"), tmp_path, None, silent())
    policy = done.load()
    assert isinstance(policy, TabularPolicy)
    # Named after its run: the folder's path would tie an interrupted audit to where it lies.
    assert policy.name == tmp_path.name
    assert len(policy.table) == 12
    assert any(abs(p - 0.5) > 1e-6 for row in policy.table.values() for p in row.values())


def test_a_table_is_clipped_as_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = caught_learner(monkeypatch, new_recipe("table"), tmp_path, None)
    assert isinstance(learner, TabularLearner)
    assert learner.max_grad_norm == 0.25


def test_settings_of_the_model_are_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = new_recipe(dtype="bfloat16")
    stage = warm(tmp_path / "warm", recipe)
    loaded = stage.load()
    assert isinstance(loaded, LocalPolicy)
    assert loaded.loaded.model.dtype is torch.bfloat16
    learner = caught_learner(monkeypatch, recipe, tmp_path / "sepo", stage)
    assert learner.policy.loaded.model.dtype is torch.bfloat16


def test_the_marker_is_set_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    real = Stage.finish

    def watch(stage: Stage) -> None:
        seen.append(
            (stage.best / "adapter_model.safetensors").exists() and not (stage.folder / "done").exists()
        )
        real(stage)

    monkeypatch.setattr(Stage, "finish", watch)
    warm(tmp_path)
    assert seen == [True]
