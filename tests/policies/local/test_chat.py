from __future__ import annotations

import copy
from typing import Any

import pytest

from equipoise.games.registry import make_game
from equipoise.policies.local import LoadedModel
from equipoise.policies.local.chat import (
    end_of_turn,
    next_turn_ids,
    prompt_ids,
    prompt_text,
    reopened_ids,
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


def test_prompts_of_a_game_share_the_tokens_of_its_rules(
    tiny: LoadedModel, decisions: list[Decision]
) -> None:
    by_game: dict[str, list[tuple[int, ...]]] = {}
    for decision in decisions:
        prompt = get_renderer(decision.rules.name).prompt(decision)
        by_game.setdefault(decision.rules.name, []).append(prompt_ids(prompt, tiny.tokenizer))
    for game, prompts in by_game.items():
        columns = enumerate(zip(*prompts, strict=False))
        shared = prompts[0][: next(i for i, column in columns if len(set(column)) > 1)]
        rules = get_renderer(game).rules(make_game(game))
        assert rules.strip() in tiny.tokenizer.decode(shared)


def test_the_end_of_turn_is_read_off_the_template(tiny: LoadedModel) -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.eos_token = "<|pad|>"
    assert end_of_turn(tokenizer) == tiny.tokenizer.eos_token_id


def test_switches_and_the_start_of_an_answer_reach_every_turn(tiny: LoadedModel) -> None:
    """As templates with a switch for reasoning take them."""
    tokenizer = copy.deepcopy(tiny.tokenizer)
    tokenizer.chat_template += "{% if loud %}!{% endif %}"
    prompt = Prompt("The rules.\n\n", "Now.")
    for switches, end in ((None, ""), ({"loud": True}, "!")):
        first = prompt_ids(prompt, tokenizer, prefill="So", switches=switches)
        later = next_turn_ids("Then.", tokenizer, prefill="So", switches=switches)
        assert tokenizer.decode(list(first)).endswith(f"<|start|>assistant\n{end}So")
        expected = f"<|end|>\n<|start|>user\nThen.<|end|>\n<|start|>assistant\n{end}So"
        assert tokenizer.decode(list(later)) == expected
        again = reopened_ids(tokenizer, switches=switches)
        assert tokenizer.decode(list(again)) == f"<|end|>\n<|start|>assistant\n{end}"
