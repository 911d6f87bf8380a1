"""Words for the iterated prisoner's dilemma."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Decision

__all__ = ["PrisonersDilemmaPrompts"]


class PrisonersDilemmaPrompts(Renderer):
    """Rules and history; the last round of the history comes last."""

    game = "ipd"

    def rules(self, game: Game) -> str:
        """Return the rules with the payoffs in force."""
        o = game.options
        length = (
            f"The game lasts {o.rounds} rounds."
            if o.continuation == 1.0
            else f"After each round another follows with probability {o.continuation:g}."
        )
        noise = (
            f" Each chosen action is flipped with probability {o.noise:g} before it counts."
            if o.noise
            else ""
        )
        return (
            "You play a repeated game with one other player. Each round both of you choose COOPERATE or "
            f"DEFECT at the same time. Both COOPERATE: {o.reward:g} points each. Both DEFECT: "
            f"{o.punishment:g} each. If one defects alone, that one gets {o.temptation:g} and the other "
            f"{o.sucker:g}. {length}{noise} Past rounds are shown as pairs, your action "
            "first, C for COOPERATE and D for DEFECT. Answer with the line "
            f'"{MARKER} COOPERATE" or "{MARKER} DEFECT".\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return the round to play and the past ones, a pair of letters each."""
        info = decision.info
        pairs = zip(info["own"], info["other"], strict=True)  # type: ignore[call-overload]
        past = " ".join(f"{own[0]}{other[0]}" for own, other in pairs)
        rounds = info["rounds"]
        of = f" of {rounds}" if rounds is not None else ""
        # The history comes last: prompts of one round share all that their histories share.
        return f"Round {decision.round + 1}{of}. Past: {past or 'none'}"
