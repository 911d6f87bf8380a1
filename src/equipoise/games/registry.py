"""Games by name."""

from __future__ import annotations

from importlib.metadata import entry_points

from equipoise.errors import unknown
from equipoise.games.auction import Auction
from equipoise.games.base import Game
from equipoise.games.commons import Commons
from equipoise.games.families import family_of
from equipoise.games.ipd import PrisonersDilemma
from equipoise.games.kuhn import KuhnPoker
from equipoise.games.multi_issue import MultiIssue
from equipoise.games.split import SplitPie

__all__ = ["game_names", "make_game", "register_game"]

_OWN: tuple[type[Game], ...] = (PrisonersDilemma, Auction, SplitPie, MultiIssue, KuhnPoker, Commons)
_GAMES: dict[str, type[Game]] = {game.name: game for game in _OWN}
GROUP = "equipoise.games"
"""Entry-point group under which other packages offer games."""


def register_game(game: type[Game]) -> type[Game]:
    """Make a game available under its ``name``; usable as a class decorator."""
    _GAMES[game.name] = game
    return game


def _plugins() -> dict[str, type[Game]]:
    return {point.name: point.load() for point in entry_points(group=GROUP)}


def game_names() -> tuple[str, ...]:
    """Return the names of all games, own ones first."""
    return (*_GAMES, *(point.name for point in entry_points(group=GROUP)))


def make_game(name: str, **options: object) -> Game:
    """Build a game by name; a family of games answers to its prefix (see ``games.families``).

    Raises:
        RequestError: The game or an option does not exist, or an option is out of range.
    """
    if (belongs := family_of(name)) is not None:
        family, rest = belongs
        made: Game = family.load_game(rest, options)
        return made
    found = _GAMES.get(name) or _plugins().get(name)
    if found is None:
        raise unknown("game", name, game_names())
    return found.create(**options)
