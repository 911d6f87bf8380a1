"""Runs asynchronous work to its end from code that is not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from equipoise.errors import first_cause

__all__ = ["finish"]

T = TypeVar("T")


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Return what work comes to, also where an event loop is already running (a notebook's).

    Raises:
        BaseException: The first cause, where several parts of the work failed at once.
    """
    try:
        return _run(work)
    except BaseExceptionGroup as group:
        raise first_cause(group) from None


def _run(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()
