"""TRL's own trainer with games as environments: tools are called, rewards are ours, weights move."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("trl", reason="trl is not installed")

import torch
from datasets import Dataset
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template, supports_tool_calling

from equipoise.adapters.trl import Environments, environments
from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer

pytestmark = [
    pytest.mark.filterwarnings("ignore:You are using 'environment_factory'"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def tools_tokenizer() -> Any:
    """Return the tiny tokenizer with a template that renders tool calls: Qwen 3's, as TRL ships it."""
    tokenizer = tiny_tokenizer()
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>", "additional_special_tokens": ["<|im_start|>"]})
    tokenizer.chat_template = qwen3_chat_template
    return tokenizer


def trainer_of(
    kind: type[GRPOTrainer], factory: Environments, folder: Path, row: dict[str, Any], tokens: int
) -> Any:
    tokenizer = tools_tokenizer()
    settings = GRPOConfig(
        output_dir=str(folder),
        max_steps=1,
        learning_rate=0.01,
        num_generations=2,
        per_device_train_batch_size=2,
        max_completion_length=tokens,
        max_tool_calling_iterations=4,
        scale_rewards="none",
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        shuffle_dataset=False,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
        seed=0,
    )
    return kind(
        model=tiny_model(tokenizer),
        environment_factory=factory,
        train_dataset=Dataset.from_list([row]),
        processing_class=tokenizer,
        args=settings,
    )


class Scripted(GRPOTrainer):
    """Writes tool calls in the model's place: the first rollout of a group cooperates, the second defects."""

    def _generate_single_turn(
        self, prompt_ids: Any, images: Any, fields: Any, num_generations: int, has_tool_images: bool = False
    ) -> tuple[list[list[int]], None]:
        texts = [self._tokenizer.decode(ids) for ids in prompt_ids]
        self.asked = [*getattr(self, "asked", []), texts]
        answers = []
        for number, text in enumerate(texts):
            action = ("COOPERATE", "DEFECT")[number % 2]
            call = f'<tool_call>\n{{"name": "play", "arguments": {{"action": "{action}"}}}}\n</tool_call>'
            answers.append("Done." if "The game is over." in text else call)
        return [self._tokenizer.encode(f"{answer}<|im_end|>") for answer in answers], None


def test_the_tool_s_schema_is_what_templates_want() -> None:
    found = get_json_schema(environments("ipd")().play)["function"]
    assert found["name"] == "play"
    assert found["parameters"]["required"] == ["action"]
    assert found["parameters"]["properties"]["action"]["type"] == "string"
    assert supports_tool_calling(tools_tokenizer())


def test_a_step_on_played_games_moves_the_weights(tmp_path: Path) -> None:
    factory = environments("ipd", rounds=1)
    row = next(one for one in factory.rows(deals=1) if one["opponent"] == "tit_for_tat")
    trainer = trainer_of(Scripted, factory, tmp_path, row, tokens=400)
    before = copy.deepcopy(trainer.model.state_dict())
    trainer.train()
    # Against a cooperator: 3 for cooperating, 5 less 1.8/6 of a sixth for defecting; four train streams of 7.
    mean = 7 * ((3 + 5) / 2 / 4 - 1.8 / 6 / 6 / 2)
    logged = next(entry for entry in trainer.state.log_history if "reward" in entry)
    assert logged["reward"] == pytest.approx(mean, rel=1e-5)
    assert logged["tools/call_frequency"] == 1.0
    assert logged["tools/failure_frequency"] == 0.0
    assert any(not torch.equal(before[name], now) for name, now in trainer.model.state_dict().items())
    first, second = trainer.asked
    assert all("Round 1 of 1. Past: none" in text and '"name": "play"' in text for text in first)
    assert all("The game is over." in text for text in second)


def test_a_model_that_never_calls_the_tool_forfeits(tmp_path: Path) -> None:
    factory = environments("kuhn", rounds=1)
    row = next(one for one in factory.rows(deals=1) if one["opponent"] == "nash")
    trainer = trainer_of(GRPOTrainer, factory, tmp_path, row, tokens=30)
    trainer.train()
    logged = next(entry for entry in trainer.state.log_history if "reward" in entry)
    # A forfeited hand is -2; s = 3/2, three train opponents among six streams. Equal rewards teach nothing.
    assert logged["reward"] == pytest.approx(6 * 1.5 / 3 * -2.0)
    assert logged["loss"] == pytest.approx(0.0, abs=1e-6)
