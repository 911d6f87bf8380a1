"""Waits: what servers ask for, and how far apart tries are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.policies.endpoint.attempts import LONGEST_BACKOFF, _backoff, retry_after
from equipoise.rollout.deals import DecisionDraws


@pytest.mark.parametrize(
    ("said", "seconds"), [("7", 7.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None), ("", None)]
)
def test_retry_after_in_seconds(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}) == seconds
    assert retry_after({}) is None


def test_retry_after_as_a_date() -> None:
    when = datetime.now(UTC) + timedelta(seconds=90)
    found = retry_after({"retry-after": format_datetime(when, usegmt=True)})
    assert found == pytest.approx(90, abs=5)
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


@given(st.integers(0, 5000), st.integers(0, 50))
def test_waits_double_within_bounds_and_belong_to_the_decision(key: int, number: int) -> None:
    draws = DecisionDraws(str(key), "owner")
    wait = _backoff(number, draws, 1.0)
    whole = min(LONGEST_BACKOFF, 2.0**number)
    assert whole / 2 <= wait <= whole
    assert wait == _backoff(number, draws, 1.0)


def test_decisions_do_not_wait_in_step() -> None:
    waits = {_backoff(3, DecisionDraws(str(key), "owner"), 1.0) for key in range(20)}
    assert len(waits) == 20
