"""Settings that change nothing where another one is as it is; each is an error that names the way out.

Values are looked at, not whether they were written down: a default that is written out is no error. An
ablation that changes a setting, and a game of a joint run that differs from the others, drop what becomes
moot by it (:func:`without_moot`), and so does an override of a recipe's mode or model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.training.config import SepoConfig
    from equipoise.training.recipe import Recipe
    from equipoise.training.trl.settings import TrlSettings

__all__ = ["moot_engine", "moot_model", "moot_run", "without_moot", "without_overridden"]


@dataclass(frozen=True)
class _Rule:
    """Settings that are moot under a condition.

    Attributes:
        names: The settings.
        holds: The condition, on a run's settings by name.
        way_out: Why, and what to do.
    """

    names: tuple[str, ...]
    holds: Callable[[Mapping[str, Any]], bool]
    way_out: str


def _parts(run: Mapping[str, Any]) -> list[str]:
    return str(run["exploiters"]).split("+")


def _answered(run: Mapping[str, Any]) -> bool:
    kinds = {"best_response", "library_response"}
    return run["penalised"] == "best_response" or bool(kinds.intersection(_parts(run)))


_RULES = (
    _Rule(
        ("gates", "scale"),
        lambda run: run["gradient"] == "exact",
        "the exact gradient has neither gates to estimate nor advantages to scale: leave it out, or use "
        "gradient = 'sampled'",
    ),
    _Rule(
        ("max_decisions",),
        lambda run: run["gradient"] != "sampled",
        "only a sampled gradient is thinned out: leave it out, or use gradient = 'sampled'",
    ),
    _Rule(
        ("record_episodes",),
        lambda run: run["gradient"] != "sampled",
        "only a sampled gradient credits episodes: leave it out, or use gradient = 'sampled'",
    ),
    _Rule(
        ("branches",),
        lambda run: run["gradient"] != "all_actions",
        "only gradient = 'all_actions' branches off: leave it out, or use that",
    ),
    _Rule(
        ("min_delta",),
        lambda run: run["patience"] is None,
        "without patience all steps are made: leave it out, or set patience",
    ),
    _Rule(
        ("dual_lr", "lambda_max"),
        lambda run: run["multipliers"] == "penalty",
        "fixed weights are not moved: leave it out, or use multipliers = 'lagrangian' with limits",
    ),
    _Rule(
        ("league_size",),
        lambda run: "league" not in _parts(run),
        "no past responders are kept: leave it out, or add +league to exploiters",
    ),
    _Rule(
        ("respond_every",),
        lambda run: not _answered(run),
        "nobody answers the policy: leave it out, or add +best_response or +library_response to exploiters",
    ),
    _Rule(
        ("respond_deals",),
        lambda run: "library_response" not in _parts(run),
        "no scripted strategies are compared: leave it out, or add +library_response to exploiters",
    ),
)


def moot_run(run: SepoConfig) -> str | None:
    """Return what is wrong with the first setting of a run that changes nothing; None if all matter."""
    values = {name: getattr(run, name) for name in type(run).model_fields}
    for rule in _RULES:
        for name in rule.names:
            if values[name] != type(run).model_fields[name].default and rule.holds(values):
                return f"{name} = {values[name]!r} changes nothing: {rule.way_out}"
    if run.league is not None and run.league.every >= run.steps:
        return (
            f"league.every = {run.league.every} changes nothing in {run.steps} steps, no copy is met: use a "
            "smaller one"
        )
    if run.curriculum and run.curriculum[-1].until > run.steps:
        return (
            f"curriculum: until = {run.curriculum[-1].until} lies beyond steps = {run.steps}, so what "
            f"follows is never met: end the last stage at {run.steps} or before"
        )
    return None


def without_moot(
    values: Mapping[str, Any], kept: Collection[str], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a run's settings with what is moot among them at its default.

    Args:
        values: All settings by name.
        kept: Names of those that were asked for, which stay as they are and may be errors.
        defaults: What settings are if nothing is said.
    """
    moot = {name for rule in _RULES if rule.holds(values) for name in rule.names if name not in kept}
    return {name: defaults[name] if name in moot else value for name, value in values.items()}


def moot_model(recipe: Recipe) -> str | None:
    """Return what is wrong with the first setting of a recipe's model that changes nothing."""
    fields, table = type(recipe).model_fields, recipe.model == "table"
    if recipe.mode != "think" and recipe.thought_tokens != fields["thought_tokens"].default:
        return (
            f"thought_tokens = {recipe.thought_tokens} changes nothing: {_who(table, recipe.mode)} does not "
            "think, leave it out" + ("" if table else " or use mode = 'think'")
        )
    if recipe.mode != "free" and recipe.max_new_tokens != fields["max_new_tokens"].default:
        return (
            f"max_new_tokens = {recipe.max_new_tokens} changes nothing: {_who(table, recipe.mode)} writes no "
            "answer, leave it out" + ("" if table else " or use mode = 'free'")
        )
    if recipe.lora != fields["lora"].default and (table or recipe.trl.tuning == "full"):
        what = "a table has no adapter" if table else "trl.tuning = 'full' trains no adapter"
        return f"lora changes nothing: {what}, leave it out"
    return None


def without_overridden(data: Mapping[str, Any], changed: Collection[str]) -> dict[str, Any]:
    """Return a recipe's data without what an override of its mode or model makes moot.

    A recipe for mode ``free`` has a budget of answers; asked for ``mode=choose`` it has no use for it. What
    was overridden too stays, and is an error.

    Args:
        data: The recipe, overrides included.
        changed: The keys that were overridden, dotted.
    """
    moot: set[str] = set()
    if "mode" in changed:
        of_mode = {"think": "thought_tokens", "free": "max_new_tokens"}
        moot |= {name for mode, name in of_mode.items() if mode != data.get("mode")}
    if "model" in changed and data.get("model") == "table":
        moot |= {"lora"}
    asked = {key.partition(".")[0] for key in changed}
    return {name: value for name, value in data.items() if name not in moot - asked}


def _who(table: bool, mode: str) -> str:
    return "a table" if table else f"mode {mode!r}"


COLOCATED = ("vllm_gpu_memory_utilization", "vllm_max_model_length", "vllm_enable_sleep_mode")
SERVED = ("vllm_mode", "vllm_server_base_url")


def moot_engine(settings: TrlSettings) -> str | None:
    """Return what is wrong with the first setting of vLLM that changes nothing."""
    for name in (*SERVED, *COLOCATED):
        value = getattr(settings, name)
        if value == type(settings).model_fields[name].default:
            continue
        if not settings.use_vllm:
            return (
                f"{name} = {value!r} changes nothing: transformers play, leave it out or set use_vllm = true"
            )
        if name in COLOCATED and settings.vllm_mode == "server":
            return (
                f"{name} = {value!r} changes nothing: a server has settings of its own, leave it out or use "
                "vllm_mode = 'colocate'"
            )
    return None
