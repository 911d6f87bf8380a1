"""The two ways in which work can fail, and the exit code that belongs to each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "EquipoiseError",
    "NoProbabilitiesError",
    "PolicyError",
    "RequestError",
    "first_cause",
    "nearest",
    "unknown",
]


class EquipoiseError(Exception):
    """The work failed for a reason that the message explains in one line (exit code 1)."""

    exit_code = 1


class RequestError(EquipoiseError, ValueError):
    """The request was wrong: the message names the offending value and the way out (exit code 2)."""

    exit_code = 2


class PolicyError(RequestError):
    """A scripted, tabular or ``python:`` policy answered what its contract forbids (exit code 2)."""


class NoProbabilitiesError(PolicyError):
    """A policy cannot say with which probabilities it acts; it can only be sampled."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest in spelling to ``name``, or None if none is close."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return found[0] if found else None


def unknown(kind: str, name: str, known: Iterable[str]) -> RequestError:
    """Build the error for a name that does not exist, with the nearest right one or all of them."""
    names = sorted(known)
    guess = nearest(name, names)
    hint = f"did you mean {guess!r}?" if guess else f"choose one of {', '.join(names)}"
    return RequestError(f"unknown {kind} {name!r}: {hint}")


def first_cause(error: BaseException) -> BaseException:
    """Return the first error of a group: one is enough to act on, others are the same or its consequences."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
