"""A small home for the tests of the household task, and ways to play in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from equipoise.policies.base import Policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.household.actors.situation import Situation, situation
from equipoise.tasks.household.episode import HouseholdEpisode
from equipoise.tasks.household.state import State
from equipoise.tasks.household.task import Household
from equipoise.tasks.household.worlds import World
from equipoise.tasks.registry import Actor
from equipoise.types import Choice, Decision, Episode
from tests.helpers import Constant

HOME = (
    "kitchen: counter = mug, plate; cabinet* = mug; stove; fridge* = apple; sink",
    "hall: bench = hat; box* = key",
    "study: desk = desk lamp, book; shelf",
)
"""Three rooms; hall and study open on the kitchen, where one starts."""


def world(family: str, thing: str, place: str = "", **more: Any) -> World:
    task = f"Please: {thing} {place}."
    data = {"id": f"a-{family}", "family": family, "task": task, "thing": thing, "place": place}
    return World.model_validate({**data, "home": HOME, **more})


PLACE = world("place", "book", "bench")
HEAT = world("heat", "mug", "desk")
CLEAN = world("clean", "mug", "shelf")
COOL = world("cool", "plate", "box")
EXAMINE = world("examine", "key")
TWO = world("two", "mug", "shelf")
WORLDS = (PLACE, HEAT, CLEAN, COOL, EXAMINE, TWO)


def state(commands: Sequence[str] = (), one: World = PLACE) -> State:
    """Return the state after commands."""
    return played(one, commands).state


def played(one: World, commands: Sequence[str], **options: Any) -> HouseholdEpisode:
    """Return an episode after commands."""
    task = Household(Household.Options(**options), source=[one])
    episode = HouseholdEpisode(task, one)
    for text in commands:
        episode.apply(dict.fromkeys(episode.players_to_move, text))
    return episode


def asked(
    one: World, commands: Sequence[str] = (), advice: tuple[str, ...] = (), draw: float = 0.5
) -> Decision:
    """Return the decision after commands."""
    decision = played(one, commands).decision(0, "one", Constant(draw), 0)
    return replace(decision, advice=advice)


def now(
    one: World, commands: Sequence[str] = (), advice: tuple[str, ...] = (), draw: float = 0.5
) -> Situation:
    """Return the situation after commands."""
    return situation(asked(one, commands, advice, draw))


class Coached(Policy):
    """An actor with a coach: fixed advice, or a function of the decision."""

    def __init__(self, actor: Actor, coach: Actor | None = None, advice: tuple[str, ...] = ()) -> None:
        self.name = self.fingerprint = "coached"
        self.actor, self.coach, self.advice = actor, coach, advice

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        told = [self.advice if self.coach is None else (self.coach(one),) for one in decisions]
        return [Choice(self.actor(replace(d, advice=a))) for d, a in zip(decisions, told, strict=True)]


def errands(task: Household, policy: Policy, count: int | None = None) -> list[Episode]:
    """Return one episode a world."""
    key = task.info_record.key
    requests = [
        EpisodeRequest(task, Deal(0, Split.REPORT, key, k), "train", "nobody", 0, (policy,))
        for k in range(count or len(task.dealt))
    ]
    return [one.episode for one in play(requests)]
