"""Settings of joint training: one policy, several games."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator

from equipoise.training.config import SepoConfig, SftConfig
from equipoise.training.moot import without_moot

__all__ = ["JointRecipe", "shares"]

SHARED = frozenset(
    {
        "steps",
        "lr",
        "lr_decay",
        "kl",
        "entropy",
        "checkpoint_every",
        "league",
        "select_every",
        "patience",
        "min_delta",
        "max_grad_norm",
        "max_step_kl",
        "max_sampler_gap",
        "report_to",
        "max_skipped",
        "pass_tokens",
        "rows",
        "seed",
    }
)
"""Settings of the policy and of the loop around it, which its games share."""


class JointRecipe(SepoConfig):
    """One policy trained on several games at once; the settings are those of a SEPO run.

    Attributes:
        games: The games with what each counts for: its share of the step and of the score is its weight over
            the sum of the weights. Their own tables give options, pools, penalty weights and what is audited.
        per_game: Settings that differ in a game, by game, e.g. ``kuhn = {gradient = "exact"}``.
        sft: The warm start on the teachers of all games; left out, training starts from the model.
    """

    games: dict[str, float] = Field(min_length=1)
    per_game: dict[str, dict[str, Any]] = Field(default_factory=dict)
    sft: SftConfig | None = None

    @field_validator("games")
    @classmethod
    def _weighed(cls, games: dict[str, float]) -> dict[str, float]:
        for name, weight in games.items():
            if weight <= 0.0:
                raise ValueError(f"{name} = {weight:g}: the weight of a game is positive, or leave it out")
        return games

    @field_validator("per_game")
    @classmethod
    def _of_its_games(
        cls, changes: dict[str, dict[str, Any]], given: ValidationInfo
    ) -> dict[str, dict[str, Any]]:
        for game, settings in changes.items():
            if game not in given.data.get("games", {}):
                raise ValueError(f"{game!r} is not among the games of this run")
            if shared := [name for name in settings if name in SHARED]:
                raise ValueError(f"{game}.{shared[0]}: the games share it, set it for the whole run")
            if strange := [name for name in settings if name not in SepoConfig.model_fields]:
                raise ValueError(f"{game}.{strange[0]}: there is no such setting")
        return changes

    @model_validator(mode="after")
    def _each_fits(self) -> JointRecipe:
        for game in self.per_game:
            try:
                self.settings(game)
            except ValidationError as error:
                first = error.errors()[0]
                where, reason = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
                raise ValueError(f"per_game.{game}.{where} = {first['input']!r}: {reason}") from None
        return self

    def settings(self, game: str | None = None) -> SepoConfig:
        """Return the settings of a game's side of the run, or of the loop.

        Raises:
            ValidationError: What differs in the game does not fit the rest.
        """
        common = {name: getattr(self, name) for name in SepoConfig.model_fields}
        own = self.per_game.get(game or "", {})
        # What the games share and this one has no use for is no mistake.
        return SepoConfig(**without_moot({**common, **own}, own, SepoConfig().__dict__))


def shares(weights: dict[str, float]) -> dict[str, float]:
    """Return weights scaled to sum to 1."""
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}
