"""The stages of a joint run: one warm start and one SEPO run for several games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.auditing.run import AuditConfig
from equipoise.files import folder_name
from equipoise.games.base import Game
from equipoise.policies.abstract import load_table
from equipoise.policies.base import Policy
from equipoise.progress import Reporter
from equipoise.training.arena import Arena
from equipoise.training.arenas import Arenas
from equipoise.training.joint import JointRecipe, shares
from equipoise.training.joint_table import JointTable, JointTabularLearner
from equipoise.training.recipe import Recipe
from equipoise.training.sepo import Sepo
from equipoise.training.stages import (
    Stage,
    adapted,
    local_learner,
    new_table,
    objective_of,
    opponents_of,
)

if TYPE_CHECKING:
    from equipoise.training.learner import Learner

__all__ = ["Games", "JointStage", "train_joint", "train_joint_sft"]

Games = Mapping[str, tuple[Game, AuditConfig]]
"""The games of a joint run with how they are audited, by their names in the recipe."""


@dataclass(frozen=True)
class JointStage(Stage):
    """A finished stage of a joint run; a table is loaded for one of its games."""

    def load_for(self, game: Game) -> Policy:
        """Return the policy with the best weights, to play a game."""
        if self.recipe.model != "table":
            return self.load()
        table = load_table(self.best / f"{folder_name(game.info_record.id)}.json", game)
        table.name = self.folder.parent.name
        return table


def train_joint_sft(
    recipe: Recipe, run: JointRecipe, games: Games, place: Path, reporter: Reporter
) -> JointStage:
    """Do the warm start of a joint run unless it is done; return where it is."""
    from equipoise.training.joint_sft import JointSft, share_out
    from equipoise.training.sft import Sft

    assert run.sft is not None
    settings = run.sft.model_copy(update={"seed": run.sft.seed + recipe.seed})
    stage = JointStage(recipe, place / "train")
    if stage.done:
        return stage
    policy = adapted(recipe, recipe.model, settings.seed, place.name, reporter)
    counts = share_out(settings.batch, shares(run.games))
    parts = {
        name: Sft(
            game,
            objective_of(game, config),
            policy,
            settings.model_copy(update={"batch": counts[name]}),
            reporter=reporter,
            opponents=opponents_of(recipe, game, config),
            rule=config.rule,
        )
        for name, (game, config) in games.items()
    }
    origin = {"model": recipe.model, "fingerprint": policy.fingerprint}
    JointSft(parts, shares(run.games), policy, settings, stage.folder, reporter, origin).run()
    stage.finish()
    return stage


def train_joint(
    recipe: Recipe,
    run: JointRecipe,
    games: Games,
    place: Path,
    start: Stage | None,
    reporter: Reporter,
) -> JointStage:
    """Do a joint SEPO run unless it is done; return where it is."""
    stage = JointStage(recipe, place / "train")
    if stage.done:
        return stage
    seed = {"seed": run.seed + recipe.seed}
    common = run.settings().model_copy(update=seed)
    if recipe.model == "table":
        tables = [
            new_table(game, common.seed, recipe.games[name].abstraction) for name, (game, _) in games.items()
        ]
        table = JointTable(tables)
        learner: Learner = JointTabularLearner(table, common.max_grad_norm)
        fingerprint = table.fingerprint
    else:
        learner, fingerprint = local_learner(recipe, common, start, place.name, reporter)
    arenas = Arenas(
        common,
        {
            name: Arena(
                game,
                objective_of(game, config),
                learner.policy,
                run.settings(name).model_copy(update=seed),
                opponents_of(recipe, game, config, run.settings(name)),
                config.rule,
            )
            for name, (game, config) in games.items()
        },
        shares(run.games),
    )
    origin = {"model": recipe.model, "fingerprint": fingerprint}
    Sepo(arenas, learner, stage.folder, reporter, origin, title=place.name).run()
    stage.finish()
    return stage
