"""Small environments of PettingZoo, made for tests and registered under ``tests/``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pettingzoo
from gymnasium.spaces import Box, Discrete
from pettingzoo import AECEnv

__all__ = ["Coin", "register_all"]


class Coin(AECEnv):
    """Both guess a coin that is tossed at the reset; who is right gets ``prize``. The second sees nothing."""

    metadata: ClassVar[dict[str, Any]] = {"name": "coin_v0", "render_modes": []}

    def __init__(
        self, prize: float = 2.0, agents: int = 2, endless: bool = False, boxed: bool = False
    ) -> None:
        super().__init__()
        self.prize, self.endless = prize, endless
        self.possible_agents = [f"player_{number}" for number in range(agents)]
        space = Box(0.0, 1.0, (1,)) if boxed else Discrete(2, start=1)
        self.observation_spaces = {agent: Discrete(2) for agent in self.possible_agents}
        self.action_spaces = dict.fromkeys(self.possible_agents, space)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.coin = int(np.random.default_rng(seed).integers(2)) + 1
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> int:
        return 0

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.rewards[agent] = self.prize * (action == self.coin)
        last = agent == self.agents[-1]
        self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        if last and not self.endless:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()


def register_all() -> None:
    """Register the environments, once."""
    if "tests/coin-v0" not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "tests/coin-v0", entry_point=Coin)
