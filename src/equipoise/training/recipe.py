"""Recipes: a whole run as one TOML file, validated, with overrides from the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from equipoise.errors import unknown
from equipoise.training.cast import SELF
from equipoise.training.config import LoraSettings, SepoConfig, SftConfig, Strict
from equipoise.training.joint import JointRecipe
from equipoise.training.moot import moot_model, without_overridden
from equipoise.training.recipe_file import parse_value, recipe_data, recipe_names, validated
from equipoise.training.trl.settings import TrlSettings

__all__ = [
    "AuditSettings",
    "GameRecipe",
    "Recipe",
    "joint_start",
    "load_recipe",
    "only_games",
    "parse_value",
    "recipe_names",
]


class AuditSettings(Strict):
    """How every stage is audited.

    Attributes:
        episodes: Deals per opponent on the report split, each from both seats.
        seed: Seed of the report deals; apart from the training seed, so that runs with different training
            seeds are compared on the same deals.
        level: Confidence level.
        exact: True to compute exact values, False to sample; left out, what is cheap is computed.
    """

    episodes: int = Field(60, ge=1)
    seed: int = Field(0, ge=0)
    level: float = Field(0.95, gt=0.0, lt=1.0)
    exact: bool | None = None


class GameRecipe(Strict):
    """What is done in one game.

    Attributes:
        options: Options of the game.
        pools: Opponents by pool, replacing the game's own.
        weights: Penalty weights ``e``, ``c``, ``x``, replacing the game's own.
        abstraction: For ``model = "table"``, the state abstraction whose keys are the table's rows; left out,
            every information state has one.
        audit_episodes: Deals per opponent of this game's audits; left out, as many as ``audit.episodes``. A
            game whose shares are never seen needs more than one whose payoffs spread.
        sft: The warm start; left out, training starts from the model.
        train: SEPO runs by name, each from the warm start; the names are the policies of the table.
    """

    options: dict[str, Any] = Field(default_factory=dict)
    pools: dict[str, list[str]] = Field(default_factory=dict)
    weights: dict[str, float] = Field(default_factory=dict)
    abstraction: str | None = None
    audit_episodes: int | None = Field(None, ge=1)
    sft: SftConfig | None = None
    train: dict[str, SepoConfig] = Field(default_factory=dict)

    @field_validator("pools")
    @classmethod
    def _others(cls, pools: dict[str, list[str]]) -> dict[str, list[str]]:
        for pool, names in pools.items():
            if SELF in names:
                raise ValueError(
                    f"{pool} holds {SELF!r}, which is met in training only: set the pools of a run, "
                    f"train.NAME.pools.{pool}"
                )
        return pools

    @field_validator("train")
    @classmethod
    def _names(cls, runs: dict[str, SepoConfig]) -> dict[str, SepoConfig]:
        _check_names(runs)
        return runs


RESERVED = ("base", "sft", "scripted", "optimum")
"""Names of policies that a SEPO run cannot have."""


def _check_names(runs: Iterable[str]) -> None:
    for name in runs:
        if name in RESERVED or not re.fullmatch(r"\w[\w.-]*", name):
            raise ValueError(
                f"a run cannot be called {name!r}: use letters, digits and _, and none of "
                f"{', '.join(RESERVED)}"
            )


class Recipe(Strict):
    """A whole run.

    Attributes:
        method: ``sepo``; recipes of EPO are apart (see ``training.epo.recipe``).
        name: Name of the run.
        model: A local model (``smollm2``, ``hf:PATH_OR_ID``, ``tiny-random``), or ``table``.
        dtype: Type of its weights.
        device: Where it runs.
        threads: CPU threads of torch; left out, as many as there are cores.
        seed: Training seed, added to the seeds of the stages.
        out: Folder of the run (default ``runs/NAME``).
        mode: How a language model decides: ``choose``, ``think`` or ``free``; text is trained in the latter
            two (see docs/modes.md).
        temperature: Its sampling temperature, in training and audits.
        thought_tokens: Budget of a thought in mode ``think``.
        max_new_tokens: Budget of an answer in mode ``free``.
        history: What its prompts are made of: ``state`` builds each anew from what the seat knows, ``chat``
            goes on with the conversation of the episode (``think`` and ``free``).
        invalid: What follows an answer that names no legal action, in training and audits: ``fallback``
            plays an action drawn uniformly, ``forfeit`` ends the episode. It is never asked again: only the
            last answer would be on record, and training on it would favour it for the others' failure.
        backend: What trains a language model: ``local``, our own loop in one process, or ``trl``, TRL's
            trainers on any number of processes (see docs/scaling.md).
        trl: Settings of the latter.
        lora: The adapter that SFT and SEPO train: one, so that its rank, alpha and targets are those of both.
            SEPO goes on with the adapter of the warm start, and its reference is that adapter as it was.
        audit: How every stage is audited.
        games: What is done, by game.
        joint: Runs that train one policy on several of these games, by name; the names are the policies of
            the games' tables, as those of ``games.GAME.train`` are.
    """

    method: Literal["sepo"] = "sepo"
    name: str
    model: str = "smollm2"
    dtype: Literal["float32", "bfloat16"] = "float32"
    device: str = "cpu"
    threads: int | None = Field(None, ge=1)
    seed: int = Field(0, ge=0)
    out: str | None = None
    mode: Literal["choose", "think", "free"] = "choose"
    temperature: float = Field(1.0, gt=0.0)
    thought_tokens: int = Field(64, ge=1)
    max_new_tokens: int = Field(32, ge=1)
    history: Literal["state", "chat"] = "state"
    invalid: Literal["fallback", "forfeit"] = "fallback"
    backend: Literal["local", "trl"] = "local"
    trl: TrlSettings = TrlSettings()
    lora: LoraSettings = LoraSettings()
    audit: AuditSettings = AuditSettings()
    games: dict[str, GameRecipe]
    joint: dict[str, JointRecipe] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _joined(self) -> Recipe:
        _check_names(self.joint)
        for name, run in self.joint.items():
            for game in run.games:
                if game not in self.games:
                    raise ValueError(f"joint.{name}.games names {game!r}: give it a table [games.{game}]")
                taken = {*self.games[game].train, *(joint_start(other) for other in self.joint)}
                if name in taken:
                    raise ValueError(f"joint.{name}: {game} has a policy of that name, choose another")
                if joint_start(name) in self.games[game].train:
                    raise ValueError(f"joint.{name}: its warm start has the name of a run in {game}")
        return self

    @model_validator(mode="after")
    def _tables(self) -> Recipe:
        for game, one in self.games.items():
            if one.abstraction is not None and self.model != "table":
                raise ValueError(
                    f"games.{game}.abstraction = {one.abstraction!r} is for tables: set model = 'table', or "
                    "leave it out"
                )
        return self

    @model_validator(mode="after")
    def _heard(self) -> Recipe:
        if (moot := moot_model(self)) is not None:
            raise ValueError(moot)
        return self

    @field_validator("model")
    @classmethod
    def _bare(cls, model: str) -> str:
        if "+" in model:
            raise ValueError("a recipe trains an adapter of its own: name the model without +ADAPTER")
        return model

    @field_validator("mode")
    @classmethod
    def _worded(cls, mode: str, given: ValidationInfo) -> str:
        if mode != "choose" and given.data.get("model") == "table":
            raise ValueError("a table writes no text, use mode = 'choose'")
        return mode

    @field_validator("history")
    @classmethod
    def _written(cls, history: str, given: ValidationInfo) -> str:
        if history == "chat" and given.data.get("mode") == "choose":
            raise ValueError("mode 'choose' writes nothing, use mode = 'think' or 'free'")
        return history

    @field_validator("backend")
    @classmethod
    def _trained(cls, backend: str, given: ValidationInfo) -> str:
        if backend == "trl" and given.data.get("model") == "table":
            raise ValueError("TRL trains language models, a table is trained by backend = 'local'")
        return backend

    @field_validator("trl")
    @classmethod
    def _used(cls, trl: TrlSettings, given: ValidationInfo) -> TrlSettings:
        if trl != TrlSettings() and given.data.get("backend") == "local":
            raise ValueError("these settings are TRL's, use backend = 'trl'")
        if trl.layout == "chat" and given.data.get("history") == "state":
            raise ValueError(
                "layout 'chat' is for prompts that go on from each other, use history = 'chat' or layout = "
                "'decisions'"
            )
        if trl.use_vllm and given.data.get("mode") == "choose":
            raise ValueError("use_vllm: mode 'choose' writes no text, use mode = 'think' or 'free'")
        return trl

    @model_validator(mode="after")
    def _on_trl(self) -> Recipe:
        """Check that TRL can do all runs; better said before the first one than at it."""
        if self.backend == "local":
            return self
        if self.joint:
            raise ValueError("joint runs are not for TRL yet: use backend = 'local', or a run for each game")
        for game, one in self.games.items():
            for name, run in one.train.items():
                if run.gradient != "sampled":
                    raise ValueError(
                        f"games.{game}.train.{name}.gradient = {run.gradient!r}: TRL trains on samples, use "
                        "gradient = 'sampled' or backend = 'local'"
                    )
                if run.max_decisions is not None:
                    raise ValueError(
                        f"games.{game}.train.{name}.max_decisions = {run.max_decisions}: only backend = "
                        "'local' thins decisions out"
                    )
                if run.league is not None:
                    raise ValueError(
                        f"games.{game}.train.{name}.league: frozen copies are kept by backend = 'local' only"
                    )
        return self


def joint_start(name: str) -> str:
    """Return the name that the warm start of a joint run has in tables."""
    return f"{name}-sft"


def only_games(recipe: Recipe, games: Sequence[str] | None) -> Recipe:
    """Return a recipe with some of its games, and the joint runs that have no others; None keeps all.

    Raises:
        RequestError: It has no such game.
    """
    if games is None:
        return recipe
    for name in games:
        if name not in recipe.games:
            raise unknown("game of the recipe", name, recipe.games)
    kept = {name: one for name, one in recipe.games.items() if name in games}
    joint = {name: run for name, run in recipe.joint.items() if kept.keys() >= run.games.keys()}
    return recipe.model_copy(update={"games": kept, "joint": joint})


def load_recipe(name: str, overrides: Sequence[str] = ()) -> Recipe:
    """Load a recipe by name or path and apply ``key=value`` overrides (dotted keys reach inside).

    Raises:
        RequestError: There is no such recipe, it is no TOML, or a key or value is wrong; the message names
            the nearest right key.
    """
    changed = {override.partition("=")[0].strip() for override in overrides}
    return validated(Recipe, without_overridden(recipe_data(name, overrides), changed), name)
