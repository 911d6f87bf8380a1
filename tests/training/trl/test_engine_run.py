"""A run whose text comes from an engine: TRL's own class sends the weights, vLLM is a stand-in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import trl.trainer.grpo_trainer as grpo_trainer
from trl.generation.vllm_generation import VLLMGeneration

from equipoise.errors import EquipoiseError
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer
from equipoise.training.trl.settings import TrlSettings
from tests.training.trl.runs import run_of


class Loaded:
    """A model of vLLM's kind: own weights, fused projections, weights loaded by name."""

    packed_modules_mapping = {"qkv_proj": ["q_proj", "k_proj", "v_proj"]}  # noqa: RUF012

    def __init__(self) -> None:
        self.model = tiny_model(tiny_tokenizer(), seed=9)
        self.deaf: set[str] = set()

    def load_weights(self, weights: list[tuple[str, torch.Tensor]]) -> None:
        for name, tensor in weights:
            if name not in self.deaf:
                self.model.get_parameter(name).data.copy_(tensor)

    def named_parameters(self) -> Any:
        parts: list[torch.Tensor] = []
        for name, parameter in self.model.named_parameters():
            if any(f".{part}_proj." in name for part in "qkv"):
                parts.append(parameter)
                if len(parts) == 3:
                    yield name.replace(".v_proj.", ".qkv_proj."), torch.cat(parts)
                    parts = []
            else:
                yield name, parameter


class Generation(VLLMGeneration):  # type: ignore[misc]
    """TRL's class with a stand-in for the engine inside."""

    syncs = 0

    def _init_vllm(self) -> None:
        loaded = self.loaded = Loaded()
        runner = SimpleNamespace(model_runner=SimpleNamespace(model=loaded))
        executor = SimpleNamespace(driver_worker=runner)
        engine = SimpleNamespace(model_executor=executor)
        self.llm = SimpleNamespace(llm_engine=engine, reset_prefix_cache=lambda: None)

    def sync_weights(self) -> None:
        self.syncs += 1
        super().sync_weights()

    def generate(self, prompts: Any, images: Any, num_generations: int, profiler: Any = None) -> Any:
        policy = LocalPolicy(LoadedModel(self.loaded.model, tiny_tokenizer(), ""), "free")
        generator = torch.Generator().manual_seed(len(prompts))
        draws = torch.rand(len(prompts), 64, generator=generator).tolist()
        uniforms = [lambda purpose, row=row: row[int(purpose.partition("/")[2])] for row in draws]
        found = policy._free.writer.write([tuple(p) for p in prompts], uniforms, self.max_completion_length)
        return prompts, [list(o.ids) for o in found], [[[x] for x in o.logprobs] for o in found], None


def test_an_engine_is_sent_every_update_and_plays_as_the_policy_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grpo_trainer, "VLLMGeneration", Generation)
    run = run_of(tmp_path / "run", "free", settings=TrlSettings(use_vllm=True), steps=2, lr=0.01)
    run.run()
    # Once for the score before the first step, and once after each step: for the next one, or the last score.
    assert run.trainer.vllm_generation.syncs == 3
    assert all(row["sampler_gap"] < 1e-5 for row in run.history)
    assert run._sync is not None
    assert run._sync.compared == len(list(Loaded().named_parameters()))
    assert run._sync.left_out == 0


def test_an_engine_that_missed_a_tensor_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grpo_trainer, "VLLMGeneration", Generation)
    run = run_of(tmp_path / "run", "free", settings=TrlSettings(use_vllm=True), steps=2)
    run.trainer.vllm_generation.loaded.deaf.add("model.layers.1.self_attn.k_proj.weight")
    with pytest.raises(EquipoiseError, match=r"layers\.1\.self_attn\.qkv_proj"):
        run.run()
    assert not run.history
