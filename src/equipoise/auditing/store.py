"""An audit's folder: transcript and scored tables, written chunk by chunk, so that it can go on.

A chunk is a fixed block of deals. When its episodes are on disk, the entries that the policy's table gained
in it follow, with a mark. An interrupted chunk is dropped and played again from its start with the tables
it started with, so that a resumed audit ends with the same bytes as an uninterrupted one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.files import claim, write_text
from equipoise.policies.base import Policy
from equipoise.rollout.transcript import append_episodes, check_transcript, read_episodes
from equipoise.types import Episode

__all__ = ["AuditStore"]

STUDIED = ""
"""What the policy under study is called among the tables."""


class AuditStore:
    """The folder of one (game, policy) audit."""

    def __init__(self, folder: Path, request: Mapping[str, Any]) -> None:
        """Open or start a folder.

        Raises:
            RequestError: The folder holds an audit of something else, or a foreign transcript.
        """
        self.folder = folder
        self.transcript = folder / "transcript.jsonl"
        self._marks = folder / "chunks.jsonl"
        claim(folder, "request.json", dict(request), "choose another --out")
        self.episodes, self.chunks, self._tables = self._restore()

    def load_table(self, policy: object, others: Mapping[str, object] | None = None) -> None:
        """Give the policy, and others that score tables, what they had when the last finished chunk ended."""
        for name, player in _scorers(policy, others).items():
            if table := self._tables.get(name):
                player.load_state_dict({"version": player.version, "table": table})

    def finish_chunk(
        self, episodes: Sequence[Episode], policy: object, others: Mapping[str, object] | None = None
    ) -> None:
        """Put a finished chunk on disk."""
        append_episodes(self.transcript, episodes)
        self.chunks += 1
        self.episodes += len(episodes)
        self.keep_tables(policy, others)

    def keep_tables(self, policy: object, others: Mapping[str, object] | None = None) -> None:
        """Put what tables have gained on disk, with a mark of what is finished."""
        gained: dict[str, dict[str, Any]] = {}
        for name, player in _scorers(policy, others).items():
            known = self._tables.setdefault(name, {})
            found = player.state_dict().get("table", {})
            gained[name] = {key: value for key, value in found.items() if key not in known}
            known.update(gained[name])
        mark = {"chunk": self.chunks, "episodes": self.episodes, "table": gained.pop(STUDIED, {})}
        if any(gained.values()):
            mark["tables"] = {name: new for name, new in gained.items() if new}
        with self._marks.open("a", encoding="utf-8") as file:
            file.write(json.dumps(mark) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> Iterator[Episode]:
        """Yield the episodes of all finished chunks, one at a time."""
        if self.episodes:
            yield from islice(read_episodes(self.transcript), self.episodes)

    def _restore(self) -> tuple[int, int, dict[str, dict[str, Any]]]:
        """Read the marks, cut the transcript back to the last of them, return counts and tables."""
        episodes = chunks = 0
        tables: dict[str, dict[str, Any]] = {}
        whole: list[str] = []
        if self._marks.exists():
            for line in self._marks.read_text(encoding="utf-8").splitlines(keepends=True):
                if not line.endswith("\n"):
                    break
                try:
                    mark = json.loads(line)
                    episodes, chunks = int(mark["episodes"]), int(mark["chunk"])
                    dict(mark["table"])
                except (ValueError, KeyError, TypeError):
                    raise RequestError(
                        f"{str(self._marks)!r}, line {len(whole) + 1} is no mark of an audit: restore it or "
                        "choose another --out"
                    ) from None
                for name, new in {STUDIED: mark["table"], **mark.get("tables", {})}.items():
                    tables.setdefault(name, {}).update(new)
                whole.append(line)
            write_text(self._marks, "".join(whole))
        if self.transcript.exists():
            with self.transcript.open("rb") as file:
                headless = b"\n" not in file.read(4096)
            if headless:
                # Killed while the header was written: there is nothing to keep.
                self.transcript.unlink()
        if self.transcript.exists():
            # Reading also tells a foreign file before anything is cut from it.
            check_transcript(self.transcript)
        found, end = self._whole(episodes)
        if found < episodes:
            raise RequestError(
                f"{str(self.transcript)!r} holds {found} of the {episodes} episodes that were finished: "
                "restore it or choose another --out"
            )
        if self.transcript.exists() and end < self.transcript.stat().st_size:
            os.truncate(self.transcript, end)
        return episodes, chunks, tables

    def _whole(self, episodes: int) -> tuple[int, int]:
        """Return how many of so many episodes the transcript holds, and where the last of them ends."""
        found, end = -1, 0
        if self.transcript.exists():
            with self.transcript.open("rb") as file:
                for line in islice(file, episodes + 1):
                    if line.endswith(b"\n"):
                        found, end = found + 1, end + len(line)
        return max(found, 0), end


def _scorers(policy: object, others: Mapping[str, object] | None) -> dict[str, Policy]:
    """Return who may have a table, by name and each object once; the policy under study comes first."""
    found: dict[str, Policy] = {}
    for name, player in [(STUDIED, policy), *(others or {}).items()]:
        if isinstance(player, Policy) and not any(player is known for known in found.values()):
            found[name] = player
    return found
