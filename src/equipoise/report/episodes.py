"""The episodes that a page holds: a stated sample of the transcripts, packed so that thousands open fast."""

from __future__ import annotations

import json
import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.report.frequencies import Frequencies
from equipoise.report.questions import Asker
from equipoise.report.secrets import clean_text
from equipoise.report.sources import Recording
from equipoise.rollout.transcript import check_transcript

__all__ = ["Episodes", "pack", "quotas"]

SEED = 0
"""Of the sample; the same folders give the same page."""

PLACES = 4
"""Decimals kept of payoffs and probabilities."""

LIKELIEST = 10
"""Actions of a distribution that are kept; of the others their number."""


@dataclass
class Table:
    """Values that are named by their number, each kept once."""

    rows: list[Any] = field(default_factory=list)
    places: dict[Hashable, int] = field(default_factory=dict)

    def put(self, key: Hashable, value: Any = None) -> int:
        """Return the number of a key's value; by itself a key is a text, kept without secrets."""
        if key not in self.places:
            self.places[key] = len(self.rows)
            self.rows.append(clean_text(str(key)) if value is None else value)
        return self.places[key]


@dataclass(frozen=True)
class Episodes:
    """What a page holds of the transcripts.

    Attributes:
        data: The episodes as JSON data for the page's script; None where there are none.
        counted: How often actions are played in them.
    """

    data: dict[str, Any] | None
    counted: Frequencies


def pack(recordings: Sequence[Recording], limit: int) -> Episodes:
    """Return the episodes that a page holds.

    Args:
        recordings: The transcripts.
        limit: Episodes at most, over all transcripts; of more than that a sample is taken, of each
            transcript about as many.

    Raises:
        RequestError: A transcript is broken.
    """
    counts = [_count(recording.path) for recording in recordings]
    packer, counted = _Packer(), Frequencies()
    for number, (recording, count, quota) in enumerate(
        zip(recordings, counts, quotas(counts, limit), strict=True)
    ):
        wanted = (
            set(range(count))
            if quota == count
            else set(random.Random(f"{SEED}/{number}").sample(range(count), quota))
        )
        for data in _read(recording.path, wanted):
            if not recording.training:
                counted.add(data["game"].partition("@")[0], recording.label, data)
            packer.add(data, recording)
    shown = len(packer.episodes)
    if not shown:
        return Episodes(None, counted)
    return Episodes(
        {**packer.tables(), "shown": shown, "total": sum(counts), "episodes": packer.episodes}, counted
    )


def quotas(counts: Sequence[int], limit: int) -> list[int]:
    """Return how many episodes to take of each transcript: all of the small ones, the same of the others."""
    found, left = [0] * len(counts), max(limit, 0)
    order = sorted(range(len(counts)), key=lambda place: counts[place])
    for done, place in enumerate(order):
        found[place] = min(counts[place], left // (len(order) - done))
        left -= found[place]
    return found


def _count(path: Path) -> int:
    check_transcript(path)
    with path.open("rb") as file:
        return max(sum(line.endswith(b"\n") for line in file) - 1, 0)


def _read(path: Path, wanted: set[int]) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        next(file, None)
        for number, line in enumerate(file):
            if number in wanted:
                try:
                    data = json.loads(line)
                    data["turns"], data["seat"], data["rounds"]
                except (ValueError, KeyError, TypeError):
                    raise RequestError(
                        f"transcript {str(path)!r}, line {number + 2} is no episode: restore the file"
                    ) from None
                yield data


class _Packer:
    """Turns episodes into rows of numbers and the tables that they refer to."""

    def __init__(self) -> None:
        self.episodes: list[list[Any]] = []
        self._tables = {
            name: Table()
            for name in ("games", "sources", "policies", "pools", "opponents", "texts", "mixes", "validities")
        }
        self._tables["texts"].put("")
        self._tables["validities"].put("valid")
        self._askers: dict[str, Asker] = {}

    def tables(self) -> dict[str, list[Any]]:
        """Return the tables by name."""
        return {name: table.rows for name, table in self._tables.items()}

    def add(self, data: Mapping[str, Any], recording: Recording) -> None:
        """Pack an episode."""
        asker = self._asker(data, recording.wording)
        questions = asker.ask(data)
        put = self._put
        self.episodes.append(
            [
                put("games", data["game"]),
                put("sources", recording.source),
                put("policies", recording.label),
                put("pools", data["pool"]),
                put("opponents", data["opponent"]),
                data["seat"],
                data["deal"],
                [put("policies", name) for name in data["policies"]],
                put("texts", data["stop"]),
                put("texts", asker.rules),
                [self._turn(turn, asked) for turn, asked in zip(data["turns"], questions, strict=True)],
                [self._round(outcome, data["seat"]) for outcome in data["rounds"]],
                put("texts", _notes(data)),
            ]
        )

    def _put(self, table: str, text: Any) -> int:
        return self._tables[table].put(str(text))

    def _asker(self, data: Mapping[str, Any], wording: str | None) -> Asker:
        key = json.dumps([data["game"], data["options"], wording], sort_keys=True)
        if key not in self._askers:
            self._askers[key] = Asker(data["game"], data["options"], wording)
        return self._askers[key]

    def _turn(self, turn: Mapping[str, Any], asked: str) -> list[Any]:
        row = [
            turn["seat"],
            turn["round"],
            self._put("texts", turn["label"]),
            self._put("texts", _action(turn["action"])),
            self._put("texts", asked),
            self._mix(turn.get("probabilities")),
            self._put("validities", turn["validity"]),
            turn["retries"],
            self._put("texts", turn.get("detail", "")),
            [self._generation(one) for one in turn.get("generations", ())],
            turn.get("advantage"),
            [[self._put("texts", name), value] for name, value in (turn.get("parts") or {}).items()],
        ]
        # What is usual is left away from the end: rows of scripted strategies are short.
        least = 4 if turn.get("advantage") is None else 11
        while row[-1] in (None, 0, []) and len(row) > least:
            row.pop()
        return row

    def _mix(self, probabilities: Any) -> int:
        """Return 1 more than the number of a distribution; 0 where none was recorded."""
        if not probabilities:
            return 0
        rows = sorted(
            ((_action(action), round(p, PLACES)) for action, p in probabilities), key=lambda row: -row[1]
        )
        packed = [part for action, p in rows[:LIKELIEST] for part in (self._put("texts", action), p)]
        if len(rows) > LIKELIEST:
            packed.append(len(rows) - LIKELIEST)
        return self._tables["mixes"].put(tuple(packed), packed) + 1

    def _generation(self, data: Mapping[str, Any]) -> list[Any]:
        sampled = [p for p, mask in zip(data["logprobs"], data["mask"], strict=False) if mask]
        return [
            self._put("texts", data["role"]),
            self._put("texts", data["text"]),
            self._put("texts", data["stop"]),
            data.get("tokens", len(data["ids"])),
            data.get("logprob", round(sum(sampled), PLACES) if sampled else None),
            data.get("advantage"),
        ]

    @staticmethod
    def _round(outcome: Mapping[str, Any], seat: int) -> list[Any]:
        terms = [
            None if outcome.get(name) is None else outcome[name][seat]
            for name in ("collusion", "externality")
        ]
        return [[round(payoff, PLACES) for payoff in outcome["payoffs"]], *terms]


def _action(action: Any) -> str:
    return ", ".join(map(str, action)) if isinstance(action, list) else str(action)


def _notes(data: Mapping[str, Any]) -> str:
    step = (data.get("training") or {}).get("step")
    notes = {**({} if step is None else {"step": step}), **(data.get("notes") or {})}
    return "; ".join(
        f"{key}: {value}"
        for key, value in notes.items()
        if isinstance(value, str | int | float) and value != ""
    )
