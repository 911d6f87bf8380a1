"""Transcripts: append-only JSONL, one line an episode.

Line 1 is a header that names the format. A file that was cut off in the middle of a line is read up to the
last whole line. Text of models is kept as data; nothing here interprets it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.types import Action, Choice, Episode, Generation, RoundOutcome, StopReason, Turn, Validity

__all__ = [
    "FORMAT",
    "append_episodes",
    "append_lines",
    "check_transcript",
    "episode_from_json",
    "episode_to_json",
    "read_episodes",
]

FORMAT = {"format": "equipoise.transcript", "schema": 1}


def append_episodes(path: Path, episodes: Iterable[Episode]) -> None:
    """Append episodes and force them to disk; a new file gets its header."""
    append_lines(path, map(episode_to_json, episodes))


def append_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Append episodes that are JSON data already, see :func:`append_episodes`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = not path.exists() or path.stat().st_size == 0
    with path.open("a", encoding="utf-8") as file:
        if fresh:
            file.write(json.dumps(FORMAT) + "\n")
        for data in lines:
            file.write(_line(data) + "\n")
        file.flush()
        os.fsync(file.fileno())


def read_episodes(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a transcript; a last line that was cut off is left out.

    Raises:
        RequestError: The file cannot be read, or is no transcript of this format.
    """
    try:
        file = path.open(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"cannot read transcript {str(path)!r}: {error.strerror}") from None
    with file:
        _check_header(path, file)
        for number, line in enumerate(file, start=2):
            if not line.endswith("\n"):
                return
            try:
                yield episode_from_json(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, IndexError):
                raise RequestError(
                    f"transcript {str(path)!r}, line {number} is no episode: restore the file or start anew"
                ) from None


def check_transcript(path: Path) -> None:
    """Check that a file is a transcript of this format.

    Raises:
        RequestError: It is not.
    """
    for _ in zip(range(1), read_episodes(path), strict=False):
        pass


def _check_header(path: Path, lines: Iterator[str]) -> None:
    problem = f"{str(path)!r} is no transcript of this package: its first line must be {json.dumps(FORMAT)}"
    try:
        header = json.loads(next(lines, "null"))
    except (ValueError, UnicodeDecodeError):
        raise RequestError(problem) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT["format"]:
        raise RequestError(problem)
    if header.get("schema") != FORMAT["schema"]:
        raise RequestError(
            f"{str(path)!r} has transcript schema {header.get('schema')!r}, this version reads "
            f"{FORMAT['schema']}: use the version of the package that wrote it"
        )


def _line(data: Mapping[str, Any]) -> str:
    """Return an episode as one line: readable text, escaped where it holds half a surrogate pair."""
    line = json.dumps(data, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:
        return json.dumps(data)
    return line


def episode_to_json(episode: Episode) -> dict[str, Any]:
    """Return an episode as plain JSON data."""
    data = {
        "id": episode.id,
        "game": episode.game,
        "options": dict(episode.options),
        "pool": episode.pool,
        "opponent": episode.opponent,
        "seat": episode.seat,
        "deal": episode.deal,
        "split": episode.split,
        "rollout": episode.rollout,
        "policies": list(episode.policies),
        "turns": [_turn_to_json(turn) for turn in episode.turns],
        "rounds": [outcome._asdict() for outcome in episode.rounds],
        "stop": episode.stop.value,
        "policy_version": episode.policy_version,
        "chance": [list(pair) for pair in episode.chance],
    }
    if episode.notes:
        data["notes"] = dict(episode.notes)
    return data


def episode_from_json(data: Mapping[str, Any]) -> Episode:
    """Read an episode written by :func:`episode_to_json`."""
    return Episode(
        id=data["id"],
        game=data["game"],
        options=data["options"],
        pool=data["pool"],
        opponent=data["opponent"],
        seat=data["seat"],
        deal=data["deal"],
        split=data["split"],
        rollout=data["rollout"],
        policies=tuple(data["policies"]),
        turns=tuple(_turn_from_json(turn) for turn in data["turns"]),
        rounds=tuple(_outcome_from_json(outcome) for outcome in data["rounds"]),
        stop=StopReason(data["stop"]),
        policy_version=data["policy_version"],
        chance=tuple((node, _tuples(outcome)) for node, outcome in data["chance"]),
        notes=data.get("notes", {}),
    )


def _turn_to_json(turn: Turn) -> dict[str, Any]:
    choice = turn.choice
    data: dict[str, Any] = {
        "seat": turn.seat,
        "round": turn.round,
        "step": turn.step,
        "label": turn.label,
        "action": turn.action,
        "validity": choice.validity.value,
        "retries": turn.retries,
    }
    if choice.action != turn.action:
        data["answer"] = choice.action
    if choice.probabilities is not None:
        data["probabilities"] = [[action, p] for action, p in choice.probabilities.items()]
    if choice.generations:
        data["generations"] = [_generation_to_json(generation) for generation in choice.generations]
    if choice.detail:
        data["detail"] = choice.detail
    return data


def _turn_from_json(data: Mapping[str, Any]) -> Turn:
    probabilities = data.get("probabilities")
    choice = Choice(
        action=_action(data.get("answer", data["action"])),
        validity=Validity(data["validity"]),
        probabilities=None if probabilities is None else {_tuples(a): p for a, p in probabilities},
        generations=tuple(_generation_from_json(g) for g in data.get("generations", ())),
        detail=data.get("detail", ""),
    )
    action = _action(data["action"])
    assert action is not None
    return Turn(data["seat"], data["round"], data["step"], data["label"], action, choice, data["retries"])


def _generation_to_json(generation: Generation) -> dict[str, Any]:
    data: dict[str, Any] = {
        "role": generation.role,
        "text": generation.text,
        "prompt_ids": list(generation.prompt_ids),
        "ids": list(generation.ids),
        "logprobs": list(generation.logprobs),
        "mask": list(generation.mask),
        "stop": generation.stop.value,
        "trainable": generation.trainable,
    }
    if generation.allowed:
        data["allowed"] = [None if among is None else list(among) for among in generation.allowed]
    return data


def _generation_from_json(data: Mapping[str, Any]) -> Generation:
    return Generation(
        role=data["role"],
        prompt_ids=tuple(data["prompt_ids"]),
        ids=tuple(data["ids"]),
        logprobs=tuple(data["logprobs"]),
        mask=tuple(data["mask"]),
        stop=StopReason(data["stop"]),
        trainable=data["trainable"],
        text=data["text"],
        allowed=tuple(None if among is None else tuple(among) for among in data.get("allowed", ())),
    )


def _outcome_from_json(data: Mapping[str, Any]) -> RoundOutcome:
    return RoundOutcome(
        tuple(data["payoffs"]),
        None if data["collusion"] is None else tuple(data["collusion"]),
        None if data["externality"] is None else tuple(data["externality"]),
        tuple(tuple(row) for row in data["diagnostics"]),
    )


def _action(value: Any) -> Action | None:
    return tuple(value) if isinstance(value, list) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(part) for part in value) if isinstance(value, list) else value
