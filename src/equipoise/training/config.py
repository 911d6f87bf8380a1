"""Settings of the trainers; every field changes something, unknown ones are errors."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from equipoise.objective.safety import Penalised
from equipoise.training.boards import Board
from equipoise.training.moot import moot_run

__all__ = [
    "ANSWERS",
    "CurriculumStage",
    "LeagueSettings",
    "Limits",
    "LoraSettings",
    "Schedule",
    "SepoConfig",
    "SftConfig",
    "Strict",
    "exploiter_kind",
]

ANSWERS = ("best_response", "library_response", "league")
"""What can stand beside the game's own exploiters, in the order in which ``exploiters`` names it."""


class Strict(BaseModel):
    """Base of all settings: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoraSettings(Strict):
    """The adapter that is trained.

    Attributes:
        rank: Rank r.
        alpha: Scale α; the update is α/r times the product.
        targets: ``all-linear`` or the names of the layers that get one.
    """

    rank: int = Field(16, ge=1)
    alpha: int = Field(32, ge=1)
    targets: str | list[str] = "all-linear"


class Schedule(Strict):
    """What every supervised run has (see ``SftConfig`` for what the fields mean).

    Attributes:
        steps: Largest number of steps.
        lr: Learning rate of AdamW.
        warmup: Steps over which the rate rises to it.
        select_every: Steps between evaluations.
        patience: Evaluations without a better score before stopping.
        min_delta: By how much a score must be better to count.
        max_grad_norm: Gradients are scaled down to this norm.
    """

    steps: int
    lr: float
    warmup: int
    select_every: int
    patience: int
    min_delta: float
    max_grad_norm: float


class SftConfig(Schedule):
    """Supervised warm start on scripted teachers.

    Attributes:
        recipe: The teachers: ``paper`` or ``balanced`` (see ``teachers/mixtures.py``).
        episodes: Episodes to play for data.
        validation: Share of the episodes kept for the validation loss (split by episode).
        steps: Largest number of steps.
        batch: Examples a step.
        lr: Learning rate of AdamW, falling on a cosine to a tenth.
        warmup: Steps over which the rate rises to it.
        select_every: Steps between evaluations.
        select_episodes: Deals per opponent of an evaluation on the select split.
        patience: Evaluations without a better selection score before stopping.
        min_delta: By how much a score must be better to count (see ``stopping``).
        max_grad_norm: Gradients are scaled down to this norm.
        rows: Largest number of rows of one pass.
        seed: Seed of data order and initialisation.
    """

    recipe: Literal["paper", "balanced"] = "paper"
    episodes: int = Field(600, ge=1)
    validation: float = Field(0.1, gt=0.0, lt=1.0)
    steps: int = Field(48, ge=1)
    batch: int = Field(128, ge=1)
    lr: float = Field(5e-4, gt=0.0)
    warmup: int = Field(4, ge=0)
    select_every: int = Field(8, ge=1)
    select_episodes: int = Field(12, ge=1)
    patience: int = Field(2, ge=1)
    min_delta: float = Field(0.0, ge=0.0)
    max_grad_norm: float = Field(1.0, gt=0.0)
    rows: int = Field(32, ge=1)
    seed: int = Field(0, ge=0)


class Limits(Strict):
    """Limits on the terms of J under ``multipliers = "lagrangian"``; a term without one keeps its weight.

    Attributes:
        e: Limit on what λe is charged for, payoff per round.
        c: Limit on the collusion term.
        x: Limit on the externality term.
    """

    e: float | None = Field(None, ge=0.0)
    c: float | None = Field(None, ge=0.0)
    x: float | None = Field(None, ge=0.0)

    @property
    def given(self) -> dict[str, float]:
        """The limits that are set, by term."""
        return self.model_dump(exclude_none=True)


class CurriculumStage(Strict):
    """The opponents of the first steps; a pool left out is that of the whole run.

    Attributes:
        until: The step at which the stage ends.
        train: Opponents of the train pool.
        exploiter: Exploiters; may be empty.
        collusive: Opponents of the collusive pool; may be empty.
    """

    until: int = Field(ge=1)
    train: list[str] | None = None
    exploiter: list[str] | None = None
    collusive: list[str] | None = None

    @property
    def pools(self) -> dict[str, list[str]]:
        """The pools that the stage sets."""
        return self.model_dump(include={"train", "exploiter", "collusive"}, exclude_none=True)


class LeagueSettings(Strict):
    """Frozen copies of the policy among its opponents (see ``league``).

    Attributes:
        every: Steps between copies.
        keep: Copies that are met; when there are more, the oldest leaves.
        pool: The pool that they join.
        weight: How often each stands in it.
    """

    every: int = Field(ge=1)
    keep: int = Field(3, ge=1)
    pool: Literal["train", "exploiter", "collusive"] = "train"
    weight: int = Field(1, ge=1)


class SepoConfig(Strict):
    """Training on the safe-equilibrium objective.

    Attributes:
        steps: Number of updates.
        gradient: ``sampled`` estimates the gradient from groups of rollouts; ``exact`` is the all-actions
            form, computed from the policy's whole table (small games); ``all_actions`` estimates that form,
            by branching off the rollouts where the policy gives probabilities.
        branches: Decisions of a rollout that ``all_actions`` branches at, drawn at random.
        credit: How penalties are credited in a sampled gradient: ``per_pool`` trains each opponent's episodes
            on their own rewards, which is the gradient of J; ``per_rollout`` and ``shared`` add penalties to
            the rewards of the train pool (the paper's description and its ablation, see docs/credit.md).
        penalised: What λe is charged for: ``opponent_advantage``, the exploiters' lead; ``regret``, how much
            more the best reply to each exploiter earns; ``best_response``, the largest lead any opponent can
            have (games that can be solved).
        multipliers: ``penalty`` keeps the weights λ as they are; ``lagrangian`` moves those of limited terms
            by dual ascent until the limits hold (constrained policy optimisation).
        limits: The limits, e.g. ``{e = 0.1, c = 0.05}``.
        dual_lr: Step size of the dual ascent.
        lambda_max: Largest multiplier that it may reach.
        pools: Opponents that this run is trained on, by pool, where they are not those of the recipe;
            ``self`` is the policy itself. Scores and audits are against the recipe's pools all the same.
        curriculum: Opponents of the first steps, stage by stage.
        league: Frozen copies of the policy among its opponents.
        deals: Groups per stream and step; seats alternate.
        rollouts: Members of a group.
        max_decisions: Largest number of distinct decisions that a sampled gradient is computed from; more are
            thinned out at random, with weights that keep its mean. Left out, all.
        lr: Learning rate.
        lr_decay: The rate falls as 1 / (1 + lr_decay · step).
        kl: Weight of KL(policy ‖ reference), averaged over visited decisions: exact over legal actions, and
            estimated on the sampled tokens (k3) where text is trained.
        entropy: Weight of the entropy bonus, averaged over visited decisions (the sum over the sampled tokens
            of each where text is trained).
        scale: What advantages are divided by: nothing, or one running root mean square.
        gates: ``exact`` from the policy's table, ``running`` from episodes, ``auto`` what is cheap.
        exploiters: What the exploiter pool holds in training: ``none``, ``pool`` (the game's own), or that
            with ``+best_response`` (the strongest opponent there is, in games that can be solved),
            ``+library_response`` (the strongest of the game's scripted strategies), and ``+league`` (the last
            few responders that are no longer the strongest).
        league_size: Past responders that a league keeps.
        respond_every: Steps between recomputations of the responders.
        respond_deals: Deals, played from both seats, on which ``library_response`` compares the strategies
            where they cannot be valued exactly.
        select_every: Steps between evaluations.
        select_episodes: Deals per opponent of an evaluation on the select split.
        patience: Evaluations without a better score before stopping; left out, all steps are made.
        min_delta: By how much a score must be better to count (see ``stopping``).
        checkpoint_every: Steps between checkpoints; what an interruption can cost.
        max_grad_norm: Gradients are scaled down to this norm.
        max_step_kl: A language model's step is halved until the policy has moved by at most this KL
            divergence, averaged over the visited decisions.
        max_sampler_gap: Training stops where log-probabilities differ from those that were sampled from by
            more than this, on average (nats a decision, or a token where text is trained).
        record_episodes: Episodes of a sampled step that are kept with the advantages of their decisions,
            opponents in turn; 0 keeps none.
        report_to: Where the numbers of each step go besides files and TensorBoard: ``trackio``, ``wandb``.
        max_skipped: Training stops after more skipped steps than this; a step is skipped where its gradient
            is not finite.
        rows: Largest number of rows of one pass with gradients.
        pass_tokens: Largest number of tokens of one pass with gradients where text is trained.
        seed: Seed of deals, draws and initialisation.
    """

    steps: int = Field(12, ge=1)
    gradient: Literal["sampled", "exact", "all_actions"] = "sampled"
    branches: int = Field(8, ge=1)
    credit: Literal["per_pool", "per_rollout", "shared"] = "per_pool"
    penalised: Penalised = "opponent_advantage"
    multipliers: Literal["penalty", "lagrangian"] = "penalty"
    limits: Limits = Field(Limits(), validate_default=True)
    dual_lr: float = Field(0.1, gt=0.0)
    lambda_max: float = Field(20.0, gt=0.0)
    pools: dict[str, list[str]] = Field(default_factory=dict)
    curriculum: list[CurriculumStage] = Field(default_factory=list)
    league: LeagueSettings | None = None
    deals: int = Field(2, ge=1)
    rollouts: int = Field(8, ge=2)
    max_decisions: int | None = Field(None, ge=1)
    lr: float = Field(2e-4, gt=0.0)
    lr_decay: float = Field(0.0, ge=0.0)
    kl: float = Field(0.1, ge=0.0)
    entropy: float = Field(0.0, ge=0.0)
    scale: Literal["none", "rms"] = "rms"
    gates: Literal["auto", "exact", "running"] = "auto"
    checkpoint_every: int = Field(1, ge=1)
    exploiters: str = "pool"
    league_size: int = Field(3, ge=1)
    respond_every: int = Field(1, ge=1)
    respond_deals: int = Field(8, ge=1)
    select_every: int = Field(4, ge=1)
    select_episodes: int = Field(12, ge=1)
    patience: int | None = Field(None, ge=1)
    min_delta: float = Field(0.0, ge=0.0)
    max_grad_norm: float = Field(1.0, gt=0.0)
    max_step_kl: float = Field(0.05, gt=0.0)
    max_sampler_gap: float = Field(0.3, gt=0.0)
    max_skipped: int = Field(3, ge=0)
    record_episodes: int = Field(4, ge=0)
    report_to: list[Board] = Field(default_factory=list)
    rows: int = Field(32, ge=1)
    pass_tokens: int = Field(4096, ge=1)
    seed: int = Field(0, ge=0)

    @field_validator("curriculum")
    @classmethod
    def _rising(cls, stages: list[CurriculumStage]) -> list[CurriculumStage]:
        for before, after in pairwise(stages):
            if after.until <= before.until:
                raise ValueError(f"until = {after.until} after until = {before.until}: stages go on in time")
        return stages

    @field_validator("credit")
    @classmethod
    def _sampled(cls, credit: str, given: ValidationInfo) -> str:
        gradient = given.data.get("gradient")
        if credit != "per_pool" and gradient in ("exact", "all_actions"):
            raise ValueError(f"the {gradient} gradient leaves nothing to credit, use gradient = 'sampled'")
        return credit

    @field_validator("limits")
    @classmethod
    def _limited(cls, limits: Limits, given: ValidationInfo) -> Limits:
        kind = given.data.get("multipliers")
        if kind == "lagrangian" and not limits.given:
            raise ValueError("multipliers = 'lagrangian' needs a limit on at least one of e, c, x")
        if kind == "penalty" and limits.given:
            raise ValueError("limits go with multipliers = 'lagrangian', a penalty has none")
        return limits

    @model_validator(mode="after")
    def _met(self) -> SepoConfig:
        league = self.league is not None and self.league.pool == "exploiter"
        staged = any(stage.exploiter for stage in self.curriculum)
        if self.exploiters == "none" and (league or staged or self.pools.get("exploiter")):
            raise ValueError("exploiters = 'none' meets none, yet others are named: use exploiters = 'pool'")
        if self.limits.e is not None and self.pools.get("exploiter") == [] and self.exploiters == "pool":
            raise ValueError("limits.e needs exploiters that are met, but pools.exploiter is empty")
        if (moot := moot_run(self)) is not None:
            raise ValueError(moot)
        return self

    @field_validator("exploiters")
    @classmethod
    def _known(cls, kind: str) -> str:
        return exploiter_kind(kind)

    @field_validator("max_decisions")
    @classmethod
    def _thinned(cls, limit: int | None, given: ValidationInfo) -> int | None:
        if limit is not None and given.data.get("gradient") != "sampled":
            raise ValueError(
                f"the {given.data.get('gradient')} gradient is never thinned out, use gradient = 'sampled'"
            )
        return limit


def exploiter_kind(kind: str) -> str:
    """Return what the exploiter pool holds, its parts in their order.

    Raises:
        ValueError: There is no such kind; the message says which there are.
    """
    if kind == "none":
        return kind
    pool, *parts = kind.split("+")
    known = f"choose none, or pool with any of +{', +'.join(ANSWERS)}"
    for part in (pool, *parts):
        if part not in ("pool", *ANSWERS):
            raise ValueError(f"no exploiters are called {part!r}: {known}")
    if pool != "pool" or len(set(parts)) < len(parts) or "pool" in parts:
        raise ValueError(f"the game's own come first, and nothing twice: {known}")
    if parts == ["league"]:
        raise ValueError("a league keeps past responders: add +best_response or +library_response for it")
    return "+".join(["pool", *(one for one in ANSWERS if one in parts)])
