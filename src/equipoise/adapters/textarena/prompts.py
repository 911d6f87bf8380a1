"""Words for any environment of TextArena: its own, marked as such line by line."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.games.rules import Rules
from equipoise.prompts.base import MARKER, Renderer
from equipoise.tasks.base import View
from equipoise.types import Action, Decision

__all__ = ["TextArenaPrompts"]


class TextArenaPrompts(Renderer):
    """What the environment shows, each line after ``> ``, so that nothing in it passes for anybody else."""

    game = "textarena"

    def rules(self, game: Rules) -> str:
        """Return what kind of game it is and the form of an answer."""
        return (
            f"You play {game.info_record.title}, a game in words against one other player. Lines that begin "
            'with ">" are the game\'s. Answer with your move or with what you say, in the form the game asks '
            "for, and nothing else.\n\n"
        )

    def situation(self, decision: Decision) -> str:
        """Return what the seat was shown."""
        view = decision.observation
        assert isinstance(view, View)
        shown = [line for one in view.lines for line in one.text.strip().splitlines()]
        return "\n".join([*(f"> {line}" for line in shown), f"You are {view.name}. It is your turn."])

    def parse(self, text: str, legal: Sequence[Action]) -> Action | None:
        """Return the answer without a leading ``Action:``; None if nothing is left."""
        said = text.strip()
        if said.casefold().startswith(MARKER.casefold()):
            said = said[len(MARKER) :].strip()
        return said or None
