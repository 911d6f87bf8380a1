"""The rows of an ablation: named changes to a recipe's method.

A new row is one entry of ``ROWS``. A recipe may have rows of its own: each of its runs beside the full method
is one, and a run with the name of a row here replaces it, for settings that must go with the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from equipoise.errors import RequestError, unknown
from equipoise.games.base import Weights
from equipoise.training.config import SepoConfig
from equipoise.training.moot import without_moot

__all__ = ["FULL", "ROWS", "Method", "Row", "choose", "full_name", "method_of"]

FULL = "full"
"""The row with which all others are compared."""


@dataclass(frozen=True)
class Row:
    """A named change.

    Attributes:
        name: Its name.
        summary: What it changes, for people.
        settings: Changes to the settings of the SEPO run.
        weights: Changes to the weights λ while training; audits keep the game's own.
        trained: Whether there is a SEPO run at all; otherwise the warm start is judged.
    """

    name: str
    summary: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    trained: bool = True


_SAMPLED = {"gradient": "sampled"}

_LIST = (
    Row(FULL, "the recipe's method as it is"),
    Row("sft_only", "the warm start, without SEPO", trained=False),
    Row("reward_only", "own payoff only: all λ are 0 in training", weights={"e": 0.0, "c": 0.0, "x": 0.0}),
    Row("shared", "one penalty for a whole group", settings={**_SAMPLED, "credit": "shared"}),
    Row("per_rollout", "penalties added to single rollouts", settings={**_SAMPLED, "credit": "per_rollout"}),
    Row("no_exploit", "λe is 0 in training", weights={"e": 0.0}),
    Row("no_collusion", "λc is 0 in training", weights={"c": 0.0}),
    Row("no_externality", "λx is 0 in training", weights={"x": 0.0}),
    Row(
        "responders",
        "the exact best reply to the current policy is among the exploiters",
        settings={"exploiters": "pool+best_response"},
    ),
    Row(
        "library_responders",
        "the scripted strategy that gains most on the current policy is among the exploiters",
        settings={"exploiters": "pool+library_response"},
    ),
    Row(
        "responder_league",
        "the exact best reply and the last replies before it are among the exploiters",
        settings={"exploiters": "pool+best_response+league"},
    ),
    Row(
        "league",
        "frozen copies of the policy are among the exploiters",
        settings={"league": {"every": 10, "pool": "exploiter"}},
    ),
    Row("regret", "λe charges for the regret against the exploiters", settings={"penalised": "regret"}),
    Row(
        "best_response",
        "λe charges for the largest lead any opponent can have",
        settings={"penalised": "best_response"},
    ),
    Row("scale_none", "advantages are not scaled", settings={**_SAMPLED, "scale": "none"}),
    Row("scale_rms", "advantages over their root mean square", settings={**_SAMPLED, "scale": "rms"}),
    Row("sampled", "the gradient is estimated from rollouts", settings=_SAMPLED),
    Row("all_actions", "the gradient over all actions is estimated", settings={"gradient": "all_actions"}),
    Row(
        "lagrangian",
        "λe is moved until e is at most 0.1",
        settings={"multipliers": "lagrangian", "limits": {"e": 0.1}},
    ),
    Row("exact", "the gradient is computed over all actions", settings={"gradient": "exact"}),
)

ROWS: Mapping[str, Row] = {row.name: row for row in _LIST}
"""All rows by name: the paper's, then ours."""


@dataclass(frozen=True)
class Method:
    """What is done for a row in a game.

    Attributes:
        settings: Settings of the SEPO run; None judges the warm start.
        weights: Weights λ in training.
    """

    settings: SepoConfig | None
    weights: Weights


def full_name(runs: Mapping[str, SepoConfig]) -> str:
    """Return which of a game's runs is the full method: the one called so, or the only one.

    Raises:
        RequestError: There is none, or it is not said which.
    """
    if FULL in runs:
        return FULL
    if len(runs) == 1:
        return next(iter(runs))
    found = ", ".join(runs) or "none"
    raise RequestError(f"runs of the recipe: {found}; call the one whose parts are left out {FULL!r}")


def choose(names: Sequence[str], runs: Sequence[str]) -> list[str]:
    """Return the names of rows that were asked for, the full method first; all of them if none was.

    Args:
        names: What was asked for.
        runs: Names of the recipe's runs beside the full method.

    Raises:
        RequestError: There is no such row.
    """
    known = list(dict.fromkeys([*ROWS, *runs]))
    for name in names:
        if name not in known:
            raise unknown("row", name, known)
    return list(dict.fromkeys([FULL, *(names or known)]))


def method_of(name: str, runs: Mapping[str, SepoConfig], weights: Weights) -> Method | str:
    """Return what a row does in a game, or why it does not apply there.

    Args:
        name: Name of the row.
        runs: The runs of the recipe in the game.
        weights: The game's weights.
    """
    full = full_name(runs)
    row = ROWS.get(name, Row(name, "a run of the recipe"))
    if not row.trained:
        return Method(None, weights)
    changed = weights.replace(row.weights)
    if name == FULL:
        return Method(runs[full], weights)
    if name not in ROWS and name not in runs:
        return "the recipe has no such run here"
    if row.weights and changed == weights:
        return " and ".join(f"λ{term}" for term in row.weights) + " is 0 here"
    given = runs[name] if name in runs and name != full else _changed(runs[full], row.settings)
    if isinstance(given, str):
        return given
    if (given, changed) == (runs[full], weights):
        return "it is what the full method does"
    return Method(given, changed)


def _changed(settings: SepoConfig, changes: Mapping[str, Any]) -> SepoConfig | str:
    """Return settings with changes and without what these make moot, or why they do not go together."""
    changed = {**settings.model_dump(), **changes}
    try:
        return SepoConfig.model_validate(without_moot(changed, changes, SepoConfig().model_dump()))
    except ValidationError as error:
        return error.errors()[0]["msg"].removeprefix("Value error, ")
