"""Episodes with one seat played from outside: what becomes of answers, and what is recorded."""

from __future__ import annotations

import pytest

from equipoise.adapters.seats import SeatEpisode, local_opponent
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import InvalidRule
from equipoise.types import Choice, StopReason, Validity

GAME = make_game("ipd", rounds=2)
WRONG = Choice(None, Validity.INVALID, detail="no action")


def episode(rule: InvalidRule | None = None, name: str | None = None) -> SeatEpisode:
    deal = Deal(0, Split.TRAIN, GAME.info_record.key, 0)
    return SeatEpisode(GAME, local_opponent("tit_for_tat", GAME), 0, deal, rule=rule, name=name)


def test_an_invalid_answer_is_asked_again_and_then_replaced() -> None:
    one = episode(InvalidRule(retries=1, fallback="DEFECT"))
    one.answer(WRONG)
    assert one.decision is not None
    assert (one.decision.round, one.decision.retry) == (0, 1)
    one.answer(WRONG)
    assert [outcome.payoffs for outcome in one.outcomes] == [(5.0, 0.0)]
    one.act("COOPERATE")
    mine = [turn for turn in one.record().turns if turn.seat == 0]
    assert [(turn.action, turn.choice.validity, turn.retries) for turn in mine] == [
        ("DEFECT", Validity.INVALID, 1),
        ("COOPERATE", Validity.VALID, 0),
    ]


def test_an_answer_that_is_not_legal_is_invalid_where_acting_refuses_it() -> None:
    one = episode(InvalidRule(retries=0, then="forfeit"))
    with pytest.raises(RequestError, match="'RAISE' is not legal"):
        one.act("RAISE")
    one.answer(Choice("RAISE"))
    assert one.decision is None
    assert one.record().stop is StopReason.FORFEIT
    # Rounds that are not played pay the lower bound.
    assert [outcome.payoffs[0] for outcome in one.outcomes] == [0.0, 0.0]
    with pytest.raises(RequestError, match="the episode is over"):
        one.answer(Choice("DEFECT"))


@pytest.mark.parametrize(("name", "wanted"), [(None, "scripted:tit_for_tat"), ("tit_for_tat", "tit_for_tat")])
def test_the_opponent_is_recorded_by_its_name_in_the_pool(name: str | None, wanted: str) -> None:
    assert episode(name=name).record().opponent == wanted
