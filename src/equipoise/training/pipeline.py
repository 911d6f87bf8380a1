"""A whole recipe: audit, warm start, audit, SEPO, audit, and one table.

Every stage leaves its result in the run's folder; the same command takes up where it was interrupted and
prints the table at once when all is done.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import AuditResult, Difference, GameResult, paired
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError, unknown
from equipoise.files import claim, folder_name, write_json
from equipoise.games.base import Game, finite_game
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.policies.registry import load_game
from equipoise.progress import Reporter, silent
from equipoise.rollout.requests import InvalidRule
from equipoise.training.best_scripted import best_scripted
from equipoise.training.provenance import provenance
from equipoise.training.recipe import GameRecipe, Recipe, load_recipe
from equipoise.training.stages import (
    Stage,
    base_policy,
    opponents_of,
    sft_done,
    train_sepo,
    train_sft,
)
from equipoise.training.summary import Run
from equipoise.training.teachers import mixture_of

__all__ = ["STAGES", "run_recipe"]

STAGES = ("audit", "sft", "sepo")


def run_recipe(
    recipe: str,
    overrides: Sequence[str] = (),
    stages: Sequence[str] = STAGES,
    reporter: Reporter | None = None,
) -> Run:
    """Run a recipe, or some of its stages.

    Args:
        recipe: Name of a recipe that ships with the package, or a path.
        overrides: ``key=value`` with dotted keys; ``out=DIR`` sets the folder.
        stages: Which of ``audit``, ``sft`` and ``sepo`` to do.
        reporter: Shows progress.

    Raises:
        RequestError: The recipe is wrong, or the folder holds a run of another one.
    """
    for stage in stages:
        if stage not in STAGES:
            raise unknown("stage", stage, STAGES)
    resolved = load_recipe(recipe, overrides)
    folder = Path(resolved.out or f"runs/{resolved.name}")
    runner = _Runner(resolved, folder, tuple(stages), reporter or silent())
    runner.check()
    request = resolved.model_dump(mode="json", exclude={"out"})
    claim(folder, "recipe.json", request, "choose another out=DIR")
    if not (folder / "provenance.json").exists():
        write_json(folder / "provenance.json", provenance())
    _threads(resolved)
    runs = [runner.game(name, one) for name, one in resolved.games.items()]
    results = [result for found, _ in runs for result in found]
    differences = [difference for _, found in runs for difference in found]
    run = Run(folder, AuditResult(results, differences), resolved.name)
    if "audit" in stages:
        run.save()
    return run


@dataclass(frozen=True)
class _Runner:
    recipe: Recipe
    folder: Path
    stages: tuple[str, ...]
    reporter: Reporter

    def check(self) -> None:
        """Check that every warm start has teachers; better said before any work than between two games."""
        for name, one in self.recipe.games.items():
            if one.sft is not None and self.recipe.model != "table":
                game, config = self._prepare(name, one)
                mixture_of(game.name, one.sft.recipe, config.pools or default_pools(game.name))

    def game(self, name: str, one: GameRecipe) -> tuple[list[GameResult], list[Difference]]:
        """Run all stages of one game; return its results and differences."""
        game, config = self._prepare(name, one)
        place = self.folder / folder_name(game.info_record.id)
        met = cache(lambda: opponents_of(self.recipe, game, config))
        results: dict[str, GameResult] = {}
        if "audit" in self.stages:
            results["base"] = self._audit(game, config, lambda: self._base(game), met, place, "base")
        trained = self._warm_start(game, one, config, place)
        if trained is not None and "audit" in self.stages:
            results["sft"] = self._audit(game, config, trained.load, met, place, "sft")
        if "sepo" in self.stages:
            for variant, settings in one.train.items():
                learned = train_sepo(
                    self.recipe, game, settings, config, place / variant, trained, self.reporter
                )
                if "audit" in self.stages:
                    results[variant] = self._audit(game, config, learned.load, met, place, variant)
        differences = _differences(results, one, config.level)
        if "audit" in self.stages:
            results["scripted"] = best_scripted(game, config, met())
        return list(results.values()), differences

    def _base(self, game: Game) -> Policy:
        return base_policy(self.recipe, game, quiet=self.reporter.quiet)

    def _warm_start(self, game: Game, one: GameRecipe, config: AuditConfig, place: Path) -> Stage | None:
        """Do the warm start, or take the one that is there; None if the recipe has none."""
        if one.sft is None or self.recipe.model == "table":
            return None
        if "sft" not in self.stages and not sft_done(place):
            if "sepo" in self.stages:
                raise RequestError(
                    f"{game.name}: the recipe's warm start is not done, do the stage sft first"
                )
            return None
        return train_sft(self.recipe, game, one, config, place, self.reporter)

    def _prepare(self, name: str, one: GameRecipe) -> tuple[Game, AuditConfig]:
        game = finite_game(load_game(name, one.options))
        pools = default_pools(game.name).replace(one.pools)
        base = game.info_record.weights
        weights = base.replace(one.weights)
        audit = self.recipe.audit
        rule = InvalidRule(retries=0, then=self.recipe.invalid)
        config = AuditConfig(
            audit.episodes, audit.seed, level=audit.level, pools=pools, weights=weights, rule=rule
        )
        return game, config

    def _audit(
        self,
        game: Game,
        config: AuditConfig,
        load: Callable[[], Policy],
        met: Callable[[], Opponents],
        place: Path,
        name: str,
    ) -> GameResult:
        done = place / name / "result.json"
        if done.exists():
            return GameResult.from_json(json.loads(done.read_text(encoding="utf-8")))
        here = replace(config, out=place / name / "audit")
        result = audit_game(game, load(), here, self.reporter, name, met())
        write_json(done, result.to_json(measures=True))
        return result


def _differences(results: dict[str, GameResult], one: GameRecipe, level: float) -> list[Difference]:
    """Pair every trained policy with every one before it."""
    found: list[Difference] = []
    names = list(results)
    for i, a in enumerate(names):
        for b in names[:i]:
            found += paired(results[a], results[b], (a, b), level)
    return found


def _threads(recipe: Recipe) -> None:
    if recipe.model == "table":
        return
    import torch

    torch.set_num_threads(recipe.threads or os.cpu_count() or 1)
