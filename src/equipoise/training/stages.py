"""The training stages of a recipe: what each starts from, trains and leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.auditing.exact.compile import compile_tree
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Uniform
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.policies.tabular import TabularPolicy
from equipoise.progress import Reporter
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.recipe import GameRecipe, Recipe
from equipoise.training.sepo import Sepo
from equipoise.training.table import SoftmaxTable, TabularLearner

if TYPE_CHECKING:
    from equipoise.policies.local.policy import LocalPolicy
    from equipoise.training.learner import Learner

__all__ = ["Stage", "base_policy", "opponents_of", "sft_done", "train_sepo", "train_sft"]


@dataclass(frozen=True)
class Stage:
    """A finished stage.

    Attributes:
        recipe: The recipe.
        folder: Its folder; the best weights are in ``best``.
    """

    recipe: Recipe
    folder: Path

    @property
    def best(self) -> Path:
        """The best weights."""
        return self.folder / "best"

    def load(self) -> Policy:
        """Return the policy with the best weights."""
        if self.recipe.model == "table":
            table = TabularPolicy.load(self.best / "table.json")
            table.name = self.folder.parent.name
            return table
        from equipoise.policies.local.policy import LocalPolicy

        return LocalPolicy.from_spec(
            f"{self.recipe.model}+{self.best}",
            quiet=True,
            name=self.folder.parent.name,
            **_settings(self.recipe),
            **_player(self.recipe),
        )


def sft_done(place: Path) -> bool:
    """Tell whether a game's folder holds a finished warm start."""
    return (place / "sft" / "train" / "done").exists()


def base_policy(recipe: Recipe, game: Game, quiet: bool) -> Policy:
    """Return the policy that everything starts from."""
    if recipe.model == "table":
        return _table(game, recipe.seed)
    from equipoise.policies.local.policy import LocalPolicy

    return LocalPolicy.from_spec(recipe.model, quiet=quiet, **_settings(recipe), **_player(recipe))


def opponents_of(recipe: Recipe, game: Game, config: AuditConfig) -> Opponents:
    """Load the opponents of a game; language models among them run as the recipe's own does."""
    pools = config.pools or default_pools(game.name)
    return Opponents.named(
        pools, game, config.exact, {}, {**_settings(recipe), **_player(recipe), "quiet": True}
    )


def train_sft(
    recipe: Recipe, game: Game, one: GameRecipe, config: AuditConfig, place: Path, reporter: Reporter
) -> Stage:
    """Do the warm start unless it is done; return where it is."""
    from equipoise.training.sft import Sft

    assert one.sft is not None
    settings = one.sft.model_copy(update={"seed": one.sft.seed + recipe.seed})
    stage = Stage(recipe, place / "sft" / "train")
    if not _done(stage):
        policy = _adapted(recipe, recipe.model, settings.seed, "sft", reporter)
        origin = {"model": recipe.model, "fingerprint": policy.fingerprint}
        met = opponents_of(recipe, game, config)
        objective = _objective(game, config)
        Sft(game, objective, policy, settings, stage.folder, reporter, origin, met, config.rule).run()
        _finish(stage)
    return stage


def train_sepo(
    recipe: Recipe,
    game: Game,
    settings: SepoConfig,
    config: AuditConfig,
    place: Path,
    start: Stage | None,
    reporter: Reporter,
) -> Stage:
    """Do a SEPO run unless it is done; return where it is."""
    settings = settings.model_copy(update={"seed": settings.seed + recipe.seed})
    stage = Stage(recipe, place / "train")
    if not _done(stage):
        learner, fingerprint = _learner(recipe, game, settings, start, place.name, reporter)
        origin = {"model": recipe.model, "fingerprint": fingerprint}
        objective = _objective(game, config)
        met = opponents_of(recipe, game, config)
        arena = Arena(game, objective, learner.policy, settings, met, config.rule)
        Sepo(arena, learner, stage.folder, reporter, origin, title=place.name).run()
        _finish(stage)
    return stage


def _learner(
    recipe: Recipe, game: Game, settings: SepoConfig, start: Stage | None, name: str, reporter: Reporter
) -> tuple[Learner, str]:
    if recipe.model == "table":
        table = _table(game, settings.seed)
        return TabularLearner(table, settings.max_grad_norm), table.fingerprint
    from equipoise.training.lora import LocalLearner
    from equipoise.training.tokens import TokenLearner

    spec = recipe.model if start is None else f"{recipe.model}+{start.best}"
    policy = _adapted(recipe, spec, settings.seed, name, reporter)
    norm, step = settings.max_grad_norm, settings.max_step_kl
    if recipe.mode == "choose":
        return LocalLearner(policy, norm, settings.rows, step), policy.fingerprint
    return TokenLearner(policy, norm, settings.pass_tokens, step), policy.fingerprint


def _adapted(recipe: Recipe, spec: str, seed: int, name: str, reporter: Reporter) -> LocalPolicy:
    from equipoise.training.lora import adapted_policy

    return adapted_policy(
        spec, recipe.lora, seed, name, quiet=reporter.quiet, player=_player(recipe), **_settings(recipe)
    )


def _table(game: Game, seed: int) -> SoftmaxTable:
    stage = game.stage()
    seats = (0,) if stage.info_record.symmetric else range(stage.info_record.seats)
    trees = [compile_tree(stage, {"random": Uniform()}, seat) for seat in seats]
    return SoftmaxTable.of(stage, trees, seed, spread=0.0)


def _objective(game: Game, config: AuditConfig) -> Objective:
    pools = config.pools or default_pools(game.name)
    return Objective.of(game.info_record, pools, config.weights)


def _settings(recipe: Recipe) -> dict[str, Any]:
    return {"dtype": recipe.dtype, "device": recipe.device}


def _player(recipe: Recipe) -> dict[str, Any]:
    """Return how the recipe's model decides."""
    return {
        name: getattr(recipe, name) for name in ("mode", "temperature", "thought_tokens", "max_new_tokens")
    }


def _done(stage: Stage) -> bool:
    return (stage.folder / "done").exists()


def _finish(stage: Stage) -> None:
    (stage.folder / "done").touch()
