"""Probabilities of actions from the log-probabilities of first tokens.

They are *partial*: a first token is not the whole action, tokens beyond the likeliest few are not seen, and
what the model wrote before is given. So they are kept beside the answer, under a role of their own, and never
taken for the distribution that the action was drawn from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from equipoise.policies.endpoint.reply import Reply
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Action, Generation, Probabilities, StopReason

__all__ = ["PARTIAL", "partial_generation", "partial_probabilities"]

PARTIAL = "partial probabilities"
"""Role of the record in a transcript."""


def partial_probabilities(
    reply: Reply, renderer: Renderer, action: Action, legal: Sequence[Action]
) -> Probabilities | None:
    """Return the distribution over legal actions at the token with which the answer names its action.

    Args:
        reply: The completion with its alternatives.
        renderer: Says the words for actions.
        action: The action that was read.
        legal: The legal actions.

    Returns:
        The distribution, or None unless every legal action has a first token among the alternatives that
        belongs to it alone.
    """
    words = {one: renderer.say(one).casefold() for one in legal}
    place = _place(reply, words[action])
    if place is None:
        return None
    mass = dict.fromkeys(legal, 0.0)
    for token, logprob in reply.alternatives[place][1]:
        start = token.strip().casefold()
        owners = [one for one, word in words.items() if start and word.startswith(start)]
        if len(owners) > 1:
            return None
        if owners:
            mass[owners[0]] += math.exp(min(logprob, 0.0))
    if not all(mass.values()):
        return None
    total = math.fsum(mass.values())
    if not math.isfinite(total):
        return None
    return {one: share / total for one, share in mass.items()}


def partial_generation(probabilities: Probabilities, renderer: Renderer) -> Generation:
    """Return the record of such a distribution for a transcript."""
    said = json.dumps({renderer.say(one): round(p, 6) for one, p in probabilities.items()})
    return Generation(PARTIAL, (), (), (), (), StopReason.FINISHED, trainable=False, text=said)


def _place(reply: Reply, word: str) -> int | None:
    """Return the token with which the word on the last line begins."""
    whole = "".join(token for token, _ in reply.alternatives).casefold()
    end = whole.rfind(word)
    line = whole.rfind("\n", 0, end) + 1
    before = whole[line:end].strip("*_`\"' \t")
    if end < 0 or before not in ("", MARKER.casefold()):
        return None
    seen = 0
    for index, (token, _) in enumerate(reply.alternatives):
        # The token may bring the space before the word along, and nothing else.
        if seen <= end < seen + len(token):
            return index if not token[: end - seen].strip() else None
        seen += len(token)
    return None
