"""What happens in the environments: deals, moves that are kept back, rewards, mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")

from equipoise.adapters.pettingzoo import aec_env, gym_env, parallel_env
from equipoise.adapters.seats import SeatEpisode, local_opponent
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, seated
from equipoise.types import StopReason


def run_aec(env: Any, choose: Any) -> dict[str, float]:
    """Play to the end and return what each agent was paid in all."""
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        shown, reward, done, _, _ = env.last()
        paid[agent] += reward
        env.step(None if done else choose(agent, shown))
    return paid


def first_legal(agent: str, shown: Any) -> int:
    return int(np.flatnonzero(shown["action_mask"])[0])


def test_rewards_are_the_payoffs_of_the_rounds() -> None:
    env = aec_env("ipd", rounds=3)
    env.reset(seed=0)
    # Seat 0 defects on a cooperator: 5 against 0 a round.
    defect = env.actions.index("DEFECT")
    assert run_aec(env, lambda agent, _: defect if agent == "player_0" else 1 - defect) == {
        "player_0": 15.0,
        "player_1": 0.0,
    }
    both = parallel_env("ipd", rounds=3)
    both.reset(seed=0)
    _, rewards, ended, _, infos = both.step({"player_0": defect, "player_1": 1 - defect})
    assert rewards == {"player_0": 5.0, "player_1": 0.0}
    assert not any(ended.values())
    # domains.md: x is the shortfall of the mean payoff from 3, (3 - 2.5) / 3; c is 1 for a defection.
    assert infos["player_0"]["payoffs"] == [(5.0, 0.0)]
    assert infos["player_0"]["collusion"] == [1.0]
    assert infos["player_1"]["collusion"] == [0.0]
    assert infos["player_1"]["externality"] == [pytest.approx(1 / 6)]


def test_a_move_that_is_kept_back_is_not_seen() -> None:
    shown = []
    for first in (0, 1):
        env = aec_env("ipd", text=True)
        env.reset(seed=1)
        env.step(first)
        assert env.agent_selection == "player_1"
        shown.append(env.observe("player_1"))
        assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert (shown[0]["observation"] == shown[1]["observation"]).all()
    assert shown[0]["text"] == shown[1]["text"]


def test_each_agent_hears_of_a_round_when_it_is_its_turn() -> None:
    env = aec_env("ipd", rounds=2)
    env.reset(seed=0)
    for action in (0, 1):
        assert env.last()[4] == {}
        env.step(action)
    assert env.last()[4]["payoffs"] == [(0.0, 5.0)]
    env.step(0)
    assert env.last()[1] == 5.0
    assert env.last()[4]["payoffs"] == [(5.0, 0.0)]


def test_what_is_shown_says_nothing_of_the_others_card() -> None:
    # The opener holds a queen in both deals, the other a jack or a king.
    cards: dict[str, list[Any]] = {}
    for seed in range(40):
        env = aec_env("kuhn", text=True, rounds=1)
        env.reset(seed=seed)
        own = env.observe("player_0")
        cards.setdefault(own["observation"].tobytes(), []).append((own["text"], _card(env, "player_1")))
    assert len(cards) == 3
    for seen in cards.values():
        assert len({text for text, _ in seen}) == 1
        assert len({other for _, other in seen}) == 2


def _card(env: Any, agent: str) -> bytes:
    card: bytes = env.observe(agent)["observation"][:3].tobytes()
    return card


def test_a_seed_gives_a_deal_and_the_next_reset_the_next_one() -> None:
    def cards(seeds: list[int | None]) -> list[bytes]:
        env = aec_env("kuhn", rounds=1)
        found = []
        for seed in seeds:
            env.reset(seed=seed)
            found.append(b"".join(_card(env, agent) for agent in env.agents))
        return found

    again = cards([0, *[None] * 9])
    assert again == cards([0, *[None] * 9])
    assert len(set(again)) > 1
    # A seed of 0 is a seed: the same deal each time, and another than that of some other seed.
    assert len(set(cards([0] * 10))) == 1
    assert len({cards([seed])[0] for seed in range(20)}) > 1


def test_an_illegal_action_forfeits_at_its_seats_cost() -> None:
    env = aec_env("kuhn", rounds=3)
    env.reset(seed=0)
    # Three hands at the lower bound of -2, mirrored for the other.
    assert run_aec(env, lambda agent, shown: env.actions.index("CALL")) == {"player_0": -6.0, "player_1": 6.0}
    one = gym_env("kuhn", "random", rounds=3)
    one.reset(seed=0)
    _, reward, done, _, info = one.step(one.actions.index("FOLD"))
    assert (reward, done, info["illegal"]) == (-6.0, True, True)


@pytest.mark.parametrize("game", ["ipd", "auction", "kuhn", "commons"])
@pytest.mark.parametrize("seat", [0, 1])
def test_one_seat_meets_what_the_engine_would_play(game: str, seat: int) -> None:
    rules = make_game(game)
    env = gym_env(game, "random", seat=seat)
    shown, _ = env.reset(seed=5)
    paid, done = 0.0, False
    while not done:
        shown, reward, done, _, _ = env.step(first_legal("", shown))
        paid += reward
    first = load_policy(lambda decision: min(decision.legal, key=env.actions.index), rules)
    other = local_opponent("random", rules)
    deal = Deal(5, Split.TRAIN, rules.info_record.key, 0)
    request = EpisodeRequest(rules, deal, "train", other.name, seat, seated(first, other, seat, 2))
    (played,) = play([request])
    assert paid == sum(outcome.payoffs[seat] for outcome in played.episode.rounds)
    assert len({o.payoffs for o in played.episode.rounds}) > 1


def test_the_record_of_a_seats_episode_is_a_transcript() -> None:
    game = make_game("ipd", rounds=2)
    episode = SeatEpisode(
        game, local_opponent("tit_for_tat", game), 1, Deal(0, Split.TRAIN, game.info_record.key, 0)
    )
    for action in ("DEFECT", "COOPERATE"):
        assert episode.decision is not None
        episode.act(action)
    record = episode.record()
    assert [turn.action for turn in record.turns] == ["COOPERATE", "DEFECT", "DEFECT", "COOPERATE"]
    assert [outcome.payoffs for outcome in record.rounds] == [(0.0, 5.0), (5.0, 0.0)]
    assert record.stop is StopReason.FINISHED
    with pytest.raises(RequestError, match="the episode is over"):
        episode.act("DEFECT")


@pytest.mark.parametrize("number", [-1, 2])
def test_a_number_that_is_no_action_is_an_error(number: int) -> None:
    one, both = gym_env("ipd", "random"), parallel_env("ipd")
    one.reset(seed=0)
    both.reset(seed=0)
    with pytest.raises(RequestError, match=f"action {number}: actions are numbered 0 to 1"):
        one.step(number)
    with pytest.raises(RequestError, match=f"action {number}: actions are numbered 0 to 1"):
        both.step({"player_0": 0, "player_1": number})


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: parallel_env("kuhn"), "the seats of 'kuhn' move in turn: use aec_env"),
        (lambda: aec_env("kuhm"), "did you mean 'kuhn'"),
        (lambda: aec_env("ipd", round=3), "unknown option 'round': did you mean 'rounds'?"),
        (lambda: aec_env(make_game("ipd"), rounds=3), "option 'rounds': the game is made already"),
        (lambda: aec_env("social"), "'social' is a free-text task"),
        (lambda: gym_env("ipd", "tit_for_tit"), "did you mean 'tit_for_tat'"),
        (lambda: gym_env("ipd", "random", seat=2), "seat 2: ipd has the seats 0 and 1"),
        (lambda: gym_env("ipd", "http:http://localhost:1"), "answers in its own time"),
    ],
)
def test_what_cannot_be_made_is_said(make: Any, error: str) -> None:
    with pytest.raises(RequestError, match=error.replace("?", r"\?")):
        make()
