"""State abstractions by game and name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from equipoise.errors import RequestError, unknown
from equipoise.games.base import Game
from equipoise.policies.abstractions import auction, commons, ipd, multi_issue, split
from equipoise.policies.abstractions.base import Abstraction

__all__ = ["abstraction_names", "abstraction_of"]

_GAMES: Mapping[str, Mapping[str, Callable[[Game], Abstraction]]] = {
    "ipd": ipd.ABSTRACTIONS,
    "auction": auction.ABSTRACTIONS,
    "split": split.ABSTRACTIONS,
    "multi_issue": multi_issue.ABSTRACTIONS,
    "commons": commons.ABSTRACTIONS,
}


def abstraction_names(game: str) -> list[str]:
    """Return the names of a game's abstractions; none where every table is small (Kuhn poker)."""
    return list(_GAMES.get(game, {}))


def abstraction_of(game: Game, name: str) -> Abstraction:
    """Return an abstraction of a game by name.

    Raises:
        RequestError: There is none of that name; the message names the nearest.
    """
    known = _GAMES.get(game.name, {})
    if not known:
        raise RequestError(f"{game.name} has no abstraction {name!r}: its tables are by information state")
    if name not in known:
        raise unknown("abstraction", name, known)
    return known[name](game)
