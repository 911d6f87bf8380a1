"""Words for the negotiation over one pie."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.games.split import PIE
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Decision

__all__ = ["SplitPrompts"]


class SplitPrompts(Renderer):
    """Rules, then the past demands with the latest last."""

    game = "split"

    def rules(self, game: Game) -> str:
        """Return the rules."""
        return (
            f"You and one other player share {PIE} points each round. Both demand a whole number from 1 to "
            f"{PIE - 1} at the same time. If the two demands sum to {PIE} or less, each gets its demand; if "
            f"not, both get 0. The game lasts {game.options.rounds} rounds. Past rounds are shown as pairs, "
            f'your demand first. Answer with one line: "{MARKER}" and then the number.\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return the round to play and the past demands, a pair each."""
        info = decision.info
        pairs = zip(info["own"], info["other"], strict=True)  # type: ignore[call-overload]
        past = " ".join(f"{own}-{other}" for own, other in pairs)
        return f"Round {decision.round + 1} of {info['rounds']}. Past: {past or 'none'}"
