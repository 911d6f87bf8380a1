"""Prompts as one growing chat an episode, instead of one built anew from what a seat knows.

The first prompt of an episode (of a hand, where hands are independent and none may know of another) is the
usual one. Every later prompt is the one before it, with what the model
answered, and a new message with the situation then; the rules are said once. The model sees its own earlier
words, so the policy is no function of the information state any more. Since each prompt begins with the one
before, what was read of it is kept by the token tree (see ``treecache``) and only the rest is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.policies.local.chat import next_turn_ids, prompt_ids
from equipoise.prompts.base import Prompt
from equipoise.types import Decision

__all__ = ["Chats"]

Ids = tuple[int, ...]
MOST = 1 << 14
"""Conversations that are kept; the oldest ones are dropped first."""


class Chats:
    """Makes prompts, and keeps the open conversations by episode and seat."""

    def __init__(self, tokenizer: Any, *, grows: bool) -> None:
        """Take the tokenizer, and whether prompts grow or are all built anew."""
        self.tokenizer, self.grows = tokenizer, grows
        # The last two decisions of each: one that is asked again begins where the one before it ended.
        self._after: dict[tuple[str, int], dict[int, Ids]] = {}

    def prompt(
        self,
        decision: Decision,
        prompt: Prompt,
        *,
        prefill: str = "",
        switches: Mapping[str, Any] | None = None,
    ) -> Ids:
        """Return the tokens of a decision's prompt.

        A decision whose conversation is not known, because the episode was not played from its start, is
        asked like a first one.

        Args:
            decision: The decision.
            prompt: Its prompt as it would be built anew.
            prefill: How the answer begins.
            switches: Further arguments of the chat template.
        """
        before = self._after.get((decision.episode, decision.seat), {}).get(decision.index - 1)
        if decision.index == 0 or before is None:
            return prompt_ids(prompt, self.tokenizer, prefill=prefill, switches=switches)
        turn = next_turn_ids(prompt.situation, self.tokenizer, prefill=prefill, switches=switches)
        # The template ends the answer's turn; the model may have done so itself.
        return before + (turn[1:] if turn[:1] == before[-1:] else turn)

    def keep(self, decision: Decision, ids: Ids) -> None:
        """Remember a conversation up to the answer to a decision."""
        if not self.grows:
            return
        key = (decision.episode, decision.seat)
        before = self._after.pop(key, {}) if decision.index else {}
        self._after[key] = {i: before[i] for i in (decision.index - 1,) if i in before} | {
            decision.index: ids
        }
        if len(self._after) > MOST:
            del self._after[next(iter(self._after))]

    def clear(self) -> None:
        """Forget all conversations."""
        self._after.clear()
