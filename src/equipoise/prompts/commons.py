"""Words for the shared resource."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.games.commons import CAPACITY
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Decision

__all__ = ["CommonsPrompts"]


class CommonsPrompts(Renderer):
    """Rules, then stock and past requests with the latest last."""

    game = "commons"

    def rules(self, game: Game) -> str:
        """Return the rules."""
        return (
            f"You and one other player draw on a stock of {CAPACITY} units. Each round both request LOW (1 "
            "unit), MEDIUM (2) or HIGH (3) at the same time. If the stock covers both, each gets its "
            "request; if not, it is divided in proportion. Then the stock regrows by 2 if 3 units or less "
            f"were taken, by 1 if 4 were taken, up to {CAPACITY}; an empty stock stays empty. The game lasts "
            f"{game.options.rounds} rounds. Past rounds are shown as pairs, your request first, by first "
            f'letters. Answer with the line "{MARKER} LOW", "{MARKER} MEDIUM" or "{MARKER} HIGH".\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return the round to play, the stock and the past requests, a pair of letters each."""
        info = decision.info
        pairs = zip(info["own"], info["other"], strict=True)  # type: ignore[call-overload]
        past = " ".join(f"{own[0]}{other[0]}" for own, other in pairs)
        now = f"Round {decision.round + 1} of {info['rounds']}. Stock: {info['stock']}."
        return f"{now} Past: {past or 'none'}"
