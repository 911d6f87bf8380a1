"""Asks again where that may help: waits grow, are jittered by the decision's draws, and heed the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from equipoise.errors import EquipoiseError
from equipoise.policies.endpoint.limiter import Limiter
from equipoise.policies.endpoint.settings import EndpointSettings
from equipoise.types import Draws

__all__ = ["Busy", "Down", "Late", "MalformedError", "attempt", "retry_after"]

LONGEST_WAIT = 120.0
"""Seconds; who asks for more is not waited for."""

LONGEST_BACKOFF = 60.0

T = TypeVar("T")


class Trouble(Exception):
    """A try that failed, and may be made again."""


class Busy(Trouble):
    """The server asks for patience.

    Attributes:
        wait: Seconds it asks to wait, or None.
    """

    def __init__(self, detail: str, wait: float | None = None) -> None:
        """Take what happened and how long to wait."""
        super().__init__(detail)
        self.wait = wait


class Down(Trouble):
    """The server cannot be reached, or fails."""


class Late(Trouble):
    """There was no answer in time."""


class MalformedError(Exception):
    """There is an answer, but not of the form agreed on; asking the same again would not help."""


async def attempt(
    ask: Callable[[], Awaitable[T]], draws: Draws, limiter: Limiter, settings: EndpointSettings, name: str
) -> T:
    """Return an answer, asked for as often as the settings allow.

    Args:
        ask: Makes one try.
        draws: Draws of the decision, for the jitter.
        limiter: Keeps the number of open requests in bounds.
        settings: Timeout, tries and waits.
        name: Who is asked, for messages.

    Raises:
        Late: There was no answer in time, in the last try.
        EquipoiseError: The other side is down or busy for longer than it is waited for.
    """
    for number in range(settings.tries):
        async with limiter.slot() as began:
            try:
                found = await asyncio.wait_for(ask(), settings.timeout)
            except TimeoutError:
                trouble: Trouble = Late(f"no answer within {settings.timeout:g} s")
            except Trouble as error:
                trouble = error
            else:
                limiter.succeeded()
                return found
            if isinstance(trouble, Busy | Late):
                limiter.overloaded(began)
            _heed(trouble, limiter, name)
        if number + 1 < settings.tries:
            await asyncio.sleep(_backoff(number, draws, settings.retry_wait))
    if isinstance(trouble, Late):
        raise trouble
    times = "once" if settings.tries == 1 else f"{settings.tries} times"
    raise EquipoiseError(
        f"{name} does not answer ({trouble}), tried {times}: see to it and repeat the command, which with "
        "--out goes on where it stopped"
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks to wait, given as seconds or as a date (RFC 9110, 10.2.3)."""
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo is not None else None


def _heed(trouble: Trouble, limiter: Limiter, name: str) -> None:
    if not isinstance(trouble, Busy) or trouble.wait is None:
        return
    # Written so that a wait that is no number is refused as well.
    if not trouble.wait <= LONGEST_WAIT:
        raise EquipoiseError(
            f"{name} asks to wait {trouble.wait:.0f} s: repeat the command then, with --out it goes on "
            "where it stopped"
        )
    limiter.pause(trouble.wait)


def _backoff(number: int, draws: Draws, first: float) -> float:
    """Return between half and the whole of a wait that doubles."""
    whole: float = min(LONGEST_BACKOFF, first * 2.0**number)
    return whole * (0.5 + 0.5 * draws.uniform(f"backoff/{number}"))
