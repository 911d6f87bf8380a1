"""Exported models: they answer as model and adapter did, or are not written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.training.export import write as write_module
from equipoise.training.export.check import LogitCheck, Reading
from equipoise.training.export.find import TrainedAdapter, find_adapter
from equipoise.training.export.write import ExportSettings, export_adapter, export_merged
from equipoise.training.lora import save_adapter
from equipoise.training.pipeline import run_recipe
from equipoise.training.sample_decisions import sample_decisions
from tests.architectures import save
from tests.training.adapters import new_policy
from tests.training.recipes import SMALL, write

QUIET = ExportSettings(prompts=6, quiet=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    return run_recipe(write(folder, SMALL), [f"out={folder / 'run'}"], stages=("sft", "sepo")).folder


@pytest.fixture(scope="module")
def coach(tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = [f"out={tmp_path_factory.mktemp('coach')}", "tasks.social.train.epo.steps=1"]
    return run_recipe("epo-smoke", given, stages=("sepo",)).folder


@pytest.fixture
def stirred(tmp_path: Path) -> TrainedAdapter:
    """An adapter that changes the tiny model a lot, outside any run."""
    policy = new_policy(stir=3.0)
    save_adapter(policy.loaded.model, tmp_path / "adapter")
    return find_adapter(tmp_path / "adapter", model="tiny-random", game="kuhn")


def answers(policy: LocalPolicy, adapter: TrainedAdapter) -> list[list[float]]:
    return [list(row.values()) for row in policy.probabilities(sample_decisions(adapter.games[0], 6))]


class TestMerged:
    def test_answers_as_model_and_adapter(self, stirred: TrainedAdapter, tmp_path: Path) -> None:
        done = export_merged(stirred, tmp_path / "merged", QUIET)
        assert (done.check.prompts, done.check.tolerance) == (6, 1e-3)
        assert 0.0 <= done.check.logits < 1e-4
        want = answers(LocalPolicy.from_spec(stirred.spec, quiet=True), stirred)
        found = answers(LocalPolicy.from_spec(f"hf:{tmp_path / 'merged'}", quiet=True), stirred)
        base = answers(LocalPolicy.from_spec("tiny-random", quiet=True), stirred)
        for row, other, plain in zip(found, want, base, strict=True):
            assert row == pytest.approx(other, abs=1e-5)
            assert row != pytest.approx(plain, abs=1e-2)

    def test_is_a_checkpoint_of_its_own(self, stirred: TrainedAdapter, tmp_path: Path) -> None:
        export_merged(stirred, tmp_path / "merged", QUIET)
        names = {file.name for file in (tmp_path / "merged").iterdir()}
        assert {"model.safetensors", "config.json", "generation_config.json", "tokenizer.json"} <= names
        assert "adapter_config.json" not in names
        assert AutoTokenizer.from_pretrained(tmp_path / "merged").chat_template

    @pytest.mark.parametrize("kind", ["gemma4", "qwen3_5"])
    def test_of_multimodal_checkpoints(self, kind: str, tmp_path: Path) -> None:
        base = save(kind, tmp_path / "base")
        policy = new_policy(spec=f"hf:{base}")
        save_adapter(policy.loaded.model, tmp_path / "adapter")
        adapter = find_adapter(tmp_path / "adapter", model=f"hf:{base}")
        done = export_merged(adapter, tmp_path / "merged", QUIET)
        assert done.check.logits < 1e-3
        text = (tmp_path / "merged" / "config.json").read_text(encoding="utf-8")
        assert str(tmp_path) not in text
        assert json.loads((tmp_path / "merged" / "generation_config.json").read_text())["top_k"] == 2

    def test_in_another_number_format(self, stirred: TrainedAdapter, tmp_path: Path) -> None:
        settings = ExportSettings(prompts=4, dtype="bfloat16", quiet=True)
        done = export_merged(stirred, tmp_path / "merged", settings)
        assert done.check.tolerance == 0.5
        assert 0.0 < done.check.logits <= 0.5
        assert AutoModelForCausalLM.from_pretrained(tmp_path / "merged").dtype is torch.bfloat16

    @pytest.mark.slow
    def test_of_the_embedded_model(self, tmp_path: Path) -> None:
        policy = new_policy(spec="smollm2")
        save_adapter(policy.loaded.model, tmp_path / "adapter")
        del policy
        adapter = find_adapter(tmp_path / "adapter", model="smollm2", game="ipd")
        for work in (export_merged, export_adapter):
            done = work(adapter, tmp_path / work.__name__, ExportSettings(prompts=4, quiet=True))
            assert done.check.logits <= 1e-3
        config = json.loads((tmp_path / "export_adapter" / "adapter_config.json").read_text(encoding="utf-8"))
        assert config["base_model_name_or_path"] == "HuggingFaceTB/SmolLM2-135M-Instruct"


class TestAdapter:
    def test_loads_with_peft_alone(self, stirred: TrainedAdapter, tmp_path: Path) -> None:
        export_adapter(stirred, tmp_path / "out", QUIET)
        policy = LocalPolicy.from_spec(stirred.spec, quiet=True)
        base = LocalPolicy.from_spec("tiny-random", quiet=True).loaded
        other = PeftModel.from_pretrained(base.model, tmp_path / "out")
        want = answers(policy, stirred)
        found = answers(LocalPolicy(LoadedModel(other, base.tokenizer, "")), stirred)
        assert found == want

    def test_names_its_model_where_others_can_have_it(self, tmp_path: Path) -> None:
        policy = new_policy()
        save_adapter(policy.loaded.model, tmp_path / "adapter")
        found = find_adapter(tmp_path / "adapter", model="hf:Qwen/Qwen3.5-4B")
        from equipoise.training.export.card import adapter_card, public_name

        assert public_name(found.model) == "Qwen/Qwen3.5-4B"
        assert public_name("smollm2") == "HuggingFaceTB/SmolLM2-135M-Instruct"
        assert public_name(f"hf:{tmp_path}") is None
        assert public_name("tiny-random") is None
        assert "base_model: Qwen/Qwen3.5-4B" in adapter_card(found, {"r": 4, "lora_alpha": 8})

    def test_comes_with_a_card_and_its_origin(self, run: Path, tmp_path: Path) -> None:
        export_adapter(find_adapter(run, "ipd/sepo"), tmp_path / "out", QUIET)
        about = json.loads((tmp_path / "out" / "equipoise.json").read_text(encoding="utf-8"))
        assert (about["recipe"], about["game"], about["kind"]) == ("small", "ipd@1", "adapter")
        assert about["check"]["logits"] <= about["check"]["tolerance"]
        card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
        assert "ipd@1" in card
        assert "Rank 4" in card
        for file in (tmp_path / "out").glob("*.json"):
            assert str(run) not in file.read_text(encoding="utf-8")


class TestRefusals:
    def test_what_answers_differently_is_not_written(
        self, stirred: TrainedAdapter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = write_module.load_model

        def damaged(*arguments: Any, **settings: Any) -> LoadedModel:
            loaded = real(*arguments, **settings)
            with torch.no_grad():
                loaded.model.model.layers[0].mlp.up_proj.weight.mul_(1.1)
            return loaded

        monkeypatch.setattr(write_module, "load_model", damaged)
        with pytest.raises(EquipoiseError, match=r"nothing was exported: the merged model differs") as caught:
            export_merged(stirred, tmp_path / "merged", QUIET)
        assert caught.value.exit_code == 1
        assert not list(tmp_path.glob("merged*"))

    def test_the_tolerance_is_the_user_s(self, stirred: TrainedAdapter, tmp_path: Path) -> None:
        strict = ExportSettings(prompts=4, tolerance=0.0, quiet=True)
        with pytest.raises(EquipoiseError, match="accepted 0"):
            export_merged(stirred, tmp_path / "merged", strict)

    def test_not_a_number_never_passes(self) -> None:
        one = Reading(torch.tensor([[1.0, 2.0]]), ((0.5, 0.5),))
        other = Reading(torch.tensor([[1.0, float("nan")]]), ((0.5, 0.5),))
        assert not one.compare(other, 1e9).passed
        assert one.compare(one, 0.0) == LogitCheck(1, 0.0, 0.0, 0.0)

    def test_a_folder_that_is_taken(self, stirred: TrainedAdapter, tmp_path: Path) -> None:
        with pytest.raises(RequestError, match="is taken: choose another --out"):
            export_merged(stirred, tmp_path / "adapter", QUIET)
        assert (tmp_path / "adapter" / "adapter_config.json").is_file()


class TestStrategists:
    @pytest.mark.parametrize(
        ("kind", "run", "game"), [("merged", "ipd/epo", "ipd@1"), ("adapter", "social/epo", "social@1")]
    )
    def test_are_exported_as_players_are(
        self, coach: Path, tmp_path: Path, kind: str, run: str, game: str
    ) -> None:
        found = find_adapter(coach, run)
        assert (found.model, found.recipe, found.strategist) == ("tiny-random", "epo-smoke", True)
        assert found.games[0].options.changed()
        work = {"merged": export_merged, "adapter": export_adapter}[kind]
        done = work(found, tmp_path / "out", QUIET)
        assert 0.0 <= done.check.logits < 1e-4
        assert "probabilities of tokens" in str(done.check)
        about = json.loads((tmp_path / "out" / "equipoise.json").read_text(encoding="utf-8"))
        assert (about["role"], about["game"]) == ("strategist", game)
        if kind == "adapter":
            card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
            assert "it does not play" in card


def test_an_adapter_of_several_games_names_them_all(tmp_path: Path) -> None:
    given = [f"out={tmp_path / 'run'}", "mode=think", "thought_tokens=2", "joint.both.per_game={}"]
    small = ["joint.both.steps=1", "joint.both.rollouts=2", "joint.both.select_episodes=1"]
    folder = run_recipe("joint-smoke", [*given, *small], stages=("sft", "sepo")).folder
    for name in ("joint/both", "joint/both-sft"):
        assert [game.name for game in find_adapter(folder, name).games] == ["ipd", "kuhn"]
    assert [game.name for game in find_adapter(folder, "joint/both", game="kuhn").games] == ["kuhn"]
    done = export_adapter(find_adapter(folder, "joint/both"), tmp_path / "out", QUIET)
    assert done.check.prompts == 6
    about = json.loads((tmp_path / "out" / "equipoise.json").read_text(encoding="utf-8"))
    assert (about["role"], about["games"]) == ("player", ["ipd@1", "kuhn@1"])
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "in the games ipd@1, kuhn@1" in card
    assert "It plays these games" in card


class TestFinding:
    def test_a_run_says_what_it_trained(self, run: Path) -> None:
        found = find_adapter(run, "ipd/sepo")
        assert (found.model, found.recipe, found.dtype) == ("tiny-random", "small", "float32")
        assert found.games[0].options.changed() == {"rounds": 2}
        assert found.folder == run / "ipd" / "sepo" / "train" / "best"
        assert find_adapter(found.folder).model == "tiny-random"
        assert find_adapter(run / "ipd" / "sft").folder.parts[-3:] == ("sft", "train", "best")

    def test_several_adapters_are_named(self, run: Path) -> None:
        with pytest.raises(RequestError, match="several adapters: choose --run ipd/sepo or ipd/sft"):
            find_adapter(run)
        with pytest.raises(RequestError, match="unknown adapter 'ipd/spo': did you mean 'ipd/sepo'"):
            find_adapter(run, "ipd/spo")

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(RequestError, match="is no folder"):
            find_adapter(tmp_path / "none")
        with pytest.raises(RequestError, match="there is no adapter in"):
            find_adapter(tmp_path)

    def test_outside_a_run_the_model_must_be_named(self, stirred: TrainedAdapter) -> None:
        with pytest.raises(RequestError, match="name the model with --model"):
            find_adapter(stirred.folder)

    def test_a_broken_recipe(self, stirred: TrainedAdapter) -> None:
        (stirred.folder.parent / "recipe.json").write_text("{}", encoding="utf-8")
        with pytest.raises(RequestError, match="is no recipe of a run"):
            find_adapter(stirred.folder)
