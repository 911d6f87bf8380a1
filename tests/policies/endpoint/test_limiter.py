"""The number of open requests: grows by one a round of answers, halves once a round of refusals."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.policies.endpoint.limiter import FIRST, Limiter


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_grows_by_one_for_as_many_answers_as_it_is_large() -> None:
    limiter = Limiter(100)
    # 1/4 + 1/4.25 + 1/4.49 + 1/4.71 + 1/4.92 > 1: five answers make at least one place of four.
    for _ in range(5):
        limiter.succeeded()
    assert FIRST + 1 <= limiter.size < FIRST + 1.3


def test_it_halves_once_for_all_that_were_open_together() -> None:
    clock = Clock()
    limiter = Limiter(32, clock)
    limiter.size = 16.0
    clock.now = 5.0
    for began in (1.0, 2.0, 3.0):
        limiter.overloaded(began)
    assert limiter.size == 8.0
    limiter.overloaded(6.0)
    assert limiter.size == 4.0


@given(st.integers(1, 40), st.lists(st.booleans(), max_size=200))
def test_it_stays_between_one_and_the_most(most: int, well: list[bool]) -> None:
    clock = Clock()
    limiter = Limiter(most, clock)
    for good in well:
        clock.now += 1.0
        limiter.succeeded() if good else limiter.overloaded(clock.now)
        assert 1.0 <= limiter.size <= most


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_are_open_and_all_get_their_turn(most: int) -> None:
    limiter = Limiter(most)
    seen: list[int] = []

    async def one() -> None:
        async with limiter.slot():
            seen.append(limiter.open)
            await asyncio.sleep(0.001)

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(20)))

    asyncio.run(all_of_them())
    assert len(seen) == 20
    assert max(seen) == most
    assert limiter.open == 0


def test_who_gives_up_waiting_takes_no_place() -> None:
    limiter = Limiter(1)

    async def scene() -> None:
        async with limiter.slot():
            waiting = asyncio.create_task(limiter.slot().__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        async with limiter.slot():
            assert limiter.open == 1

    asyncio.run(asyncio.wait_for(scene(), 5.0))


def test_an_error_frees_the_place() -> None:
    limiter = Limiter(1)

    async def scene() -> None:
        with pytest.raises(LookupError):
            async with limiter.slot():
                raise LookupError
        assert limiter.open == 0

    asyncio.run(scene())
