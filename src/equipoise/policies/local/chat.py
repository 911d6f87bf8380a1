"""From a prompt to token ids: the model's chat template, then the prefilled action marker.

A prompt becomes one user message. In ``choose`` mode the assistant's turn is opened and begins with
``Action:``, so that the model only has to go on with a word; small models otherwise rarely name an action.
Tokenizers without a chat template get plain text. Templates that can ask for a chain of thought are told
whether to (see ``families``): what is scored after the marker must not be expected inside one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.prompts.base import MARKER, Prompt

__all__ = ["end_of_turn", "next_turn_ids", "prompt_ids", "prompt_text", "reopened_ids", "word_ids"]

_PROBE = "zzqx"


def prompt_text(
    prompt: Prompt, tokenizer: Any, *, prefill: str = "", switches: Mapping[str, Any] | None = None
) -> str:
    """Return the text that the model reads, up to and including the prefilled start of its answer.

    Args:
        prompt: The prompt.
        tokenizer: The model's tokenizer.
        prefill: How the answer begins.
        switches: Further arguments of the chat template.
    """
    content = prompt.rules + prompt.situation
    if not getattr(tokenizer, "chat_template", None):
        return f"{content}\n{prefill}"
    message = [{"role": "user", "content": content}]
    opened = tokenizer.apply_chat_template(
        message, add_generation_prompt=True, tokenize=False, **(switches or {})
    )
    return f"{opened}{prefill}"


def prompt_ids(
    prompt: Prompt, tokenizer: Any, *, prefill: str = "", switches: Mapping[str, Any] | None = None
) -> tuple[int, ...]:
    """Return the token ids of :func:`prompt_text`.

    Templates write their special tokens out, so none are added; plain text gets the tokenizer's own.
    """
    plain = not getattr(tokenizer, "chat_template", None)
    text = prompt_text(prompt, tokenizer, prefill=prefill, switches=switches)
    return _encode(text, tokenizer, special=plain)


def next_turn_ids(
    text: str, tokenizer: Any, *, prefill: str = "", switches: Mapping[str, Any] | None = None
) -> tuple[int, ...]:
    """Return what follows an answer: the end of its turn, a new message of the user, the next turn opened.

    Args:
        text: The message.
        tokenizer: The model's tokenizer.
        prefill: How the next answer begins.
        switches: Further arguments of the chat template.
    """
    if not getattr(tokenizer, "chat_template", None):
        return _encode(f"\n{text}\n{prefill}", tokenizer)
    return _encode(_after_answer(tokenizer, switches, {"role": "user", "content": text}) + prefill, tokenizer)


def reopened_ids(tokenizer: Any, *, switches: Mapping[str, Any] | None = None) -> tuple[int, ...]:
    """Return what lies between two answers in a row: the end of a turn, the next one opened.

    Nothing where there is no chat template, and so are no turns.
    """
    if not getattr(tokenizer, "chat_template", None):
        return ()
    return _encode(_after_answer(tokenizer, switches), tokenizer)


def _after_answer(tokenizer: Any, switches: Mapping[str, Any] | None, *more: dict[str, str]) -> str:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": _PROBE}, *more]
    whole = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=False, **(switches or {})
    )
    return str(whole).partition(_PROBE)[2]


def word_ids(word: str, tokenizer: Any, *, prefill: str = MARKER) -> tuple[int, ...]:
    """Return the tokens of a word as it follows the prefilled marker.

    Tokenised together with the marker, because some tokenizers write a word differently at the start.
    """
    before = _encode(prefill, tokenizer)
    both = _encode(f"{prefill} {word}", tokenizer)
    if both[: len(before)] == before and len(both) > len(before):
        return both[len(before) :]
    return _encode(f" {word}", tokenizer)


def end_of_turn(tokenizer: Any) -> int:
    """Return the token that ends the assistant's turn.

    Chat models may end turns with another token than the end of text: read it off the template.
    """
    if getattr(tokenizer, "chat_template", None):
        messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": _PROBE}]
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        special = set(tokenizer.all_special_ids) | set(tokenizer.added_tokens_decoder)
        for token in _encode(text.rpartition(_PROBE)[2], tokenizer):
            if token in special:
                return token
    return int(tokenizer.eos_token_id)


def _encode(text: str, tokenizer: Any, *, special: bool = False) -> tuple[int, ...]:
    return tuple(tokenizer(text, add_special_tokens=special)["input_ids"])
