"""Policies and requests that several tests of the engine share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from equipoise.games.base import Game
from equipoise.policies.base import AnyPolicy, AsyncPolicy, Policy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import EpisodeRequest
from equipoise.types import Choice, Decision, Episode, Validity


class Answers(Policy):
    """Answers with what a function returns, and keeps what it was asked."""

    strict = False
    always_legal = False

    def __init__(self, answer: Callable[[Decision], Choice], name: str = "answers") -> None:
        self.name = name
        self.answer = answer
        self.asked: list[Decision] = []
        self.batches: list[int] = []

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        self.asked += decisions
        self.batches.append(len(decisions))
        return [self.answer(decision) for decision in decisions]


class Remote(AsyncPolicy):
    """Answers like a local policy, after letting others go first a number of times."""

    def __init__(self, policy: Policy, limit: int = 16) -> None:
        self.name = policy.name
        self.strict = policy.strict
        self.limit = limit
        self.policy = policy
        self.open = self.most = 0

    async def decide(self, decision: Decision) -> Choice:
        self.open += 1
        self.most = max(self.most, self.open)
        deal = int(decision.episode.split("/")[2])
        for _ in range(1 + (deal + decision.index) % 3):
            await asyncio.sleep(0)
        self.open -= 1
        return self.policy.act([decision])[0]


def invalid(decision: Decision) -> Choice:
    return Choice(None, Validity.INVALID, detail="no word")


def requests(
    game: Game,
    policy: AnyPolicy,
    opponents: Sequence[str] = ("mixed_half",),
    deals: int = 3,
    rollouts: int = 1,
    seed: int = 0,
    **changes: Any,
) -> list[EpisodeRequest]:
    """Return requests for every deal, opponent, seat and rollout."""
    return [
        EpisodeRequest(
            game,
            Deal(seed, Split.TRAIN, game.info_record.key, deal),
            "train",
            name,
            seat,
            (policy, other) if seat == 0 else (other, policy),
            rollout,
            **changes,
        )
        for deal in range(deals)
        for name, other in load_opponents(opponents, game).items()
        for seat in (0, 1)
        for rollout in range(rollouts)
    ]


def scripted(game: Game, name: str) -> Policy:
    policy = load_policy(f"scripted:{name}", game)
    assert isinstance(policy, Policy)
    return policy


def in_seat_order(episode: Episode) -> Episode:
    """Return an episode with the turns of a round ordered by step and seat."""
    return replace(episode, turns=tuple(sorted(episode.turns, key=lambda t: (t.round, t.step, t.seat))))
