"""What goes over the wire: an answer, what the player is told, and the record of an episode."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

__all__ = ["GameAction", "GameObservation", "GameState"]


class GameAction(Action):
    """An answer in words, read strictly: its last line is one legal action and nothing else."""

    text: str = Field(description="What the player says; the last line names a legal action")
    truncated: bool = Field(default=False, description="Whether the answer was cut off at a token budget")


class GameObservation(Observation):
    """What the player is told.

    The reward is the own payoff of the rounds that the step ended. ``metadata`` is for rewards of your own,
    not for the policy, since payoffs can tell what is hidden: ``payoffs`` (own, other's), ``collusion`` and
    ``externality`` of those rounds, and at the end ``scores`` and ``components`` (see :class:`GameState`).
    """

    game: str = Field(description="The game, as name@version")
    rules: str = Field(description="The part of the prompt that never changes")
    situation: str = Field(default="", description="The part of the prompt that says what the seat knows now")
    legal: list[str] = Field(default_factory=list, description="Words for the legal actions")
    info: dict[str, Any] = Field(default_factory=dict, description="What the seat knows, as data")
    retry: int = Field(default=0, description="How often this decision was asked before in vain")
    problem: str = Field(default="", description="Why the last answer was not valid")

    @property
    def prompt(self) -> str:
        """The whole prompt of a language model."""
        return self.rules + self.situation


class GameState(State):
    """The task in play and, once it is over, what the episode was worth."""

    split: str = Field(default="", description="train or report")
    task: int | None = Field(default=None, description="Number of the task in its split")
    pool: str = Field(default="", description="The pool the opponent stands for")
    opponent: str = Field(default="", description="Name of the opponent")
    deal: int | None = Field(default=None, description="Number of the deal")
    seat: int | None = Field(default=None, description="The player's seat")
    scores: dict[str, float] = Field(
        default_factory=dict, description="Means a round: own and opponent's payoff, terms; share of invalid"
    )
    components: dict[str, float] = Field(
        default_factory=dict, description="The episode's part of J by component, the gate of e open"
    )
    episode: dict[str, Any] | None = Field(default=None, description="The episode, as in a transcript")
