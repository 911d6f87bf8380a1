"""When a wish is fulfilled, and how much of the way is done.

The way of a family is a list of sub-goals; the share is how many of them hold, for the thing (for ``two``:
the two things) that is farthest. *Taken* holds for what is in hand, and for what was processed or placed.

    place               found, taken, placed
    clean, heat, cool   found, taken, processed, placed (as it has to be)
    examine             found, taken, light found, seen in light
    two                 found, taken, placed; twice
"""

from __future__ import annotations

from equipoise.tasks.household.kinds import APPLIANCES, TRAITS
from equipoise.tasks.household.state import State
from equipoise.tasks.household.worlds import World

__all__ = ["fulfilled", "ready", "share", "wanted"]


def wanted(world: World, state: State) -> tuple[int, ...]:
    """Return the things of the kind that is wanted."""
    return tuple(k for k, thing in enumerate(state.home.things) if thing.kind == world.thing)


def ready(world: World, state: State, thing: int) -> bool:
    """Tell whether a thing is as it has to be: clean, hot or cold where the family asks for it."""
    return world.family not in APPLIANCES or TRAITS[world.family] in state.traits[thing]


def fulfilled(world: World, state: State) -> bool:
    """Tell whether the wish is fulfilled."""
    if world.family == "examine":
        return any(_in_light(state, thing) for thing in wanted(world, state))
    placed = sum(_placed(world, state, thing) for thing in wanted(world, state))
    return placed >= (2 if world.family == "two" else 1)


def share(world: World, state: State) -> float:
    """Return the share of the way that is done as things stand, from 0 to 1."""
    found = sorted((_done(world, state, thing) for thing in wanted(world, state)), reverse=True)
    if world.family == "examine":
        lamp = any(state.home.things[k].light for k in state.seen)
        return (found[0] + lamp + fulfilled(world, state)) / 4
    count = 2 if world.family == "two" else 1
    return sum(found[:count]) / (count * (4 if world.family in APPLIANCES else 3))


def _done(world: World, state: State, thing: int) -> int:
    """Return how many sub-goals hold for a thing."""
    processed = world.family in APPLIANCES and ready(world, state, thing)
    placed = world.family != "examine" and _placed(world, state, thing)
    taken = state.where[thing] is None or processed or placed
    return int(thing in state.seen or taken) + taken + processed + placed


def _placed(world: World, state: State, thing: int) -> bool:
    place = state.where[thing]
    there = place is not None and state.home.places[place].kind == world.place
    return there and ready(world, state, thing)


def _in_light(state: State, thing: int) -> bool:
    return state.where[thing] is None and any(k in state.lit for k in state.shown)
