"""What differs between families: templates, thinking, tags, and what those get that are not in the table."""

from __future__ import annotations

import pytest
import torch

from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.policies.local.chat import end_of_turn, prompt_text
from equipoise.policies.local.families import family_of
from equipoise.policies.local.policy import Question
from equipoise.policies.local.sampling import Sampled
from equipoise.policies.local.think import thinking_of
from equipoise.prompts.base import Prompt
from equipoise.types import Decision, StopReason
from tests.architectures import ENDS, MODELS, build

KINDS = ("llama", "gemma3", "gemma4", "qwen3_5")


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def loaded(kind: str) -> LoadedModel:
    model, tokenizer = build(kind)
    tokenizer.padding_side = "left"
    return LoadedModel(model, tokenizer, "", kind)


def test_the_end_of_a_turn_is_read_off_the_template(kind: str, loaded: LoadedModel) -> None:
    assert end_of_turn(loaded.tokenizer) == loaded.tokenizer.convert_tokens_to_ids(ENDS[MODELS[kind][0]])
    assert end_of_turn(loaded.tokenizer) != loaded.tokenizer.eos_token_id


def test_thinking_is_switched_off_where_words_are_scored(kind: str, loaded: LoadedModel) -> None:
    family = family_of(loaded.model.config)
    prompt = Prompt("The rules. ", "The situation.")
    off = prompt_text(prompt, loaded.tokenizer, prefill="Action:", switches=family.thinking(False))
    on = prompt_text(prompt, loaded.tokenizer, prefill="Action:", switches=family.thinking(True))
    starts = {
        "llama": "<|end_header_id|>\n\n",
        "gemma3": "<start_of_turn>model\n",
        "gemma4": "<|turn>model\n",
        "qwen3_5": "<think>\n\n</think>\n\n",
    }
    assert off.endswith(f"{starts[MODELS[kind][0]]}Action:")
    assert (on != off) == (family.switch is not None)
    asked = LocalPolicy(loaded).scorer.prompt_ids(Question(prompt, ("A", "B")))
    assert loaded.tokenizer.decode(list(asked)) == off
    assert asked.count(loaded.tokenizer.bos_token_id) == off.count("<bos>") <= 1


def test_thoughts_close_with_the_tags_of_the_family(
    kind: str, loaded: LoadedModel, decisions: list[Decision]
) -> None:
    """A random model never closes them by itself: what its budget cuts is closed for it."""
    opened = {"gemma4": "<|turn>model\n<|channel>thought\n", "qwen3_5": "<|im_start|>assistant\n<think>\n"}
    closed = {"gemma4": "\n<channel|>\n\nAction:", "qwen3_5": "\n</think>\n\nAction:"}
    family = MODELS[kind][0]
    for choice in LocalPolicy(loaded, mode="think", thought_tokens=4).act(decisions[:3]):
        thought, action = choice.generations
        assert loaded.tokenizer.decode(list(thought.prompt_ids)).endswith(opened.get(family, "\n"))
        start = loaded.tokenizer.decode(list(action.prompt_ids))
        assert start.endswith(closed.get(family, "\nAction:"))
        assert ("<|think|>" in start) == (family == "gemma4")
        with torch.no_grad():
            logits = loaded.model(torch.tensor([thought.prompt_ids + thought.ids])).logits[0]
        rows = torch.log_softmax(logits[len(thought.prompt_ids) - 1 : -1], -1)
        wanted = [float(row[token]) for row, token in zip(rows, thought.ids, strict=True)]
        assert thought.logprobs == pytest.approx(wanted, abs=1e-4)


def test_a_thought_that_closes_itself_is_followed_by_the_marker(
    kind: str, loaded: LoadedModel, decisions: list[Decision]
) -> None:
    family = family_of(loaded.model.config)
    think = LocalPolicy(loaded, mode="think")._think
    close = thinking_of(family).end
    ids = tuple(loaded.tokenizer(f"so {close}", add_special_tokens=False)["input_ids"])
    lead = think._lead(Sampled(ids, (0.0,) * len(ids), StopReason.FINISHED))
    text = loaded.tokenizer.decode(list(lead))
    assert text == (f"so {close}\n\nAction:" if family.thought else "so Action:")


def test_a_model_outside_the_table_gets_what_suits_most() -> None:
    from transformers import LlamaConfig

    family = family_of(LlamaConfig())
    assert (family.name, family.thinking(True), family.token_types) == ("other", {}, None)
    assert family.lora_targets("all-linear") == "all-linear"


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_adapters_are_asked_for_by_layers_of_the_language_model(kind: str) -> None:
    import re

    model, _ = build(kind)
    targets = family_of(model.config).lora_targets("all-linear")
    if MODELS[kind][0] == "llama":
        assert targets == "all-linear"
        return
    assert isinstance(targets, str)
    linear = {name for name, part in model.named_modules() if isinstance(part, torch.nn.Linear)}
    hit = {name for name in linear if re.fullmatch(targets, name)}
    kept = {name for name in linear if "lm_head" in name or "per_layer" in name}
    towers = ("vision", "visual", "audio", "embed_", "multi_modal")
    assert hit == {name for name in linear - kept if not any(tower in name for tower in towers)}
    assert family_of(model.config).lora_targets(["q_proj"]) == ["q_proj"]
