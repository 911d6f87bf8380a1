"""Episodes over the wire are those of the engine: deals, payoffs, terms, failures."""

from __future__ import annotations

from typing import Any

import pytest

import equipoise
from equipoise.adapters.scores import episode_scores
from equipoise.policies.registry import load_game
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.transcript import episode_from_json
from tests.adapters.openenv.serving import needs_openenv, picked, played, playing, policy

pytestmark = needs_openenv

GAMES = {
    "ipd": "mixed_half",
    "auction": "rational_random",
    "split": "random_3_7",
    "multi_issue": "tit_for_tat",
    "kuhn": "loose_aggressive",
    "commons": None,
}
"""Each game with an opponent, one that draws if it has one; None takes the first."""


def answer(observation: Any) -> str:
    return f"I thought about it.\nAction: {picked(observation.info, observation.legal)}"


@pytest.mark.parametrize("game", GAMES)
def test_whole_episodes_have_the_engines_values(game: str) -> None:
    record = load_game(game).info_record
    with playing(game, seed=7) as client:
        tasks = [(GAMES[game], seat, deal) for seat in (0, 1) for deal in (0, 3)]
        for name, seat, deal in tasks:
            first = client.reset(split="report", index=0)
            name = name or client.state().opponent
            steps, state = played(client, answer, split="report", opponent=name, seat=seat, seed=deal)
            mine = equipoise.play(game, policy(game), name, seat=seat, deal=deal, seed=7)
            theirs = episode_from_json(state.episode)
            assert (theirs.rounds, theirs.chance) == (mine.rounds, mine.chance)
            assert [(turn.seat, turn.action) for turn in theirs.turns] == [
                (turn.seat, turn.action) for turn in mine.turns
            ]
            assert (state.opponent, state.seat, state.deal, state.split) == (name, seat, deal, "report")
            assert state.scores == pytest.approx(episode_scores(mine, record), abs=1e-12)
            rewards = sum(step.reward for step in steps)
            assert rewards == pytest.approx(sum(outcome.payoffs[seat] for outcome in mine.rounds))
            told = [pair for step in steps for pair in step.metadata.get("payoffs", ())]
            assert told == [[row.payoffs[seat], row.payoffs[1 - seat]] for row in mine.rounds]
            for term in ("collusion", "externality"):
                shown = [x for step in steps for x in step.metadata.get(term, ())]
                wanted = [getattr(row, term)[seat] for row in mine.rounds if getattr(row, term) is not None]
                assert shown == wanted
            assert first.observation.rules == steps[-1].observation.rules
            assert steps[-1].metadata["scores"] == state.scores


def test_the_parts_are_those_of_the_objective() -> None:
    with playing("ipd", options={"rounds": 2}) as client:
        # objective.md, two rounds: s = 1, weights 2.4, 1.0, 1.8; four train opponents, two exploiters, so x
        # counts 1.8 / 6. A defector earns 5 then 1 from tit for tat, x 1/6 then 2/3.
        _, state = played(client, lambda _: "DEFECT", opponent="tit_for_tat")
        assert state.components == pytest.approx({"utility": 3 / 4, "externality": -1.8 / 6 * 5 / 12})
        # A cooperator is 5 behind a defector: 2.4 / 2 * 5, and x 1/6.
        _, state = played(client, lambda _: "COOPERATE", opponent="always_defect")
        assert state.components == pytest.approx({"exploitability": -6.0, "externality": -1.8 / 6 / 6})
        _, state = played(client, lambda _: "DEFECT", opponent="always_cooperate")
        assert state.components == pytest.approx({"collusion": -1.0})
        # The shift pool stands for no stream.
        _, state = played(client, lambda _: "DEFECT", opponent="pavlov", split="report")
        assert state.components == {}


def test_weights_and_pools_are_those_asked_for() -> None:
    settings = {"pools": {"train": ["fair"], "exploiter": ["selfish"]}, "weights": {"x": 4.0}}
    with playing("split", options={"rounds": 1}, **settings) as client:
        # Demands of 5 and 7: breakdown, x = 1, over two opponents.
        _, state = played(client, lambda _: "5", opponent="selfish")
        assert state.components == pytest.approx({"exploitability": 0.0, "externality": -4.0 / 2})


def test_seeds_repeat_an_episode_and_sessions_go_on_by_themselves() -> None:
    with playing("kuhn", options={"rounds": 2}) as client:
        once, first = played(client, answer, seed=40)
        again, second = played(client, answer, seed=40)
        assert [one.observation for one in once] == [one.observation for one in again]
        assert first == second
        assert first.task == 40
        seen = {client.reset(seed=seed).observation.situation for seed in range(0, 240, 12)}
        assert len(seen) > 1
        starts = [(client.reset(), client.state().task)[1] for _ in range(3)]
        assert starts == [0, 1, 2]
        client.reset(seed=0)
        assert (client.state().task, client.state().episode_id) == (0, "train/nash/0/0")
        client.reset(seed=9, index=1, episode_id="mine")
        state = client.state()
        assert (state.deal, state.seat, state.episode_id) == (9, 1, "mine")


def test_another_seed_of_the_server_deals_other_cards() -> None:
    cards = []
    for seed in (0, 1):
        with playing("kuhn", seed=seed) as client:
            cards.append([client.reset(index=0, seed=deal).observation.info["card"] for deal in range(12)])
    assert cards[0] != cards[1]


def test_a_wrong_answer_is_asked_again_and_then_forfeits() -> None:
    rule = InvalidRule(retries=1, then="forfeit")
    with playing("kuhn", options={"rounds": 3}, rule=rule) as client:
        from equipoise.adapters.openenv.models import GameAction

        asked = client.reset(seed=0).observation
        told = client.step(GameAction(text="I raise."))
        assert (told.reward, told.done, told.observation.retry) == (0.0, False, 1)
        assert told.observation.problem == "no legal action on the last line"
        assert (told.observation.situation, told.observation.legal) == (asked.situation, asked.legal)
        told = client.step(GameAction(text="So I", truncated=True))
        assert (told.reward, told.done) == (-6.0, True)
        assert told.observation.problem == "no action within the token budget"
        state = client.state()
        assert state.scores["invalid"] == 1.0
        assert (state.episode["stop"], state.episode["turns"][-1]["validity"]) == ("forfeit", "truncated")


def test_a_fallback_is_the_same_each_time() -> None:
    def silent(observation: Any) -> str:
        return ""

    with playing("split", rule=InvalidRule(retries=0)) as client:
        _, first = played(client, silent, seed=3)
        _, second = played(client, silent, seed=3)
    assert first.episode["rounds"] == second.episode["rounds"]
    assert (first.scores["invalid"], first.step_count) == (1.0, 4)


def test_wordings_are_told() -> None:
    prompts = []
    for wording in ("plain", "formal"):
        with playing("ipd", wording=wording) as client:
            prompts.append(client.reset(seed=0).observation.prompt)
    assert prompts[0] != prompts[1]
