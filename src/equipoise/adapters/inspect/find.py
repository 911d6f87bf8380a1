"""The episodes of an audit or a run on disk, each transcript with the result that was made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from equipoise.auditing.loading import load_kept
from equipoise.auditing.result import GameResult
from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.policies.registry import load_game
from equipoise.prompts.base import PLAIN
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.transcript import read_episodes
from equipoise.types import Episode

__all__ = ["Record", "find_records"]

TRANSCRIPT, REQUEST, STAGE, AUDIT = "transcript.jsonl", "request.json", "result.json", "audit.json"


@dataclass(frozen=True)
class Record:
    """The transcript of one policy in one game.

    Attributes:
        name: Where it lies, as seen from the folder that was asked for.
        path: The transcript.
        request: What was asked for when it was made.
        game: The rules.
        result: What was computed from it; None if the audit was not finished.
    """

    name: str
    path: Path
    request: Mapping[str, Any]
    game: Rules
    result: GameResult | None

    @property
    def policy(self) -> str:
        """Name of the policy: that of the result, where a run gives it one."""
        return str(self.request["policy"]) if self.result is None else self.result.policy

    @property
    def wording(self) -> str:
        """How the game was put."""
        return PLAIN if self.result is None else str(self.result.settings.get("wording", PLAIN))

    @property
    def rule(self) -> InvalidRule:
        """What happened to invalid answers."""
        retries, then, fallback = self.request["invalid"]
        return InvalidRule(retries, then, tuple(fallback) if isinstance(fallback, list) else fallback)

    @property
    def seed(self) -> int:
        """Seed of the deals."""
        return int(self.request["seed"])

    @property
    def made(self) -> datetime:
        """When the transcript was last written to."""
        return datetime.fromtimestamp(int(self.path.stat().st_mtime), UTC)

    @cached_property
    def played(self) -> int:
        """Number of episodes."""
        return sum(1 for _ in self.episodes())

    def episodes(self, limit: int | None = None) -> Iterator[Episode]:
        """Yield the episodes, at most so many."""
        return islice(read_episodes(self.path), limit)


def find_records(place: Path, game: str | None = None) -> list[Record]:
    """Return the transcripts of a folder of ``equipoise audit --out`` or of a run, in order of their paths.

    Args:
        place: The folder.
        game: The game, where the name in the transcripts is not enough (``python:FILE.py:NAME``).

    Raises:
        RequestError: There are none, or a game does not exist.
    """
    if not place.is_dir():
        raise RequestError(f"{str(place)!r} is no folder: name one of `equipoise audit --out` or of a run")
    found = sorted(place.rglob(TRANSCRIPT))
    records = [one for path in found if (one := _record(place, path, game)) is not None]
    if not records:
        raise RequestError(
            f"{str(place)!r} holds no transcripts of a policy: exact audits play no episodes, audit with "
            "--sample --out DIR"
        )
    return records


def _record(place: Path, path: Path, game: str | None) -> Record | None:
    """Return a transcript as a record; None where it has no policy under study, as in cross-play."""
    try:
        request = json.loads((path.parent / REQUEST).read_text(encoding="utf-8"))
        key, options = str(request["game"]), dict(request["options"])
    except (OSError, ValueError, KeyError, TypeError):
        raise RequestError(
            f"{str(path.parent / REQUEST)!r} does not say what was played: restore it"
        ) from None
    if "policy" not in request:
        return None
    name = str(path.parent.relative_to(place))
    return Record(name, path, request, _game(key, options, game), _result(place, path.parent, request))


def _game(key: str, options: Mapping[str, Any], given: str | None) -> Rules:
    name = key.rpartition("@")[0]
    try:
        return load_game(given or name, options)
    except RequestError as error:
        if given is not None:
            raise
        raise RequestError(f"{error}; name the game with --game python:FILE.py:NAME") from None


def _result(place: Path, folder: Path, request: Mapping[str, Any]) -> GameResult | None:
    """Return the result beside a transcript of a run, or the one of an audit that fits it."""
    for parent in (folder, *folder.parents):
        if (parent / STAGE).is_file():
            return load_kept(parent).results[0]
        if (parent / AUDIT).is_file():
            return next((one for one in load_kept(parent).results if _fits(one, request)), None)
        if parent == place:
            break
    return None


def _fits(result: GameResult, request: Mapping[str, Any]) -> bool:
    mine = (f"{result.game}@{result.version}", result.policy, result.settings.get("fingerprint"))
    return mine == (request["game"], request["policy"], request["fingerprint"])
