"""A record played again asks what was asked; see also tests/report/test_questions.py."""

from __future__ import annotations

import pytest

from equipoise.games.registry import make_game
from equipoise.policies.registry import load_policy
from equipoise.rollout.engine import play
from equipoise.rollout.recorded import recorded_decisions
from tests.rollout.players import requests


@pytest.mark.parametrize("game", ["ipd", "split", "multi_issue", "kuhn", "auction", "commons"])
def test_a_record_played_again_asks_what_was_asked(game: str) -> None:
    rules = make_game(game)
    for one in play(requests(rules, load_policy("scripted:random", rules), ("random",), 2)):
        again = [d for _, d in recorded_decisions(rules, one.episode) if d.seat == one.episode.seat]
        assert [(d.observation, d.history, d.legal, d.step) for d in again] == [
            (d.observation, d.history, d.legal, d.step) for d in one.decisions
        ]
