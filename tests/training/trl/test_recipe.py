"""Recipes with ``backend = "trl"``: every setting of the table [trl] does something, or is refused."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.errors import RequestError
from equipoise.policies.registry import load_game
from equipoise.training.dataset import DataRequest, write_file
from equipoise.training.pipeline import run_recipe
from equipoise.training.recipe import Recipe, load_recipe
from equipoise.training.stages import Stage
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.settings import TrlSettings

RECIPE = """
name = "small"
model = "tiny-random"
threads = 1
backend = "trl"
lora.rank = 2
[games.ipd]
options = { rounds = 2 }
pools = { train = ["tit_for_tat"], exploiter = ["always_defect"], collusive = ["always_cooperate"] }
[games.ipd.sft]
episodes = 20
steps = 2
batch = 8
lr = 0.01
select_episodes = 1
[games.ipd.train.sepo]
steps = 2
deals = 1
rollouts = 6
select_every = 2
select_episodes = 1
kl = 0.1
lr = 1e-3
"""


def run(folder: Path, stages: tuple[str, ...] = ("sft", "sepo"), **changed: Any) -> Path:
    path = folder / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    given = [f"{key}={json.dumps(value)}" for key, value in changed.items()]
    run_recipe(str(path), [f"out={folder / 'out'}", *given], stages)
    return folder / "out" / "ipd"


def rows(stage: Path) -> list[dict[str, Any]]:
    lines = (stage / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_sepo_starts_from_the_warm_start_and_is_held_to_it(tmp_path: Path) -> None:
    place = run(tmp_path)
    assert (place / "sft" / "train" / "done").exists()
    steps = rows(place / "sepo" / "train")
    # The reference is the adapter of the warm start, which is where the first step still is.
    assert steps[0]["kl"] == pytest.approx(0.0, abs=1e-7)
    assert steps[1]["kl"] > 1e-7
    config = json.loads((place / "sepo" / "train" / "best" / "adapter_config.json").read_text())
    assert config["r"] == 2
    assert not list((place / "sepo" / "train").rglob("*reference*"))


def test_all_weights_from_examples_of_a_file(tmp_path: Path) -> None:
    from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer

    tokenizer = tiny_tokenizer()
    base = tiny_model(tokenizer)
    base.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    data = tmp_path / "data.jsonl"
    write_file(load_game("ipd", {"rounds": 2}), DataRequest("paper", episodes=7), data)
    model = f"hf:{tmp_path / 'model'}"
    place = run(tmp_path, model=model, **{"trl.tuning": "full", "lora.rank": 16, "trl.data": str(data)})
    request = json.loads((place / "sft" / "train" / "request.json").read_text(encoding="utf-8"))
    assert sum(request["examples"]) == len(data.read_text(encoding="utf-8").splitlines())
    recipe = load_recipe(
        str(tmp_path / "recipe.toml"), [f"model={model}", 'trl.tuning="full"', "lora.rank=16"]
    )
    loaded = Stage(recipe, place / "sepo" / "train").load()
    trained = loaded.loaded.model  # type: ignore[attr-defined]
    assert not hasattr(trained, "peft_config")
    pairs = zip(trained.parameters(), base.parameters(), strict=True)
    assert all(not torch.equal(one, other) for one, other in pairs)


def test_bfloat16_and_checkpointing_change_rounding_and_nothing_else(tmp_path: Path) -> None:
    found = {}
    for name, changed in {
        "plain": {},
        "checkpointed": {"trl.gradient_checkpointing": True},
        "half": {"trl.bf16": True},
    }.items():
        (tmp_path / name).mkdir()
        found[name] = rows(run(tmp_path / name, ("sft",), **changed) / "sft" / "train")[0]
    assert found["checkpointed"]["loss"] == pytest.approx(found["plain"]["loss"], rel=1e-6)
    assert found["half"]["loss"] != found["plain"]["loss"]
    assert found["half"]["loss"] == pytest.approx(found["plain"]["loss"], rel=2e-2)


def test_a_conversation_is_one_row_where_asked(tmp_path: Path) -> None:
    changed = {"mode": "free", "history": "chat", "max_new_tokens": 4, "trl.layout": "chat"}
    first = rows(run(tmp_path, ("sft", "sepo"), **changed) / "sepo" / "train")[0]
    assert first["rows"] == first["episodes"]
    assert first["trained"] == 2 * first["episodes"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (["trl.layuot=chat"], "did you mean 'layout'"),
        (["trl.layout=chats"], "did you mean 'chat'"),
        (["backend=trll"], "did you mean 'trl'"),
        (["backend=local", "trl.tuning=full"], "use backend = 'trl'"),
        (["joint.all.games={ipd=1.0}"], "backend = 'local'"),
        (["trl.layout=chat"], "use history = 'chat'"),
        (["trl.use_vllm=true"], "use mode = 'think'"),
        (["games.ipd.train.sepo.gradient=exact"], "games.ipd.train.sepo.gradient"),
        (["games.ipd.train.sepo.max_decisions=4"], "games.ipd.train.sepo.max_decisions"),
        (["games.ipd.train.sepo.league.every=1"], "games.ipd.train.sepo.league"),
        (["model=table"], "backend = 'local'"),
        (["trl.vllm_server_base_url=http://localhost:1"], "vllm_mode = 'server'"),
        (["trl.vllm_gpu_memory_utilization=0.0"], "vllm_gpu_memory_utilization"),
        (["trl.vllm_max_model_length=0"], "vllm_max_model_length"),
    ],
)
def test_settings_that_do_nothing_are_refused(changed: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        load_recipe(str(path), changed)
    assert message.lower() in str(caught.value).lower()


def test_every_setting_is_tested() -> None:
    """Here, or where the engine's settings are (test_players.py)."""
    here = {"data", "layout", "tuning", "bf16", "gradient_checkpointing"}
    engine = {name for name in TrlSettings.model_fields if "vllm" in name}
    assert set(TrlSettings.model_fields) == here | engine
    assert {"backend", "trl"} <= set(Recipe.model_fields)


def test_each_process_has_a_device_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert Ranks(2, 4, cpu=False).device("cuda") == "cuda:2"
    assert Ranks(2, 4, cpu=False).device("cuda:0") == "cuda:0"
    assert Ranks(2, 4).device("cpu") == "cpu"
    assert Ranks().device("cuda") == "cuda"


@pytest.mark.parametrize("name", ["ddp", "fsdp2", "zero3"])
def test_launch_configurations_that_ship_are_ones_accelerate_reads(name: str) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    path = files("equipoise.recipes") / "accelerate" / f"{name}.yaml"
    config = load_config_from_file(str(path))
    assert config.num_processes == 8
    assert (
        str(config.distributed_type).rpartition(".")[2]
        == {
            "ddp": "MULTI_GPU",
            "fsdp2": "FSDP",
            "zero3": "DEEPSPEED",
        }[name]
    )
    if name == "fsdp2":
        assert config.fsdp_config["fsdp_version"] == 2
    if name == "zero3":
        assert config.deepspeed_config["zero_stage"] == 3
