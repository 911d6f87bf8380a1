"""How many requests may be open at once: more while all goes well, half as many when the other side is late.

Additive increase, multiplicative decrease (Chiu and Jain 1989): the size grows by one for as many answers as
it is large, and is halved once for all requests that were open together when one of them was turned away.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

__all__ = ["Limiter"]

FIRST = 4


class Limiter:
    """An adaptive number of open requests.

    Attributes:
        most: What it never exceeds.
        size: How many may be open now; its whole part counts.
        open: How many are.
    """

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        """Take the largest number of open requests, and a clock in seconds."""
        self.most, self.size, self.open = most, float(min(most, FIRST)), 0
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._cut = self._until = float("-inf")

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a place and for the end of a pause; give the time at which the request begins."""
        while self.open >= int(self.size):
            await self._wait()
        self.open += 1
        try:
            while (left := self._until - self._clock()) > 0:
                await asyncio.sleep(left)
            yield self._clock()
        finally:
            self.open -= 1
            self._wake()

    def succeeded(self) -> None:
        """Allow a little more."""
        self.size = min(float(self.most), self.size + 1.0 / self.size)
        self._wake()

    def overloaded(self, began: float) -> None:
        """Allow half as many, unless that was done since the request began."""
        if began >= self._cut:
            self.size = max(1.0, self.size / 2.0)
            self._cut = self._clock()

    def pause(self, seconds: float) -> None:
        """Let no request begin for a time."""
        self._until = max(self._until, self._clock() + seconds)

    async def _wait(self) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        finally:
            if future in self._waiting:
                self._waiting.remove(future)

    def _wake(self) -> None:
        for _ in range(int(self.size) - self.open):
            if not self._waiting:
                return
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
