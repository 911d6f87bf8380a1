"""An action that was chosen among the legal ones, as a generation: what ``choose`` and ``think`` share."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.policies.local.trie import Trie
from equipoise.types import Generation, StopReason

__all__ = ["action_generation"]


def action_generation(
    trie: Trie,
    prompt: tuple[int, ...],
    words: Sequence[str],
    probabilities: Sequence[float],
    number: int,
) -> Generation:
    """Return the record of a choice.

    Args:
        trie: The token trie over the words.
        prompt: What was read, up to and including the action marker.
        words: The words of the legal actions.
        probabilities: With which each was chosen.
        number: Which one was.
    """
    logprobs, mask = trie.token_logprobs(number, probabilities)
    return Generation(
        role="action",
        prompt_ids=prompt,
        ids=trie.continuations[number],
        logprobs=logprobs,
        mask=mask,
        stop=StopReason.FINISHED,
        text=words[number],
        allowed=trie.allowed(number),
    )
