"""For every rule about policies one policy that breaks it, and as little else as can be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from equipoise.policies.base import AsyncPolicy, Policy, draw
from equipoise.types import Choice, Decision, Probabilities, Validity


class Base(Policy):
    """Plays the first legal action with probability 0.6; all that is asked of it is right."""

    name = "base"
    fingerprint = "base"

    def rate(self, decision: Decision, place: int, size: int) -> float:
        return 0.6

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        return [self.row(d, self.rate(d, i, len(decisions))) for i, d in enumerate(decisions)]

    def row(self, decision: Decision, rate: float) -> Probabilities:
        first, *rest = decision.legal or ()
        return {first: rate, **dict.fromkeys(rest, (1.0 - rate) / len(rest))}

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        rows = [self.row(d, 0.6) for d in decisions]
        return [Choice(draw(row, d)) for row, d in zip(rows, decisions, strict=True)]


class Nameless(Base):
    name = ""


class Raises(Base):
    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        raise LookupError("nothing\nfound")


class Answers(Base):
    """Answers by a function from the decisions to a list of anything."""

    def __init__(self, answers: Callable[[Sequence[Decision]], Any], strict: bool = True) -> None:
        self.answers, self.strict = answers, strict

    def act(self, decisions: Sequence[Decision]) -> Any:
        return self.answers(decisions)


class Writes(Base):
    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        answers = super().act(decisions)
        for decision in decisions:
            object.__setattr__(decision, "round", 99)
        return answers


class LossyProbabilities(Base):
    def row(self, decision: Decision, rate: float) -> Probabilities:
        return {action: 0.9 * p for action, p in super().row(decision, rate).items()}

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        return [Choice((decision.legal or ())[0]) for decision in decisions]


class Restless(Base):
    """Another rate each time it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        self.asked += 1
        return [self.row(d, 0.6 + 0.001 * self.asked) for d in decisions]


class ByPlace(Base):
    def rate(self, decision: Decision, place: int, size: int) -> float:
        return 0.6 if place % 2 else 0.61


class BySize(Base):
    def rate(self, decision: Decision, place: int, size: int) -> float:
        return 0.6 if size > 1 else 0.61


class ByEpisode(Base):
    def rate(self, decision: Decision, place: int, size: int) -> float:
        return 0.6 if decision.episode.startswith("check") else 0.61


class ByDraws(Base):
    def rate(self, decision: Decision, place: int, size: int) -> float:
        return 0.6 if decision.draws.uniform("mood") < 0.5 else 0.61


class OwnGenerator(Base):
    def __init__(self) -> None:
        self.random = Random(0)

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        return [Choice(self._pick(decision.legal or ())) for decision in decisions]

    def _pick(self, legal: Sequence[Any]) -> Any:
        return legal[0] if self.random.random() < 0.6 else legal[1]


class Greedy(Base):
    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        return [Choice((decision.legal or ())[0]) for decision in decisions]


class Unlikely(Base):
    """Says that it always plays the first action, and plays the last."""

    def row(self, decision: Decision, rate: float) -> Probabilities:
        return {(decision.legal or ())[0]: 1.0}

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        return [Choice((decision.legal or ())[-1]) for decision in decisions]


class Misreports(Base):
    """Names another distribution in its choices than it draws from."""

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        return [Choice(c.action, probabilities={c.action: 1.0}) for c in super().act(decisions)]  # type: ignore[dict-item]


class Service(AsyncPolicy):
    """Answers by a function, after a while; ``blocks`` holds up its whole loop."""

    name = "service"

    def __init__(
        self, wait: float = 0.0, blocks: float = 0.0, answer: Callable[[Decision], Any] | None = None
    ) -> None:
        self.wait, self.blocks = wait, blocks
        self.answer = answer or (lambda decision: Choice((decision.legal or ())[0]))

    async def decide(self, decision: Decision) -> Choice:
        time.sleep(self.blocks)
        await asyncio.sleep(self.wait)
        found: Choice = self.answer(decision)
        return found


def firsts(decisions: Sequence[Decision]) -> list[Choice]:
    return [Choice((decision.legal or ())[0]) for decision in decisions]


def _silent(decision: Decision) -> None:
    return None


def _betrays(decision: Decision) -> str:
    return "BETRAY"


def _lossy(decision: Decision) -> dict[Any, float]:
    return dict.fromkeys(decision.legal or (), 0.4)


def _raises(decision: Decision) -> str:
    raise LookupError("nothing found")


def _always_bets(decision: Decision) -> str:
    return "BET"


BROKEN: tuple[tuple[str, str, Any, str], ...] = (
    ("declaration", "nameless", Nameless(), "name is ''"),
    ("raises-nothing", "policy", Raises(), "LookupError: nothing found"),
    ("raises-nothing", "function", _raises, "LookupError"),
    ("raises-nothing", "service", Service(answer=_raises), "LookupError"),
    ("answers-in-time", "slow", Service(wait=30.0), "no answer within 0.05 s"),
    ("answers-in-time", "blocking", Service(blocks=30.0), "no answer within 0.05 s"),
    ("one-answer-each", "fewer", Answers(lambda ds: firsts(ds)[1:]), "answers to"),
    ("one-answer-each", "none", Answers(lambda ds: None), "act gives a NoneType"),
    ("speaks", "none each", Answers(lambda ds: [None for _ in ds]), "the answer is None"),
    ("speaks", "silent", Answers(lambda ds: [Choice(None) for _ in ds]), "the answer is silent"),
    ("speaks", "not strict", Answers(lambda ds: [None for _ in ds], strict=False), "the answer is None"),
    ("speaks", "function", _silent, "the answer is silent"),
    ("speaks", "service", Service(answer=_silent), "the answer is None"),
    ("own-decision", "reversed", Answers(lambda ds: firsts(ds)[::-1]), "legal at"),
    ("own-decision", "function", _always_bets, "the answer is 'BET', legal at"),
    ("legal", "policy", Answers(lambda ds: [Choice("BETRAY") for _ in ds]), "the answer is 'BETRAY'"),
    ("legal", "function", _betrays, "the answer is 'BETRAY'"),
    (
        "legal",
        "refuses",
        Answers(lambda ds: [Choice(None, Validity.REFUSAL) for _ in ds]),
        "the answer is None (refusal)",
    ),
    ("mutates-nothing", "policy", Writes(), "after the answer"),
    ("distribution", "policy", LossyProbabilities(), "sum 0.9"),
    ("distribution", "function", _lossy, "sum to 0.8"),
    ("same-answer", "policy", Restless(), "when asked again"),
    ("batch-order", "policy", ByPlace(), "in another order"),
    ("batch-composition", "policy", BySize(), "when asked alone"),
    ("same-knowledge", "episode", ByEpisode(), "in another episode"),
    ("same-knowledge", "draws", ByDraws(), "in another episode"),
    ("keyed-draws", "policy", OwnGenerator(), "draw with decision.draws"),
    ("act-agrees", "frequency", Greedy(), "of 400 draws"),
    ("act-agrees", "support", Unlikely(), "which has probability 0"),
    ("act-agrees", "report", Misreports(), "in the Choice"),
)
"""The rule, a word to tell cases apart, a policy that breaks the rule in Kuhn poker, and what is named."""

CONSEQUENCES = {
    # Whoever answers differently every time does so in every comparison.
    "same-answer": {"batch-order", "batch-composition", "same-knowledge"},
    "batch-order": {"batch-composition"},
    "distribution": {"act-agrees"},
}
"""Rules that cannot hold where another is broken."""
