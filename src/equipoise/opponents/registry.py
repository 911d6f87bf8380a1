"""Strategies by game and name."""

from __future__ import annotations

from importlib.metadata import entry_points

from equipoise.errors import unknown
from equipoise.opponents import auction, commons, ipd, kuhn, multi_issue, split
from equipoise.opponents.base import Strategy, Uniform

__all__ = ["get_strategy", "register_strategy", "strategies"]

_STRATEGIES: dict[str, dict[str, Strategy]] = {
    "ipd": ipd.STRATEGIES,
    "auction": auction.STRATEGIES,
    "split": split.STRATEGIES,
    "multi_issue": multi_issue.STRATEGIES,
    "kuhn": kuhn.STRATEGIES,
    "commons": commons.STRATEGIES,
}
GROUP = "equipoise.opponents"
"""Entry-point group; an entry is named ``GAME.NAME`` and points at a Strategy instance."""


def register_strategy(game: str, strategy: Strategy) -> Strategy:
    """Make a strategy available to a game under its name."""
    _STRATEGIES.setdefault(game, {})[strategy.name] = strategy
    return strategy


def strategies(game: str) -> dict[str, Strategy]:
    """Return all strategies of a game by name; ``random`` is always among them."""
    known = {**_STRATEGIES.get(game, {}), Uniform.name: Uniform()}
    for point in entry_points(group=GROUP):
        owner, _, name = point.name.partition(".")
        if owner == game:
            known[name] = point.load()
    return known


def get_strategy(game: str, name: str) -> Strategy:
    """Return a strategy of a game.

    Raises:
        RequestError: There is none of that name; the message names the nearest.
    """
    known = strategies(game)
    if name not in known:
        raise unknown(f"{game} strategy", name, known)
    return known[name]
