"""What every stage of a recipe does: episodes, decisions and questions, counted by doing it without a model.

The run's own code is used, with a player that answers uniformly in the model's place. Counts that do not
depend on how it plays are exact; the rest are what uniform play meets, an upper bound more often than not,
since a trained policy visits fewer states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from equipoise.auditing.behaviour import finite_forms
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig
from equipoise.auditing.sampling import Sampling
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.local.question import Question
from equipoise.progress import silent
from equipoise.rollout.deals import Split
from equipoise.training.arena import Arena
from equipoise.training.cast import everyone
from equipoise.training.config import SepoConfig, SftConfig
from equipoise.training.data import make_examples
from equipoise.training.plan.recorder import Recorder
from equipoise.training.plan.tokens import question_of
from equipoise.training.recipe import GameRecipe
from equipoise.training.selection import selection_score
from equipoise.training.table import SoftmaxTable
from equipoise.types import Decision

__all__ = ["GAUGE", "TAUGHT", "Work", "work_of"]

GAUGE = 100
"""Episodes of teachers that are played to estimate what all of them hold."""

TAUGHT = ("sft", "loss")
"""Kinds of stages that read given answers."""

STATES = 64
"""Information states that a language model answers unasked, as ``LocalPolicy`` does."""

_MODELS = ("smollm2", "hf:", "tiny-random", "frozen:")


@dataclass(frozen=True)
class Work:
    """One stage.

    Attributes:
        game: Name of the game.
        stage: What it is called: ``audit base``, ``sft``, ``sepo`` …
        kind: ``audit``, ``select``, ``sft``, ``sepo``, ``pass``, another pass over a step's data, or
            ``loss``, a loss on examples that are held out.
        steps: How often it does what follows; ``sft`` may stop earlier.
        episodes: Episodes of one step; 0 where a table of all states is enough.
        decisions: Decisions of the policy in them (``sft``: examples).
        questions: The distinct questions among them.
        chunk: Questions of one pass with gradients.
        certain: Whether episodes and decisions do not depend on how the policy plays.
        budget: Tokens that may be written at a decision; 0 where words are chosen only.
        asked: Where text is trained, the questions of all decisions, in order.
        pass_tokens: Where text is trained, the tokens of one pass with gradients.
        stops: Whether it may stop before all steps are made.
        calls: What else a step asks for, by name: trajectories, calls of actors and of a judge.
    """

    game: str
    stage: str
    kind: str
    steps: int
    episodes: int
    decisions: int
    questions: tuple[Question, ...]
    chunk: int = 0
    certain: bool = True
    budget: int = 0
    asked: tuple[Question, ...] = ()
    pass_tokens: int = 0
    stops: bool = False
    calls: Mapping[str, int] = field(default_factory=dict)


def work_of(
    game: Game, one: GameRecipe, config: AuditConfig, seed: int, table: bool, budget: int = 0
) -> Iterator[Work]:
    """Yield the stages of a game, in the order of the run.

    Args:
        game: The game.
        one: Its part of the recipe.
        config: How it is audited.
        seed: The recipe's seed.
        table: Whether a table is trained: it has no warm start.
        budget: Tokens that a model may write at a decision; 0 where it chooses among words.
    """
    states = SoftmaxTable.exact_states if table else STATES
    for work in _stages(game, one, config, seed, table, 0 if budget else states):
        yield work if work.kind == "sft" else replace(work, budget=budget)


def _stages(
    game: Game, one: GameRecipe, config: AuditConfig, seed: int, table: bool, states: int
) -> Iterator[Work]:
    pools = _without_models(config.pools or default_pools(game.name))
    met = Opponents.named(pools, game, config.exact)
    objective = Objective.of(game.info_record, pools, config.weights)
    audit = _audit(game, objective, config, met, states)
    yield _named(audit, "audit base")
    if one.sft is not None and not table:
        settings = one.sft.model_copy(update={"seed": one.sft.seed + seed})
        yield _sft(game, settings, pools, met)
        count = -(-settings.steps // settings.select_every)
        seen = replace(objective, pools=replace(pools, shift=()))
        select = _selection(settings.select_episodes, settings.seed, None)
        found = _named(_audit(game, seen, select, met, states), "sft: selection", "select", count)
        yield replace(found, stops=True)
        yield _named(audit, "audit sft")
    for name, train in one.train.items():
        settings_of = train.model_copy(update={"seed": train.seed + seed})
        yield from _sepo(game, objective, settings_of, name, states)
        yield _named(audit, f"audit {name}")


def _sepo(game: Game, objective: Objective, config: SepoConfig, name: str, states: int) -> Iterator[Work]:
    recorder = Recorder(states)
    config = _without_model_names(config)
    met = Opponents.named(everyone(objective.pools, config), game, None)
    arena = Arena(game, objective, recorder, config, met)
    arena.respond(recorder, 0)
    row: dict[str, float] = {}
    arena.batch(recorder, 0, row)
    # How many trials the decisions of a step need depends on how it was played.
    certain = config.gradient == "exact" or (_certain(game) and config.gradient == "sampled")
    episodes, asked = int(row.get("episodes", 0)), recorder.take()
    decisions = int(row.get("questions", row.get("decisions", 0)))
    work = Work(
        game.name, name, "sepo", config.steps, episodes, decisions, _questions(asked), config.rows, certain
    )
    work = replace(work, stops=config.patience is not None)
    if not states:
        work = replace(work, asked=tuple(map(question_of, asked)), pass_tokens=config.pass_tokens)
    yield work
    # Once before the first step, then every few and at the last.
    count = 1 + -(-config.steps // config.select_every)
    if arena.exploiters.book is not None:
        selection_score(arena, recorder)
        yield _counted(game, f"{name}: selection", "select", count, recorder.take(), True)
        return
    select = _selection(config.select_episodes, config.seed, False)
    # The score is on the fixed pools, whoever is met in training.
    fixed = replace(objective, pools=replace(objective.pools, shift=()))
    found = _audit(game, fixed, select, arena.met, states)
    found = _named(found, f"{name}: selection", "select", count)
    yield replace(found, stops=config.patience is not None)


def _selection(episodes: int, seed: int, exact: bool | None) -> AuditConfig:
    return AuditConfig(episodes, seed, exact=exact, split=Split.SELECT, chunk=episodes)


def _sft(game: Game, config: SftConfig, pools: Pools, met: Opponents) -> Work:
    gauge = min(config.episodes, GAUGE)
    examples = make_examples(
        game, config.recipe, gauge, config.seed, config.validation, pools, players=met.players
    )
    training = [example.decision for example in examples if not example.held_out]
    # A batch is drawn from all episodes: neighbours are too much alike.
    picked = training[:: max(1, len(training) // config.batch)][: config.batch]
    return Work(
        game.name,
        "sft",
        "sft",
        config.steps,
        0,
        config.batch,
        _questions(picked),
        config.rows,
        # A batch is never larger than the data.
        certain=len(examples) >= config.batch,
        stops=True,
    )


def _audit(game: Game, objective: Objective, config: AuditConfig, met: Opponents, states: int) -> Work:
    """Play an audit's episodes; what it then computes of them is left out."""
    recorder = Recorder(states)
    table = config.exact is not False and finite_forms(recorder, game, config.exact) is not None
    if not table:
        Sampling(game, objective, config, recorder, met.among(objective.pools)).run("plan", silent())
    return _counted(game, "audit", "audit", 1, recorder.take(), table)


def _counted(game: Game, stage: str, kind: str, steps: int, asked: Sequence[Decision], table: bool) -> Work:
    episodes = 0 if table else len({decision.episode for decision in asked})
    decisions = 0 if table else len(asked)
    certain = table or _certain(game)
    return Work(game.name, stage, kind, steps, episodes, decisions, _questions(asked), certain=certain)


def _named(work: Work, stage: str, kind: str | None = None, steps: int | None = None) -> Work:
    return replace(work, stage=stage, kind=kind or work.kind, steps=work.steps if steps is None else steps)


def _questions(decisions: Sequence[Decision]) -> tuple[Question, ...]:
    first: dict[object, Decision] = {}
    for decision in decisions:
        first.setdefault((decision.information_state, decision.legal), decision)
    return tuple(dict.fromkeys(map(question_of, first.values())))


def _certain(game: Game) -> bool:
    """Tell whether the number of decisions follows from the deal: everybody moves once in every round."""
    return game.info_record.dynamics == "simultaneous"


def _without_models(pools: Pools) -> Pools:
    """Return pools with a player of chance wherever a language model would have to be loaded."""
    return pools.replace({pool: _chance(members) for pool, members in pools})


def _without_model_names(config: SepoConfig) -> SepoConfig:
    """Return settings with a player of chance for language models, without copies not made yet."""
    stages = [
        stage.model_copy(update={pool: _chance(names) for pool, names in stage.pools.items()})
        for stage in config.curriculum
    ]
    pools = {pool: _chance(names) for pool, names in config.pools.items()}
    return config.model_copy(update={"pools": pools, "curriculum": stages, "league": None})


def _chance(names: Sequence[str]) -> list[str]:
    return ["random" if any(mark in name for mark in _MODELS) else name for name in names]
