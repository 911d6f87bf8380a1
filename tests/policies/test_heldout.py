"""Held-out opponents are recognised under other names and inside wrappers."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.opponents.pools import Pools
from equipoise.policies.heldout import check_held_out, held_out, inside


@pytest.mark.parametrize(
    ("met", "shift"),
    [
        ("frozen:pavlov", "pavlov"),
        ("scripted:pavlov", "pavlov"),
        ("pavlov", "scripted:pavlov"),
        ("pavlov", "frozen:scripted:pavlov"),
        ("noisy:0.1:pavlov", "pavlov"),
        ("noisy:0.1:frozen:(pavlov)", "pavlov"),
        ("mixture:random+pavlov", "pavlov"),
        ("mixture:0.25*random+0.75*noisy:0.1:pavlov", "pavlov"),
        ("coached:pavlov", "pavlov"),
        ("coached:noisy:0.1:pavlov", "pavlov"),
        ("strategist:python:a b.py:f>coached:pavlov", "pavlov"),
        ("pavlov", "mixture:random+pavlov"),
        ("noisy:0.10:scripted:pavlov", "noisy:0.1:pavlov"),
        ("mixture:noisy:0.1:pavlov+random", "noisy:0.1:pavlov"),
    ],
)
def test_who_is_held_out_is_met_under_no_name(met: str, shift: str) -> None:
    for pool in ("train", "exploiter", "collusive"):
        pools = Pools(**{"train": ("tit_for_tat",), pool: (met,)}, shift=("grim_trigger", shift))
        with pytest.raises(RequestError) as caught:
            check_held_out(pools)
        message = str(caught.value)
        assert message.startswith(f"pools.{pool}: {met!r} meets ")
        assert f"({shift!r}): take it out of one of them" in message


@pytest.mark.parametrize(
    ("met", "shift"),
    [
        # With slips it is another policy: whether it is met as it is says nothing of how it does with them.
        ("pavlov", "noisy:0.1:pavlov"),
        ("noisy:0.2:pavlov", "noisy:0.1:pavlov"),
        ("mixture:random+tit_for_tat", "pavlov"),
        ("python:mine here.py:pavlov", "pavlov"),
        ("frozen:tiny-random", "pavlov"),
        ("smollm2", "smollm2+adapter"),
    ],
)
def test_others_may_be_met(met: str, shift: str) -> None:
    check_held_out(Pools(train=(met,), shift=(shift,)))


def test_a_run_is_an_opponent_of_its_own_by_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    place = f"frozen:{tmp_path / 'one'}"
    assert held_out(["frozen:one"]) == held_out([place, "frozen:./one"]) == {place}
    assert inside("noisy:0.1:frozen:one@3") == {f"noisy:0.1:{place}@3", f"{place}@3"}
    check_held_out(Pools(train=("frozen:two", "frozen:one@3"), shift=("frozen:one",)))
    with pytest.raises(RequestError, match="meets 'frozen:"):
        check_held_out(Pools(train=("mixture:random+frozen:./one",), shift=("frozen:one",)))


def test_a_name_against_the_grammar_is_refused() -> None:
    with pytest.raises(RequestError, match="has one part"):
        check_held_out(Pools(train=("mixture:pavlov",), shift=("random",)))
