"""The parts of the stream: micro-batches and their errors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from equipoise.errors import PolicyError
from equipoise.games.registry import make_game
from equipoise.policies.base import Policy
from equipoise.rollout.engine import play
from equipoise.rollout.streaming import _MicroBatch
from equipoise.types import Choice, Decision
from tests.helpers import every_decision
from tests.rollout.players import Answers, Remote, requests, scripted

IPD = make_game("ipd", rounds=3)
DECISIONS = list(every_decision(make_game("ipd", rounds=1)))


def test_what_waits_together_is_asked_together() -> None:
    policy = Answers(lambda decision: Choice("COOPERATE" if decision.seat else "DEFECT"))

    async def ask() -> list[Choice]:
        batch = _MicroBatch(policy)
        return list(await asyncio.gather(*(batch.ask(d) for d in DECISIONS * 3)))

    found = asyncio.run(ask())
    assert policy.batches == [len(DECISIONS) * 3]
    # Everyone gets the answer to its own question.
    assert [c.action for c in found] == ["COOPERATE" if d.seat else "DEFECT" for d in DECISIONS * 3]


def test_an_error_reaches_everyone_who_waits() -> None:
    class Broken(Policy):
        name = "broken"

        def act(self, decisions: Sequence[Decision]) -> list[Choice]:
            raise OSError("no power")

    async def ask() -> list[object]:
        batch = _MicroBatch(Broken())
        return list(await asyncio.gather(*(batch.ask(d) for d in DECISIONS), return_exceptions=True))

    assert [str(error) for error in asyncio.run(ask())] == ["no power"] * len(DECISIONS)


def test_a_wrong_number_of_answers_is_an_error() -> None:
    class Short(Policy):
        name = "short"

        def act(self, decisions: Sequence[Decision]) -> list[Choice]:
            return []

    async def ask() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        with pytest.raises(PolicyError, match="gave 0 answers to 1 decisions"):
            await asyncio.wait_for(_MicroBatch(Short()).ask(DECISIONS[0]), 0.2)

    asyncio.run(ask())


def test_a_remote_policy_that_raises_ends_the_play_with_its_own_error() -> None:
    class Down(Remote):
        async def decide(self, decision: Decision) -> Choice:
            if decision.round == 1:
                raise ConnectionError("refused")
            return await super().decide(decision)

    with pytest.raises(ConnectionError, match="refused"):
        play(requests(IPD, Down(scripted(IPD, "random"))))


class Closing(Remote):
    closed = 0

    async def close(self) -> None:
        asyncio.get_running_loop()
        self.closed += 1


def test_who_answers_in_its_own_time_is_closed_once_at_the_end() -> None:
    player = Closing(scripted(IPD, "random"))
    play(requests(IPD, player))
    assert player.closed == 1


def test_it_is_closed_when_the_play_fails_too() -> None:
    class Down(Closing):
        async def decide(self, decision: Decision) -> Choice:
            raise ConnectionError("refused")

    player = Down(scripted(IPD, "random"))
    with pytest.raises(ConnectionError):
        play(requests(IPD, player))
    assert player.closed == 1
