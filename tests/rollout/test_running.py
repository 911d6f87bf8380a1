"""What becomes of answers: retries, fallbacks, forfeits, each recorded as what it was."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Choice, Decision, Episode, StopReason, Validity
from tests.rollout.players import Answers, Remote, in_seat_order, invalid, requests

IPD = make_game("ipd", rounds=3)
KUHN = make_game("kuhn")
C, D = "COOPERATE", "DEFECT"


def one(policy: Any, rule: InvalidRule | None = None, game: Any = IPD, seat: int = 0) -> Episode:
    opponent = ("always_cooperate",) if game.name == "ipd" else ("always_bet",)
    return play(requests(game, policy, opponent, deals=1), rule)[seat].episode


def between(policy: Any, other: Any) -> EpisodeRequest:
    """Return one episode between two given players."""
    return replace(requests(IPD, policy, deals=1)[0], players=(policy, other))


def own(episode: Episode) -> list[Any]:
    return [turn for turn in episode.turns if turn.seat == episode.seat]


class TestRetries:
    @pytest.mark.parametrize("retries", [0, 1, 3])
    def test_the_same_decision_is_asked_again_so_often(self, retries: int) -> None:
        policy = Answers(invalid)
        episode = one(policy, InvalidRule(retries))
        mine = [d for d in policy.asked if d.episode == episode.id]
        assert [d.retry for d in mine] == list(range(retries + 1)) * 3
        assert [turn.retries for turn in own(episode)] == [retries] * 3
        # Each try has draws of its own.
        assert len({d.draws.uniform("action") for d in mine}) == len(mine)

    def test_an_answer_that_comes_late_counts(self) -> None:
        policy = Answers(lambda d: Choice(D) if d.retry == 2 else invalid(d))
        episode = one(policy, InvalidRule(retries=2))
        assert [(t.action, t.choice.validity, t.retries) for t in own(episode)] == [
            (D, Validity.VALID, 2)
        ] * 3

    def test_the_other_seat_is_not_asked_again(self) -> None:
        other = Answers(lambda d: Choice(C))
        policy = Answers(invalid)
        asked = [between(policy, other)]
        play(asked, InvalidRule(retries=2))
        assert len(policy.asked) == 9
        assert len(other.asked) == 3


class TestFallback:
    def test_a_given_action_is_played_in_its_place(self) -> None:
        episode = one(Answers(invalid), InvalidRule(0, "fallback", D))
        assert [turn.action for turn in own(episode)] == [D] * 3
        assert [turn.choice.action for turn in own(episode)] == [None] * 3
        assert [turn.choice.detail for turn in own(episode)] == ["no word"] * 3
        assert episode.stop is StopReason.FINISHED
        assert [outcome.payoffs for outcome in episode.rounds] == [(5.0, 0.0)] * 3

    def test_otherwise_a_uniform_legal_action(self) -> None:
        played = play(requests(IPD, Answers(invalid), deals=60), InvalidRule(0))
        counts = Counter(turn.action for p in played for turn in own(p.episode))
        # 360 fair coins: four standard deviations are 38.
        assert counts.total() == 360
        assert abs(counts[C] - 180) < 38

    def test_an_illegal_fallback_is_not_played(self) -> None:
        # FOLD is legal only when facing a bet.
        episode = one(Answers(invalid), InvalidRule(0, "fallback", "FOLD"), KUHN)
        by_label = {turn.label.split(":")[1]: turn.action for turn in own(episode)}
        assert by_label["b"] == "FOLD"
        assert by_label[""] in ("PASS", "BET")

    def test_the_fallback_does_not_depend_on_the_batch(self) -> None:
        asked = requests(IPD, Answers(invalid), deals=4)
        together = [p.episode for p in play(asked)]
        assert [in_seat_order(play([r])[0].episode) for r in asked] == [in_seat_order(e) for e in together]


class TestForfeit:
    @pytest.mark.parametrize("seat", [0, 1])
    def test_the_rest_goes_at_the_seats_cost(self, seat: int) -> None:
        policy = Answers(lambda d: Choice(C) if d.round == 0 else invalid(d))
        episode = one(policy, InvalidRule(0, "forfeit"), seat=seat)
        assert episode.stop is StopReason.FORFEIT
        mine = [outcome.payoffs[seat] for outcome in episode.rounds]
        theirs = [outcome.payoffs[1 - seat] for outcome in episode.rounds]
        assert (mine, theirs) == ([3.0, 0.0, 0.0], [3.0, 0.0, 0.0])
        assert [turn.choice.validity for turn in own(episode)] == [Validity.VALID, Validity.INVALID]

    def test_in_a_zero_sum_game_the_other_gets_it(self) -> None:
        episode = one(Answers(invalid), InvalidRule(0, "forfeit"), KUHN)
        assert [outcome.payoffs for outcome in episode.rounds] == [(-2.0, 2.0)] * 6

    def test_an_opponent_that_forfeits_ends_the_episode_too(self) -> None:
        policy = Answers(lambda d: Choice(C))
        other = Answers(lambda d: Choice(C) if d.round < 2 else invalid(d))
        asked = [between(policy, other)]
        episode = play(asked, InvalidRule(0, "forfeit"))[0].episode
        assert episode.stop is StopReason.FORFEIT
        assert [outcome.payoffs for outcome in episode.rounds] == [(3.0, 3.0), (3.0, 3.0), (0.0, 0.0)]

    def test_nobody_is_asked_after_it(self) -> None:
        policy = Answers(invalid)
        one(policy, InvalidRule(1, "forfeit"))
        assert max(d.round for d in policy.asked) == 0


class TestRecord:
    @pytest.mark.parametrize(
        "validity", [Validity.INVALID, Validity.REFUSAL, Validity.TRUNCATED, Validity.TIMEOUT]
    )
    @pytest.mark.parametrize("stream", [False, True])
    def test_each_failure_keeps_its_name(self, validity: Validity, stream: bool) -> None:
        answers = Answers(lambda d: Choice(None, validity))
        episode = one(Remote(answers) if stream else answers, InvalidRule(0))
        assert {turn.choice.validity for turn in own(episode)} == {validity}

    def test_an_illegal_action_of_a_model_is_an_invalid_answer(self) -> None:
        episode = one(Answers(lambda d: Choice("SURRENDER")), InvalidRule(0, "fallback", C))
        turn = own(episode)[0]
        assert (turn.action, turn.choice.action, turn.choice.validity) == (C, None, Validity.INVALID)
        assert "'SURRENDER' is not legal" in turn.choice.detail
        assert C in turn.choice.detail

    def test_labels_steps_and_options(self) -> None:
        game = make_game("ipd", rounds=2, temptation=6.0)
        episode = play(requests(game, Answers(lambda d: Choice(D)), ("tit_for_tat",), deals=1))[0].episode
        assert [turn.label for turn in own(episode)] == ["-/-", "D/C"]
        assert episode.game == "ipd@1"
        assert episode.options == {"rounds": 2, "temptation": 6.0}
        assert (episode.pool, episode.opponent, episode.split) == ("train", "tit_for_tat", "train")
        assert episode.policies == ("answers", "scripted:tit_for_tat")

    def test_the_id_tells_episodes_apart(self) -> None:
        asked = requests(IPD, Answers(invalid), ("mixed_half", "pavlov"), deals=3, rollouts=2)
        assert len({r.id for r in asked}) == len(asked) == 24
        assert asked[0].id == "train/mixed_half/0/0/0"
        tagged = requests(IPD, Answers(invalid), deals=1, tag="step 4")
        assert tagged[0].id == "train/mixed_half/0/0/0/step 4"

    def test_the_version_of_the_policy_is_kept(self) -> None:
        policy = Answers(lambda d: Choice(C))
        policy.version = 7
        assert one(policy).policy_version == 7

    def test_failures_are_counted_in_an_audit_by_every_rule(self) -> None:
        game = make_game("ipd", rounds=2)
        pools = Pools(("tit_for_tat",))
        for rule, rate in (
            (InvalidRule(0), 0.5),
            (InvalidRule(1), 0.0),  # the second try succeeds
            (InvalidRule(0, "forfeit"), 0.5),
        ):
            policy = Answers(lambda d: invalid(d) if d.round == 1 and d.retry == 0 else Choice(C))
            config = AuditConfig(episodes=2, pools=pools, rule=rule)
            found = audit_game(game, policy, config).metrics["invalid_rate"]
            assert found is not None
            assert found.value == pytest.approx(rate)

    def test_a_decision_may_be_asked_of_two_policies_at_once(self) -> None:
        # Self-play: one policy at both seats is asked about both in one batch.
        policy = Answers(lambda d: Choice(C if d.seat == 0 else D))
        asked = [between(policy, policy)]
        episode = play(asked)[0].episode
        assert policy.batches == [2, 2, 2]
        assert [outcome.payoffs for outcome in episode.rounds] == [(0.0, 5.0)] * 3


def test_free_choice_of_environment() -> None:
    # A request may bring its own environment instead of the game's match.
    from equipoise.games.match import Match

    def rigged(deal: Any) -> Match:
        return Match(KUHN, lambda round_, purpose: 0.0 if purpose == "card/0" else 0.9)

    asked = requests(KUHN, Answers(lambda d: Choice((d.legal or ())[0])), ("nash",), deals=1)
    played = play(
        [type(r)(r.game, r.deal, r.pool, r.opponent, r.seat, r.players, environment=rigged) for r in asked]
    )
    for found in played:
        assert dict(found.episode.chance)["0/card/0"] == "J"
        assert dict(found.episode.chance)["0/card/1"] == "K"


def test_decisions_tell_what_the_seat_knows() -> None:
    policy = Answers(lambda d: Choice(D if d.round else C))

    episode = one(policy)
    mine = [d for d in policy.asked if d.episode == episode.id]
    last: Decision = mine[-1]
    assert last.info == {"game": "ipd", "seat": 0, "round": 2, "rounds": 3, "own": (C, D), "other": (C, C)}
    assert last.information_state == (last.observation, last.history)
