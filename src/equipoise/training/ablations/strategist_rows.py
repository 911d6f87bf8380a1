"""The rows of an ablation of EPO: named changes to how a strategist is trained.

A recipe's other runs are rows as well, and a run with the name of a row here replaces it. The rows on SEPO's
objective change the recipe's penalised run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from equipoise.errors import RequestError, unknown
from equipoise.training.ablations.rows import FULL
from equipoise.training.config import SepoConfig
from equipoise.training.epo.config import EpoConfig, WordingConfig
from equipoise.training.epo.recipe import ALONE, BASE, EpoTask

__all__ = ["ROWS", "SFT_ONLY", "SUMMARIES", "StrategistRow", "choose", "full_run", "task_of"]

MOST_ROUNDS = 5
"""Rounds of self-play after which the paper's score no longer rises."""

SFT_ONLY = "sft_only"

NO_PENALTIES = {"e": 0.0, "c": 0.0, "x": 0.0}


@dataclass(frozen=True)
class StrategistRow:
    """A named change.

    Attributes:
        name: Its name.
        summary: What it changes, for people.
        settings: Changes to the settings of the full run.
        weights: Changes to the weights λ in training; the row is one of the penalised run, if there are any.
        rounds: Rounds of self-play among which the full run's steps are shared out; 0 is none at all.
        warm: Whether there is a warm start of the wording; None leaves it as the recipe has it.
        trained: Whether the strategist is trained; otherwise its warm start is judged.
    """

    name: str
    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    rounds: int | None = None
    warm: bool | None = None
    trained: bool = True


_LIST = (
    StrategistRow(ALONE, "no strategist: the actor alone"),
    StrategistRow(BASE, "no RL: the strategist as it comes"),
    StrategistRow(SFT_ONLY, "the warm start alone, not trained further", warm=True, trained=False),
    StrategistRow("sft_first", "a warm start of the wording first", warm=True),
    StrategistRow("no_sft", "the method without a warm start", warm=False),
    StrategistRow("no_process_reward", "no process judge: only the outcome", settings={"judge": "none"}),
    StrategistRow(
        "no_outcome", "the judge's marks only, no outcome at the end", settings={"outcome_at_end": False}
    ),
    StrategistRow("no_self_play", "no self-play", settings={"self_play": False}),
    StrategistRow("self_play_0", "no self-play, all steps in one round", rounds=0),
    *(
        StrategistRow(
            f"self_play_{count}", f"self-play in {count} rounds of as many steps in all", rounds=count
        )
        for count in range(1, MOST_ROUNDS + 1)
    ),
    StrategistRow("maxabs", "returns over their largest, the paper's", settings={"advantage": "maxabs"}),
    StrategistRow("group", "returns against mean and spread of their start", settings={"advantage": "group"}),
    StrategistRow("loo", "returns against the others of their start", settings={"advantage": "loo"}),
    StrategistRow("mean", "turns and tokens averaged, the paper's", settings={"token_reduction": "mean"}),
    StrategistRow("sum", "turns and tokens added up", settings={"token_reduction": "sum"}),
    StrategistRow(
        "paper_credit",
        "the paper's credit: maxabs and mean",
        settings={"advantage": "maxabs", "token_reduction": "mean"},
    ),
    StrategistRow(
        "offline", "a round's data is trained on three times", settings={"offline": True, "epochs": 3}
    ),
    StrategistRow("no_penalties", "SEPO's objective, all λ are 0 in training", weights=NO_PENALTIES),
    StrategistRow("no_exploit", "SEPO's objective, λe is 0 in training", weights={"e": 0.0}),
    StrategistRow("no_collusion", "SEPO's objective, λc is 0 in training", weights={"c": 0.0}),
    StrategistRow("no_externality", "SEPO's objective, λx is 0 in training", weights={"x": 0.0}),
)

ROWS: Mapping[str, StrategistRow] = {row.name: row for row in _LIST}
"""All rows by name: the paper's, then ours."""

SUMMARIES: Mapping[str, str] = {row.name: row.summary for row in _LIST}
"""What each row changes."""


def full_run(task: EpoTask) -> str:
    """Return which of a task's runs is the method: ``full``, ``epo``, or the only one.

    Raises:
        RequestError: There is none, or it is not said which.
    """
    for name in (FULL, "epo"):
        if name in task.train:
            return name
    if len(task.train) == 1:
        return next(iter(task.train))
    found = ", ".join(task.train) or "none"
    raise RequestError(f"runs of the recipe: {found}; call the one whose parts are left out {FULL!r}")


def choose(names: Sequence[str], tasks: Mapping[str, EpoTask]) -> list[str]:
    """Return the names of rows that were asked for, the full method first; all of them if none was.

    Raises:
        RequestError: There is no such row.
    """
    own = [run for task in tasks.values() for run in task.runs if run != full_run(task)]
    known = list(dict.fromkeys([*ROWS, *own]))
    for name in names:
        if name not in (FULL, *known):
            raise unknown("row", name, known)
    return list(dict.fromkeys([FULL, *(names or known)]))


def task_of(name: str, task: EpoTask, seats: int, *, writes: bool = True) -> EpoTask | str:
    """Return a task whose only run is a row, under the row's name; or why the row does not apply.

    Args:
        name: Name of the row.
        task: The recipe's part for the task.
        seats: Seats of the task.
        writes: Whether the strategist is a language model, which can be taught how advice sounds.
    """
    full = full_run(task)
    if name == FULL:
        return _with(task, name, task.train[full])
    if name in (ALONE, BASE):
        return task.model_copy(update={"train": {}, "penalised": {}})
    if name in task.runs and name != full:
        return _with(task, name, task.runs[name])
    if name not in ROWS:
        return "the recipe has no such run here"
    row = ROWS[name]
    if row.weights:
        return _unpenalised(row, task)
    if row.warm is not None:
        return _warmed(row, task, writes)
    changes: dict[str, Any] = dict(row.settings)
    if row.rounds is not None:
        if seats < 2:
            return "one seat: there is nobody to be"
        changes = _shared(task.train[full], row.rounds)
    given = _changed(task.train[full], changes)
    if given == task.train[full]:
        return "it is what the full method does"
    return given if isinstance(given, str) else _with(task, name, given)


def _warmed(row: StrategistRow, task: EpoTask, writes: bool) -> EpoTask | str:
    """Return the full method with or without a warm start, or the warm start alone."""
    if not writes:
        return "a list of advice is in good form as it comes: there is no wording to teach"
    if row.trained and row.warm == (task.sft is not None):
        return "it is what the full method does"
    sft = (task.sft or WordingConfig()) if row.warm else None
    found = _with(task, row.name, task.train[full_run(task)])
    return found.model_copy(update={"sft": sft, **({} if row.trained else {"train": {}})})


def _shared(full: EpoConfig, rounds: int) -> dict[str, Any]:
    """Return settings that share a run's steps out among rounds of self-play."""
    steps = full.rounds * full.steps
    if rounds == 0:
        return {"self_play": False, "rounds": 1, "steps": steps, "patience": 1}
    return {"self_play": True, "rounds": rounds, "steps": max(1, steps // rounds), "patience": rounds}


def _unpenalised(row: StrategistRow, task: EpoTask) -> EpoTask | str:
    if not task.penalised:
        return "the recipe has no run on SEPO's objective here"
    config = next(iter(task.penalised.values()))
    found = _with(task, row.name, config)
    return found.model_copy(update={"train_weights": {**task.train_weights, **row.weights}})


def _with(task: EpoTask, name: str, config: EpoConfig | SepoConfig) -> EpoTask:
    kind = "train" if isinstance(config, EpoConfig) else "penalised"
    return task.model_copy(update={"train": {}, "penalised": {}, kind: {name: config}})


def _changed(settings: EpoConfig, changes: Mapping[str, Any]) -> EpoConfig | str:
    """Return settings with changes, or why they do not go together."""
    try:
        return EpoConfig.model_validate({**settings.model_dump(), **changes})
    except ValidationError as error:
        return error.errors()[0]["msg"].removeprefix("Value error, ")
