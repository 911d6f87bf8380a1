"""Panels: episodes reduced to features per opponent, deal and seat."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from equipoise.auditing.panel import Panel
from equipoise.games.registry import make_game
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Choice, Decision, Episode, Validity
from tests.auditing.oracle import episode_features

NAMES = ("mixed_half", "always_defect")
DEALS = 4


def episodes() -> list[Episode]:
    game = make_game("ipd", rounds=3)
    policy = load_policy("scripted:random", game)
    requests = [
        EpisodeRequest(
            game,
            Deal(0, Split.REPORT, game.info_record.key, deal),
            "train",
            name,
            seat,
            (policy, other) if seat == 0 else (other, policy),
        )
        for deal in range(DEALS)
        for name, other in load_opponents(NAMES, game).items()
        for seat in (0, 1)
    ]
    return [one.episode for one in play(requests)]


def test_features_are_means_over_rounds_from_the_policys_seat() -> None:
    played = episodes()
    panel = Panel.of(played)
    assert (panel.deals, panel.seats) == (DEALS, 2)
    for episode in played:
        row = panel.features[episode.opponent][episode.deal, episode.seat]
        assert row == pytest.approx(episode_features(episode.rounds, episode.seat), abs=1e-12)


def test_a_deal_is_averaged_over_its_seats() -> None:
    panel = Panel.of(episodes())
    for name in NAMES:
        both = panel.features[name]
        assert panel.by_deal(name) == pytest.approx((both[:, 0] + both[:, 1]) / 2)


def test_the_order_of_episodes_does_not_matter() -> None:
    played = episodes()
    shuffled = list(played)
    random.Random(0).shuffle(shuffled)
    a, b = Panel.of(played), Panel.of(shuffled)
    for name in NAMES:
        assert np.array_equal(a.features[name], b.features[name])


def test_a_panel_survives_json() -> None:
    panel = Panel.of(episodes())
    again = Panel.from_json(json.loads(json.dumps(panel.to_json())))
    for name in NAMES:
        assert np.array_equal(again.features[name], panel.features[name])
        assert np.array_equal(again.invalid[name], panel.invalid[name])


def test_invalid_answers_are_counted_by_decision() -> None:
    class Hesitant(AsyncPolicy):
        name = "hesitant"

        async def decide(self, decision: Decision) -> Choice:
            if decision.round == 1:
                return Choice(None, Validity.TIMEOUT)
            return Choice("COOPERATE")

    game = make_game("ipd", rounds=4)
    other = load_opponents(["always_defect"], game)["always_defect"]
    requests = [
        EpisodeRequest(
            game,
            Deal(0, Split.REPORT, game.info_record.key, 0),
            "train",
            "always_defect",
            seat,
            (Hesitant(), other) if seat == 0 else (other, Hesitant()),
        )
        for seat in (0, 1)
    ]
    panel = Panel.of([one.episode for one in play(requests, InvalidRule(retries=0))])
    # One of four decisions, of the policy; the opponent's own decisions do not count.
    assert panel.invalid["always_defect"].tolist() == [[0.25, 0.25]]
