"""What every stage of an EPO recipe does, counted by doing it without a model.

The run's own code plays, with a strategist that says nothing in the model's place. Language models that act
or are met are stood in for: by uniform play in games, by a plain scripted actor in tasks. How long a dialogue
or an errand takes depends on who talks, so counts of tasks are estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig
from equipoise.auditing.sampling import Sampling
from equipoise.errors import unknown
from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.judges.base import NoJudge
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.base import Policy
from equipoise.policies.local.question import Question
from equipoise.policies.registry import load_game, load_opponents, load_policy
from equipoise.policies.strategist import AdvisedPolicy
from equipoise.progress import Reporter, silent
from equipoise.prompts.registry import get_renderer
from equipoise.prompts.strategist import Style, strategist_prompt
from equipoise.rollout.deals import Split
from equipoise.training.arena import Arena
from equipoise.training.cast import everyone
from equipoise.training.config import SepoConfig
from equipoise.training.epo.collect import SELF, Collector
from equipoise.training.epo.config import EpoConfig, WordingConfig
from equipoise.training.epo.recipe import BASE, SFT, EpoRecipe, EpoTask
from equipoise.training.epo.scenarios import split_scenarios
from equipoise.training.plan.wording import wording_works
from equipoise.training.plan.work import Work
from equipoise.types import STRATEGIST, Decision, Generation, StopReason

__all__ = ["strategist_works"]

MODELS = ("smollm2", "hf:", "tiny-random", "frozen:", "openai:", "http", "command:")
"""What the names of players hold that cannot be asked without weights or an endpoint."""

PLAIN = "weak"
"""The scripted actor that stands in for a language model in a task."""


def strategist_works(recipe: EpoRecipe, tasks: Sequence[str] | None, reporter: Reporter) -> Iterator[Work]:
    """Yield the stages of a recipe, in the order of the run.

    Args:
        recipe: The recipe.
        tasks: Which of its tasks; None plans all.
        reporter: Shows progress.

    Raises:
        RequestError: The recipe has no such task.
    """
    for name in tasks or ():
        if name not in recipe.tasks:
            raise unknown("task of the recipe", name, recipe.tasks)
    with reporter.task(f"plan {recipe.name}", len(tasks or recipe.tasks)) as advance:
        for name, task in recipe.tasks.items():
            if tasks is None or name in tasks:
                yield from _Planned(recipe, name, task).works()
                advance(1)


class _Silent:
    """A strategist that says nothing and keeps what it was asked."""

    name = fingerprint = "plan"
    version = 0

    def __init__(self) -> None:
        self.asked: list[Decision] = []

    def advise(self, decisions: Sequence[Decision]) -> list[Generation]:
        self.asked += decisions
        return [Generation(STRATEGIST, (), (), (), (), StopReason.FINISHED) for _ in decisions]

    def take(self) -> list[Decision]:
        asked, self.asked = self.asked, []
        return asked


@dataclass(frozen=True)
class _Planned:
    recipe: EpoRecipe
    name: str
    task: EpoTask

    def works(self) -> Iterator[Work]:
        judged = self._rules(True)
        audit = self._audit(judged, AuditConfig(self.recipe.audit.episodes, self.recipe.audit.seed, False))
        if self.recipe.evaluator is not None and self.name == "social":
            rated = self.recipe.audit.episodes * len(self._pools.train) * judged.info_record.seats
            audit = replace(audit, calls={**audit.calls, "evaluator_calls": rated})
        yield replace(audit, stage=f"audit {BASE}")
        if self.task.sft is not None:
            yield from self._wording(self.task.sft)
            yield replace(audit, stage=f"audit {SFT}")
        for run, config in self.task.runs.items():
            seeded = config.model_copy(update={"seed": config.seed + self.recipe.seed})
            yield from (
                self._penalised(run, seeded)
                if isinstance(seeded, SepoConfig)
                else self._explicit(run, seeded)
            )
            yield replace(audit, stage=f"audit {run}")

    def _wording(self, settings: WordingConfig) -> Iterator[Work]:
        rules, named = self._rules(False), self._pools.train
        partners = load_opponents(_stand_ins(self._pools, self._actor).train, rules)
        settings = settings.model_copy(update={"seed": settings.seed + self.recipe.seed})
        certain = not any(map(_is_model, (self.task.actor, *named)))
        actor = self._advised(rules, _Silent()).actor
        yield from wording_works(self.name, rules, actor, partners, settings, self.recipe.prompt, certain)

    def _explicit(self, run: str, config: EpoConfig) -> Iterator[Work]:
        """Count a step with the partners of the last round, and the scores after rounds."""
        scenarios = split_scenarios(self._rules(False), config.rounds, config.seed)
        adviser = _Silent()
        policy = self._advised(scenarios.selection, adviser)
        pools = _stand_ins(self._pools.replace({"exploiter": (), "collusive": (), "shift": ()}), self._actor)
        partners = dict(load_opponents(pools.train, scenarios.selection))
        if config.self_play:
            partners[SELF] = policy
        found = Collector(scenarios.of_round, NoJudge(), config).collect(policy, partners, 0)
        asked = adviser.take()
        work = self._work(run, "sepo", config.rounds * config.steps, config.starts * config.rollouts, asked)
        calls = {"trajectories": len(found.trajectories), "actor_calls": len(asked)}
        if config.judge == "llm":
            calls["judge_calls"] = len(found.cases)
        passes = config.epochs if config.offline else 1
        yield replace(work, calls=calls, pass_tokens=config.pass_tokens, chunk=1, stops=True)
        if passes > 1:
            again = replace(
                work, stage=f"{run}: further passes", kind="pass", steps=work.steps * (passes - 1)
            )
            yield replace(again, episodes=0, pass_tokens=config.pass_tokens, chunk=1, stops=True)
        select = AuditConfig(config.select_starts, config.seed, False, pools=pools, split=Split.SELECT)
        scored = self._audit(scenarios.selection, select)
        yield replace(scored, stage=f"{run}: selection", kind="select", steps=1 + config.rounds, stops=True)

    def _penalised(self, run: str, config: SepoConfig) -> Iterator[Work]:
        rules, adviser = self._rules(False), _Silent()
        policy = self._advised(rules, adviser)
        config = config.model_copy(update={"curriculum": [], "league": None, "pools": {}})
        pools = _stand_ins(self._pools, self._actor)
        objective = Objective.of(rules.info_record, pools)
        arena = Arena(rules, objective, policy, config, Opponents.named(everyone(pools, config), rules, None))
        arena.respond(policy, 0)
        adviser.take()
        row: dict[str, float] = {}
        arena.sample(policy, 0, row)
        asked, episodes = adviser.take(), int(row["episodes"])
        work = self._work(run, "sepo", config.steps, episodes, asked)
        calls = {"trajectories": episodes, "actor_calls": len(asked)}
        stops = config.patience is not None
        yield replace(work, calls=calls, pass_tokens=config.pass_tokens, chunk=1, stops=stops)
        fixed = pools.replace({"shift": ()})
        select = AuditConfig(config.select_episodes, config.seed, False, pools=fixed, split=Split.SELECT)
        count = 1 + -(-config.steps // config.select_every)
        scored = self._audit(rules, select)
        yield replace(scored, stage=f"{run}: selection", kind="select", steps=count, stops=stops)

    def _audit(self, rules: Rules, config: AuditConfig) -> Work:
        adviser = _Silent()
        policy = self._advised(rules, adviser)
        pools = config.pools or _stand_ins(self._pools, self._actor)
        objective, met = Objective.of(rules.info_record, pools), Opponents.named(pools, rules, False)
        Sampling(rules, objective, config, policy, met).run("plan", silent())
        asked = adviser.take()
        episodes = len({one.episode for one in asked})
        return replace(self._work("audit", "audit", 1, episodes, asked), calls={"actor_calls": len(asked)})

    def _work(self, stage: str, kind: str, steps: int, episodes: int, asked: Sequence[Decision]) -> Work:
        questions = tuple(_question(one, self.recipe.prompt) for one in asked)
        rules = self._rules(False)
        certain = isinstance(rules, Game) and rules.info_record.dynamics == "simultaneous"
        distinct = tuple(dict.fromkeys(questions))
        return Work(
            self.name, stage, kind, steps, episodes, len(asked), distinct,
            certain=certain, budget=self.recipe.max_new_tokens, asked=questions,
        )  # fmt: skip

    @property
    def _pools(self) -> Pools:
        return default_pools(self.name).replace(self.task.pools)

    @property
    def _actor(self) -> str:
        """Return who stands in for a language model."""
        return "random" if isinstance(self._rules(False), Game) else PLAIN

    def _rules(self, judged: bool) -> Rules:
        return load_game(self.name, {**self.task.options, **(self.task.held_out if judged else {})})

    def _advised(self, rules: Rules, adviser: _Silent) -> AdvisedPolicy:
        spec = self.task.actor
        actor = load_policy(f"scripted:{self._actor}" if _is_model(spec) else spec, rules)
        assert isinstance(actor, Policy)
        return AdvisedPolicy(adviser, actor, "plan")


def _question(decision: Decision, style: Style) -> Question:
    """Return what a strategist is asked, in plain words; what it answers is free."""
    return Question(strategist_prompt(get_renderer(decision.rules.name), decision, style=style), ("",))


def _is_model(name: str) -> bool:
    return any(mark in name for mark in MODELS)


def _stand_ins(pools: Pools, actor: str) -> Pools:
    changes: Mapping[str, Sequence[str]] = {
        pool: [actor if _is_model(name) else name for name in names] for pool, names in pools
    }
    return pools.replace(changes)
