"""What the engine is asked to play, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from equipoise.games.base import Environment
from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy
from equipoise.rollout.deals import Deal
from equipoise.types import Action, Decision, Episode, Seat

__all__ = ["EpisodeRequest", "InvalidRule", "Played", "seated"]


@dataclass(frozen=True, slots=True)
class InvalidRule:
    """What happens when a policy gives no valid answer; the same in training and audit.

    Attributes:
        retries: How often the same decision is asked again.
        then: ``fallback`` plays an action in its place, ``forfeit`` ends the episode at the seat's cost.
        fallback: The action to play; None draws uniformly from the legal ones.
    """

    retries: int = 1
    then: Literal["fallback", "forfeit"] = "fallback"
    fallback: Action | None = None


@dataclass(frozen=True, slots=True)
class EpisodeRequest:
    """One episode to play.

    Attributes:
        game: The rules.
        deal: The deal that fixes chance and the opponents' draws.
        pool: The pool the opponent was drawn from.
        opponent: Name of the opponent.
        seat: Seat of the policy under study.
        players: The policy at every seat.
        rollout: Index in the group.
        tag: Sets the draws of otherwise equal episodes apart, e.g. the training step.
        environment: Builds another environment than the game's own.
        also: Further seats at which the policy under study learns: their draws belong to the rollout, like
            its own, and not to the deal, like an opponent's.
    """

    game: Rules
    deal: Deal
    pool: str
    opponent: str
    seat: Seat
    players: tuple[AnyPolicy, ...]
    rollout: int = 0
    tag: str = ""
    environment: Callable[[Deal], Environment] | None = None
    also: tuple[Seat, ...] = ()

    @property
    def id(self) -> str:
        """Unique within a file: pool, opponent, deal, seat, rollout and tag."""
        parts = [self.pool, self.opponent, str(self.deal.index), str(self.seat), str(self.rollout)]
        return "/".join([*parts, self.tag] if self.tag else parts)

    def start(self) -> Environment:
        """Return the environment, ready to play."""
        if self.environment is not None:
            return self.environment(self.deal)
        return self.game.start(self.deal.index, self.deal.chance)


def seated(policy: AnyPolicy, opponent: AnyPolicy, seat: Seat, seats: int) -> tuple[AnyPolicy, ...]:
    """Return who sits where: the policy at its seat, the opponent at all others, if there are any."""
    return tuple(policy if place == seat else opponent for place in range(seats))


@dataclass(frozen=True, slots=True)
class Played:
    """A finished episode, with the decisions of the policy under study as they were asked."""

    episode: Episode
    decisions: tuple[Decision, ...] = field(default=())
