"""Words for any environment of PettingZoo: its name, what was shown and done, and the legal actions."""

from __future__ import annotations

from equipoise.games.rules import Rules
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Decision

__all__ = ["PettingZooPrompts"]


class PettingZooPrompts(Renderer):
    """What is at stake, then what the seat was shown, as JSON, and its legal actions, as numbers."""

    game = "pettingzoo"

    def rules(self, game: Rules) -> str:
        """Return the environment's name, its payoffs and the form of an answer."""
        info = game.info_record
        low, high = info.payoff_bounds
        against = " What one wins, the other loses." if info.zero_sum else ""
        return (
            f"You play {info.title}, an environment of PettingZoo, against one other player. In the end each "
            f"of you has between {low:g} and {high:g} points.{against} Observations are the environment's "
            "own, as JSON. Actions are numbers. "
            f'Answer with one line: "{MARKER}" and then one of the legal actions.\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return the seat, what it was shown and did, what it is shown now, and the legal actions."""
        info = decision.info
        past = info["past"]
        assert isinstance(past, tuple)
        lines = [f"You are player {info['seat']}."]
        lines += [f"You saw {shown} and chose {action}." for shown, action in past]
        lines.append(f"You see {info['observation']}")
        lines.append(f"Legal actions: {', '.join(map(self.say, decision.legal or ()))}")
        return "\n".join(lines)
