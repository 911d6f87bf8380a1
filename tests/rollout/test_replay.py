"""Records played again: every question comes back, and records of other rules are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.games.rules import Rules
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.replay import replay
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.rollout.transcript import episode_from_json, episode_to_json
from equipoise.tasks.registry import make_task
from equipoise.types import Choice, Decision, Validity
from tests.rollout.players import Answers, Remote, requests

OPPONENTS = {"ipd": "generous_tit_for_tat", "auction": "rational_random", "kuhn": "nash", "commons": "random"}


def sometimes_lost(decision: Decision) -> Choice:
    """Answers nothing useful at first, and now and then not at all."""
    assert decision.legal is not None
    u = decision.draws.uniform("answer")
    if u < 0.4:
        return Choice(None, Validity.INVALID, detail="no word")
    return Choice(decision.legal[int(u * 7919) % len(decision.legal)])


def deal_of(rules: Rules, index: int) -> Deal:
    return Deal(3, Split.REPORT, rules.info_record.key, index)


@pytest.mark.parametrize("then", ["fallback", "forfeit"])
@pytest.mark.parametrize("name", OPPONENTS)
def test_every_question_comes_back(name: str, then: Any) -> None:
    game, rule = make_game(name), InvalidRule(retries=2, then=then)
    policy = Answers(sometimes_lost)
    opponent = load_opponents([OPPONENTS[name]], game)[OPPONENTS[name]]
    for index in range(6):
        players = (policy, opponent) if index % 2 == 0 else (opponent, policy)
        request = EpisodeRequest(
            game, deal_of(game, index), "train", OPPONENTS[name], index % 2, players, rollout=index
        )
        played = play([request], rule)[0]
        record = episode_from_json(episode_to_json(played.episode))
        found = replay(game, record, 3, rule)
        own = [asked.decision for asked in found if asked.decision.seat == record.seat]
        assert tuple(own) == played.decisions
        assert [asked.turn for asked in found if asked.decision.seat == record.seat] == [
            turn for turn in record.turns if turn.seat == record.seat
        ]


def test_dialogues_come_back() -> None:
    task = make_task("social")
    actor = load_policy("scripted:sensible", task)
    other = load_policy("scripted:tough", task)
    request = EpisodeRequest(task, deal_of(task, 1), "train", "tough", 0, (actor, other))
    played = play([request])[0]
    found = replay(task, episode_from_json(episode_to_json(played.episode)), 3)
    assert tuple(a.decision for a in found if a.decision.seat == 0) == played.decisions


def test_answers_that_came_in_any_order_make_no_difference() -> None:
    game = make_game("ipd")
    asked = requests(game, Remote(Answers(sometimes_lost)), ("generous_tit_for_tat",), deals=2)
    for request in asked:
        played = play([request])[0]
        found = replay(game, played.episode, request.deal.seed)
        assert tuple(a.decision for a in found if a.decision.seat == request.seat) == played.decisions


def record_of(name: str) -> Any:
    game = make_game(name)
    opponent = load_opponents([OPPONENTS[name]], game)[OPPONENTS[name]]
    players = (load_policy("scripted:random", game), opponent)
    return play([EpisodeRequest(game, deal_of(game, 0), "train", OPPONENTS[name], 0, players)])[0].episode


def test_a_record_of_other_rules_is_refused() -> None:
    record = record_of("ipd")
    with pytest.raises(RequestError, match="does not follow from the rules of ipd@1"):
        replay(make_game("ipd", reward=4), record, 3)
    with pytest.raises(RequestError, match="does not follow"):
        replay(make_game("ipd", rounds=9), record, 3)
    with pytest.raises(RequestError, match="does not follow"):
        replay(make_game("ipd", rounds=7), record, 3)


def test_a_record_of_another_deal_is_refused() -> None:
    record = record_of("auction")
    assert replay(make_game("auction"), record, 3)
    with pytest.raises(RequestError, match="with another seed"):
        replay(make_game("auction"), record, 4)


def test_a_record_with_a_changed_move_is_refused() -> None:
    record = record_of("ipd")
    first = record.turns[0]
    other = "DEFECT" if first.action == "COOPERATE" else "COOPERATE"
    changed = replace(first, action=other, choice=Choice(other))
    with pytest.raises(RequestError, match="does not follow"):
        replay(make_game("ipd"), replace(record, turns=(changed, *record.turns[1:])), 3)
