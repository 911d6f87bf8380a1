"""Runs an ablation of EPO: every row in every task over seeds.

    DIR/seedN/TASK/ROW          a row's training and its audit

The same command takes up where it was interrupted; with more rows, tasks or seeds only those are done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from equipoise.auditing.result import GameResult
from equipoise.errors import RequestError, unknown
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.progress import Reporter
from equipoise.training.ablations.result import Ablation, AblationRow, ranges, summarise
from equipoise.training.ablations.rows import FULL
from equipoise.training.ablations.strategist_rows import SFT_ONLY, choose, task_of
from equipoise.training.epo.pipeline import Course, EpoRunner, use_threads
from equipoise.training.epo.recipe import ALONE, BASE, PHRASES, SFT, EpoRecipe, EpoTask, load_epo
from equipoise.training.run_folder import open_run

__all__ = ["ablate_epo"]


def ablate_epo(
    recipe: str,
    overrides: Sequence[str],
    rows: Sequence[str],
    tasks: Sequence[str],
    seeds: int,
    reporter: Reporter,
) -> Ablation:
    """Run an ablation of EPO, or what is left of it (see ``ablations.run.ablate``).

    Raises:
        RequestError: The recipe is wrong, a row or task does not exist, or the folder holds something else.
    """
    found = load_epo(recipe, overrides)
    for name in tasks:
        if name not in found.tasks:
            raise unknown("task of the recipe", name, found.tasks)
    chosen = {name: task for name, task in found.tasks.items() if not tasks or name in tasks}
    asked = choose(rows, chosen)
    folder = Path(found.out or f"runs/{found.name}-ablation")
    open_run(folder, found.resolved(), "ablate")
    use_threads(found)
    numbers = [found.seed + k for k in range(seeds)]
    done: list[AblationRow] = []
    for name, task in chosen.items():
        done += _Ablator(found, name, task, folder, numbers, reporter).rows(asked)
    result = Ablation(found.name, folder, done, found.audit.level, ("safety", "utility"))
    result.save()
    return result


@dataclass(frozen=True)
class _Ablator:
    """The rows of one task."""

    recipe: EpoRecipe
    name: str
    task: EpoTask
    folder: Path
    seeds: Sequence[int]
    reporter: Reporter

    def rows(self, asked: Sequence[str]) -> list[AblationRow]:
        """Do the rows; one that does not apply says why."""
        course = self._course(self.task, self.seeds[0])
        info = course.rules(True).info_record
        pools, weights = (
            default_pools(self.name).replace(self.task.pools),
            info.weights.replace(self.task.weights),
        )
        within = ranges(info, Objective.of(info, pools, weights))
        full: Mapping[int, GameResult] = {}
        done = []
        for row in asked:
            task = task_of(row, self.task, info.seats, writes=self.recipe.model != PHRASES)
            found = task if isinstance(task, str) else self._over_seeds(row, task)
            if isinstance(found, str):
                done.append(AblationRow(info.id, row, found))
                continue
            full = found if row == FULL else full
            done.append(summarise(info.id, row, found, full, within, self.recipe.audit.level))
        return done

    def _over_seeds(self, row: str, task: EpoTask) -> dict[int, GameResult] | str:
        """Return the audits of a row by seed, or why it does not apply.

        Raises:
            RequestError: The full method itself asks for what cannot be done.
        """
        try:
            if row in (ALONE, BASE):
                # Nothing of it depends on the training seed.
                return dict.fromkeys(self.seeds, self._run(row, task, self.seeds[0]))
            return {seed: self._run(row, task, seed) for seed in self.seeds}
        except RequestError as error:
            if row == FULL:
                raise
            return str(error)

    def _run(self, row: str, task: EpoTask, seed: int) -> GameResult:
        self.reporter.note(f"{self.name}: {row}, seed {seed}")
        course = self._course(task, seed)
        if row == SFT_ONLY:
            course.warm()
            return course.audit(SFT)
        if row not in (ALONE, BASE):
            course.train(row)
        return course.audit(row)

    def _course(self, task: EpoTask, seed: int) -> Course:
        recipe = self.recipe.model_copy(update={"seed": seed})
        runner = EpoRunner(recipe, self.folder / f"seed{seed}", True, True, True, self.reporter)
        return Course(runner, self.name, task)
