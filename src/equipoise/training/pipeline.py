"""A whole recipe: audit, warm start, audit, SEPO, audit, and one table.

Every stage leaves its result in the run's folder; the same command takes up where it was interrupted and
prints the table at once when all is done.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import AuditResult, Difference, GameResult, paired
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError, unknown
from equipoise.files import folder_name, write_json
from equipoise.games.base import Game, finite_game
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.policies.heldout import check_held_out
from equipoise.policies.registry import load_game
from equipoise.progress import Reporter, silent
from equipoise.rollout.requests import InvalidRule
from equipoise.training.best_scripted import best_scripted
from equipoise.training.epo.pipeline import run_epo
from equipoise.training.epo.recipe import is_epo
from equipoise.training.joint import JointRecipe
from equipoise.training.joint_stages import Games, JointStage, train_joint, train_joint_sft
from equipoise.training.preflight import check_recipe
from equipoise.training.recipe import GameRecipe, Recipe, joint_start, load_recipe, only_games
from equipoise.training.run_folder import open_run
from equipoise.training.stages import (
    Stage,
    base_policy,
    opponents_of,
    sft_done,
    train_sepo,
    train_sft,
)
from equipoise.training.summary import Run
from equipoise.training.trl.ranks import Ranks

__all__ = ["STAGES", "prepare", "run_recipe", "use_threads"]

STAGES = ("audit", "sft", "sepo")


def run_recipe(
    recipe: str,
    overrides: Sequence[str] = (),
    stages: Sequence[str] = STAGES,
    reporter: Reporter | None = None,
    games: Sequence[str] | None = None,
) -> Run:
    """Run a recipe, or some of its stages and games.

    Args:
        recipe: Name of a recipe that ships with the package, or a path.
        overrides: ``key=value`` with dotted keys; ``out=DIR`` sets the folder.
        stages: Which of ``audit``, ``sft`` and ``sepo`` to do.
        reporter: Shows progress.
        games: Which of its games to do, with the joint runs that have no others; None does all. The folder
            stays that of the whole recipe, so that the rest can follow.

    Raises:
        RequestError: The recipe is wrong or has no such game, or the folder holds a run of another one.
    """
    for stage in stages:
        if stage not in STAGES:
            raise unknown("stage", stage, STAGES)
    if is_epo(recipe):
        return run_epo(recipe, overrides, stages, reporter or silent(), games)
    resolved = load_recipe(recipe, overrides)
    chosen = only_games(resolved, games)
    folder = Path(resolved.out or f"runs/{resolved.name}")
    runner = _Runner(resolved, folder, tuple(stages), reporter or silent())
    runner.check()
    request = resolved.model_dump(mode="json", exclude={"out"})
    ranks = Ranks.here(resolved.device)
    _check_parallel(resolved, stages, ranks)
    if ranks.main:
        open_run(folder, request, "run")
    ranks.wait()
    use_threads(resolved)
    run = Run(folder, runner.run(chosen.games), resolved.name)
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
        """Check all games and runs; better said before any work than between two of them."""
        check_recipe(self.recipe, {name: prepare(self.recipe, name) for name in self.recipe.games})

    def run(self, games: Collection[str]) -> AuditResult:
        """Run all stages: those of each game, then those that games share; return results and differences."""
        courses = {name: self._course(name) for name in self.recipe.games if name in games}
        for course in courses.values():
            self._alone(course)
        for name, run in self.recipe.joint.items():
            if left := [game for game in run.games if game not in courses]:
                self.reporter.note(f"joint run {name} is left out: it needs {', '.join(left)} too")
                continue
            self._joint(name, run, {game: courses[game] for game in run.games})
        results: list[GameResult] = []
        differences: list[Difference] = []
        for course in courses.values():
            differences += _differences(course.results, course.config.level)
            if "audit" in self.stages:
                course.results["scripted"] = best_scripted(course.game, course.config, course.met())
            results += course.results.values()
        return AuditResult(results, differences)

    def _alone(self, course: _Course) -> None:
        """Run the stages of one game."""
        game, one, config, place = course.game, course.one, course.config, course.place
        self._audit(course, lambda: self._base(game, one), "base")
        trained = self._warm_start(game, one, config, place)
        if trained is not None:
            self._audit(course, trained.load, "sft")
        if "sepo" in self.stages:
            for variant, settings in one.train.items():
                learned = train_sepo(
                    self.recipe,
                    game,
                    settings,
                    config,
                    place / variant,
                    trained,
                    self.reporter,
                    one.abstraction,
                )
                self._audit(course, learned.load, variant)

    def _joint(self, name: str, run: JointRecipe, courses: Mapping[str, _Course]) -> None:
        """Run the stages of a joint run, and audit what it trained in every game."""
        games = {game: (course.game, course.config) for game, course in courses.items()}
        place = self.folder / "joint"
        trained = self._joint_start(name, run, games)
        found = [] if trained is None else [(joint_start(name), trained)]
        if "sepo" in self.stages:
            done = train_joint(self.recipe, run, games, place / name, trained, self.reporter)
            found.append((name, done))
        for policy, stage in found:
            load = cache(stage.load_for)
            for course in courses.values():
                self._audit(course, partial(load, course.game), policy)

    def _joint_start(self, name: str, run: JointRecipe, games: Games) -> JointStage | None:
        """Do the warm start of a joint run, or take the one that is there; None if there is none."""
        place = self.folder / "joint" / joint_start(name)
        if run.sft is None or self.recipe.model == "table":
            return None
        if "sft" not in self.stages and not (place / "train" / "done").exists():
            if "sepo" in self.stages:
                raise RequestError(f"joint.{name}: its warm start is not done, do the stage sft first")
            return None
        return train_joint_sft(self.recipe, run, games, place, self.reporter)

    def _base(self, game: Game, one: GameRecipe) -> Policy:
        return base_policy(self.recipe, game, self.reporter.quiet, one.abstraction)

    def _warm_start(self, game: Game, one: GameRecipe, config: AuditConfig, place: Path) -> Stage | None:
        """Do the warm start, or take the one that is there; None if the recipe has none."""
        if one.sft is None:
            return None
        if "sft" not in self.stages and not sft_done(place):
            if "sepo" in self.stages:
                raise RequestError(
                    f"{game.name}: the recipe's warm start is not done, do the stage sft first"
                )
            return None
        return train_sft(self.recipe, game, one, config, place, self.reporter)

    def _course(self, name: str) -> _Course:
        one = self.recipe.games[name]
        game, config = prepare(self.recipe, name)
        met = cache(lambda: opponents_of(self.recipe, game, config))
        return _Course(game, one, config, self.folder / folder_name(game.info_record.id), met)

    def _audit(self, course: _Course, load: Callable[[], Policy], name: str) -> None:
        """Audit a policy of a game unless that is done or not asked for; keep the result."""
        if "audit" not in self.stages:
            return
        done = course.place / name / "result.json"
        if done.exists():
            course.results[name] = GameResult.from_json(json.loads(done.read_text(encoding="utf-8")))
            return
        here = replace(course.config, out=course.place / name / "audit")
        result = audit_game(course.game, load(), here, self.reporter, name, course.met())
        write_json(done, result.to_json(measures=True))
        course.results[name] = result


@dataclass(frozen=True)
class _Course:
    """A game of the recipe, and what is found in it."""

    game: Game
    one: GameRecipe
    config: AuditConfig
    place: Path
    met: Callable[[], Opponents]
    results: dict[str, GameResult] = field(default_factory=dict)


def _differences(results: dict[str, GameResult], level: float) -> list[Difference]:
    """Pair every trained policy with every one before it."""
    found: list[Difference] = []
    names = list(results)
    for i, a in enumerate(names):
        for b in names[:i]:
            found += paired(results[a], results[b], (a, b), level)
    return found


def _check_parallel(recipe: Recipe, stages: Sequence[str], ranks: Ranks) -> None:
    """Check that a run that was started as several processes can be done by several."""
    if ranks.count > 1 and recipe.backend == "local":
        raise RequestError(f"{ranks.count} processes: backend = 'local' trains in one, use backend = 'trl'")
    if ranks.count > 1 and "audit" in stages:
        raise RequestError(
            f"{ranks.count} processes: audits run in one; start `equipoise train` in several, then "
            "`equipoise run` in one, which finds the training done"
        )


def prepare(recipe: Recipe, name: str) -> tuple[Game, AuditConfig]:
    """Return a game of a recipe, and how it is audited."""
    one, audit = recipe.games[name], recipe.audit
    game = finite_game(load_game(name, one.options))
    pools = default_pools(game.name).replace(one.pools)
    check_held_out(pools)
    weights = game.info_record.weights.replace(one.weights)
    rule = InvalidRule(retries=0, then=recipe.invalid)
    episodes = one.audit_episodes or audit.episodes
    return game, AuditConfig(
        episodes, audit.seed, audit.exact, audit.level, pools=pools, weights=weights, rule=rule
    )


def use_threads(recipe: Recipe) -> None:
    """Give torch the recipe's threads; a table needs no torch."""
    if recipe.model == "table":
        return
    import torch

    torch.set_num_threads(recipe.threads or os.cpu_count() or 1)
