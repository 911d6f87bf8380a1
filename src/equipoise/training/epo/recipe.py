"""Recipes of EPO: a strategist, the actor it advises, and what they are trained and judged on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from equipoise.prompts.strategist import Style
from equipoise.training.config import LoraSettings, SepoConfig, Strict
from equipoise.training.epo.config import EpoConfig, WordingConfig
from equipoise.training.recipe import AuditSettings
from equipoise.training.recipe_file import recipe_data, validated

__all__ = ["ALONE", "BASE", "PHRASES", "SFT", "EpoRecipe", "EpoTask", "PhraseSettings", "is_epo", "load_epo"]

ALONE, BASE, SFT = "actor", "base", "sft"
"""What tables call the actor alone, with a strategist as it comes, and with one that was taught wording."""


PHRASES = "phrases"
"""The model that is none: a strategist that chooses from a list of advice."""


class PhraseSettings(Strict):
    """A strategist without a language model (``model = "phrases"``).

    Attributes:
        key: What it keeps of a situation: ``none``, ``turn``, the name of a state abstraction of the game, or
            ``offers`` in ``social``.
        advice: What it chooses from; left out, what ships with the package.
    """

    key: str = "turn"
    advice: list[str] = Field(default_factory=list)


class EpoTask(Strict):
    """What is done in one task or game.

    Attributes:
        options: Its options in training.
        held_out: Options that differ where it is judged, e.g. another split of scenarios.
        pools: Whom the strategist's side meets, by pool, replacing those of the task; it trains with the
            train pool.
        weights: Penalty weights ``e``, ``c``, ``x`` of the reported terms.
        train_weights: Penalty weights that differ in training, for runs on SEPO's objective.
        actor: Who is advised: any policy.
        actors: Further actors with which the same strategist is judged, by name.
        phrases: What a strategist without a language model chooses from.
        sft: The warm start of the strategist's wording, from which all runs start; left out, none.
        train: Runs by name; the names are the policies of the table.
        penalised: Runs on SEPO's objective by name: the strategist maximises the payoff less the penalties
            that ``weights`` weigh, on sampled episodes with all pools (docs/epo.md).
    """

    options: dict[str, Any] = Field(default_factory=dict)
    held_out: dict[str, Any] = Field(default_factory=dict)
    pools: dict[str, list[str]] = Field(default_factory=dict)
    weights: dict[str, float] = Field(default_factory=dict)
    train_weights: dict[str, float] = Field(default_factory=dict)
    actor: str
    actors: dict[str, str] = Field(default_factory=dict)
    phrases: PhraseSettings = PhraseSettings()
    sft: WordingConfig | None = None
    train: dict[str, EpoConfig] = Field(default_factory=dict)
    penalised: dict[str, SepoConfig] = Field(default_factory=dict)

    @property
    def runs(self) -> dict[str, EpoConfig | SepoConfig]:
        """All runs by name, EPO's first."""
        return {**self.train, **self.penalised}

    @model_validator(mode="after")
    def _apart(self) -> EpoTask:
        for name in sorted(set(self.train) & set(self.penalised)):
            raise ValueError(f"two runs are called {name!r}: rename the one under 'penalised'")
        for name, one in self.penalised.items():
            if one.gradient != "sampled":
                raise ValueError(
                    f"gradient = {one.gradient!r} of {name!r}: a strategist's advice is sampled, use "
                    "'sampled'"
                )
        return self

    @field_validator("train", "penalised")
    @classmethod
    def _names(cls, runs: dict[str, Any]) -> dict[str, Any]:
        for name in runs:
            if (
                name in (ALONE, BASE, SFT)
                or "@" in name
                or not name.replace("_", "").replace("-", "").isalnum()
            ):
                raise ValueError(
                    f"a run cannot be called {name!r}: use letters, digits, - and _, and none of "
                    f"{ALONE!r}, {BASE!r}, {SFT!r}"
                )
        return runs


class EpoRecipe(Strict):
    """A whole run of EPO.

    Attributes:
        method: ``epo``; tells these recipes from those of SEPO.
        name: Name of the run.
        model: The strategist: a local model (``smollm2``, ``hf:PATH_OR_ID``, ``tiny-random``), or
            ``phrases``, which chooses from a list.
        dtype: Type of its weights.
        device: Where it runs.
        threads: CPU threads of torch; left out, as many as there are cores.
        seed: Training seed, added to the seeds of the runs.
        out: Folder of the run (default ``runs/NAME``).
        temperature: Sampling temperature of strategies, in training and audits.
        max_new_tokens: Budget of a strategy.
        prompt: How much the strategist reads: ``full``, what the player reads, or ``brief``, a few lines.
        lora: The adapter that is trained.
        evaluator: The language model that rates the seven dimensions of dialogues in audits of ``social``;
            left out, the rules give those that follow from the truth.
        audit: How every stage is audited.
        tasks: What is done, by task or game.
    """

    method: Literal["epo"]
    name: str
    model: str = "smollm2"
    dtype: Literal["float32", "bfloat16"] = "float32"
    device: str = "cpu"
    threads: int | None = Field(None, ge=1)
    seed: int = Field(0, ge=0)
    out: str | None = None
    temperature: float = Field(1.0, gt=0.0)
    max_new_tokens: int = Field(24, ge=1)
    prompt: Style = "full"
    lora: LoraSettings = LoraSettings()
    evaluator: str | None = None
    audit: AuditSettings = AuditSettings()
    tasks: dict[str, EpoTask]

    def resolved(self) -> dict[str, Any]:
        """Return what the folder of a run says of it."""
        # Left out where there is none, so that folders made before there were evaluators still go on.
        without = {"out"} if self.evaluator is not None else {"out", "evaluator"}
        return self.model_dump(mode="json", exclude=without)

    @model_validator(mode="after")
    def _rated(self) -> EpoRecipe:
        if self.evaluator is not None and "social" not in self.tasks:
            raise ValueError(
                f"evaluator = {self.evaluator!r} rates dialogues: the recipe has no task 'social', "
                "leave it out"
            )
        return self

    @field_validator("model")
    @classmethod
    def _written(cls, model: str) -> str:
        if model == "table":
            raise ValueError("a strategist writes text: name a language model, or 'phrases'")
        if "+" in model:
            raise ValueError("a recipe trains an adapter of its own: name the model without +ADAPTER")
        return model


def is_epo(name: str, overrides: Sequence[str] = ()) -> bool:
    """Tell whether a recipe is one of EPO.

    Raises:
        RequestError: There is no such recipe, or it is no TOML.
    """
    return recipe_data(name, overrides).get("method") == "epo"


def load_epo(name: str, overrides: Sequence[str] = ()) -> EpoRecipe:
    """Load a recipe of EPO by name or path and apply ``key=value`` overrides.

    Raises:
        RequestError: There is no such recipe, or a key or value is wrong.
    """
    return validated(EpoRecipe, recipe_data(name, overrides), name)
