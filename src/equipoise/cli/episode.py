"""An episode as lines of text: what each seat knew, played and got, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate

from rich.text import Text

from equipoise.cli.text import printable
from equipoise.tasks.registry import NOBODY
from equipoise.types import Action, Episode, RoundOutcome, StopReason, Turn, Validity

__all__ = ["head", "lines", "score", "summary"]

WIDE = 24
"""Columns that actions take up at least where one of them is that long; sentences take what they need."""

SHOWN = 6
"""Actions whose probabilities are shown; the likeliest ones where there are more."""


REMARKS = {
    "none": "says nothing",
    "leave": "leaves the conversation",
    "forged": "lines under another's name count for nothing",
    "cut": "too long: what is beyond the limit counts for nothing",
}
"""What is said of a turn that is no plain speech."""


def lines(episode: Episode) -> Iterator[Text]:
    """Yield the whole episode."""
    yield from head(episode)
    totals, remarks = _totals(episode), _remarks(episode)
    for number, outcome in enumerate(episode.rounds):
        yield Text()
        yield Text(f"round {number + 1}", style="bold")
        for place, turn in enumerate(episode.turns):
            if turn.round == number:
                yield from _turn(turn, episode)
                yield from (_text(f"    ({remark})") for remark in remarks.get(place, ()))
        yield Text(f"  payoffs {score(outcome.payoffs)}   totals {score(totals[number])}")
    yield Text()
    yield from summary(episode)


def head(episode: Episode) -> Iterator[Text]:
    """Yield what was played, and who sat where."""
    options = ", ".join(f"{key} = {value}" for key, value in episode.options.items())
    yield _text(f"{episode.id}: {episode.game}{f' ({options})' if options else ''}, deal {episode.deal}")
    for seat, name in enumerate(episode.policies):
        if name.removeprefix("scripted:") == NOBODY:
            continue
        yield _text(f"seat {seat}: {name}{' (the policy)' if seat == episode.seat else ''}")


def summary(episode: Episode) -> Iterator[Text]:
    """Yield how it ended."""
    if not episode.rounds:
        yield _text(f"{episode.stop.value} before any round was over")
        return
    total = _totals(episode)[-1]
    means = [payoff / len(episode.rounds) for payoff in total]
    yield _text(
        f"{episode.stop.value} after {len(episode.rounds)} rounds: totals {score(total)}, "
        f"per round {score(means)}"
    )
    if "ended" in episode.notes:
        yield _text(f"ended: {episode.notes['ended']}")


def score(payoffs: tuple[float, ...] | list[float]) -> str:
    """Return the payoffs of all seats."""
    return " : ".join(f"{round(payoff, 4):g}" for payoff in payoffs)


def _totals(episode: Episode) -> list[tuple[float, ...]]:
    def add(total: tuple[float, ...], payoffs: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(a + b for a, b in zip(total, payoffs, strict=True))

    outcomes: tuple[RoundOutcome, ...] = episode.rounds
    return list(accumulate((outcome.payoffs for outcome in outcomes), add))


def _remarks(episode: Episode) -> dict[int, list[str]]:
    """Return what a task's notes say of single turns, by their place in the episode."""
    found: dict[int, list[str]] = {}
    kinds = episode.notes.get("kinds")
    for place, kind in enumerate(kinds if isinstance(kinds, list) else ()):
        if kind in REMARKS:
            found.setdefault(place, []).append(REMARKS[kind])
    for name in ("forged", "cut"):
        places = episode.notes.get(name)
        for place in places if isinstance(places, list) else ():
            found.setdefault(int(place), []).append(REMARKS[name])
    return found


def _turn(turn: Turn, episode: Episode) -> Iterator[Text]:
    labels = max(len(one.label) for one in episode.turns)
    actions = min(max(len(str(one.action)) for one in episode.turns), WIDE)
    known = printable(turn.label).ljust(min(labels, 24))
    # What somebody says stays on its line, or it could pass for the next one.
    said = printable(str(turn.action)).replace("\n", "\\n")
    line = f"  seat {turn.seat}   {known}   {said:<{actions}}"
    if turn.choice.probabilities is not None:
        line += f"   {_distribution(turn.choice.probabilities)}"
    yield _text(line.rstrip())
    if turn.choice.validity is not Validity.VALID:
        times = f" after {turn.retries + 1} tries" if turn.retries else ""
        reason = f": {turn.choice.detail}" if turn.choice.detail else ""
        instead = "" if episode.stop is StopReason.FORFEIT else f": {turn.action} was played instead"
        yield _text(f"    no valid answer{times} ({turn.choice.validity.value}{reason}){instead}")
    elif turn.retries:
        yield _text(f"    valid after {turn.retries + 1} tries")
    for generation in turn.choice.generations:
        if generation.text.strip() != str(turn.action):
            yield from (_text(f"    | {line}") for line in generation.text.splitlines())


def _distribution(probabilities: Mapping[Action, float]) -> str:
    rows = list(probabilities.items())
    if len(rows) > SHOWN:
        rows = sorted(rows, key=lambda row: -row[1])[:SHOWN]
    shown = ", ".join(f"{action} {probability:.2f}" for action, probability in rows)
    left = len(probabilities) - len(rows)
    return f"{shown}, {left} more" if left else shown


def _text(line: str) -> Text:
    return Text(printable(line))
