"""Plays episodes that wait for endpoints or programs: no barrier, each moves on when its answer is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from equipoise.errors import PolicyError
from equipoise.policies.base import AsyncPolicy, Policy
from equipoise.rollout.loops import finish
from equipoise.rollout.running import RunningEpisode
from equipoise.types import Choice, Decision

__all__ = ["play_streaming"]


def play_streaming(running: Sequence[RunningEpisode], progress: Callable[[int], None] | None) -> None:
    """Drive all episodes to their end; local policies are asked in batches of whatever waits for them."""
    finish(_drive(running, progress))


async def _drive(running: Sequence[RunningEpisode], progress: Callable[[int], None] | None) -> None:
    players = {id(p): p for episode in running for p in episode.request.players}
    askers = {key: _asker(player) for key, player in players.items()}
    try:
        async with asyncio.TaskGroup() as group:
            for episode in running:
                group.create_task(_play(episode, askers, progress))
    finally:
        # Connections belong to this event loop, and must not outlive it.
        for player in players.values():
            if isinstance(player, AsyncPolicy):
                await player.close()


async def _play(
    episode: RunningEpisode,
    askers: dict[int, _Gate | _MicroBatch],
    progress: Callable[[int], None] | None,
) -> None:
    while decisions := episode.pending():
        answers = [askers[id(episode.request.players[d.seat])].ask(d) for d in decisions]
        for decision, choice in zip(decisions, await asyncio.gather(*answers), strict=True):
            episode.answer(decision, choice)
    if progress is not None:
        progress(1)


def _asker(player: Policy | AsyncPolicy) -> _Gate | _MicroBatch:
    return _Gate(player) if isinstance(player, AsyncPolicy) else _MicroBatch(player)


class _Gate:
    """Keeps the number of open requests to an asynchronous policy within its limit."""

    def __init__(self, policy: AsyncPolicy) -> None:
        self.policy = policy
        self.slots = asyncio.Semaphore(policy.limit)

    async def ask(self, decision: Decision) -> Choice:
        async with self.slots:
            return await self.policy.decide(decision)


class _MicroBatch:
    """Asks a local policy in batches: everything that arrived since the loop last came round."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.waiting: list[tuple[Decision, asyncio.Future[Choice]]] = []

    async def ask(self, decision: Decision) -> Choice:
        loop = asyncio.get_running_loop()
        if not self.waiting:
            loop.call_soon(self._flush)
        future: asyncio.Future[Choice] = loop.create_future()
        self.waiting.append((decision, future))
        return await future

    def _flush(self) -> None:
        batch, self.waiting = self.waiting, []
        try:
            choices = self.policy.act([decision for decision, _ in batch])
            if len(choices) != len(batch):
                raise PolicyError(
                    f"policy {self.policy.name!r} gave {len(choices)} answers to {len(batch)} decisions"
                )
        except Exception as error:
            for _, future in batch:
                future.set_exception(error)
            return
        for (_, future), choice in zip(batch, choices, strict=True):
            future.set_result(choice)
