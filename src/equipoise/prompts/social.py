"""Words for the dialogue task.

Rules first, the talk and the coach's advice last. What people say stands in quotation marks with line breaks
and quotes escaped, so that no text can pass for another speaker's line or for the task's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from equipoise.games.rules import Rules
from equipoise.prompts.base import MARKER, Prompt, Renderer, flat, quoted
from equipoise.tasks.base import Line, View
from equipoise.tasks.social.acts import LIMIT, Kind, kind_of
from equipoise.types import Action, Decision

__all__ = ["SocialPrompts"]

_RULES = (
    "You are one of two people in a conversation. Both have a goal of their own, and you are judged by "
    "how far you reach yours.\n"
    "You take turns. In your turn, answer with one of these and nothing else:\n"
    f"- what you say, in your own voice, in one to three sentences (at most {LIMIT} characters are heard);\n"
    "- [none] to say nothing (two silent turns in a row end the conversation);\n"
    "- [leave] to end the conversation.{full}\n"
    'An agreement needs an offer by one side, such as "How about X?" or "I propose: X.", and the other '
    "side's "
    'plain acceptance of the same offer, such as "I accept X." or "Deal.". An offer names everything: the '
    'price, the time, or who gets what ("I get A and B; you get C."). Conditions, hints and two offers at '
    "once bind nobody, and you cannot speak for the other side."
)

_BRIEF = "Two people talk. Each has a goal of its own, and is judged by how far it reaches it.\n\n"
_HEARD = 160
"""Characters of the other side's last turn that a brief prompt shows."""

_FULL = (
    "\n- [non-verbal] followed by a gesture, or [action] followed by what you do; neither can offer or "
    "accept anything."
)


class SocialPrompts(Renderer):
    """The rules of the conversation, then who one is, what was said, and what the coach advises."""

    game = "social"

    def rules(self, game: Rules) -> str:
        """Return the rules and the form of an answer."""
        return _RULES.format(full=_FULL if game.options.actions == "full" else "") + "\n\n"

    def situation(self, decision: Decision) -> str:
        """Return what the seat knows now, and the question."""
        view = decision.observation
        assert isinstance(view, View)
        said = [_said(line) for line in view.lines] or ["Nobody has spoken yet."]
        parts = [
            f"You are {view.name}. You talk to {', '.join(view.others)}.",
            f"Setting: {flat(view.setting)}",
            f"Your goal: {flat(view.goal)}",
            *(f"Only you know: {flat(one)}" for one in view.private),
            "So far:",
            *said,
            f"This is your turn {view.turn + 1} of at most {view.turns}. What do you say, {view.name}?",
        ]
        return "\n".join(parts)

    def brief(self, decision: Decision) -> Prompt:
        """Return the goal, the private figures and what was said last."""
        view = decision.observation
        assert isinstance(view, View)
        last = view.lines[-1].text[:_HEARD] if view.lines else ""
        parts = [
            f"{view.name}'s goal: {flat(view.goal)}",
            *(flat(one) for one in view.private),
            f"{view.lines[-1].speaker}: {quoted(last)}" if last else "Nothing was said just now.",
            f"Turn {view.turn + 1} of {view.turns}.",
        ]
        return Prompt(_BRIEF, "\n".join(parts))

    def parse(self, text: str, legal: Sequence[Action]) -> Action | None:
        """Return the turn: the whole reply, or what follows the last line that begins with ``Action:``.

        Nothing at all is no turn: silence is said as ``[none]``.
        """
        lines = text.strip().split("\n")
        starts = [k for k, line in enumerate(lines) if line.strip().casefold().startswith(MARKER.casefold())]
        if starts:
            first = lines[starts[-1]].strip()[len(MARKER) :]
            lines = [first, *lines[starts[-1] + 1 :]]
        return "\n".join(lines).strip() or None


def _said(line: Line) -> str:
    if kind_of(line.text) is Kind.NONE and not line.text.strip():
        return f"{line.speaker} says nothing."
    return f"{line.speaker}: {json.dumps(line.text, ensure_ascii=False)}"
