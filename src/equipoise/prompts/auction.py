"""Words for the repeated first-price auction."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Decision

__all__ = ["AuctionPrompts"]


class AuctionPrompts(Renderer):
    """Rules, then the value and the past rounds with the latest last."""

    game = "auction"

    def rules(self, game: Game) -> str:
        """Return the rules."""
        return (
            "You bid against one other player. Each round both draw a private value, 2 or 4, and bid LOW "
            "(1), MEDIUM (2) or HIGH (3) at the same time. The higher bid wins, a coin decides a tie. The "
            "winner gets its value minus its bid, the other 0. Afterwards both bids and the winner are "
            f"told, values never. The game lasts {game.options.rounds} rounds. Past rounds are shown as "
            "your value, your bid and the other's by first letter, and w (won) or l (lost). Answer with "
            f'the line "{MARKER} LOW", "{MARKER} MEDIUM" or "{MARKER} HIGH".\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return the round, the value, and the past rounds as in ``4MLw``."""
        info = decision.info
        rows = zip(info["own_values"], info["own_bids"], info["other_bids"], info["won"], strict=True)  # type: ignore[call-overload]
        past = " ".join(f"{value}{own[0]}{other[0]}{'w' if won else 'l'}" for value, own, other, won in rows)
        now = f"Round {decision.round + 1} of {info['rounds']}. Your value: {info['value']}."
        return f"{now} Past: {past or 'none'}"
