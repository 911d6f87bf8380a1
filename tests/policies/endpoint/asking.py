"""Decisions, and policies that are asked them, for the tests of endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from equipoise.games.registry import make_game
from equipoise.games.rules import Rules
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.desk import Desk
from equipoise.policies.endpoint.loading import load_endpoint
from equipoise.policies.endpoint.settings import read_settings
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.rollout.running import RunningEpisode
from equipoise.types import Choice, Decision

IPD = make_game("ipd", rounds=3)


def decision(game: Rules = IPD, number: int = 0, **changes: Any) -> Decision:
    """Return the first decision of an episode; those of other numbers are of other episodes and draws."""
    nobody = Nobody()
    deal = Deal(0, Split.REPORT, game.info_record.key, number)
    request = EpisodeRequest(game, deal, "train", "secret_opponent", 0, (nobody,) * game.info_record.seats)
    return replace(RunningEpisode(request, InvalidRule()).pending()[0], **changes)


class Nobody(AsyncPolicy):
    name = "nobody"

    async def decide(self, decision: Decision) -> Choice:
        raise AssertionError


def policy(spec: str, folder: Path | None = None, game: Rules = IPD, **settings: Any) -> AsyncPolicy:
    """Return an endpoint that does not wait long; ``more`` are settings of its prompts."""
    more = settings.pop("more", {})
    desk = Desk(read_settings({"retry_wait": 0.001, "tries": 3, **settings}), folder)
    return load_endpoint(spec, game, endpoint=desk, **more)


def ask(player: AsyncPolicy, decisions: Sequence[Decision] | None = None) -> list[Choice]:
    """Return the answers to decisions that are asked at once, and let go of connections."""

    async def all_of_them() -> list[Choice]:
        slots = asyncio.Semaphore(player.limit)

        async def one(asked: Decision) -> Choice:
            async with slots:
                return await player.decide(asked)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(d)) for d in decisions or [decision()]]
        finally:
            await player.close()
        return [task.result() for task in tasks]

    try:
        return asyncio.run(all_of_them())
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


def one(player: AsyncPolicy, asked: Decision | None = None) -> Choice:
    """Return the answer to one decision."""
    return ask(player, [asked or decision()])[0]
