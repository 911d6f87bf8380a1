"""Tasks by name, with the actors that play them and the pools they stand in.

What belongs to a task is imported when its name is asked for, so that the package stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name

from equipoise.errors import unknown
from equipoise.opponents.pools import Pools
from equipoise.tasks.base import Task
from equipoise.types import Decision

__all__ = [
    "NOBODY",
    "Actor",
    "Parts",
    "get_actor",
    "make_task",
    "register_task",
    "task_actors",
    "task_names",
    "task_pools",
    "task_renderer",
]

Actor = Callable[[Decision], str]
"""What a scripted actor is: a function from a decision to what is said or done, with the decision's draws."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the parts of a task are, as ``MODULE:NAME``.

    Attributes:
        task: The :class:`Task`.
        actors: A mapping from names to actors.
        pools: The :class:`Pools` of those names.
        renderer: The ``Renderer`` class that has words for the task.
    """

    task: str
    actors: str
    pools: str
    renderer: str


NOBODY = "nobody"
"""Whom a policy meets where there is nobody else: the train pool of a task with one seat."""

_TASKS: dict[str, Parts] = {
    "social": Parts(
        task="equipoise.tasks.social.task:Social",
        actors="equipoise.tasks.social.actors:ACTORS",
        pools="equipoise.tasks.social.pools:POOLS",
        renderer="equipoise.prompts.social:SocialPrompts",
    ),
    "household": Parts(
        task="equipoise.tasks.household.task:Household",
        actors="equipoise.tasks.household.actors:ACTORS",
        pools="equipoise.tasks.household.pools:POOLS",
        renderer="equipoise.prompts.household:HouseholdPrompts",
    ),
    "shop": Parts(
        task="equipoise.tasks.shop.task:Shop",
        actors="equipoise.tasks.shop.actors:ACTORS",
        pools="equipoise.tasks.shop.pools:POOLS",
        renderer="equipoise.prompts.shop:ShopPrompts",
    ),
}


def register_task(name: str, parts: Parts) -> None:
    """Make a task available under a name."""
    _TASKS[name] = parts


def task_names() -> tuple[str, ...]:
    """Return the names of all tasks."""
    return tuple(_TASKS)


def make_task(name: str, **options: object) -> Task:
    """Build a task by name.

    Raises:
        RequestError: The task or an option does not exist, or an option is out of range.
    """
    task: type[Task] = resolve_name(_parts(name).task)
    return task.create(**options)


def task_actors(name: str) -> Mapping[str, Actor]:
    """Return the scripted actors of a task by name; none if there is no such task."""
    actors: Mapping[str, Actor] = resolve_name(_TASKS[name].actors) if name in _TASKS else {}
    return actors


def get_actor(task: str, name: str) -> Actor:
    """Return a scripted actor of a task.

    Raises:
        RequestError: There is none of that name; the message names the nearest.
    """
    known = task_actors(task)
    if name == NOBODY:
        return _nobody
    if name not in known:
        raise unknown(f"{task} actor", name, known)
    return known[name]


def _nobody(decision: Decision) -> str:
    """Stand for the missing other side of a task with one seat."""
    return ""


def task_pools(name: str) -> Pools:
    """Return the pools of a task.

    Raises:
        RequestError: There is no such task.
    """
    pools: Pools = resolve_name(_parts(name).pools)
    return pools


@cache
def task_renderer(name: str) -> object | None:
    """Return what has words for a task, or None if there is no such task."""
    made: object = resolve_name(_TASKS[name].renderer)() if name in _TASKS else None
    return made


def _parts(name: str) -> Parts:
    if name not in _TASKS:
        raise unknown("task", name, _TASKS)
    return _TASKS[name]
