"""A person at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from equipoise.policies.base import Policy
from equipoise.prompts.registry import get_renderer
from equipoise.types import Choice, Decision, Validity

__all__ = ["HumanPolicy"]


class HumanPolicy(Policy):
    """Shows the situation and reads an action; a slip is asked again, the end of input ends the play."""

    name = "human"
    strict = False

    def __init__(self, read: Callable[[str], str] = input, show: Callable[[str], None] = print) -> None:
        """Take how to read a line and how to show text."""
        self._read, self._show = read, show

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Ask for every decision in turn."""
        return [self._ask(decision) for decision in decisions]

    def _ask(self, decision: Decision) -> Choice:
        renderer = get_renderer(decision.rules.name)
        legal = decision.legal or ()
        words = [renderer.say(action) for action in legal]
        if decision.retry:
            self._show("That names no action, or more than one.")
        self._show(renderer.situation(decision))
        text = self._read(f"{' / '.join(words)}> ")
        action = renderer.parse(text, legal)
        if action is None:
            # A prefix is enough for a person; it must not be ambiguous.
            start = text.strip().casefold()
            near = [a for a, word in zip(legal, words, strict=True) if word.casefold().startswith(start)]
            action = near[0] if len(near) == 1 and start else None
        if action is None:
            return Choice(None, Validity.INVALID, detail=f"{text!r} names no action")
        return Choice(action)
