"""Words for the repeated first-price auction."""

from __future__ import annotations

from typing import Any

from equipoise.games.auction import ACTIONS
from equipoise.prompts.panels.auction import PANEL
from equipoise.prompts.wording import Fields, WordedRenderer

__all__ = ["AuctionPrompts"]


class AuctionPrompts(WordedRenderer):
    """Rules, then the value and the past rounds with the latest last.

    Fields: ``LOW``, ``MEDIUM`` and ``HIGH`` are the words for the bids; ``value`` is the own value, now or in
    a past round, ``own`` and ``other`` the bids of a past round, ``result`` the part ``won`` or ``lost``;
    ``note`` is a part.
    """

    game = "auction"
    panel = PANEL

    def terms(self, options: Any) -> Fields:
        """Return the words and the number of rounds."""
        words = {action: self.say(action) for action in ACTIONS}
        return {**words, "rounds": options.rounds, "note": self.part("note")}

    def state(self, info: Any) -> Fields:
        """Return the round and the value."""
        return {"n": info["round"] + 1, "rounds": info["rounds"], "value": info["value"]}

    def rows(self, info: Any) -> list[Fields]:
        """Return value, bids and winner of every past round."""
        seen = zip(info["own_values"], info["own_bids"], info["other_bids"], info["won"], strict=True)
        return [
            {
                "value": value,
                "own": self.say(own),
                "other": self.say(other),
                "result": self.part("won" if won else "lost"),
            }
            for value, own, other, won in seen
        ]
