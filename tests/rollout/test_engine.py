"""The engine: batches and streams play the same episodes, and draws belong to decisions alone."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from equipoise.errors import PolicyError
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.policies.base import Policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Choice, Decision, Episode, StopReason, Validity
from tests.auditing.oracle import random_policy
from tests.rollout.players import Answers, Remote, in_seat_order, invalid, requests, scripted

IPD = make_game("ipd", rounds=4)
NOISY = make_game("ipd", rounds=3, noise=0.2, continuation=0.7)
KUHN = make_game("kuhn")
OPPONENTS = {"ipd": ("mixed_half", "pavlov"), "kuhn": ("nash", "always_bet")}


def episodes(found: Any) -> list[Episode]:
    return [one.episode for one in found]


def stochastic(game: Game) -> Policy:
    """Return a policy whose draws matter."""
    return scripted(game, "random") if game.name == "ipd" else random_policy(game, 1)


class TestBatchesAndStreams:
    @pytest.mark.parametrize("game", [IPD, NOISY, KUHN], ids=["ipd", "noisy", "kuhn"])
    def test_they_play_equal_episodes(self, game: Game) -> None:
        local, remote = stochastic(game), Remote(stochastic(game))
        batched = episodes(play(requests(game, local, OPPONENTS[game.name])))
        streamed = episodes(play(requests(game, remote, OPPONENTS[game.name])))
        assert [in_seat_order(e) for e in streamed] == [in_seat_order(e) for e in batched]

    @pytest.mark.parametrize("then", ["fallback", "forfeit"])
    def test_they_treat_failures_alike(self, then: Any) -> None:
        def sometimes(decision: Decision) -> Choice:
            if decision.draws.uniform("fails") < 0.4:
                return Choice(None, Validity.TIMEOUT)
            return Choice("COOPERATE")

        rule = InvalidRule(retries=1, then=then)
        batched = episodes(play(requests(KUHN, Answers(in_kuhn(sometimes)), ("nash",)), rule))
        streamed = episodes(play(requests(KUHN, Remote(Answers(in_kuhn(sometimes))), ("nash",)), rule))
        assert streamed == batched
        assert any(turn.retries for episode in batched for turn in episode.turns)
        stops = Counter(episode.stop for episode in batched)
        assert (stops[StopReason.FORFEIT] > 0) == (then == "forfeit")

    def test_both_players_may_be_remote(self) -> None:
        policy, other = Remote(scripted(IPD, "random")), Remote(scripted(IPD, "mixed_half"))
        asked = [
            replace(one, players=(policy, other) if one.seat == 0 else (other, policy))
            for one in requests(IPD, policy)
        ]
        wanted = episodes(play(requests(IPD, scripted(IPD, "random"))))
        assert [in_seat_order(e) for e in episodes(play(asked))] == [in_seat_order(e) for e in wanted]

    def test_an_episode_is_the_same_whatever_is_played_beside_it(self) -> None:
        asked = requests(IPD, scripted(IPD, "random"), deals=1)
        together = episodes(play(asked))
        alone = [play([one])[0].episode for one in asked]
        assert together == alone

    def test_streams_can_be_played_in_a_notebook(self) -> None:
        async def cell() -> list[Episode]:
            return episodes(play(requests(IPD, Remote(scripted(IPD, "random")), deals=1)))

        problem = ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the coroutine that was not awaited
            try:
                asyncio.run(cell())
            except RuntimeError as error:
                problem = str(error)
            gc.collect()
        assert problem == ""


def in_kuhn(answer: Any) -> Any:
    """Answer valid decisions of Kuhn with the first legal action."""

    def act(decision: Decision) -> Choice:
        found = answer(decision)
        return found if found.action is None else Choice((decision.legal or ())[0])

    return act


class TestLimit:
    @pytest.mark.parametrize("limit", [1, 3])
    def test_open_requests_stay_within_it(self, limit: int) -> None:
        policy = Remote(scripted(IPD, "random"), limit)
        play(requests(IPD, policy, deals=8))
        assert policy.most == limit

    def test_there_is_no_barrier(self) -> None:
        # One slow episode must not hold up the others: they finish while it waits for its first answer.
        finished: list[int] = []
        slow = "train/mixed_half/0/0/0"

        class Slow(Remote):
            async def decide(self, decision: Decision) -> Choice:
                if decision.episode == slow and decision.index == 0:
                    while sum(finished) < 5:
                        await asyncio.sleep(0)
                return await super().decide(decision)

        asked = requests(IPD, Slow(scripted(IPD, "random")))
        found = episodes(play(asked, progress=finished.append))
        assert sum(finished) == len(found) == 6


class TestDraws:
    @pytest.mark.parametrize("game", [IPD, NOISY, KUHN], ids=["ipd", "noisy", "kuhn"])
    def test_they_do_not_depend_on_the_batch(self, game: Game) -> None:
        asked = requests(game, stochastic(game), OPPONENTS[game.name])
        together = episodes(play(asked))
        alone = [play([one])[0].episode for one in asked]
        backwards = episodes(play(asked[::-1]))[::-1]
        for a, b, c in zip(together, alone, backwards, strict=True):
            assert in_seat_order(a) == in_seat_order(b) == in_seat_order(c)

    def test_both_seats_of_a_deal_give_an_opponent_the_same_draws(self) -> None:
        seen: dict[tuple[int, int, int], set[tuple[float, float]]] = {}

        class Watcher(Answers):
            def act(self, decisions: Any) -> list[Choice]:
                for d in decisions:
                    deal = int(d.episode.split("/")[2])
                    values = (d.draws.uniform("action"), d.draws.once("memory"))
                    seen.setdefault((deal, d.round, d.step), set()).add(values)
                return super().act(decisions)

        opponent = Watcher(lambda decision: Choice("COOPERATE"))
        policy = scripted(IPD, "random")
        asked = [
            replace(one, players=(policy, opponent) if one.seat == 0 else (opponent, policy))
            for one in requests(IPD, policy, rollouts=2)
        ]
        play(asked)
        assert len(seen) == 3 * 4
        # Both seats, both rollouts: one set of draws a deal, round and step, each different from the others.
        assert all(len(values) == 1 for values in seen.values())
        assert len({next(iter(values))[0] for values in seen.values()}) == len(seen)

    def test_a_stochastic_opponent_acts_alike_from_both_seats(self) -> None:
        played = episodes(play(requests(IPD, scripted(IPD, "always_cooperate"), deals=6)))
        moves: dict[int, set[tuple[Any, ...]]] = {}
        for episode in played:
            own = tuple(t.action for t in episode.turns if t.seat != episode.seat)
            moves.setdefault(episode.deal, set()).add(own)
        assert all(len(found) == 1 for found in moves.values())
        assert len(set().union(*moves.values())) > 1

    def test_rollouts_share_the_deal_but_not_the_policys_draws(self) -> None:
        played = episodes(play(requests(KUHN, random_policy(KUHN, 1), ("nash",), deals=2, rollouts=6)))
        by_deal: dict[tuple[int, int], list[Episode]] = {}
        for episode in played:
            by_deal.setdefault((episode.deal, episode.seat), []).append(episode)
        for members in by_deal.values():
            assert len({member.chance for member in members}) == 1
            assert len({tuple(t.action for t in m.turns) for m in members}) > 1

    @pytest.mark.parametrize("change", [{"seed": 1}, {"tag": "step 1"}], ids=str)
    def test_another_seed_or_tag_draws_anew(self, change: dict[str, Any]) -> None:
        def own(**changes: Any) -> list[Any]:
            played = episodes(play(requests(IPD, scripted(IPD, "random"), **changes)))
            return [t.action for e in played for t in e.turns if t.seat == e.seat]

        assert own() == own()
        assert own() != own(**change)

    def test_a_retry_draws_anew_for_opponents_too(self) -> None:
        opponent = Answers(invalid, "opponent")
        policy = scripted(IPD, "random")
        deal = Deal(0, Split.TRAIN, IPD.info_record.key, 0)
        play([EpisodeRequest(IPD, deal, "train", "opponent", 0, (policy, opponent))])
        first, again = opponent.asked[:2]
        assert (first.retry, again.retry) == (0, 1)
        assert first.draws.uniform("action") != again.draws.uniform("action")


class TestBatching:
    def test_a_policy_is_asked_once_a_tick_about_all_open_episodes(self) -> None:
        policy = Answers(lambda decision: Choice("COOPERATE"))
        play(requests(IPD, policy, deals=5))
        assert policy.batches == [10, 10, 10, 10]

    def test_finished_episodes_are_not_asked_again(self) -> None:
        game = make_game("ipd", rounds=6, continuation=0.5)
        policy = Answers(lambda decision: Choice("COOPERATE"))
        played = episodes(play(requests(game, policy, deals=20)))
        lengths = Counter(len(episode.rounds) for episode in played)
        alive = [sum(n for length, n in lengths.items() if length > t) for t in range(max(lengths))]
        assert policy.batches == alive
        assert len(lengths) > 2

    def test_progress_adds_up_and_order_is_kept(self) -> None:
        told: list[int] = []
        asked = requests(NOISY, scripted(NOISY, "random"), deals=10)
        played = episodes(play(asked, progress=told.append))
        assert sum(told) == len(asked)
        assert all(n > 0 for n in told)
        assert [episode.id for episode in played] == [one.id for one in asked]

    def test_nothing_to_play(self) -> None:
        assert play([]) == []

    def test_the_decisions_of_the_policy_under_study_come_along(self) -> None:
        for one in play(requests(KUHN, random_policy(KUHN, 0), ("nash",))):
            own = [turn for turn in one.episode.turns if turn.seat == one.episode.seat]
            assert [d.step for d in one.decisions] == [t.step for t in own]
            assert {d.seat for d in one.decisions} <= {one.episode.seat}
            # Hands are independent: a policy is not told which one it is in, the record is.
            assert {(d.round, d.index) for d in one.decisions} == {(0, d.step) for d in one.decisions}
            assert [t.round for t in own] == sorted(t.round for t in own)


class TestStrictPolicies:
    class Wrong(Policy):
        name = "wrong"

        def act(self, decisions: Any) -> list[Choice]:
            return [Choice("SURRENDER") for _ in decisions]

    @pytest.mark.parametrize("stream", [False, True])
    def test_an_illegal_answer_is_an_error_that_says_what_is_legal(self, stream: bool) -> None:
        policy = Remote(self.Wrong()) if stream else self.Wrong()
        message = r"policy 'wrong': 'SURRENDER' is not legal, choose one of \['COOPERATE', 'DEFECT'\]"
        with pytest.raises(PolicyError, match=message):
            play(requests(IPD, policy))

    def test_so_is_one_of_a_strict_local_policy_beside_a_remote_one(self) -> None:
        asked = [
            replace(one, players=(self.Wrong(), Remote(scripted(IPD, "pavlov"))), seat=0)
            for one in requests(IPD, self.Wrong(), deals=1)[:1]
        ]
        with pytest.raises(PolicyError, match="'SURRENDER' is not legal"):
            play(asked)
