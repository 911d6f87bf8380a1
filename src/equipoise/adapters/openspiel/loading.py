"""From ``openspiel:NAME(key=value, ...)`` to a game: one class a game, whose options are its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import create_model

from equipoise.adapters.openspiel.library import game_type, open_game
from equipoise.adapters.openspiel.names import all_options, parse_name
from equipoise.adapters.openspiel.rules import OpenSpielGame
from equipoise.games.base import GameOptions

__all__ = ["make"]


def make(name: str, options: Mapping[str, Any]) -> OpenSpielGame:
    """Return a game of OpenSpiel.

    Args:
        name: ``NAME`` or ``NAME(key=value, ...)``.
        options: More parameters.

    Raises:
        RequestError: OpenSpiel is missing, there is no such game or parameter, a parameter is given twice, or
            the game does not fit.
    """
    short, written = parse_name(name)
    made = _class_of(short).create(**all_options(name, "openspiel", written, options))
    assert isinstance(made, OpenSpielGame)
    return made


@cache
def _class_of(short: str) -> type[OpenSpielGame]:
    """Return the class of an OpenSpiel game, whose options are checked against the game's parameters."""
    declared = game_type(short)
    # A parameter that is a game is written as a name, as OpenSpiel writes it too.
    fields: dict[str, Any] = {
        key: (str, "") if isinstance(default, dict) else (type(default), default)
        for key, default in sorted(declared.parameter_specification.items())
    }
    parameters = create_model("Parameters", __base__=GameOptions, **fields)

    class Loaded(OpenSpielGame):
        """A game of OpenSpiel with its parameters as options."""

        Options = parameters
        name = f"openspiel:{short}"
        placeholders = not declared.default_loadable

        def open(self) -> Any:
            """Return OpenSpiel's game."""
            return open_game(short, _arguments(short, self.options))

    return Loaded


def _arguments(short: str, options: GameOptions) -> dict[str, Any]:
    """Return the parameters that were given as OpenSpiel takes them: a game as a mapping."""
    defaults = game_type(short).parameter_specification
    found = options.model_dump(exclude_unset=True)
    for key, value in found.items():
        if isinstance(defaults[key], dict):
            inner = make(value, {})
            found[key] = {"name": inner.short, **_arguments(inner.short, inner.options)}
    return found
