"""From ``pettingzoo:GROUP/NAME_vN(key=value, ...)`` to a game, with parameters as options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import create_model

from equipoise.adapters.openspiel.names import all_options, parse_name
from equipoise.adapters.pettingzoo.library import known_of, open_env, parameters_of
from equipoise.adapters.pettingzoo.rules import PettingZooGame, ZooOptions

__all__ = ["make"]


def make(name: str, options: Mapping[str, Any]) -> PettingZooGame:
    """Return an environment of PettingZoo as a game.

    Args:
        name: ``GROUP/NAME_vN`` or ``GROUP/NAME_vN(key=value, ...)``.
        options: More options: the environment's parameters and those of ``ZooOptions``.

    Raises:
        RequestError: PettingZoo is missing, there is no such environment or option, an option is given twice,
            or the environment does not fit.
    """
    short, written = parse_name(name, "pettingzoo", r"[\w-]+/[\w-]+")
    made = _class_of(short).create(**all_options(name, "pettingzoo", written, options))
    assert isinstance(made, PettingZooGame)
    return made


@cache
def _class_of(short: str) -> type[PettingZooGame]:
    own: dict[str, Any] = dict(sorted(parameters_of(short).items()))
    parameters = create_model("Parameters", __base__=ZooOptions, **own)

    class Loaded(PettingZooGame):
        """An environment of PettingZoo with its parameters as options."""

        Options = parameters
        name = f"pettingzoo:{short}"
        known = known_of(short)

        def open(self) -> Any:
            """Return a new environment."""
            return open_env(short, {key: getattr(self.options, key) for key in own})

    return Loaded
