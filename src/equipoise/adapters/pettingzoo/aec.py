"""A game as PettingZoo's ``AECEnv``: seats act one after the other."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from equipoise.adapters.pettingzoo.table import AGENTS, Table
from equipoise.adapters.scores import report
from equipoise.games.base import Game
from equipoise.types import Seat

__all__ = ["TurnEnv"]


class TurnEnv(AECEnv):  # type: ignore[misc]
    """Rewards are a round's payoffs, given when it ends; ``infos`` then hold the rest of its outcome.

    Attributes:
        actions: The game's actions, in the order of their numbers.
    """

    def __init__(self, game: Game, text: bool = False) -> None:
        """Take the game and whether observations hold words."""
        super().__init__()
        self._table = Table(game, text)
        self.metadata = {"name": f"equipoise_{game.name}_v{game.info_record.version}", "render_modes": []}
        self.render_mode = None
        self.actions = self._table.view.layout.actions
        self.possible_agents = list(AGENTS)
        self._seats: dict[str, Seat] = {agent: seat for seat, agent in enumerate(AGENTS)}
        self._observations = {agent: self._table.view.observation_space() for agent in AGENTS}
        self._choices = {agent: self._table.view.action_space() for agent in AGENTS}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """Return the numbers of an agent's actions."""
        return self._choices[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; there are no options."""
        self._table.deal(seed)
        self._moves: dict[Seat, int] = {}
        self.agents = list(AGENTS)
        self.rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection = None
        self.agent_selection = AGENTS[self._table.match.players_to_move[0]]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent is shown."""
        return self._table.observe(self._seats[agent])

    def step(self, action: int | None) -> None:
        """Let the selected agent act (None once it is done)."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        # What a round came to stays there until its agent has seen it.
        self.infos[agent] = {}
        self._moves[self._seats[agent]] = action
        waiting = [seat for seat in self._table.match.players_to_move if seat not in self._moves]
        if not waiting:
            self._settle()
            waiting = list(self._table.match.players_to_move) or [0]
        self.agent_selection = AGENTS[waiting[0]]
        self._accumulate_rewards()

    def _settle(self) -> None:
        """Play the moves that were kept back, and hand out what came of them."""
        outcomes, self._moves = self._table.play(self._moves), {}
        for agent, seat in self._seats.items():
            self.rewards[agent] = float(sum(outcome.payoffs[seat] for outcome in outcomes))
            self.infos[agent] = report(outcomes, seat)
        if self._table.match.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
