"""What is used of TRL beyond its public interface is still there, and still means the same."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch
import trl
from packaging.requirements import Requirement
from trl import GRPOConfig, GRPOTrainer
from trl.generation.vllm_client import VLLMClient
from trl.generation.vllm_generation import VLLMGeneration

from equipoise.policies.local.tiny import tiny_tokenizer
from equipoise.training.trl.rows import collate, decision_rows
from tests.training.trl.cases import adapted, samples, tiny, trainer

ROOT = Path(__file__).parents[3]


def test_the_version_of_trl_is_the_one_this_was_written_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [Requirement(r) for r in project["optional-dependencies"]["train"] if r.startswith("trl")]
    assert [str(one.specifier) for one in wanted] == ["<1.17,>=1.16"]
    assert wanted[0].specifier.contains(trl.__version__)


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_the_methods_that_are_replaced_take_what_they_took() -> None:
    assert parameters(GRPOTrainer._generate_and_score_completions) == ["self", "inputs"]
    assert parameters(GRPOTrainer._compute_loss) == ["self", "model", "inputs"]
    scoring = parameters(GRPOTrainer._get_per_token_logps_and_entropies)
    assert scoring[:7] == [
        "self",
        "model",
        "input_ids",
        "attention_mask",
        "logits_to_keep",
        "batch_size",
        "compute_entropy",
    ]
    # The loss is scaled for accumulation by TRL, not by transformers: the sums of several passes add up.
    assert GRPOTrainer.loss_is_scaled_for_ga is True


def test_the_engine_has_what_is_asked_of_it() -> None:
    assert parameters(VLLMGeneration._iter_named_params) == ["self"]
    assert parameters(VLLMGeneration.sync_weights) == ["self"]
    assert parameters(VLLMGeneration.generate)[:4] == ["self", "prompts", "images", "num_generations"]
    asked = {"prompts", "n", "repetition_penalty", "temperature", "top_p", "top_k", "min_p", "max_tokens"}
    assert asked | {"logprobs", "generation_kwargs"} <= set(parameters(VLLMClient.generate))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, torch.Tensor]:
    """What TRL's own trainer makes of two prompts, with an update split into two passes."""
    args = GRPOConfig(
        output_dir=str(tmp_path_factory.mktemp("trl")),
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        steps_per_generation=2,
        num_generations=2,
        max_completion_length=4,
        beta=0.1,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to="none",
    )
    from datasets import Dataset

    made = GRPOTrainer(
        adapted(tiny()),
        reward_funcs=lambda completions, **_: [float(len(one)) for one in completions],
        args=args,
        train_dataset=Dataset.from_dict({"prompt": ["one", "and another"]}),
        processing_class=tiny_tokenizer(),
    )
    found: dict[str, torch.Tensor] = made._generate_and_score_completions(
        [{"prompt": "one"}] * 2 + [{"prompt": "and another"}] * 2
    )
    return found


def test_rows_have_the_keys_shapes_and_types_of_trl_s_own(own: dict[str, Any], tmp_path: Path) -> None:
    model = adapted(tiny())
    made = trainer(model, samples(model, constrained=False), tmp_path, kl=0.1)
    ours = made._generate_and_score_completions([])
    assert set(own) <= set(ours)
    # The mask of what was sampled is TRL's for tools; nothing else is added where nothing is constrained.
    assert set(ours) - set(own) == {"tool_mask"}
    for name, tensor in own.items():
        assert ours[name].dim() == tensor.dim(), name
        if name != "num_items_in_batch":
            assert ours[name].dtype == tensor.dtype, name
    size, prompt = ours["prompt_ids"].shape
    assert ours["prompt_mask"].shape == (size, prompt)
    shape = ours["completion_ids"].shape
    assert shape[0] == size == ours["advantages"].shape[0]
    for name in ("completion_mask", "tool_mask", "old_per_token_logps", "ref_per_token_logps"):
        assert ours[name].shape == shape, name


def test_trl_pads_on_the_same_sides(own: dict[str, Any]) -> None:
    ours = collate(decision_rows(samples(tiny())), 6, 5, pad=0)
    for batch in (own, ours):
        # Left: zeros, then ones. Right: ones, then zeros.
        assert (batch["prompt_mask"].diff(dim=1) >= 0).all()
        assert (batch["completion_mask"].diff(dim=1) <= 0).all()
        assert batch["prompt_mask"][:, -1].all()
        assert batch["completion_mask"][:, 0].all()


@pytest.mark.parametrize("passes", [2, 4])
def test_no_row_is_dropped_where_rows_do_not_divide(passes: int, tmp_path: Path) -> None:
    model = tiny()
    batch = samples(model)
    made = trainer(model, batch, tmp_path, passes=passes)
    rows = made._generate_and_score_completions([])
    assert len(rows["prompt_ids"]) % made.args.steps_per_generation == 0
    assert int(rows["tool_mask"].sum()) == sum(sum(one.mask) for one in batch)
