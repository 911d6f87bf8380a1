"""Words for any game of OpenSpiel: its name, its own strings, and the legal actions."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.adapters.openspiel.names import plain
from equipoise.games.rules import Rules
from equipoise.prompts.base import MARKER, Renderer, parse_action
from equipoise.types import Action, Decision

__all__ = ["OpenSpielPrompts"]


class OpenSpielPrompts(Renderer):
    """What is at stake, then what the seat knows in the game's notation, and its legal actions."""

    game = "openspiel"

    def rules(self, game: Rules) -> str:
        """Return the game's name, its payoffs and the form of an answer."""
        info = game.info_record
        low, high = info.payoff_bounds
        against = " What one wins, the other loses." if info.zero_sum else ""
        return (
            f"You play {info.title} ({info.id.partition(':')[2]}) against one other player. At the end each "
            f"of you gets between {low:g} and {high:g} points.{against} You are told what you know in the "
            "notation of the game, and then your legal actions. "
            f'Answer with one line: "{MARKER}" and then one of the legal actions.\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return the seat, the information state, what is seen now, and the legal actions."""
        info = decision.info
        state = str(info["information_state"]).strip()
        known = [f"You are player {info['seat']}.", f"What you know: {state}"]
        if info["observation"] and info["observation"] != info["information_state"]:
            known.append(f"What you see now: {str(info['observation']).strip()}")
        legal = ", ".join(map(self.say, decision.legal or ()))
        return "\n".join([*known, f"Legal actions: {legal}"])

    def parse(self, text: str, legal: Sequence[Action]) -> Action | None:
        """Return the one legal action that the last line names, else None."""
        return parse_action(text, {plain(self.say(action)): action for action in legal})
