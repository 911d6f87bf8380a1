"""Words for the iterated prisoner's dilemma."""

from __future__ import annotations

from typing import Any

from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.prompts.panels.ipd import PANEL
from equipoise.prompts.wording import Fields, WordedRenderer

__all__ = ["PrisonersDilemmaPrompts"]


class PrisonersDilemmaPrompts(WordedRenderer):
    """Rules and history; the last round of the history comes last.

    Fields: ``C`` and ``D`` are the words for the actions, ``d`` the second as a verb; the payoffs by their
    names; ``length``, ``noise`` and ``of`` are parts (``told`` or ``hidden``, ``noise``, ``of``); ``own`` and
    ``other`` are the actions of a past round.
    """

    game = "ipd"
    panel = PANEL

    def terms(self, options: Any) -> Fields:
        """Return the words, the payoffs and what holds under the options."""
        fields = {**self._words(), **options.model_dump()}
        length = self.part("told" if options.continuation == 1.0 else "hidden", **fields)
        noise = self.part("noise", **fields) if options.noise else ""
        return {**fields, "length": length, "noise": noise}

    def state(self, info: Any) -> Fields:
        """Return the round to play; where the horizon is hidden, not of how many."""
        rounds = info["rounds"]
        of = "" if rounds is None else self.part("of", rounds=rounds)
        # The history comes last: prompts of one round share all that their histories share.
        return {**self._words(), "n": info["round"] + 1, "of": of}

    def rows(self, info: Any) -> list[Fields]:
        """Return both actions of every past round."""
        pairs = zip(info["own"], info["other"], strict=True)
        return [{"own": self.say(own), "other": self.say(other)} for own, other in pairs]

    def _words(self) -> dict[str, str]:
        cooperate, defect = self.say(COOPERATE), self.say(DEFECT)
        return {"C": cooperate, "D": defect, "d": f"{defect.lower()}s"}
