"""Asking a policy of either kind, and what its answers look like."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from threading import Thread
from typing import Any

from equipoise.policies.base import AnyPolicy, AsyncPolicy
from equipoise.testing.findings import Violation
from equipoise.types import Decision

__all__ = ["ask"]


def ask(policy: AnyPolicy, decisions: Sequence[Decision], timeout: float) -> list[Any]:
    """Return a policy's answers, whatever they are.

    Args:
        policy: The policy.
        decisions: What it is asked.
        timeout: Seconds that an asynchronous policy has for each answer.

    Raises:
        Violation: The number of answers is wrong, or one did not come in time.
    """
    if isinstance(policy, AsyncPolicy):
        return _ask_async(policy, decisions, timeout)
    answers: Any = policy.act(list(decisions))
    count = len(answers) if isinstance(answers, list | tuple) else None
    if count != len(decisions):
        got = f"{count} answers" if count is not None else f"a {type(answers).__name__}"
        raise Violation(
            f"act gives {got} to {len(decisions)} decisions",
            "return a list with one Choice a decision, in order",
            "one-answer-each",
        )
    return list(answers)


def _ask_async(policy: AsyncPolicy, decisions: Sequence[Decision], timeout: float) -> list[Any]:
    """Ask in a thread of its own: a policy that blocks its loop, or a notebook's loop, changes nothing."""
    found: list[Any] = []

    def work() -> None:
        try:
            found.append(asyncio.run(_all(policy, decisions, timeout)))
        except BaseException as error:
            found.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout * (1 + len(decisions) / max(1, policy.limit)) + 1.0)
    outcome = found[0] if found else TimeoutError()
    if isinstance(outcome, TimeoutError):
        raise Violation(
            f"no answer within {timeout:g} s",
            "answer, or give up with Choice(None, Validity.TIMEOUT); `timeout=` sets the limit",
            "answers-in-time",
        )
    if isinstance(outcome, BaseException):
        raise outcome
    return list(outcome)


async def _all(policy: AsyncPolicy, decisions: Sequence[Decision], timeout: float) -> list[Any]:
    slots = asyncio.Semaphore(max(1, policy.limit))

    async def one(decision: Decision) -> Any:
        async with slots:
            return await asyncio.wait_for(policy.decide(decision), timeout)

    try:
        return await asyncio.gather(*(one(decision) for decision in decisions))
    finally:
        await policy.close()
