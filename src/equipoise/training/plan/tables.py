"""A plan on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from equipoise.training.plan.figures import Figure

if TYPE_CHECKING:
    from rich.console import RenderableType

    from equipoise.training.plan.plan import Plan, StagePlan

__all__ = ["plan_tables"]

COLUMNS = {
    "steps": "steps",
    "episodes": "episodes",
    "decisions": "decisions",
    "trajectories": "trajectories",
    "actor_calls": "actor calls",
    "judge_calls": "judge calls",
    "evaluator_calls": "evaluator calls",
    "prompts": "prompts",
    "prompt_tokens": "prompt tokens",
    "answer_tokens": "answer tokens",
    "computed_tokens": "computed tokens",
    "all_tokens": "all steps: tokens",
    "seconds": "time",
}
"""Figures with the headings of their columns."""


def plan_tables(plan: Plan) -> list[RenderableType]:
    """Return the tables of stages, parameters and memory, and the notes."""
    parts: list[RenderableType] = [_stages(plan)]
    if plan.memory:
        title = f"parameters of {plan.model}"
        parts += [_figures(title, plan.parameters), _figures("memory of a training step", plan.memory)]
    if plan.total:
        parts.append(_figures("all stages", plan.total))
    return [*parts, *map(Text, plan.notes)]


def _stages(plan: Plan) -> Table:
    known = [key for key in COLUMNS if any(key in stage.figures for stage in plan.stages)]
    table = Table(title=f"{plan.recipe}: each step of every stage", title_justify="left")
    for heading in ("game", "stage"):
        table.add_column(heading)
    for key in known:
        table.add_column(COLUMNS[key], justify="right")
    for stage in plan.stages:
        table.add_row(Text(stage.game), Text(stage.stage), *(_shown(stage, key) for key in known))
    return table


def _figures(title: str, figures: Mapping[str, Figure]) -> Table:
    table = Table(title=Text(title), title_justify="left")
    table.add_column("what")
    table.add_column("figure", justify="right")
    table.add_column("how")
    for name, figure in figures.items():
        table.add_row(name.replace("_", " "), str(figure), Text(figure.how))
    return table


def _shown(stage: StagePlan, key: str) -> str:
    found = stage.figures.get(key)
    return "" if found is None else str(found)
