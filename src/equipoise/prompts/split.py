"""Words for the negotiation over one pie."""

from __future__ import annotations

from typing import Any

from equipoise.games.split import PIE
from equipoise.prompts.panels.split import PANEL
from equipoise.prompts.wording import Fields, WordedRenderer

__all__ = ["SplitPrompts"]


class SplitPrompts(WordedRenderer):
    """Rules, then the past demands with the latest last.

    Fields: ``pie`` and ``most`` are the points and the largest demand; ``own`` and ``other`` are the demands
    of a past round.
    """

    game = "split"
    panel = PANEL

    def terms(self, options: Any) -> Fields:
        """Return the sizes and the number of rounds."""
        return {"pie": PIE, "most": PIE - 1, "rounds": options.rounds}

    def state(self, info: Any) -> Fields:
        """Return the round to play."""
        return {"n": info["round"] + 1, "rounds": info["rounds"]}

    def rows(self, info: Any) -> list[Fields]:
        """Return both demands of every past round."""
        pairs = zip(info["own"], info["other"], strict=True)
        return [{"own": self.say(own), "other": self.say(other)} for own, other in pairs]
