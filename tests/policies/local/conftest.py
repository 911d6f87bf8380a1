"""One tiny model for all tests, and decisions reached by random play."""

from __future__ import annotations

import pytest

from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.policies.local import LoadedModel, load_spec
from equipoise.rollout.deals import Deal, DecisionDraws, Split, keyed_uniform
from equipoise.types import Decision


def play_randomly(game_name: str, episodes: int, seed: int = 0) -> list[Decision]:
    game = make_game(game_name)
    found: list[Decision] = []
    for index in range(episodes):
        match = Match(game, Deal(seed, Split.TRAIN, game.info_record.key, index).chance)
        turn = 0
        while not match.is_over:
            actions = {}
            for seat in match.players_to_move:
                draws = DecisionDraws.of_policy(seed, f"{game_name}/{index}", seat, turn, 0)
                decision = match.decision(seat, f"{game_name}/{index}", draws, 0)
                found.append(decision)
                legal = decision.legal or ()
                actions[seat] = legal[int(keyed_uniform(f"{draws.key}|play") * len(legal))]
            match.apply(actions)
            turn += 1
    return found


@pytest.fixture(scope="session")
def tiny() -> LoadedModel:
    return load_spec("tiny-random", threads=1)


@pytest.fixture(scope="session")
def decisions() -> list[Decision]:
    return play_randomly("ipd", 2) + play_randomly("kuhn", 2)
