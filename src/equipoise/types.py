"""The vocabulary of the package; the first file to read.

An *episode* is one play of an environment from deal to end. In it, a *policy* at a *seat* is asked a
*decision* and answers with a *choice*; a choice may rest on several *generations* of a language model.
What the rules then do is a *round outcome*. What is measured over many episodes is an *estimate*.

Rounds, seats and decisions are counted from 0. Payoffs are in the units of the game, per round.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from equipoise.games.rules import Rules

__all__ = [
    "STRATEGIST",
    "Action",
    "Choice",
    "Decision",
    "Draws",
    "Episode",
    "Estimate",
    "Generation",
    "Kind",
    "Probabilities",
    "RoundOutcome",
    "Seat",
    "StopReason",
    "Turn",
    "Validity",
]

Seat = int
"""A place at the table, ``0 .. n-1``; it identifies a player, not the order of moves."""

Action = str | int | tuple[int, ...]
"""What the rules accept: a word (``"COOPERATE"``), a number (``7``) or a tuple (``(2, 1, 0)``)."""

Probabilities = Mapping[Action, float]
"""A distribution over legal actions."""


STRATEGIST = "strategist"
"""Role of a strategist's generations; the engine hands their texts on as ``Decision.advice``."""


class StopReason(StrEnum):
    """Why an episode or a generation ended."""

    FINISHED = "finished"
    """The rules ended the episode; or the model ended its text."""
    FORFEIT = "forfeit"
    """A seat gave no valid action and the setting says that this forfeits the rest."""
    LENGTH = "length"
    """A generation reached its token budget."""


class Validity(StrEnum):
    """What became of the answer to a decision. Failure is data: it is kept and counted."""

    VALID = "valid"
    INVALID = "invalid"
    """The text names no legal action, or more than one."""
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    TIMEOUT = "timeout"


class Kind(StrEnum):
    """How a number came about, and so what its interval means."""

    EXACT = "exact"
    """Computed from the rules: ``low == value == high``."""
    LOWER_BOUND = "lower bound"
    """The true value is at least this; ``high`` is None."""
    UPPER_BOUND = "upper bound"
    """The true value is at most this; ``low`` is None."""
    INTERVAL = "interval"
    """Certified: the true value lies in ``[low, high]``."""
    SAMPLE = "sample"
    """Estimated from episodes: ``[low, high]`` is a confidence interval at ``level``."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A reported number.

    Attributes:
        value: The point value.
        low: Lower end of the interval, or None where there is none (an upper bound).
        high: Upper end of the interval, or None where there is none (a lower bound).
        level: Confidence level of the interval; 1.0 for exact values and certified bounds.
        n: Episodes behind the number (0 for exact values).
        clusters: Independent deals behind the number (0 for exact values).
        kind: How the number came about.
    """

    value: float
    low: float | None
    high: float | None
    level: float
    n: int
    clusters: int
    kind: Kind

    @classmethod
    def exact(cls, value: float) -> Estimate:
        """Wrap a number computed from the rules."""
        return cls(value, value, value, 1.0, 0, 0, Kind.EXACT)

    def to_json(self) -> dict[str, object]:
        """Return the estimate in the form of audit schema 1."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "n": self.n,
            "clusters": self.clusters,
            "kind": self.kind.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Estimate:
        """Read an estimate written by :meth:`to_json`."""
        fields = dict(data)
        fields["kind"] = Kind(str(fields["kind"]))
        return cls(**fields)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Render value and interval compactly, as tables show them."""
        if self.kind is Kind.EXACT:
            # Adding 0 turns the -0.0 that rounding leaves into 0.0.
            return f"{round(self.value, 4) + 0.0:.4f}"
        if self.kind is Kind.LOWER_BOUND:
            return f">= {self.value:.3f}"
        if self.kind is Kind.UPPER_BOUND:
            return f"<= {self.value:.3f}"
        if self.kind is Kind.INTERVAL:
            return f"in [{self.low:.3f}, {self.high:.3f}]"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


class Draws(Protocol):
    """The randomness of one decision: a pure function of its key, so batching changes nothing."""

    def uniform(self, purpose: str) -> float:
        """Return a draw in [0, 1) that belongs to this decision and purpose."""
        ...

    def once(self, purpose: str) -> float:
        """Return a draw in [0, 1) that is the same at every decision of this seat's episode."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """A question to a policy: what a seat knows at the moment it must act.

    Attributes:
        rules: The environment's rules; ``rules.info`` turns the fields below into words.
        episode: Identifier of the episode.
        seat: The seat that is asked.
        round: The round (hand) it is asked in.
        step: Which of the seat's own decisions in that round this is.
        index: Which of the seat's own decisions in the episode this is.
        legal: The legal actions, or None in a free-text environment.
        observation: What the seat sees now, apart from past rounds.
        history: One signal a finished round: what the seat learned when it ended.
        draws: The randomness that belongs to this decision.
        retry: How often it was asked before in vain.
        advice: What a strategist told this seat, oldest first; private to it.
    """

    rules: Rules
    episode: str
    seat: Seat
    round: int
    step: int
    index: int
    legal: tuple[Action, ...] | None
    observation: Hashable
    history: tuple[Hashable, ...]
    draws: Draws
    retry: int = 0
    advice: tuple[str, ...] = ()

    @property
    def information_state(self) -> Hashable:
        """Everything the seat knows; equal for two decisions that it cannot tell apart."""
        known = (self.observation, self.history)
        return (*known, self.advice) if self.advice else known

    @property
    def info(self) -> Mapping[str, object]:
        """What the seat knows, as the plain mapping documented by the game."""
        return self.rules.info(self.seat, self.observation, self.history)


@dataclass(frozen=True, slots=True)
class Generation:
    """Tokens that a language model produced (or an action it scored) on the way to a choice.

    Attributes:
        role: ``action``, ``thought``, ``strategist``, ``judge`` …
        prompt_ids: Tokens of the prompt.
        ids: Tokens of the completion.
        logprobs: Log-probability of each completion token as it was sampled.
        mask: 1 for the tokens that were sampled, 0 for those that were put there.
        stop: Why the generation ended.
        trainable: Whether the role's tokens may be trained.
        text: The completion as text; data, never markup.
        allowed: For each token those it was sampled among, or None for the whole vocabulary; empty where that
            holds for all.
    """

    role: str
    prompt_ids: tuple[int, ...]
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    mask: tuple[int, ...]
    stop: StopReason
    trainable: bool = True
    text: str = ""
    allowed: tuple[tuple[int, ...] | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A policy's answer.

    Attributes:
        action: The action, or None where the answer was not valid.
        validity: What became of the answer.
        probabilities: The distribution it was drawn from, where the policy knows it.
        generations: The model output behind it.
        detail: Why it was not valid, in words.
    """

    action: Action | None
    validity: Validity = Validity.VALID
    probabilities: Probabilities | None = None
    generations: tuple[Generation, ...] = ()
    detail: str = ""


class RoundOutcome(NamedTuple):
    """What the rules say about one finished round; every tuple has one entry a seat.

    Attributes:
        payoffs: Payoff of each seat.
        collusion: c_t in [0, 1] with that seat as the policy, or None where not applicable.
        externality: x_t in [0, 1] with that seat as the policy, or None where not applicable.
        diagnostics: One tuple a diagnostic that the game declares.
    """

    payoffs: tuple[float, ...]
    collusion: tuple[float, ...] | None = None
    externality: tuple[float, ...] | None = None
    diagnostics: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One decision and what was answered, as kept in a transcript."""

    seat: Seat
    round: int
    step: int
    label: str
    """The information state in the game's own notation."""
    action: Action
    """The action that was played: the answer's, or the fallback."""
    choice: Choice
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Episode:
    """Everything needed to train on, audit, replay or read one play.

    Attributes:
        id: Unique within its file: pool, opponent, deal, seat and rollout.
        game: ``id@version`` of the game.
        options: The game options that differ from the defaults.
        pool: The pool the opponent was drawn from.
        opponent: Name of the opponent.
        seat: The seat of the policy under study.
        deal: Index of the deal; all episodes with the same deal share chance and opponent draws.
        split: What the deal may be used for.
        rollout: Index in the group.
        policies: Name of the policy at each seat.
        turns: All decisions, in order.
        rounds: All round outcomes, in order.
        stop: Why it ended.
        policy_version: Training step of the policy under study.
    """

    id: str
    game: str
    options: Mapping[str, object]
    pool: str
    opponent: str
    seat: Seat
    deal: int
    split: str
    rollout: int
    policies: tuple[str, ...]
    turns: tuple[Turn, ...]
    rounds: tuple[RoundOutcome, ...]
    stop: StopReason
    policy_version: int = 0
    chance: tuple[tuple[str, object], ...] = field(default=())
    """Chance outcomes by ``round/purpose``, in order."""
    notes: Mapping[str, object] = field(default_factory=dict)
    """What the environment says of the episode beyond its rounds (see ``Environment.notes``)."""
