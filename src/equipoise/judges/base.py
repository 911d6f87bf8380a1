"""What a process judge is given and what it says.

After an episode a judge marks the strategist's turns that were decisive (EPO, arXiv 2502.12486).
Each side is judged apart, on its own strategies. Turns are numbered from 1 in everything a judge reads or
writes, and from 0 in code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from equipoise.games.rules import Rules
from equipoise.types import STRATEGIST, Episode, Seat
from equipoise.types import Turn as Played

__all__ = ["Case", "Judge", "NoJudge", "Turn", "Verdict", "case_of"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the judged side.

    Attributes:
        strategy: What its strategist said; empty where none did.
        action: What its actor then did.
        before: What others did since the side's last turn and before this one, as (speaker, text). Who moves
            at the same time comes after.
        gain: By how much the turn raised what the side can count on, where the rules say so.
    """

    strategy: str
    action: str
    before: tuple[tuple[str, str], ...]
    gain: float | None


@dataclass(frozen=True, slots=True)
class Case:
    """A finished trajectory of one side.

    Attributes:
        episode: Identifier of the episode.
        seat: The judged side.
        goal: What it wanted.
        turns: Its turns, in order.
        score: How it ended for it, in [0, 1].
        after: What others did after its last turn.
        end: How the episode ended, in the words of the rules.
    """

    episode: str
    seat: Seat
    goal: str
    turns: tuple[Turn, ...]
    score: float
    after: tuple[tuple[str, str], ...] = ()
    end: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a case.

    Attributes:
        decisive: Numbers of the decisive turns, from 0, in order.
        reasoning: Why, in the judge's words; data.
        dropped: Numbers it named that are no turns of the side, as it wrote them.
        attempts: How often it was asked; 0 where nobody was.
        failed: Whether no reply could be read, so that nothing is marked.
        tokens: Tokens read and written for it.
    """

    decisive: tuple[int, ...]
    reasoning: str = ""
    dropped: tuple[int, ...] = ()
    attempts: int = 0
    failed: bool = False
    tokens: int = 0

    def marks(self, turns: int) -> list[float]:
        """Return (turns,): 1 for each decisive turn, else 0."""
        return [float(number in self.decisive) for number in range(turns)]


class Judge(Protocol):
    """Marks decisive turns.

    Attributes:
        name: ``rule``, ``llm`` or ``none``.
        fingerprint: Identifies its behaviour.
    """

    name: str
    fingerprint: str

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        """Return a verdict for each case; never raises because of what a trajectory or a reply says."""
        ...


class NoJudge:
    """Marks nothing: what is left is the outcome."""

    name = fingerprint = "none"

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        """Return empty verdicts."""
        return [Verdict(()) for _ in cases]


def case_of(episode: Episode, rules: Rules, seat: Seat | None = None) -> Case:
    """Return the case of one side of an episode.

    The gain of a turn is the change of what was achievable, where the episode's notes say so; in games it is
    the own payoff of the round less the middle of what a round can bring.

    Args:
        episode: A finished episode.
        rules: What was played.
        seat: The side (default: the policy under study).
    """
    seat = episode.seat if seat is None else seat
    gains = _gains(episode, rules, seat)
    turns: list[Turn] = []
    before: list[tuple[str, str]] = []
    for turn in _as_seen(episode, rules, seat):
        if turn.seat != seat:
            before.append((episode.policies[turn.seat], str(turn.action)))
            continue
        said = [made.text for made in turn.choice.generations if made.role == STRATEGIST]
        gain = gains[len(turns)] if len(turns) < len(gains) else None
        turns.append(Turn(" ".join(said), str(turn.action), tuple(before), gain))
        before = []
    low, high = rules.info_record.payoff_bounds
    payoffs = [outcome.payoffs[seat] for outcome in episode.rounds]
    mean = sum(payoffs) / len(payoffs) if payoffs else low
    goals = episode.notes.get("goals")
    goal = str(goals[seat]) if isinstance(goals, list) and seat < len(goals) else rules.info_record.summary
    score = min(max((mean - low) / (high - low), 0.0), 1.0)
    end = str(episode.notes.get("ended", episode.stop.value))
    return Case(episode.id, seat, goal, tuple(turns), score, tuple(before), end)


def _as_seen(episode: Episode, rules: Rules, seat: Seat) -> Sequence[Played]:
    """Return the turns in the order in which a side learned of them.

    Where seats move at once the record has them in the order of their seats, and a side has moved before it
    knows what others did.
    """
    if rules.info_record.dynamics != "simultaneous":
        return episode.turns
    return sorted(episode.turns, key=lambda turn: (turn.round, turn.step, turn.seat != seat))


def _gains(episode: Episode, rules: Rules, seat: Seat) -> list[float]:
    noted = episode.notes.get("achievable")
    if isinstance(noted, list) and seat < len(noted):
        values = noted[seat]
        return [after - before for before, after in zip(values[::2], values[1::2], strict=False)]
    low, high = rules.info_record.payoff_bounds
    rounds = [turn.round for turn in episode.turns if turn.seat == seat]
    return [
        episode.rounds[number].payoffs[seat] - (low + high) / 2
        for number in rounds
        if number < len(episode.rounds)
    ]
