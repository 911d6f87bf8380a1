"""Settings of EPO; every field changes something, unknown ones are errors."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from equipoise.training.boards import Board
from equipoise.training.config import Schedule, Strict
from equipoise.training.epo.credit import Reduction

__all__ = ["EpoConfig", "WordingConfig"]


class EpoConfig(Strict):
    """Training a strategist by REINFORCE over its turns.

    A run has rounds of steps. A step plays trajectories, has them judged and makes an update; after a round
    the strategist's weights are frozen, and in self-play the frozen copy joins those whom it meets.

    Attributes:
        rounds: Rounds of self-play.
        steps: Steps of a round.
        starts: Scenarios (deals) of a step.
        rollouts: Trajectories of one start; ``group`` and ``loo`` compare within these.
        self_play: Whether the strategist meets itself (both sides are then trained) and its frozen copies.
        judge: Who marks decisive turns: ``rule`` from the rules' own account, ``llm`` a language model,
            ``none`` nobody.
        judge_model: The language model of the judge ``llm``; left out, the recipe's model as it comes.
        outcome_at_end: Whether a last turn without a mark gets the outcome, in [0, 1].
        advantage: What a turn's return is set against: ``maxabs`` (the paper's), ``group``, ``loo``.
        gamma: Discount a turn.
        token_reduction: Whether turns and their tokens are averaged (``mean``, the paper's) or added up
            (``sum``, a policy gradient).
        offline: Whether a round plays all of its steps first and then trains on them for ``epochs`` in random
            order, as the paper does; otherwise every step is trained on once, right away.
        epochs: Passes over a round's data where ``offline``.
        lr: Learning rate.
        warmup: Share of the run's updates over which the rate rises to it.
        decay: Whether the rate then falls to 0 on a cosine (the paper's), or stays (``none``).
        kl: Weight of KL(strategist ‖ its start).
        entropy: Weight of the entropy bonus.
        max_grad_norm: Gradients are scaled down to this norm.
        max_step_kl: A step is halved until the strategist has moved by at most this KL divergence.
        pass_tokens: Largest number of tokens of one pass with gradients.
        select_starts: Deals a partner on which a round's strategist is scored.
        min_delta: A round counts as better if its score is higher by more than this.
        patience: Rounds that are not better before the run stops.
        record_episodes: Trajectories of a step that are kept with the advantages of their turns, partners in
            turn; 0 keeps none.
        report_to: Where the numbers of each step go besides files and TensorBoard: ``trackio``, ``wandb``.
        seed: Seed of deals, draws and initialisation.
    """

    rounds: int = Field(3, ge=1)
    steps: int = Field(4, ge=1)
    starts: int = Field(8, ge=1)
    rollouts: int = Field(4, ge=1)
    self_play: bool = False
    judge: Literal["rule", "llm", "none"] = "rule"
    judge_model: str | None = None
    outcome_at_end: bool = True
    advantage: Literal["maxabs", "group", "loo"] = "loo"
    gamma: float = Field(0.99, ge=0.0, le=1.0)
    token_reduction: Reduction = "sum"
    offline: bool = False
    epochs: int = Field(1, ge=1)
    lr: float = Field(2e-4, gt=0.0)
    warmup: float = Field(0.0, ge=0.0, lt=1.0)
    decay: Literal["none", "cosine"] = "none"
    kl: float = Field(0.02, ge=0.0)
    entropy: float = Field(0.0, ge=0.0)
    max_grad_norm: float = Field(1.0, gt=0.0)
    max_step_kl: float = Field(0.5, gt=0.0)
    pass_tokens: int = Field(4096, ge=1)
    select_starts: int = Field(12, ge=1)
    min_delta: float = Field(0.0, ge=0.0)
    patience: int = Field(2, ge=1)
    record_episodes: int = Field(4, ge=0)
    report_to: list[Board] = Field(default_factory=list)
    seed: int = Field(0, ge=0)

    @model_validator(mode="after")
    def _fits(self) -> EpoConfig:
        if self.advantage != "maxabs" and self.rollouts < 2:
            raise ValueError(
                f"advantage = {self.advantage!r} compares trajectories of one start: use rollouts = 2 or "
                "more, or 'maxabs'"
            )
        if self.epochs > 1 and not self.offline:
            raise ValueError(
                "epochs above 1 reuse data of earlier weights: set offline = true, or epochs = 1"
            )
        if self.judge_model is not None and self.judge != "llm":
            raise ValueError(f"judge_model = {self.judge_model!r} belongs to judge = 'llm'")
        return self

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return self.rounds * self.steps * (self.epochs if self.offline else 1)

    def rate(self, update: int) -> float:
        """Return the learning rate of an update, counted from 0."""
        rise = math.ceil(self.warmup * self.updates)
        if update < rise:
            return self.lr * (update + 1) / (rise + 1)
        if self.decay == "none":
            return self.lr
        return self.lr * 0.5 * (1.0 + math.cos(math.pi * (update - rise) / (self.updates - rise)))


class WordingConfig(Schedule):
    """Warm start of a strategist on texts of advice; which of them pay is not taught (see ``wording``).

    Attributes:
        intents: The kinds of advice that are taught, each equally often; left out, all that have texts.
        starts: Deals a partner and seat on which situations are collected.
        validation: Share of the situations kept for the selection by loss.
        steps: Largest number of steps.
        batch: Situations of a step.
        texts: Texts that are drawn for each of them.
        lr: Learning rate of AdamW, falling on a cosine to a tenth.
        warmup: Steps over which the rate rises to it.
        select_every: Steps between evaluations.
        patience: Evaluations without a lower loss before stopping.
        min_delta: By how much a loss must be lower to count.
        max_grad_norm: Gradients are scaled down to this norm.
        pass_tokens: Largest number of tokens of one pass, prompts included.
        seed: Seed of deals, draws and initialisation.
    """

    intents: list[str] = Field(default_factory=list)
    starts: int = Field(8, ge=1)
    validation: float = Field(0.2, gt=0.0, lt=1.0)
    steps: int = Field(40, ge=1)
    batch: int = Field(4, ge=1)
    texts: int = Field(16, ge=1)
    lr: float = Field(1e-3, gt=0.0)
    warmup: int = Field(4, ge=0)
    select_every: int = Field(10, ge=1)
    patience: int = Field(2, ge=1)
    min_delta: float = Field(0.0, ge=0.0)
    max_grad_norm: float = Field(1.0, gt=0.0)
    pass_tokens: int = Field(8192, ge=1)
    seed: int = Field(0, ge=0)
