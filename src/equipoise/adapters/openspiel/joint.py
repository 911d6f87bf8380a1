"""Policies of this package as a policy of OpenSpiel, which is joint: it answers for every player."""

from __future__ import annotations

from typing import Any

from open_spiel.python import policy as spiel_policy

from equipoise.adapters.layout import layout_of
from equipoise.adapters.openspiel.outward import position_of
from equipoise.policies.base import Policy
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, Seat

__all__ = ["JointPolicy"]


class JointPolicy(spiel_policy.Policy):  # type: ignore[misc]
    """One policy a seat, asked for its probabilities wherever OpenSpiel asks."""

    def __init__(self, game: Any, policies: tuple[Policy, Policy]) -> None:
        """Take a game made by ``as_openspiel``, converted to turns or not, and the policies by seat."""
        super().__init__(game, [0, 1])
        self._policies = policies

    def action_probabilities(self, state: Any, player_id: Seat | None = None) -> dict[int, float]:
        """Return the probability of every legal action of the player to move.

        Raises:
            NoProbabilitiesError: The policy gives none.
        """
        seat: Seat = state.current_player() if player_id is None else player_id
        at = position_of(state)
        round_ = at.state.round
        decision = Decision(
            rules=at.game,
            episode="",
            seat=seat,
            round=round_,
            step=0,
            index=round_,
            legal=at.state.legal_actions(seat),
            observation=at.state.observation(seat),
            history=at.histories[seat],
            draws=DecisionDraws("", ""),
        )
        (row,) = self._policies[seat].probabilities([decision])
        actions = layout_of(at.game).actions
        return {actions.index(action): float(row.get(action, 0.0)) for action in decision.legal or ()}
