"""Answers that were paid for, kept by what was asked: in memory, and in the folder of an audit.

One JSON line an answer, appended as it comes. An interrupted audit plays its last block of deals again; what
was answered then is read here instead of asked for again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.policies.endpoint.ledger import Usage
from equipoise.policies.endpoint.reply import Reply

__all__ = ["Answers", "answer_key"]

FILE = "answers.jsonl"


def answer_key(version: str, payload: Mapping[str, Any]) -> str:
    """Return the key of a question: a hash of the policy's version and of all that is sent."""
    whole = json.dumps([version, payload], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


class Answers:
    """Answers by key.

    Attributes:
        spent: What stands in the folder: the model and the tokens of every answer, paid before.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder; None keeps answers in memory only.

        Raises:
            RequestError: The folder's file is damaged.
        """
        self._path = None if folder is None else folder / FILE
        self._known: dict[str, Reply] = {}
        self._open: dict[str, asyncio.Future[Reply]] = {}
        self.spent: list[tuple[str, Usage]] = []
        if self._path is not None and self._path.exists():
            self._restore(self._path)

    async def once(self, key: str, model: str, fetch: Callable[[], Awaitable[Reply]]) -> Reply:
        """Return the answer to a question, asked at most once however many want it."""
        if key in self._known:
            return self._known[key]
        if (waiting := self._open.get(key)) is not None and not waiting.cancelled():
            return await asyncio.shield(waiting)
        mine: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._open[key] = mine
        try:
            found = await fetch()
            self._keep({"key": key, "model": model, "reply": found.to_json()})
            self._known[key] = found
            mine.set_result(found)
        except Exception as error:
            mine.set_exception(error)
            # Somebody else may wait for it or nobody; it is raised here in any case.
            mine.exception()
            raise
        finally:
            mine.cancel()
            del self._open[key]
        return found

    def lost(self, model: str, usage: Usage) -> None:
        """Note what was paid for nothing."""
        self._keep({"model": model, "lost": usage})

    def _keep(self, data: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(data, ensure_ascii=False) + "\n")

    def _restore(self, path: Path) -> None:
        """Read all whole lines and cut off what a killed process left of another."""
        end = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    self._take(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError):
                    raise RequestError(
                        f"{str(path)!r}, line {number} is no answer: restore it or choose another --out"
                    ) from None
                end += len(line)
        if end < path.stat().st_size:
            os.truncate(path, end)

    def _take(self, data: Mapping[str, Any]) -> None:
        usage = data.get("lost")
        if usage is None:
            reply = Reply.from_json(data["reply"])
            self._known[str(data["key"])] = reply
            usage = reply.usage
        if usage is not None:
            self.spent.append((str(data["model"]), Usage(*map(int, usage))))
