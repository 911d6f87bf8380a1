"""The training stages of a recipe: what each starts from, trains and leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.abstract import load_table
from equipoise.policies.base import Policy
from equipoise.progress import Reporter
from equipoise.training.arena import Arena
from equipoise.training.cast import everyone
from equipoise.training.config import SepoConfig
from equipoise.training.recipe import GameRecipe, Recipe
from equipoise.training.sepo import Sepo
from equipoise.training.tabular import new_table, table_learner, warm_table

if TYPE_CHECKING:
    from equipoise.policies.local.policy import LocalPolicy
    from equipoise.training.learner import Learner

__all__ = [
    "Stage",
    "adapted",
    "base_policy",
    "learner_of",
    "local_learner",
    "model_settings",
    "new_table",
    "objective_of",
    "opponents_of",
    "player_settings",
    "sft_done",
    "train_sepo",
    "train_sft",
]


@dataclass(frozen=True)
class Stage:
    """A finished stage.

    Attributes:
        recipe: The recipe.
        folder: Its folder; the best weights are in ``best``.
        game: The game; needed to load a table.
    """

    recipe: Recipe
    folder: Path
    game: Game | None = None

    @property
    def best(self) -> Path:
        """The best weights."""
        return self.folder / "best"

    @property
    def spec(self) -> str:
        """The spec of a language model with the best weights."""
        if self.recipe.backend == "trl" and self.recipe.trl.tuning == "full":
            return f"hf:{self.best}"
        return f"{self.recipe.model}+{self.best}"

    @property
    def done(self) -> bool:
        """Whether it is finished."""
        return (self.folder / "done").exists()

    def finish(self) -> None:
        """Mark it as finished."""
        (self.folder / "done").touch()

    def load(self) -> Policy:
        """Return the policy with the best weights."""
        if self.recipe.model == "table":
            assert self.game is not None
            table = load_table(self.best / "table.json", self.game)
            table.name = self.folder.parent.name
            return table
        from equipoise.policies.local.policy import LocalPolicy

        return LocalPolicy.from_spec(
            self.spec,
            quiet=True,
            name=self.folder.parent.name,
            **model_settings(self.recipe),
            **player_settings(self.recipe),
        )


def sft_done(place: Path) -> bool:
    """Tell whether a game's folder holds a finished warm start."""
    return (place / "sft" / "train" / "done").exists()


def base_policy(recipe: Recipe, game: Game, quiet: bool, abstraction: str | None = None) -> Policy:
    """Return the policy that everything starts from."""
    if recipe.model == "table":
        return new_table(game, recipe.seed, abstraction)
    from equipoise.policies.local.policy import LocalPolicy

    return LocalPolicy.from_spec(
        recipe.model, quiet=quiet, **model_settings(recipe), **player_settings(recipe)
    )


def opponents_of(
    recipe: Recipe, game: Game, config: AuditConfig, settings: SepoConfig | None = None
) -> Opponents:
    """Load the opponents of a game; language models among them run as the recipe's own does.

    Args:
        recipe: The recipe.
        game: The game.
        config: How it is audited; has the pools.
        settings: Settings of a run, which may name further opponents.
    """
    pools = config.pools or default_pools(game.name)
    if settings is not None:
        pools = everyone(pools, settings)
    played = {**model_settings(recipe), **player_settings(recipe), "quiet": True}
    return Opponents.named(pools, game, config.exact, {}, played)


def train_sft(
    recipe: Recipe, game: Game, one: GameRecipe, config: AuditConfig, place: Path, reporter: Reporter
) -> Stage:
    """Do the warm start unless it is done; return where it is."""
    assert one.sft is not None
    settings = one.sft.model_copy(update={"seed": one.sft.seed + recipe.seed})
    stage = Stage(recipe, place / "sft" / "train", game)
    if not stage.done:
        met = opponents_of(recipe, game, config)
        objective = objective_of(game, config)
        if recipe.model == "table":
            warm_table(game, settings, one.abstraction, objective.pools, met, reporter).save_weights(
                stage.best
            )
        elif recipe.backend == "trl":
            from equipoise.training.trl import stages as trl

            player = player_settings(recipe)
            trl.train_sft(recipe, game, objective, settings, config, player, met, stage.folder, reporter)
        else:
            from equipoise.training.sft import Sft

            policy = adapted(recipe, recipe.model, settings.seed, "sft", reporter)
            origin = {"model": recipe.model, "fingerprint": policy.fingerprint}
            Sft(game, objective, policy, settings, stage.folder, reporter, origin, met, config.rule).run()
        stage.finish()
    return stage


def train_sepo(
    recipe: Recipe,
    game: Game,
    settings: SepoConfig,
    config: AuditConfig,
    place: Path,
    start: Stage | None,
    reporter: Reporter,
    abstraction: str | None = None,
) -> Stage:
    """Do a SEPO run unless it is done; return where it is."""
    settings = settings.model_copy(update={"seed": settings.seed + recipe.seed})
    stage = Stage(recipe, place / "train", game)
    if not stage.done:
        objective = objective_of(game, config)
        met = opponents_of(recipe, game, config, settings)
        if recipe.backend == "trl":
            from equipoise.training.trl import stages as trl

            player, spec = player_settings(recipe), recipe.model if start is None else start.spec
            trl.train_sepo(
                recipe,
                game,
                objective,
                settings,
                config,
                player,
                met,
                stage.folder,
                spec,
                place.name,
                reporter,
            )
        else:
            learner, fingerprint = learner_of(
                recipe, game, settings, start, place.name, reporter, abstraction
            )
            origin = {"model": recipe.model, "fingerprint": fingerprint}
            arena = Arena(game, objective, learner.policy, settings, met, config.rule)
            Sepo(arena, learner, stage.folder, reporter, origin, title=place.name).run()
        stage.finish()
    return stage


def learner_of(
    recipe: Recipe,
    game: Game,
    settings: SepoConfig,
    start: Stage | None,
    name: str,
    reporter: Reporter,
    abstraction: str | None = None,
) -> tuple[Learner, str]:
    """Return what a run of one game trains, and the fingerprint of what it starts from."""
    if recipe.model == "table":
        file = None if start is None else start.best / "table.json"
        return table_learner(game, settings, file, abstraction)
    return local_learner(recipe, settings, start, name, reporter)


def local_learner(
    recipe: Recipe, settings: SepoConfig, start: Stage | None, name: str, reporter: Reporter
) -> tuple[Learner, str]:
    """Return a language model as a learner, from a warm start if there is one, and what it starts from."""
    from equipoise.training.lora import LocalLearner
    from equipoise.training.tokens import TokenLearner

    spec = recipe.model if start is None else start.spec
    policy = adapted(recipe, spec, settings.seed, name, reporter)
    norm, step = settings.max_grad_norm, settings.max_step_kl
    if recipe.mode == "choose":
        return LocalLearner(policy, norm, settings.rows, step), policy.fingerprint
    return TokenLearner(policy, norm, settings.pass_tokens, step), policy.fingerprint


def adapted(recipe: Recipe, spec: str, seed: int, name: str, reporter: Reporter) -> LocalPolicy:
    """Return the recipe's model with an adapter that is trained."""
    from equipoise.training.lora import adapted_policy

    player, model = player_settings(recipe), model_settings(recipe)
    return adapted_policy(spec, recipe.lora, seed, name, quiet=reporter.quiet, player=player, **model)


def objective_of(game: Game, config: AuditConfig) -> Objective:
    """Return what is maximised in a game."""
    pools = config.pools or default_pools(game.name)
    return Objective.of(game.info_record, pools, config.weights)


def model_settings(recipe: Recipe) -> dict[str, Any]:
    """Return the settings of the recipe's language models."""
    return {"dtype": recipe.dtype, "device": recipe.device}


def player_settings(recipe: Recipe) -> dict[str, Any]:
    """Return how the recipe's model decides."""
    names = ("mode", "temperature", "thought_tokens", "max_new_tokens", "history")
    return {name: getattr(recipe, name) for name in names}
