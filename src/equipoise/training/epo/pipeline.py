"""A whole EPO recipe: the actor alone, with an untrained strategist, with trained ones; then one table.

What is trained starts from the warm start of its wording, where the recipe has one (``wording``).

Every stage leaves its result in the run's folder; the same command takes up where it was interrupted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import AuditResult, Difference, GameResult, paired
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError, unknown
from equipoise.files import folder_name, write_json
from equipoise.games.rules import Rules
from equipoise.judges.base import Judge, NoJudge
from equipoise.judges.rule import RuleJudge
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.advisers import beside
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.heldout import check_held_out
from equipoise.policies.registry import load_game, load_opponents, load_policy
from equipoise.policies.strategist import Adviser
from equipoise.progress import Reporter
from equipoise.rollout.deals import DecisionDraws, Split
from equipoise.rollout.requests import InvalidRule
from equipoise.training.config import SepoConfig
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.preflight import check_epo
from equipoise.training.epo.recipe import ALONE, BASE, PHRASES, SFT, EpoRecipe, EpoTask, load_epo
from equipoise.training.epo.scenarios import split_scenarios
from equipoise.training.epo.strategists import Strategists
from equipoise.training.learner import Learner
from equipoise.training.run_folder import open_run
from equipoise.training.summary import Run

__all__ = ["Course", "EpoRunner", "run_epo", "use_threads"]


def run_epo(
    name: str,
    overrides: Sequence[str],
    stages: Sequence[str],
    reporter: Reporter,
    tasks: Sequence[str] | None = None,
) -> Run:
    """Run a recipe of EPO (see ``training.pipeline.run_recipe``).

    Raises:
        RequestError: The recipe is wrong or has no such task, or the folder holds a run of another one.
    """
    recipe = load_epo(name, overrides)
    for task in tasks or ():
        if task not in recipe.tasks:
            raise unknown("task of the recipe", task, recipe.tasks)
    if tuple(stages) == ("sft",) and not any(task.sft for task in recipe.tasks.values()):
        raise RequestError(f"recipe {name!r} has no warm start: a strategist is trained without one")
    folder = Path(recipe.out or f"runs/{recipe.name}")
    open_run(folder, recipe.model_dump(mode="json", exclude={"out"}), "run")
    use_threads(recipe)
    runner = EpoRunner(recipe, folder, "sft" in stages, "sepo" in stages, "audit" in stages, reporter)
    results = runner.run(list(recipe.tasks) if tasks is None else tasks)
    run = Run(folder, results, recipe.name, "utility", (ALONE, BASE, SFT))
    if "audit" in stages:
        run.save()
    return run


def use_threads(recipe: EpoRecipe) -> None:
    """Let torch use the recipe's threads, where there is a language model."""
    if recipe.model != PHRASES:
        import torch

        torch.set_num_threads(recipe.threads or os.cpu_count() or 1)


@dataclass(frozen=True)
class EpoRunner:
    """Runs a recipe.

    Attributes:
        recipe: The recipe.
        folder: The run's folder.
        warm: Whether to do the warm starts that are not done.
        train: Whether to train what is not trained.
        audit: Whether to audit.
        reporter: Shows progress.
    """

    recipe: EpoRecipe
    folder: Path
    warm: bool
    train: bool
    audit: bool
    reporter: Reporter

    def run(self, tasks: Sequence[str]) -> AuditResult:
        """Run tasks by name; return results and paired differences."""
        check_epo(self.recipe, tasks)
        results: list[GameResult] = []
        differences: list[Difference] = []
        for name in tasks:
            found = Course(self, name, self.recipe.tasks[name]).run()
            results += found.values()
            if self.audit:
                differences += _differences(found, self.recipe.audit.level)
        return AuditResult(results, differences)


@dataclass(frozen=True)
class Course:
    """What is done in one task.

    Attributes:
        runner: The recipe, and where its folder is.
        name: Name of the task or game.
        task: Its part of the recipe.
    """

    runner: EpoRunner
    name: str
    task: EpoTask

    @property
    def place(self) -> Path:
        """The task's folder."""
        return self.runner.folder / folder_name(self.name)

    @property
    def warm_start(self) -> Path:
        """The weights of the warm start."""
        return self.place / SFT / "train" / "best"

    @cached_property
    def pools(self) -> Pools:
        """Whom the strategist's side meets."""
        pools = default_pools(self.name).replace(self.task.pools)
        check_held_out(pools)
        return pools

    @cached_property
    def models(self) -> dict[str, AnyPolicy]:
        """Language models that act or are met, each loaded once."""
        return {}

    def run(self) -> dict[str, GameResult]:
        """Train what is not trained yet, and audit everything with every actor."""
        results: dict[str, GameResult] = {}
        self._warm()
        if self.runner.train:
            for run in self.task.runs:
                self.train(run)
        if not self.runner.audit:
            return results
        warm = (SFT,) if self.task.sft else ()
        for suffix in ("", *self.task.actors):
            for name in (ALONE, BASE, *warm, *self.task.runs):
                if name in (ALONE, BASE) or self._weights(name).exists():
                    shown = f"{name}@{suffix}" if suffix else name
                    results[shown] = self.audit(name, suffix)
        return results

    def train(self, run: str) -> None:
        """Do a run of the task unless it is done, the warm start before it."""
        self._warm()
        if not (self.place / run / "train" / "done").exists():
            self._train(run, self.task.runs[run])

    def audit(self, name: str, suffix: str = "") -> GameResult:
        """Judge a run, the actor alone, or the untrained strategist, with the actor of a suffix."""
        actor = self._actor(self.task.actors[suffix] if suffix else self.task.actor)
        shown = f"{name}@{suffix}" if suffix else name
        if name == ALONE:
            return self._audit(shown, lambda: actor)
        weights = None if name == BASE else self._weights(name)
        return self._audit(shown, lambda: beside(self._adviser(weights), actor))

    def _weights(self, run: str) -> Path:
        return self.place / run / "train" / "best"

    def rules(self, judged: bool) -> Rules:
        """Return what is played where the strategist is judged, or trained."""
        return load_game(self.name, {**self.task.options, **(self.task.held_out if judged else {})})

    def _actor(self, spec: str) -> AnyPolicy:
        return load_policy(spec, self.rules(True), models=self.models, quiet=True, **self._device)

    @property
    def _device(self) -> dict[str, Any]:
        return {"dtype": self.runner.recipe.dtype, "device": self.runner.recipe.device}

    @property
    def _strategists(self) -> Strategists:
        return Strategists(self.runner.recipe, self.task, self.runner.reporter.quiet)

    def _adviser(self, weights: Path | None) -> Adviser:
        return self._strategists.adviser(self.rules(True), weights)

    def _audit(self, name: str, load: Callable[[], AnyPolicy]) -> GameResult:
        done = self.place / name / "result.json"
        if done.exists():
            return GameResult.from_json(json.loads(done.read_text(encoding="utf-8")))
        rules, audit = self.rules(True), self.runner.recipe.audit
        weights = rules.info_record.weights.replace(self.task.weights)
        config = AuditConfig(
            audit.episodes,
            audit.seed,
            bool(audit.exact),
            audit.level,
            pools=self.pools,
            weights=weights,
            out=self.place / name / "audit",
        )
        result = audit_game(
            rules, load(), config, self.runner.reporter, name, self._met(rules, bool(audit.exact))
        )
        write_json(done, result.to_json(measures=True))
        return result

    def _met(self, rules: Rules, exact: bool = False) -> Opponents:
        names = [name for _, pool in self.pools for name in pool]
        players = load_opponents(names, rules, models=self.models, quiet=True, **self._device)
        return Opponents.of(players, rules, True) if exact else Opponents(players, None)

    def _train(self, name: str, config: EpoConfig | SepoConfig) -> None:
        recipe, folder = self.runner.recipe, self.place / name / "train"
        config = config.model_copy(update={"seed": config.seed + recipe.seed})
        actor = self._actor(self.task.actor)
        if not isinstance(actor, Policy):
            raise RequestError(
                f"actor = {self.task.actor!r} answers in its own time: train with a local or scripted actor"
            )
        warm = None if self.task.sft is None else self.warm_start
        learner, start = self._strategists.learner(self.rules(False), actor, name, config, warm)
        identity = self._identity(start, actor)
        if isinstance(config, SepoConfig):
            self._penalised(name, config, learner, identity, folder)
        else:
            self._explicit(name, config, learner, identity, folder)
        (folder / "done").touch()

    def _explicit(
        self, name: str, config: EpoConfig, learner: Learner, identity: dict[str, Any], folder: Path
    ) -> None:
        """Train on EPO's objective."""
        from equipoise.training.epo.collect import Collector
        from equipoise.training.epo.run import Epo

        scenarios = split_scenarios(self.rules(False), config.rounds, config.seed)
        partners = load_opponents(
            self.pools.train, scenarios.selection, models=self.models, quiet=True, **self._device
        )
        Epo(
            learner,
            Collector(scenarios.of_round, self._judge(config, folder), config, InvalidRule(retries=0)),
            partners,
            lambda policy: self._score(policy, scenarios.selection, config),
            identity,
            folder,
            self.runner.reporter,
            f"{name} {self.name}",
        ).run()

    def _penalised(
        self, name: str, config: SepoConfig, learner: Learner, identity: dict[str, Any], folder: Path
    ) -> None:
        """Train on SEPO's objective: the payoff less the penalties."""
        from equipoise.training.epo.penalised import train_penalised

        train_penalised(
            self.rules(False),
            self.pools,
            {**self.task.weights, **self.task.train_weights},
            learner,
            config,
            {"models": self.models, "quiet": True, **self._device},
            identity,
            folder,
            self.runner.reporter,
            name,
        )

    def _warm(self) -> None:
        """Do the warm start unless it is done or not asked for.

        Raises:
            RequestError: Runs are to be trained from it, but it is neither done nor asked for.
        """
        folder, settings = self.warm_start.parent, self.task.sft
        if settings is None or (folder / "done").exists():
            return
        if not self.runner.warm:
            if self.runner.train:
                raise RequestError(f"{self.name}: its warm start is not done, do the stage sft first")
            return
        from equipoise.training.epo.warm_start import train_wording

        rules, runner = self.rules(False), self.runner
        partners = load_opponents(self.pools.train, rules, models=self.models, quiet=True, **self._device)
        actor = self._actor(self.task.actor)
        train_wording(runner.recipe, settings, rules, actor, partners, folder, runner.reporter)

    def _identity(self, fingerprint: str, actor: AnyPolicy) -> dict[str, Any]:
        return {
            "task": self.rules(False).info_record.key,
            "options": self.rules(False).options.changed(),
            "pools": {pool: list(names) for pool, names in self.pools},
            "actor": [actor.name, actor.fingerprint],
            "strategist": fingerprint,
        }

    def _judge(self, config: EpoConfig, folder: Path) -> Judge:
        if config.judge == "none":
            return NoJudge()
        if config.judge == "rule":
            return RuleJudge()
        from equipoise.judges.language import LanguageJudge
        from equipoise.policies.local.loading import load_spec
        from equipoise.policies.local.writer import LocalWriter

        spec = config.judge_model or self.runner.recipe.model
        writer = LocalWriter(load_spec(spec, quiet=True, **self._device))
        return LanguageJudge(writer, _judge_draws(config.seed), folder=folder / "judge")

    def _score(self, policy: Policy, rules: Rules, config: EpoConfig) -> float:
        """Return the mean own score on scenarios kept for selection."""
        pools = replace(self.pools, exploiter=(), collusive=(), shift=())
        settings = AuditConfig(
            config.select_starts,
            config.seed,
            False,
            pools=pools,
            split=Split.SELECT,
            chunk=config.select_starts,
        )
        found = audit_game(rules, policy, settings, opponents=self._met(rules).among(pools)).metrics[
            "utility"
        ]
        assert found is not None
        return found.value


def _judge_draws(seed: int) -> Callable[[str, int], Callable[[str], float]]:
    return lambda key, attempt: DecisionDraws.of_policy(seed, f"judge|{key}", 0, 0, attempt).uniform


def _differences(results: dict[str, GameResult], level: float) -> list[Difference]:
    """Pair what has the same actor, every policy with every one before it."""
    found: list[Difference] = []
    names = list(results)
    for i, a in enumerate(names):
        for b in names[:i]:
            if a.partition("@")[2] == b.partition("@")[2]:
                found += paired(results[a], results[b], (a, b), level)
    return found
