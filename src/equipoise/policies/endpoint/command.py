"""``command:PROGRAM``: a program that answers one JSON line with another, for as long as it is asked.

Policies are functions of the decision, so one process serves all open episodes, one question at a time; with
``--concurrency N`` there are up to N processes, and any of them may be asked anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import RequestError
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.attempts import MalformedError
from equipoise.policies.endpoint.question import question, read_answer
from equipoise.policies.endpoint.settings import EndpointSettings
from equipoise.policies.endpoint.worker import EndedError, Worker
from equipoise.prompts.base import PLAIN
from equipoise.types import Choice, Decision, Validity

__all__ = ["CommandPolicy", "parse_command"]


class CommandPolicy(AsyncPolicy):
    """Asks a program; one that fails at a question is ended, and another process takes its place."""

    def __init__(
        self, spec: str, command: Sequence[str], settings: EndpointSettings, wording: str = PLAIN
    ) -> None:
        """Take the name, the program with its arguments, how to ask and how prompts put the game."""
        self.name, self._command, self._settings, self._wording = spec, list(command), settings, wording
        self.limit = settings.concurrency or 1
        self.fingerprint = _fingerprint(command, wording)
        self._idle: list[Worker] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answered = False

    async def decide(self, decision: Decision) -> Choice:
        """Ask a process that is free, or a new one.

        Raises:
            RequestError: The program cannot be started, or ends before it has answered anything.
        """
        worker = await self._worker()
        line = json.dumps(question(decision, self._wording)).encode()
        keep = False
        try:
            content = await asyncio.wait_for(worker.ask(line), self._settings.timeout)
            choice = read_answer(content, decision, self._wording)
            keep = self._answered = True
            return choice
        except TimeoutError:
            detail = f"no answer within {self._settings.timeout:g} s"
            return Choice(None, Validity.TIMEOUT, detail=detail)
        except MalformedError as error:
            # What else it writes might be taken for the next answer: it does not go on.
            self._answered = True
            return Choice(None, Validity.INVALID, detail=str(error))
        except EndedError as error:
            if not self._answered:
                raise RequestError(f"{self.name} {error}, before it answered anything") from None
            return Choice(None, Validity.INVALID, detail=f"the program {error}")
        finally:
            if keep:
                self._idle.append(worker)
            else:
                await worker.stop()

    async def close(self) -> None:
        """End all processes; the next question starts one again."""
        while self._idle:
            await self._idle.pop().stop()

    async def _worker(self) -> Worker:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._idle = loop, []
        if self._idle:
            return self._idle.pop()
        try:
            return await Worker.start(self._command)
        except OSError as error:
            raise RequestError(f"{self.name} cannot be started: {error.strerror}") from None


def parse_command(spec: str) -> list[str]:
    """Return program and arguments of ``command:PROGRAM``, split as a shell would, without a shell.

    Raises:
        RequestError: There is no such program.
    """
    try:
        found = shlex.split(spec.removeprefix("command:"))
    except ValueError as error:
        raise RequestError(f"{spec!r}: {str(error).lower()}") from None
    if not found:
        raise RequestError(f"{spec!r} names no program: write 'command:PROGRAM ARGUMENT …'")
    if shutil.which(found[0]) is None:
        raise RequestError(f"{spec!r}: there is no program {found[0]!r} that may be run")
    return found


def _fingerprint(command: Sequence[str], wording: str) -> str:
    """Return a hash of the command and of all files that it names."""
    digest = hashlib.sha256(json.dumps([list(command), wording]).encode())
    for part in command:
        with contextlib.suppress(OSError, ValueError):
            digest.update(Path(shutil.which(part) or part).read_bytes())
    return digest.hexdigest()[:16]
