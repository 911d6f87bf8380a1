"""Words for the household task.

Rules first, the situation and the coach's advice last (see ``Renderer.prompt``). What was typed stands in
quotation marks with line breaks and quotes escaped, so that no text can pass for what the home shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from equipoise.games.rules import Rules
from equipoise.prompts.base import MARKER, Renderer, flat
from equipoise.tasks.base import Line, View
from equipoise.tasks.household.commands import read, say
from equipoise.types import Action, Decision

__all__ = ["HouseholdPrompts"]

_RULES = (
    "You are in a home and have an errand to do there by typing commands, one a step. The score is 1 if the "
    "errand is done before the steps are used up, else 0.\n"
    "The commands:\n"
    "- go to PLACE (in the room you are in), go to ROOM (next to it)\n"
    "- open PLACE, close PLACE\n"
    "- take THING from PLACE, move THING to PLACE (you stand at the place; you carry one thing at a time)\n"
    "- clean THING with PLACE, heat THING with PLACE, cool THING with PLACE (the thing in hand, at a sink, a "
    "stove, a fridge or the like)\n"
    "- use THING (a lamp), examine THING or PLACE, look, inventory\n"
    'Things and places have a kind and a number, such as "mug 1". A command that cannot be done changes '
    'nothing: "Nothing happens."\n'
    "Answer with a last line that holds the command and nothing else."
)


class HouseholdPrompts(Renderer):
    """The rules and the commands, then the errand, what was done, and what is possible now."""

    game = "household"

    def rules(self, game: Rules) -> str:
        """Return the rules and the form of an answer."""
        return f"{_RULES}\n\n"

    def situation(self, decision: Decision) -> str:
        """Return what the seat knows now, and the question."""
        view = decision.observation
        assert isinstance(view, View)
        done = [_line(line) for line in view.lines]
        options = [f"Possible now: {'; '.join(view.options)}."] if view.options else []
        parts = [
            f"Your errand: {flat(view.goal)}",
            f"At first: {flat(view.setting)}",
            *(["So far:", *done] if done else []),
            "Now:",
            *(flat(one) for one in view.private),
            *options,
            f"This is step {view.turn + 1} of at most {view.turns}. What do you type?",
        ]
        return "\n".join(parts)

    def parse(self, text: str, legal: Sequence[Action]) -> Action | None:
        """Return the command on the last line that is not blank, after ``Action:`` or ``>`` if it is there.

        A line that is no command of the grammar is passed on as it stands: games from outside have commands
        of their own, and in the package's worlds nothing happens then. Nothing at all is no answer.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not lines:
            return None
        last = re.sub(rf"^(?:{re.escape(MARKER)}|>)", "", lines[-1], flags=re.IGNORECASE).strip("*_`\"' \t")
        command = read(last)
        return say(command) if command is not None else last or None


def _line(line: Line) -> str:
    return f"You typed: {_quoted(line.text)}" if line.speaker else f"  {flat(line.text)}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
