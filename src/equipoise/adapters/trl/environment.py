"""One rollout of TRL as an episode of a game: the model calls ``play``, a policy answers on the other seat.

TRL (1.16, ``GRPOTrainer(environment_factory=...)``) makes instances, calls ``reset`` with the columns of a
row, offers every other public method as a tool, and asks for the reward when the rollout is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.adapters.seats import SeatEpisode
from equipoise.errors import RequestError
from equipoise.types import Seat

if TYPE_CHECKING:
    from equipoise.adapters.trl.factory import Environments

__all__ = ["GameEnvironment"]


class GameEnvironment:
    """A game between the model and an opponent of a pool."""

    def __init__(self, owner: Environments) -> None:
        """Take what all rollouts share: the game, its opponents, its objective."""
        self._owner = owner
        self._episode: SeatEpisode | None = None
        self._stream, self._deal, self._failures = ("", ""), 0, 0

    def reset(self, *, pool: str, opponent: str, seat: Seat, deal: int, **columns: Any) -> str:
        """Begin the episode of a row, and return what the model is told first.

        Args:
            pool: The pool the opponent stands for.
            opponent: Name of the opponent.
            seat: The model's seat.
            deal: Number of the deal: rollouts of one row share it.
            columns: Other columns of the row, not looked at.

        Raises:
            RequestError: There is no such opponent in that pool.
        """
        self._stream, self._deal, self._failures = (pool, opponent), deal, 0
        self._episode = self._owner.begin(pool, opponent, seat, deal)
        return self._told()

    def play(self, action: str) -> str:
        """Play an action of the game.

        Args:
            action: One of the actions that are legal now.

        Returns:
            What you know now, or that the game is over.
        """
        episode = self._begun()
        if episode.decision is None:
            return "The game is over."
        legal = episode.decision.legal or ()
        chosen = self._owner.renderer.parse(str(action), legal)
        if chosen is None:
            return self._failed()
        self._failures = 0
        episode.act(chosen)
        return self._told() or "The game is over."

    def get_reward(self) -> float:
        """Return the penalised return of the episode; rounds that were not played are forfeited."""
        episode = self._begun()
        if episode.decision is not None:
            episode.forfeit()
        return self._owner.reward(self._stream, self._deal, episode)

    def _begun(self) -> SeatEpisode:
        if self._episode is None:
            raise RequestError("reset the environment before it is played")
        return self._episode

    def _told(self) -> str:
        decision = self._begun().decision
        if decision is None:
            return ""
        return self._owner.renderer.prompt(decision).situation

    def _failed(self) -> str:
        """Ask again, or forfeit the game after too many answers in vain."""
        episode, renderer = self._begun(), self._owner.renderer
        assert episode.decision is not None
        self._failures += 1
        if self._failures > self._owner.retries:
            episode.forfeit()
            return "That is no legal action. You forfeit the game."
        legal = ", ".join(map(renderer.say, episode.decision.legal or ()))
        return f"That is no legal action. Legal now: {legal}. {self._told()}"
