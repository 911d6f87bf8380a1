"""One seat of a game as a Gymnasium environment, a policy on the other."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import gymnasium

from equipoise.adapters.pettingzoo.table import Seeds, Viewer
from equipoise.adapters.scores import report
from equipoise.adapters.seats import SeatEpisode, local_opponent
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.types import Seat

__all__ = ["SeatEnv"]


class SeatEnv(gymnasium.Env):  # type: ignore[misc]
    """Rewards are own payoffs of the rounds that a step ended; ``info`` holds the rest of their outcome.

    An action that is not legal forfeits the episode; ``info["illegal"]`` says so.

    Attributes:
        actions: The game's actions, in the order of their numbers.
        opponent: The policy on the other seat.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(self, game: Game, opponent: Any, seat: Seat = 0, text: bool = False) -> None:
        """Take the game, the opponent, the seat and whether observations hold words.

        Raises:
            RequestError: There is no such opponent or seat.
        """
        if seat not in range(game.info_record.seats):
            raise RequestError(f"seat {seat}: {game.name} has the seats 0 and 1")
        self.opponent, self.render_mode = local_opponent(opponent, game), None
        self._game, self._seat, self._view, self._seeds = game, seat, Viewer(game, text), Seeds(game)
        self.actions = self._view.layout.actions
        self.action_space = self._view.action_space()
        self.observation_space = self._view.observation_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode, deal 0 of the seed or the next deal; there are no options."""
        super().reset(seed=seed)
        self._episode = SeatEpisode(self._game, self.opponent, self._seat, self._seeds.next(seed))
        self._seen: Hashable = None
        return self._look(), {}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Act, and let the opponent act until the seat is asked again."""
        episode, before = self._episode, len(self._episode.outcomes)
        if episode.decision is None:
            raise RequestError("the episode is over: call reset")
        wanted = self._view.layout.action(action)
        illegal = wanted not in (episode.decision.legal or ())
        if illegal:
            episode.forfeit()
        else:
            episode.act(wanted)
        ended = episode.outcomes[before:]
        info = {**report(ended, self._seat), **({"illegal": True} if illegal else {})}
        reward = float(sum(outcome.payoffs[self._seat] for outcome in ended))
        return self._look(), reward, episode.decision is None, False, info

    def _look(self) -> dict[str, Any]:
        match = self._episode.match
        if self._episode.decision is not None:
            self._seen = self._episode.decision.observation
        return self._view.look(match, self._seat, self._seen)
