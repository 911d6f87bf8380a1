"""Words for the negotiation over several items."""

from __future__ import annotations

from typing import Any

from equipoise.prompts.panels.multi_issue import PANEL
from equipoise.prompts.wording import Fields, WordedRenderer
from equipoise.types import Action

__all__ = ["MultiIssuePrompts"]


class MultiIssuePrompts(WordedRenderer):
    """Rules, then pool, own values and the past demands with the latest last.

    Fields: ``over`` is the part ``unit10`` or ``pool10``; ``pool`` and ``values`` are written by the part
    ``bundle``, in which ``{0}``, ``{1}`` and ``{2}`` are books, hats and balls; so are ``own`` and ``other``,
    the demands of a past round, in which ``words`` may rename the quantities.
    """

    game = "multi_issue"
    panel = PANEL

    def terms(self, options: Any) -> Fields:
        """Return the valuation in force and the number of rounds."""
        return {"over": self.part(options.valuation), "rounds": options.rounds}

    def state(self, info: Any) -> Fields:
        """Return pool, values and the round to play."""
        bundle = self.text.parts["bundle"]
        # Pool and values come first in the texts: they stay, and the prompts of an episode share them.
        return {
            "pool": bundle.format(*info["pool"]),
            "values": bundle.format(*info["values"]),
            "n": info["round"] + 1,
            "rounds": info["rounds"],
        }

    def rows(self, info: Any) -> list[Fields]:
        """Return both demands of every past round."""
        pairs = zip(info["own"], info["other"], strict=True)
        return [{"own": self.say(own), "other": self.say(other)} for own, other in pairs]

    def say(self, action: Action) -> str:
        """Return a bundle as three numbers, as in ``2 1 0``."""
        if not isinstance(action, tuple):
            return str(action)
        return self.text.parts["bundle"].format(*(self.word(units) for units in action))
