"""A small run: two rounds of the dilemma, one opponent a pool, a random model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.registry import load_game
from equipoise.training.arena import Arena
from equipoise.training.config import LoraSettings, SepoConfig
from equipoise.training.lora import adapted_policy
from equipoise.training.trl.run import TrlSepo
from equipoise.training.trl.settings import TrlSettings

POOLS = {"train": ["tit_for_tat"], "exploiter": ["always_defect"], "collusive": ["always_cooperate"]}


def policy_of(mode: str, spec: str = "tiny-random", seed: int = 0, history: str = "state") -> LocalPolicy:
    """Return a policy with a fresh adapter; what it writes freely is six tokens long."""
    loaded = adapted_policy(spec, LoraSettings(rank=2), seed, "sepo", quiet=True).loaded
    return LocalPolicy(loaded, mode, max_new_tokens=6, thought_tokens=4, name="sepo", history=history)


def arena_of(policy: Any, config: SepoConfig) -> Arena:
    game = load_game("ipd", {"rounds": 2})
    pools = default_pools("ipd").replace(POOLS)
    return Arena(game, Objective.of(game.info_record, pools, game.info_record.weights), policy, config)


def config_of(**changed: Any) -> SepoConfig:
    return SepoConfig(
        **{
            "steps": 2,
            "deals": 1,
            "rollouts": 2,
            "select_every": 2,
            "select_episodes": 1,
            "kl": 0.1,
            "lr": 1e-3,
            **changed,
        }
    )


def run_of(folder: Path, mode: str = "free", policy: LocalPolicy | None = None, **changed: Any) -> TrlSepo:
    settings = changed.pop("settings", TrlSettings())
    policy = policy or policy_of(mode)
    return TrlSepo(arena_of(policy, config_of(**changed)), policy, settings, folder)
