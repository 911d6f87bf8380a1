"""Runs an ablation: every row in every game over seeds, each in a folder of its own.

    DIR/GAME/seedN/sft          the warm start that all rows of a seed share
    DIR/GAME/seedN/ROW          a row's training and its audit

The same command takes up where it was interrupted; with more rows, games or seeds only those are done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError, unknown
from equipoise.files import folder_name, write_json
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.progress import Reporter, silent
from equipoise.training.ablations.result import Ablation, AblationRow, ranges, summarise
from equipoise.training.ablations.rows import FULL, Method, choose, full_name, method_of
from equipoise.training.ablations.strategist import ablate_epo
from equipoise.training.epo.recipe import is_epo
from equipoise.training.pipeline import prepare, use_threads
from equipoise.training.recipe import GameRecipe, Recipe, load_recipe
from equipoise.training.run_folder import open_run
from equipoise.training.stages import Stage, opponents_of, train_sepo, train_sft

__all__ = ["ablate"]


def ablate(
    recipe: str,
    overrides: Sequence[str] = (),
    rows: Sequence[str] = (),
    games: Sequence[str] = (),
    seeds: int = 5,
    reporter: Reporter | None = None,
) -> Ablation:
    """Run an ablation, or what is left of it.

    Args:
        recipe: Name of a recipe that ships with the package, or a path; its run ``full`` (or its only one)
            is the method whose parts are left out.
        overrides: ``key=value`` with dotted keys; ``out=DIR`` sets the folder.
        rows: Which rows; all if empty. The full method is always among them.
        games: Which of the recipe's games; all if empty.
        seeds: Number of training seeds, counted up from the recipe's.
        reporter: Shows progress.

    Raises:
        RequestError: The recipe is wrong, a row or game does not exist, or the folder holds something else.
    """
    reporter = reporter or silent()
    if is_epo(recipe, overrides):
        return ablate_epo(recipe, overrides, rows, games, seeds, reporter)
    found = load_recipe(recipe, overrides)
    for name in games:
        if name not in found.games:
            raise unknown("game of the recipe", name, found.games)
    chosen = [name for name in found.games if not games or name in games]
    asked = choose(rows, _own_rows(found))
    for name in chosen:
        full_name(found.games[name].train)
    folder = Path(found.out or f"runs/{found.name}-ablation")
    open_run(folder, found.model_dump(mode="json", exclude={"out"}), "ablate")
    use_threads(found)
    numbers = [found.seed + k for k in range(seeds)]
    done: list[AblationRow] = []
    for name in chosen:
        done += _Ablator(found, name, folder, numbers, reporter).rows(asked)
    result = Ablation(found.name, folder, done, found.audit.level)
    result.save()
    return result


def _own_rows(recipe: Recipe) -> list[str]:
    names = [name for one in recipe.games.values() if one.train for name in one.train]
    full = {full_name(one.train) for one in recipe.games.values() if one.train}
    return [name for name in dict.fromkeys(names) if name not in full]


@dataclass(frozen=True)
class _Ablator:
    """The rows of one game."""

    recipe: Recipe
    name: str
    folder: Path
    seeds: Sequence[int]
    reporter: Reporter

    @property
    def one(self) -> GameRecipe:
        return self.recipe.games[self.name]

    @cached_property
    def prepared(self) -> tuple[Game, AuditConfig]:
        return prepare(self.recipe, self.name)

    @cached_property
    def met(self) -> Opponents:
        return opponents_of(self.recipe, *self.prepared)

    def rows(self, asked: Sequence[str]) -> list[AblationRow]:
        """Do the rows; one that does not apply says why."""
        game, config = self.prepared
        objective = Objective.of(game.info_record, config.pools or default_pools(game.name), config.weights)
        within = ranges(game.info_record, objective)
        full: Mapping[int, GameResult] = {}
        done = []
        for row in asked:
            method = method_of(row, self.one.train, objective.weights)
            found = method if isinstance(method, str) else self._over_seeds(row, method)
            if isinstance(found, str):
                done.append(AblationRow(game.info_record.id, row, found))
                continue
            full = found if row == FULL else full
            done.append(summarise(game.info_record.id, row, found, full, within, config.level))
        return done

    def _over_seeds(self, row: str, method: Method) -> dict[int, GameResult] | str:
        """Return the audits of a row by seed, or why it does not apply.

        Raises:
            RequestError: The full method itself asks for what cannot be done.
        """
        if method.settings is None and self.one.sft is None:
            return "the recipe has no warm start"
        try:
            return {seed: self._run(row, method, seed) for seed in self.seeds}
        except RequestError as error:
            if row == FULL:
                raise
            return str(error)

    def _run(self, row: str, method: Method, seed: int) -> GameResult:
        """Train and audit a row with one seed, or take what is there."""
        game, config = self.prepared
        place = self.folder / folder_name(game.info_record.id) / f"seed{seed}"
        done = place / row / "result.json"
        if done.exists():
            return GameResult.from_json(json.loads(done.read_text(encoding="utf-8")))
        self.reporter.note(f"{game.name}: {row}, seed {seed}")
        stage = self._train(row, method, seed, place)
        # What a table says costs nothing to ask again: its audits keep no transcript.
        out = None if self.recipe.model == "table" else place / row / "audit"
        here = replace(config, out=out)
        result = audit_game(game, stage.load(), here, self.reporter, f"{row}/seed{seed}", self.met)
        write_json(done, result.to_json(measures=True))
        return result

    def _train(self, row: str, method: Method, seed: int, place: Path) -> Stage:
        game, config = self.prepared
        recipe, one = self.recipe.model_copy(update={"seed": seed}), self.one
        warm = None if one.sft is None else train_sft(recipe, game, one, config, place, self.reporter)
        if method.settings is None:
            assert warm is not None
            return warm
        training = replace(config, weights=method.weights)
        return train_sepo(
            recipe, game, method.settings, training, place / row, warm, self.reporter, one.abstraction
        )
