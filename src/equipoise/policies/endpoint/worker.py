"""A program that answers line by line: started without a shell, ended together with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence

from equipoise.policies.endpoint.attempts import MalformedError
from equipoise.policies.endpoint.words import one_line

__all__ = ["EndedError", "Worker"]

LONGEST_ANSWER = 1_000_000
"""Bytes of an answer that are read."""

TAIL = 2000
LONGEST_FAREWELL = 5.0


class EndedError(Exception):
    """The program ended, or closed its output; the message says how."""


class Worker:
    """One process, asked one question at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Take a process with all its streams as pipes."""
        self._process = process
        self._said = b""
        self._listener = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, command: Sequence[str]) -> Worker:
        """Start a program in a process group of its own.

        Raises:
            OSError: It cannot be started.
        """
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, limit=LONGEST_ANSWER, start_new_session=True
        )
        return cls(process)

    async def ask(self, line: bytes) -> bytes:
        """Return the line with which the program answers a line.

        Raises:
            EndedError: It has ended.
            MalformedError: The answer is too long.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(line + b"\n")
            await stdin.drain()
            answer = await stdout.readline()
        except ValueError:
            raise MalformedError(f"the answer is longer than {LONGEST_ANSWER} bytes") from None
        except OSError:
            answer = b""
        if not answer.endswith(b"\n"):
            raise EndedError(await self._obituary())
        return answer

    async def stop(self) -> None:
        """End the process and its group."""
        # The group outlives its leader if that has started others.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        try:
            await asyncio.wait_for(self._process.wait(), LONGEST_FAREWELL)
        except TimeoutError:
            # A child that left the group holds the pipes open; there is no public way to close our ends.
            self._process._transport.close()  # type: ignore[attr-defined]
        self._listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listener
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _obituary(self) -> str:
        """Return how the program ended, with its last words."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._process.wait()), 1.0)
            await asyncio.wait_for(asyncio.shield(self._listener), 1.0)
        status = self._process.returncode
        how = "closed its output" if status is None else f"ended with status {status}"
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        return f"{how}: {one_line(lines[-1])}" if lines else how

    async def _listen(self) -> None:
        """Read standard error, so that a program that writes much of it is not held up; keep its end."""
        stderr = self._process.stderr
        assert stderr is not None
        while part := await stderr.read(65536):
            self._said = (self._said + part)[-TAIL:]
