"""Episodes in groups: one (stream, seat, deal) each, and the deal is really shared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.groups import group_episodes
from equipoise.rollout.engine import play
from equipoise.types import Episode
from tests.auditing.oracle import random_policy
from tests.rollout.players import requests

KUHN = make_game("kuhn", rounds=2)
NOISY = make_game("ipd", rounds=3, noise=0.2, continuation=0.8)


def played(game: object = KUHN, rollouts: int = 3) -> list[Episode]:
    rules = game if game is not KUHN else KUHN
    opponents = ("nash", "always_bet") if rules is KUHN else ("mixed_half",)
    found = play(requests(rules, random_policy(rules, 0), opponents, deals=2, rollouts=rollouts))  # type: ignore[arg-type]
    return [one.episode for one in found]


def test_members_share_stream_seat_and_deal() -> None:
    episodes = played()
    groups = group_episodes(episodes)
    assert [(g.stream, g.seat, g.deal) for g in groups] == [
        (("train", name), seat, deal) for deal in (0, 1) for name in ("nash", "always_bet") for seat in (0, 1)
    ]
    assert all(len(g.rollouts) == 3 for g in groups)


def test_the_order_is_that_of_first_appearance() -> None:
    episodes = played()
    backwards = group_episodes(episodes[::-1])
    assert [(g.stream, g.seat, g.deal) for g in backwards] == [
        (g.stream, g.seat, g.deal) for g in group_episodes(episodes)[::-1]
    ]


def test_a_rollout_keeps_own_decisions_and_rewards_of_every_round() -> None:
    episodes = played()
    by_key: dict[tuple[object, ...], list[Episode]] = {}
    for e in episodes:
        by_key.setdefault(((e.pool, e.opponent), e.seat, e.deal), []).append(e)
    for group in group_episodes(episodes):
        members = by_key[group.stream, group.seat, group.deal]
        for rollout, episode in zip(group.rollouts, members, strict=True):
            own = [t for t in episode.turns if t.seat == episode.seat]
            assert rollout.rounds.tolist() == [t.round for t in own]
            assert rollout.steps.tolist() == [t.step for t in own]
            pays = [(o.payoffs[episode.seat], o.payoffs[1 - episode.seat], 0.0, 0.0) for o in episode.rounds]
            assert rollout.features.tolist() == [list(row) for row in pays]


def test_terms_are_those_of_the_policys_seat() -> None:
    for group in group_episodes(played(NOISY)):
        for rollout in group.rollouts:
            assert rollout.features.shape == (len(rollout.features), 4)
            assert set(np.unique(rollout.features[:, 2])) <= {0.0, 1.0}


def test_a_group_whose_chance_differs_is_refused() -> None:
    episodes = played()
    # Members are next to each other; the second is given another card.
    broken = [*episodes]
    (node, card), *rest = broken[1].chance
    other = next(c for c in "JQK" if c != card)
    broken[1] = replace(broken[1], chance=((node, other), *rest))
    with pytest.raises(RequestError, match=rf"should share a deal but differ at chance node {node!r}"):
        group_episodes(broken)


def test_chance_that_only_one_member_met_is_no_difference() -> None:
    episodes = played()
    shorter = [*episodes]
    shorter[1] = replace(shorter[1], chance=shorter[1].chance[:1])
    assert len(group_episodes(shorter)) == len(group_episodes(episodes))
