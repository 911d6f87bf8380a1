from __future__ import annotations

from typing import Any

import pytest

from equipoise.policies.local import LoadedModel
from equipoise.policies.local.chat import (
    common_length,
    end_of_turn,
    prompt_ids,
    prompt_text,
    rules_prefix,
    word_ids,
)
from equipoise.policies.local.tiny import tiny_tokenizer
from equipoise.prompts.base import Prompt
from equipoise.prompts.registry import get_renderer
from equipoise.types import Decision

PROMPT = Prompt("The rules.\n\n", "The situation.")


@pytest.fixture
def plain() -> Any:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = None
    return tokenizer


def test_one_user_message_then_the_prefilled_marker(tiny: LoadedModel) -> None:
    text = prompt_text(PROMPT, tiny.tokenizer, prefill="Action:")
    assert text == "<|start|>user\nThe rules.\n\nThe situation.<|end|>\n<|start|>assistant\nAction:"
    assert tiny.tokenizer.decode(prompt_ids(PROMPT, tiny.tokenizer, prefill="Action:")) == text


def test_without_a_template_it_is_plain_text(plain: Any) -> None:
    assert prompt_text(PROMPT, plain, prefill="Action:") == "The rules.\n\nThe situation.\nAction:"
    assert end_of_turn(plain) == plain.eos_token_id


def test_words_are_tokenised_as_they_follow_the_marker(tiny: LoadedModel) -> None:
    for word in ("COOPERATE", "DEFECT", "1", "10", "(2, 1, 0)"):
        assert tiny.tokenizer.decode(word_ids(word, tiny.tokenizer)) == f" {word}"


def test_every_prompt_of_a_game_begins_with_the_rules_prefix(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    for decision in decisions:
        prompt = get_renderer(decision.rules.name).prompt(decision)
        prefix = rules_prefix(prompt.rules, tiny.tokenizer)
        assert prompt_ids(prompt, tiny.tokenizer)[: len(prefix)] == prefix
        assert prompt.rules.strip() in tiny.tokenizer.decode(prefix)


def test_the_end_of_turn_is_read_off_the_template(tiny: LoadedModel) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.eos_token = "<|pad|>"
    assert end_of_turn(tokenizer) == tiny.tokenizer.eos_token_id


def test_common_length() -> None:
    assert common_length([(1, 2, 3), (1, 2), (1, 2, 4)]) == 2
    assert common_length([(1,), (2,)]) == 0
