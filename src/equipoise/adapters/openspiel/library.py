"""OpenSpiel itself: imported when first asked for, its games opened and checked."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from typing import Any

from equipoise.errors import RequestError, nearest

__all__ = ["game_type", "open_game"]


def _library() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise RequestError(
            "games of OpenSpiel need the package open-spiel: pip install 'equipoise[exact]'"
        ) from None
    return pyspiel


def game_type(short: str) -> Any:
    """Return what OpenSpiel declares about a game.

    Its ``parameter_specification`` has the parameters with their defaults (a game as a parameter is a
    mapping); ``default_loadable`` tells whether these are enough, or some are placeholders.

    Raises:
        RequestError: OpenSpiel is missing, or has no such game; the nearest is named.
    """
    spiel = _library()
    if short not in spiel.registered_names():
        # Games written in Python register themselves when this is imported.
        with suppress(ImportError):
            import open_spiel.python.games  # noqa: F401
    for game in spiel.registered_games():
        if game.short_name == short:
            return game
    guess = nearest(short, spiel.registered_names())
    hint = f"did you mean {guess!r}?" if guess else "pyspiel.registered_names() lists all"
    raise RequestError(f"unknown OpenSpiel game {short!r}: {hint}")


def open_game(short: str, parameters: Mapping[str, Any]) -> Any:
    """Return a two-player OpenSpiel game whose seats move in turn.

    A game in which they move at once becomes one where the later mover does not see the earlier move.

    Raises:
        RequestError: OpenSpiel refuses the parameters, or the game does not fit.
    """
    spiel = _library()
    name = f"'openspiel:{short}'"
    with _muted():
        try:
            game = spiel.load_game(short, dict(parameters))
        except Exception as error:
            # Beside its own exceptions OpenSpiel lets those of C++ through.
            raise RequestError(f"{name}: OpenSpiel says {_one_line(error)}") from None
    problem = _misfit(game, spiel)
    if problem:
        raise RequestError(f"{name} does not fit: {problem}")
    if game.get_type().dynamics == spiel.GameType.Dynamics.SIMULTANEOUS:
        return spiel.convert_to_turn_based(game)
    return game


def _misfit(game: Any, spiel: Any) -> str | None:
    """Return why a game cannot be played here, or None."""
    kind = game.get_type()
    if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game, which has no two seats"
    if game.num_players() != 2:
        count = game.num_players()
        players = f"{count} player" if count == 1 else f"{count} players"
        way_out = "set players=2 if it can" if "players" in game.get_parameters() else "choose another"
        return f"it has {players}, and only two-player games can be played: {way_out}"
    if kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws chance by itself instead of giving the outcomes with their probabilities"
    if not kind.provides_information_state_string:
        return "it has no information-state string, so nothing says what a seat knows"
    if not (isfinite(game.min_utility()) and isfinite(game.max_utility())):
        return "its utilities have no bounds"
    return None


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:200]} …"


@contextmanager
def _muted() -> Iterator[None]:
    """Keep OpenSpiel from printing errors that are reported anyway; it writes past Python's streams."""
    try:
        kept = os.dup(2)
    except OSError:
        # A process without standard error has nothing to keep clean.
        yield
        return
    if sys.stderr is not None:
        sys.stderr.flush()
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
