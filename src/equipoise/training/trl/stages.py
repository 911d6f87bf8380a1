"""The training stages of a recipe with ``backend = "trl"``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig, SftConfig
from equipoise.training.data import make_examples
from equipoise.training.lora import REFERENCE, adapted_policy
from equipoise.training.recipe import Recipe
from equipoise.training.trl.examples import Examples, read_examples, rows_of
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.run import TrlSepo
from equipoise.training.trl.sft import TrlSft

__all__ = ["train_sepo", "train_sft"]


def train_sft(
    recipe: Recipe,
    game: Game,
    objective: Objective,
    settings: SftConfig,
    config: AuditConfig,
    player: Mapping[str, Any],
    met: Opponents,
    folder: Path,
    reporter: Reporter,
) -> None:
    """Do the warm start of a game, on every process that was started."""
    ranks = Ranks.here(recipe.device)
    policy = _policy(recipe, recipe.model, settings.seed, "sft", player, ranks, reporter)
    examples = _examples(recipe, game, objective, settings, met, reporter)
    origin = _origin(recipe, policy)
    TrlSft(
        game,
        objective,
        policy,
        settings,
        recipe.trl,
        examples,
        folder,
        ranks,
        reporter,
        origin,
        met,
        config.rule,
    ).run()


def train_sepo(
    recipe: Recipe,
    game: Game,
    objective: Objective,
    settings: SepoConfig,
    config: AuditConfig,
    player: Mapping[str, Any],
    met: Opponents,
    folder: Path,
    spec: str,
    name: str,
    reporter: Reporter,
) -> None:
    """Do a SEPO run of a game from what a spec names, on every process that was started."""
    ranks = Ranks.here(recipe.device)
    policy = _policy(recipe, spec, settings.seed, name, player, ranks, reporter)
    arena = Arena(game, objective, policy, settings, met, config.rule)
    origin = _origin(recipe, policy)
    TrlSepo(arena, policy, recipe.trl, folder, ranks, reporter, origin, name).run()


def _policy(
    recipe: Recipe,
    spec: str,
    seed: int,
    name: str,
    player: Mapping[str, Any],
    ranks: Ranks,
    reporter: Reporter,
) -> LocalPolicy:
    quiet = reporter.quiet or not ranks.main
    settings: dict[str, Any] = {"dtype": recipe.dtype, "device": ranks.device(recipe.device)}
    if recipe.trl.tuning == "full":
        return LocalPolicy.from_spec(spec, quiet=quiet, name=name, **settings, **player)
    policy = adapted_policy(spec, recipe.lora, seed, name, quiet=quiet, player=player, **settings)
    model = policy.loaded.model
    if REFERENCE in model.peft_config:
        # TRL keeps a copy of its own.
        model.delete_adapter(REFERENCE)
    return policy


def _examples(
    recipe: Recipe,
    game: Game,
    objective: Objective,
    settings: SftConfig,
    met: Opponents,
    reporter: Reporter,
) -> Examples:
    if recipe.trl.data is not None:
        return read_examples(Path(recipe.trl.data), game.info_record.key)
    made = make_examples(
        game,
        settings.recipe,
        settings.episodes,
        settings.seed,
        settings.validation,
        objective.pools,
        reporter,
        met.players,
    )
    return rows_of(made)


def _origin(recipe: Recipe, policy: LocalPolicy) -> dict[str, str]:
    return {"model": recipe.model, "fingerprint": policy.fingerprint}
