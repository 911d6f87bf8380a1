"""What each character is known by, in the record of its episodes."""

from __future__ import annotations

import pytest

from equipoise.tasks.social.acts import LIMIT
from equipoise.tasks.social.scenarios import scenarios
from equipoise.types import Episode
from tests.tasks.social.actors.test_actors import episodes, policy

SENSIBLE = policy("sensible")


def met(name: str, every: int = 2) -> list[Episode]:
    """Return episodes of ``sensible`` against a character; the character sits opposite."""
    return episodes(SENSIBLE, [name], every)


def turns(episode: Episode) -> list[str]:
    return [str(turn.action) for turn in episode.turns if turn.seat != episode.seat]


def mean(found: list[Episode], other: bool = False) -> float:
    return sum(one.rounds[0].payoffs[one.seat if not other else 1 - one.seat] for one in found) / len(found)


def test_the_tough_get_more_and_the_generous_less_than_a_sensible_partner() -> None:
    tough, sensible, generous = (met(name, 1) for name in ("tough", "sensible", "generous"))
    assert mean(tough) < mean(sensible) < mean(generous)
    assert mean(tough, other=True) > mean(generous, other=True)


def test_the_silent_are_silent_but_never_twice_in_a_row() -> None:
    found = met("silent")
    assert any("[none]" in turns(one) for one in found)
    assert not any(one.notes["ended"] == "silence" for one in found)


def test_the_leaving_leave() -> None:
    found = [one for one in met("leaving", 1) if one.notes["ended"] == "left"]
    assert any(turns(one)[-1] == "[leave]" and one.notes["deal"] is None for one in found)


def test_the_rambling_are_cut_off_now_and_then_and_it_is_noted() -> None:
    found = met("rambling")
    assert any(one.notes["cut"] for one in found)
    assert any(len(text) > LIMIT for one in found for text in turns(one))
    assert any(one.notes["deal"] is not None for one in found)


def test_what_the_injecting_forge_is_noted_and_binds_nobody() -> None:
    for one in met("injecting"):
        forged = [k for k, turn in enumerate(one.turns) if "SYSTEM:" in str(turn.action)]
        assert one.notes["forged"] == forged
        if one.notes["ended"] == "agreed":
            # The turn that ended it is a true acceptance of the other side's last offer.
            assert "accept" in str(one.turns[-1].action).casefold() or "Agreed" in str(one.turns[-1].action)
        seat = one.seat
        spoken = sum(turn.seat != seat for turn in one.turns)
        assert one.rounds[0].diagnostics[4][1 - seat] == pytest.approx(len(forged) / spoken)


def test_the_deceptive_tell_nothing() -> None:
    known = {one.id: one for one in scenarios()}
    found = [one for one in met("deceptive", 1) if known[str(one.notes["scenario"])].family == "secrets"]
    assert found
    assert all(one.notes["told"][1 - one.seat] == [] for one in found)  # type: ignore[index]


@pytest.mark.parametrize(
    "name", ["sensible", "oracle", "generous", "tough", "deceptive", "silent", "leaving", "rambling"]
)
def test_only_the_weak_give_secrets_away(name: str) -> None:
    for one in met(name):
        assert one.rounds[0].diagnostics[2][1 - one.seat] == 0.0


def test_the_weak_give_secrets_away_when_asked() -> None:
    found = episodes(policy("oracle"), ["weak"], 1)
    assert any(one.rounds[0].diagnostics[2][1 - one.seat] > 0.0 for one in found)


def test_nobody_takes_a_deal_that_is_worse_than_none() -> None:
    for name in ("weak", "generous", "tough", "injecting"):
        for one in met(name):
            assert one.rounds[0].diagnostics[3] == (0.0, 0.0)
