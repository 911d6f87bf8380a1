"""A game whose seats move at once as PettingZoo's ``ParallelEnv``."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv

from equipoise.adapters.pettingzoo.table import AGENTS, Table
from equipoise.adapters.scores import report
from equipoise.errors import RequestError
from equipoise.games.base import Game

__all__ = ["SimultaneousEnv"]


class SimultaneousEnv(ParallelEnv):  # type: ignore[misc]
    """Rewards are a round's payoffs; infos hold the rest of its outcome.

    Attributes:
        actions: The game's actions, in the order of their numbers.
    """

    def __init__(self, game: Game, text: bool = False) -> None:
        """Take the game and whether observations hold words.

        Raises:
            RequestError: Its seats move in turn.
        """
        if game.info_record.dynamics != "simultaneous":
            raise RequestError(f"the seats of {game.name!r} move in turn: use aec_env")
        self._table = Table(game, text)
        self.metadata = {"name": f"equipoise_{game.name}_v{game.info_record.version}", "render_modes": []}
        self.render_mode = None
        self.actions = self._table.view.layout.actions
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._observations = {agent: self._table.view.observation_space() for agent in AGENTS}
        self._choices = {agent: self._table.view.action_space() for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """Return the numbers of an agent's actions."""
        return self._choices[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode; there are no options."""
        self._table.deal(seed)
        self.agents = list(AGENTS)
        return self._look(), {agent: {} for agent in AGENTS}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Let both agents act."""
        outcomes = self._table.play({seat: actions[agent] for seat, agent in enumerate(AGENTS)})
        rewards = {
            agent: float(sum(outcome.payoffs[seat] for outcome in outcomes))
            for seat, agent in enumerate(AGENTS)
        }
        infos = {agent: report(outcomes, seat) for seat, agent in enumerate(AGENTS)}
        over = self._table.match.is_over
        if over:
            self.agents = []
        return self._look(), rewards, dict.fromkeys(AGENTS, over), dict.fromkeys(AGENTS, False), infos

    def _look(self) -> dict[str, Any]:
        return {agent: self._table.observe(seat) for seat, agent in enumerate(AGENTS)}
