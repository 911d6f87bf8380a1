"""What a key keeps: what the seat knows, by its own figures, and nothing of the other side's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.phrases.keys import key_names, state_key
from equipoise.policies.registry import load_game, load_policy
from equipoise.rollout.engine import play
from equipoise.tasks.base import Line
from equipoise.tasks.social.task import Social
from equipoise.tasks.social.terms import terms_of
from equipoise.types import Decision
from tests.rollout.players import requests


def decisions(game: Any, policy: str = "scripted:sensible", opponent: str = "sensible") -> list[Decision]:
    found = play(requests(game, load_policy(policy, game), (opponent,), 2))
    return [decision for one in found for decision in one.decisions]


def test_games_have_their_abstractions_and_tasks_their_own() -> None:
    assert key_names(make_game("split")) == ["none", "turn", "demands"]
    assert key_names(make_game("kuhn")) == ["none", "turn"]
    assert key_names(load_game("social")) == ["none", "turn", "offers"]
    assert key_names(load_game("household")) == ["none", "turn"]
    with pytest.raises(RequestError, match="unknown state key 'demand': did you mean 'demands'"):
        state_key("demand", make_game("split"))
    with pytest.raises(RequestError, match="unknown state key 'offers'"):
        state_key("offers", make_game("split"))


def test_in_games_keys_follow_the_rounds() -> None:
    game = make_game("split")
    found = decisions(game, "scripted:hardball", "fair")[:4]
    assert [state_key("none", game).of(d) for d in found] == ["always"] * 4
    assert [state_key("turn", game).of(d) for d in found] == [f"turn {k}" for k in range(4)]
    assert [state_key("demands", game).of(d) for d in found] == ["0 open", "1 5!", "2 5!", "3 5!"]


def test_keys_of_games_are_their_finite_memory_forms() -> None:
    game = make_game("multi_issue")
    for name in key_names(game):
        key = state_key(name, game)
        assert key.abstraction is not None
        for d in decisions(game, "scripted:fair", "greedy"):
            kept = key.abstraction
            assert kept.key(kept.memory(d.history), d.observation) == key.of(d)


SOCIAL = load_game("social", {"families": ("price",)})


def opening(seat: int) -> Decision:
    return next(d for d in decisions(SOCIAL) if d.seat == seat)


def saying(decision: Decision, *lines: tuple[str, str], turn: int = 1) -> Decision:
    view: Any = decision.observation
    return replace(decision, observation=replace(view, lines=tuple(Line(*line) for line in lines), turn=turn))


def test_in_dialogues_the_key_is_phase_offer_and_own_offer() -> None:
    key = state_key("offers", SOCIAL)
    first = opening(0)
    assert isinstance(SOCIAL, Social)
    scenario = SOCIAL.by_id[first.observation.scenario]  # type: ignore[union-attr]
    me, other = scenario.names
    terms, own = terms_of(scenario), scenario.people[0]
    assert own.target is not None
    poor, good, best = (
        terms.say(value, 0) for value in (own.limit, (own.limit + own.target) / 2, own.target)
    )
    assert key.of(saying(first, turn=0)) == "first, no offer, no own offer"
    assert key.of(saying(first, (other, f"I propose: {poor}."))) == "middle, poor offer, no own offer"
    assert key.of(saying(first, (other, f"I propose: {good}."))) == "middle, good offer, no own offer"
    both = ((me, f"I propose: {best}."), (other, f"I propose: {poor}."))
    assert key.of(saying(first, *both)) == "middle, poor offer, own offer"
    assert key.of(saying(first, *both, turn=9)) == "late, poor offer, own offer"
    assert key.of(saying(first, *both, (me, "I accept your offer."))).startswith("middle, agreed")


def test_the_others_figures_do_not_go_into_the_key() -> None:
    key, first = state_key("offers", SOCIAL), opening(0)
    assert isinstance(SOCIAL, Social)
    scenario = SOCIAL.by_id[first.observation.scenario]  # type: ignore[union-attr]
    mine, theirs = scenario.people
    changed = scenario.model_copy(
        update={"people": (mine, theirs.model_copy(update={"target": 1.0, "limit": 2.0}))}
    )
    asked = [
        saying(first, (scenario.names[1], f"I propose: {terms_of(scenario).say(price, 0)}."), turn=turn)
        for price in (1600.0, 1800.0, 2000.0, 2200.0)
        for turn in (0, 1, 9)
    ]
    before = [key.of(d) for d in asked]
    other = Social(SOCIAL.options, [changed if s.id == scenario.id else s for s in SOCIAL.source])
    assert [key.of(replace(d, rules=other)) for d in asked] == before
    assert len(set(before)) > 1
