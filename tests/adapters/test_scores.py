"""Scores of episodes, by hand, and against what audits add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import equipoise
from equipoise.adapters.scores import INVALID, episode_scores, feature_names, open_components, report
from equipoise.auditing.panel import Panel
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.rollout.engine import play
from equipoise.types import RoundOutcome
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


def test_components_of_all_streams_add_up_to_the_objective() -> None:
    game = make_game("ipd", rounds=2)
    record = game.info_record
    objective = Objective.of(record, default_pools("ipd").replace({"train": ["tit_for_tat", "grim_trigger"]}))
    player = equipoise.load_policy("scripted:always_cooperate", game)
    found: dict[str, float] = {}
    for pool, name in objective.streams:
        asked = replace(requests(game, player, (name,), deals=1)[0], pool=pool)
        for part, value in open_components(play([asked])[0].episode, objective, record).items():
            found[part] = found.get(part, 0.0) + value
    # objective.md, s = 1, weights 2.4, 1.0, 1.8. Nobody draws: 3 a round from both train opponents;
    # always_defect leads by 5 a round, alternating_defect in the first of two; x is 1/6 where one defects.
    assert found == pytest.approx(
        {"utility": 3.0, "exploitability": -2.4 * (5 + 2.5) / 2, "collusion": 0.0, "externality": -1.8 / 16}
    )
    stray = replace(requests(game, player, ("pavlov",), deals=1)[0], pool="shift")
    assert open_components(play([stray])[0].episode, objective, record) == {}


def test_a_report_holds_the_rounds_that_ended_from_the_seat() -> None:
    rounds = (
        RoundOutcome((5.0, 0.0), (1.0, 0.0), (0.5, 0.25)),
        RoundOutcome((1.0, 2.0), (0.0, 1.0), (0.0, 1.0)),
    )
    assert report(rounds, 1) == {
        "payoffs": [(0.0, 5.0), (2.0, 1.0)],
        "collusion": [0.0, 1.0],
        "externality": [0.25, 1.0],
    }
    assert report((RoundOutcome((1.0, -1.0)),), 0) == {"payoffs": [(1.0, -1.0)]}
    assert report((), 0) == {}
