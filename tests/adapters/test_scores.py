"""Scores of episodes, by hand, and against what audits add up."""

from __future__ import annotations

import numpy as np
import pytest

import equipoise
from equipoise.adapters.scores import INVALID, episode_scores, feature_names
from equipoise.auditing.panel import Panel
from equipoise.games.registry import make_game
from equipoise.rollout.engine import play
from tests.rollout.players import Answers, invalid, requests


def test_tit_for_tat_against_always_defect() -> None:
    game = make_game("ipd")
    episode = equipoise.play(game, "scripted:tit_for_tat", "always_defect")
    scores = episode_scores(episode, game.info_record)
    # One round (0, 5), seven rounds (1, 1); x = (3 − mean of both)/3.
    assert scores["own"] == pytest.approx(7 / 8)
    assert scores["opponent"] == pytest.approx(12 / 8)
    assert scores["externality"] == pytest.approx((0.5 / 3 + 7 * 2 / 3) / 8)
    assert scores["collusion"] == pytest.approx(7 / 8)
    assert scores["cooperation_rate"] == pytest.approx(1 / 8)
    assert scores[INVALID] == 0.0


def test_answers_without_an_action_count() -> None:
    game = make_game("kuhn")
    asked = requests(game, Answers(invalid), ("always_bet",), deals=1)
    played = [one.episode for one in play(asked)]
    assert [episode_scores(episode, game.info_record)[INVALID] for episode in played] == [1.0, 1.0]


@pytest.mark.parametrize("name", ["ipd", "auction", "commons"])
def test_means_of_scores_are_what_an_audit_adds_up(name: str) -> None:
    game = make_game(name)
    player = equipoise.load_policy("scripted:random", game)
    played = [one.episode for one in play(requests(game, player, ("random",), deals=3))]
    rows = [list(episode_scores(episode, game.info_record).values())[:-1] for episode in played]
    assert len(feature_names(game.info_record)) == len(rows[0])
    panel = Panel.of(played)
    assert np.mean(rows, axis=0) == pytest.approx(panel.by_deal("random").mean(axis=0))
