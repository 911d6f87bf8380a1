"""Words for the shared resource."""

from __future__ import annotations

from typing import Any

from equipoise.games.commons import ACTIONS, CAPACITY
from equipoise.prompts.panels.commons import PANEL
from equipoise.prompts.wording import Fields, WordedRenderer

__all__ = ["CommonsPrompts"]


class CommonsPrompts(WordedRenderer):
    """Rules, then stock and past requests with the latest last.

    Fields: ``LOW``, ``MEDIUM`` and ``HIGH`` are the words for the requests; ``own`` and ``other`` are the
    requests of a past round; ``note`` is a part.
    """

    game = "commons"
    panel = PANEL

    def terms(self, options: Any) -> Fields:
        """Return the words, the largest stock and the number of rounds."""
        words = {action: self.say(action) for action in ACTIONS}
        return {**words, "capacity": CAPACITY, "rounds": options.rounds, "note": self.part("note")}

    def state(self, info: Any) -> Fields:
        """Return the round to play and the stock."""
        return {"n": info["round"] + 1, "rounds": info["rounds"], "stock": info["stock"]}

    def rows(self, info: Any) -> list[Fields]:
        """Return both requests of every past round."""
        pairs = zip(info["own"], info["other"], strict=True)
        return [{"own": self.say(own), "other": self.say(other)} for own, other in pairs]
