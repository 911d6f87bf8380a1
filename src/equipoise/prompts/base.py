"""How a decision becomes words, and how words become an action.

Rules know nothing of text: each game has one :class:`Renderer`. A prompt puts what never changes (the rules)
first and what changes (the situation) last, so that a shared prefix is encoded once; it is built anew from
the information state at every decision, so that the policy is a function of what it knows.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from equipoise.games.rules import Rules
from equipoise.types import Action, Decision

__all__ = ["MARKER", "PLAIN", "Prompt", "Renderer", "flat", "parse_action", "quoted", "told"]

MARKER = "Action:"
"""The words after which an answer names its action; prefilled in ``choose`` mode."""

PLAIN = "plain"
"""The wording that every game has, and that is used unless another one is asked for."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt in two parts; the full text is ``rules`` + ``situation``.

    Attributes:
        rules: The part that is the same for every decision of a game.
        situation: The part that depends on the information state.
    """

    rules: str
    situation: str


class Renderer(ABC):
    """Words for one game.

    Attributes:
        game: The game's name.
        wording: The name of this way of putting it, among those of the game's panel.
    """

    game: str
    wording: str = PLAIN

    @abstractmethod
    def rules(self, game: Rules) -> str:
        """Return the rules and the form of an answer, ending in a blank line."""

    @abstractmethod
    def situation(self, decision: Decision) -> str:
        """Return what the seat knows now, and the question."""

    def brief(self, decision: Decision) -> Prompt:
        """Return rules and situation in few words, for whoever advises; long texts have others."""
        return Prompt(self.rules(decision.rules), self.situation(decision))

    def say(self, action: Action) -> str:
        """Return the word(s) for an action."""
        return str(action)

    def parse(self, text: str, legal: Sequence[Action]) -> Action | None:
        """Return the one legal action that the last line names, else None."""
        return parse_action(text, {self.say(action): action for action in legal})

    def prompt(self, decision: Decision) -> Prompt:
        """Return the prompt for a decision, a strategist's advice last."""
        return Prompt(self.rules(decision.rules), self.situation(decision) + told(decision.advice))


def told(advice: Sequence[str]) -> str:
    """Return what a strategist said so far, in words for the actor; nothing if nobody advises."""
    if not advice:
        return ""
    *before, newest = (quoted(text) for text in advice)
    earlier = f"Your coach said before: {', '.join(before)}. " if before else ""
    return f"\n{earlier}Your coach advises you now, in private: {newest}"


def flat(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def quoted(text: str) -> str:
    """Return a text on one line in quotation marks that nothing in it can close."""
    return json.dumps(flat(text), ensure_ascii=False)


def parse_action(text: str, words: dict[str, Action]) -> Action | None:
    """Read the action from the last non-empty line of an answer.

    The line is the action's word, optionally after ``Action:``, optionally in markup or quotes, optionally
    with a final full stop; nothing else. "No defection yet" names no action; "COOPERATE or DEFECT" names two.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return None
    last = re.sub(rf"^{re.escape(MARKER)}", "", lines[-1].strip("*_`\"' "), flags=re.IGNORECASE)
    last = last.strip("*_`\"' \t.")
    folded = {word.casefold(): action for word, action in words.items()}
    return folded.get(last.casefold())
