"""The plan of a recipe: work, tokens, memory and time, each figure with how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.policies.local.families import family_of
from equipoise.progress import Reporter, silent
from equipoise.training.epo.recipe import PHRASES, EpoRecipe, is_epo, load_epo
from equipoise.training.joint import shares
from equipoise.training.joint_sft import share_out
from equipoise.training.pipeline import prepare
from equipoise.training.plan.figures import Figure
from equipoise.training.plan.memory import memory_of
from equipoise.training.plan.passes import played, worked
from equipoise.training.plan.shape import ModelShape, model_shape
from equipoise.training.plan.strategist import strategist_works
from equipoise.training.plan.tokens import Tokens, tokenizer_at_hand
from equipoise.training.plan.work import TAUGHT, Work, work_of
from equipoise.training.recipe import GameRecipe, Recipe, joint_start, load_recipe, only_games

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Plan", "StagePlan", "plan_recipe"]


@dataclass(frozen=True)
class StagePlan:
    """One stage with its figures.

    Attributes:
        game: Name of the game.
        stage: Name of the stage.
        figures: By name: steps; episodes, decisions, prompts, prompt and answer tokens and those that are
            computed, each of one step; tokens and seconds of all steps.
    """

    game: str
    stage: str
    figures: Mapping[str, Figure]

    def to_json(self) -> dict[str, Any]:
        """Return the stage as JSON data."""
        return {"game": self.game, "stage": self.stage, **{k: f.to_json() for k, f in self.figures.items()}}


@dataclass(frozen=True)
class Plan:
    """What a recipe will cost.

    Attributes:
        recipe: Name of the recipe.
        model: Its model.
        parameters: Parameters of model and adapter; empty for tables.
        stages: The stages in order.
        memory: Memory by part; empty for tables.
        total: Tokens and seconds of all stages.
        notes: What all of it rests on.
    """

    recipe: str
    model: str
    parameters: Mapping[str, Figure]
    stages: Sequence[StagePlan]
    memory: Mapping[str, Figure]
    total: Mapping[str, Figure]
    notes: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data, schema 1."""
        return {
            "schema": 1,
            "recipe": self.recipe,
            "model": self.model,
            "parameters": {k: f.to_json() for k, f in self.parameters.items()},
            "stages": [stage.to_json() for stage in self.stages],
            "memory": {k: f.to_json() for k, f in self.memory.items()},
            "total": {k: f.to_json() for k, f in self.total.items()},
            "notes": list(self.notes),
        }

    def render(self) -> list[RenderableType]:
        """Return tables and notes."""
        from equipoise.training.plan.tables import plan_tables

        return plan_tables(self)


def plan_recipe(
    name: str,
    overrides: Sequence[str] = (),
    tokens_per_second: float | None = None,
    config: Path | None = None,
    reporter: Reporter | None = None,
    games: Sequence[str] | None = None,
) -> Plan:
    """Count and estimate what a recipe will do, without loading weights.

    Args:
        name: Name or path of the recipe.
        overrides: Changes to it, ``key=value``.
        tokens_per_second: Throughput that times are estimated from; ``scripts/gpu_first_steps`` measures it.
        config: ``config.json`` of a model that is neither on this machine nor known.
        reporter: Shows progress.
        games: Which of its games; None plans all.

    Raises:
        RequestError: The recipe is wrong, or nothing says what the model looks like.
    """
    if is_epo(name, overrides):
        strategist = load_epo(name, overrides)
        works = list(strategist_works(strategist, games, reporter or silent()))
        return _plan(strategist, strategist.model == PHRASES, works, tokens_per_second, config)
    recipe = only_games(load_recipe(name, overrides), games)
    is_table = recipe.model == "table"
    works = list(_works(recipe, reporter or silent(), is_table))
    return _plan(recipe, is_table, works, tokens_per_second, config)


def _plan(
    recipe: Recipe | EpoRecipe,
    is_table: bool,
    works: Sequence[Work],
    speed: float | None,
    config: Path | None,
) -> Plan:
    shape = None if is_table else model_shape(recipe.model, recipe.lora, recipe.dtype, config)
    tokens = None if shape is None else _tokens(recipe, shape)
    stages = [_stage(work, tokens, speed) for work in works]
    return Plan(
        recipe.name,
        recipe.model,
        {} if shape is None else _parameters(shape),
        stages,
        {} if shape is None or tokens is None else memory_of(shape, tokens, works),
        _total(stages),
        list(_notes(tokens)),
    )


def _works(recipe: Recipe, reporter: Reporter, is_table: bool) -> Iterator[Work]:
    games: list[tuple[str | None, str]] = [(None, name) for name in recipe.games]
    games += [(run, name) for run in recipe.joint for name in recipe.joint[run].games]
    with reporter.task(f"plan {recipe.name}", len(games)) as advance:
        for run, name in games:
            one = recipe.games[name] if run is None else _joint(recipe, run, name)
            game, config = prepare(recipe, name)
            for work in work_of(game, one, config, recipe.seed, is_table, _budget(recipe)):
                if run is None:
                    yield work
                elif work.stage != "audit base":
                    yield replace(work, stage=work.stage.replace("sft", joint_start(run), 1))
            advance(1)


def _joint(recipe: Recipe, run: str, game: str) -> GameRecipe:
    """Return a game's part of a joint run, as if it were a run of its own."""
    settings = recipe.joint[run]
    counts = share_out(settings.sft.batch, shares(settings.games)) if settings.sft else {}
    sft = settings.sft.model_copy(update={"batch": counts[game]}) if settings.sft else None
    return recipe.games[game].model_copy(update={"sft": sft, "train": {run: settings.settings(game)}})


def _budget(recipe: Recipe) -> int:
    """Return the tokens that may be written at a decision."""
    return {"choose": 0, "think": recipe.thought_tokens, "free": recipe.max_new_tokens}[recipe.mode]


def _tokens(recipe: Recipe | EpoRecipe, shape: ModelShape) -> Tokens:
    family = family_of(shape.model.get_base_model().config)
    return Tokens(tokenizer_at_hand(recipe.model), family, shape.shares_prefixes)


def _stage(work: Work, tokens: Tokens | None, speed: float | None) -> StagePlan:
    usual = "uniform play in the model's place"
    table = work.episodes == 0 and work.kind not in (*TAUGHT, "pass")
    certain = work.certain or table
    same = "counted" if certain else usual
    figures = {
        "steps": Figure(
            work.steps,
            "count",
            not work.stops,
            "at most: it stops where it gets no better" if work.stops else "counted",
        ),
        "episodes": Figure(work.episodes, "count", True, "counted; 0 where a table of all states is asked"),
        "decisions": Figure(work.decisions, "count", certain, same),
        "prompts": Figure(len(work.questions), "count", table, usual),
        **{name: Figure(count, "count", certain, same) for name, count in work.calls.items()},
    }
    if tokens is not None:
        figures.update(_token_figures(work, tokens, speed))
    return StagePlan(work.game, work.stage, figures)


def _token_figures(work: Work, tokens: Tokens, speed: float | None) -> dict[str, Figure]:
    asked = work.questions
    exact = tokens.exact and work.episodes == 0 and work.kind not in (*TAUGHT, "pass")
    words = sum(map(tokens.answer, asked)) / max(len(asked), 1)
    likely = "texts" if work.kind in TAUGHT and work.pass_tokens else "legal words"
    answers = Figure(work.decisions * words, "tokens", False, f"{likely} are equally likely; {tokens.how}")
    if work.budget:
        answers = Figure(work.decisions * work.budget, "tokens", False, "at most: every budget is used up")
    each, why = worked(work, tokens)
    total = work.steps * each
    shared = "what prompts share once" if tokens.shares else "every prompt by itself"
    return {
        "prompt_tokens": Figure(sum(map(tokens.prompt, asked)), "tokens", exact, tokens.how),
        "answer_tokens": answers,
        "computed_tokens": Figure(
            tokens.read(asked, words=False) if work.kind in TAUGHT else played(work, tokens),
            "tokens",
            exact and not work.budget,
            f"{shared}; {tokens.how}",
        ),
        "all_tokens": Figure(total, "tokens", False, why),
        "seconds": Figure(
            None if speed is None else total / speed,
            "seconds",
            False,
            "give --tokens-per-second" if speed is None else f"all tokens at {speed:g} a second, as given",
        ),
    }


def _parameters(shape: ModelShape) -> dict[str, Figure]:
    return {
        "model": Figure(shape.parameters, "count", True, f"counted without data, from {shape.source}"),
        "adapter": Figure(shape.trainable, "count", True, "counted without data"),
    }


def _total(stages: Sequence[StagePlan]) -> dict[str, Figure]:
    found = {}
    for key, unit in (("all_tokens", "tokens"), ("seconds", "seconds")):
        parts = [stage.figures[key] for stage in stages if key in stage.figures]
        if parts:
            known = all(part.value is not None for part in parts)
            value = sum(part.value or 0.0 for part in parts) if known else None
            found[key] = Figure(value, unit, False, "all stages" if known else parts[0].how)
    return found


@cache
def _note(shares: bool) -> str:
    if shares:
        return "What prompts have in common is read once in every call."
    return "Layers with linear attention: every prompt is read by itself, from its first token."


def _notes(tokens: Tokens | None) -> Iterator[str]:
    yield "~ marks estimates; --json says of each figure how it came about."
    if tokens is not None:
        yield f"Tokens: {tokens.how}."
        yield _note(tokens.shares)
