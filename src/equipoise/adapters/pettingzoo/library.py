"""PettingZoo's own environments: opened by name and checked, with what is known of the classic ones."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from equipoise.errors import RequestError, nearest

__all__ = ["Known", "known_of", "open_env", "parameters_of", "registered"]

RENDERING = frozenset({"render_mode", "screen_height", "screen_scaling", "screen_width", "render_fps"})
_PLAIN = (bool, int, float, str)


class Known(NamedTuple):
    """What an environment does not declare itself.

    Attributes:
        bound: The largest an agent can win or lose in an episode; with ``cycles`` in each of them.
        cycles: The parameter that says how often payoffs are given, if that is more than once.
        chance: Whether anything is drawn.
    """

    bound: float
    cycles: str | None = None
    chance: bool = False


_KNOWN: Mapping[str, Known] = {
    "classic/rps-v2": Known(1.0, cycles="max_cycles"),
    "classic/tictactoe-v3": Known(1.0),
    "classic/connect_four-v3": Known(1.0),
    "classic/chess-v6": Known(1.0),
    "classic/go-v5": Known(1.0),
}
"""Zero-sum environments whose payoffs their documentation bounds."""


def known_of(name: str) -> Known | None:
    """Return what is known of an environment, or None."""
    return _KNOWN.get(registered(name))


def registered(name: str) -> str:
    """Return a name as PettingZoo's registry writes it: ``classic/rps_v2`` is ``classic/rps-v2`` there."""
    return re.sub(r"_v(\d+)$", r"-v\1", name)


def open_env(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return an environment in turns.

    Raises:
        RequestError: PettingZoo or what the environment needs is missing, there is no such environment, or it
            refuses the parameters.
    """
    try:
        import pettingzoo
    except ImportError:
        raise RequestError(
            "games of PettingZoo need the package pettingzoo: pip install 'equipoise[pettingzoo]'"
        ) from None
    wanted = registered(name)
    if wanted not in pettingzoo.aec_registry:
        guess = nearest(wanted, pettingzoo.aec_registry)
        hint = f"did you mean {guess!r}?" if guess else "pettingzoo.aec_registry lists all"
        raise RequestError(f"unknown environment of PettingZoo {name!r}: {hint}")
    try:
        return pettingzoo.make("aec", wanted, **parameters)
    except Exception as error:
        # Whatever an environment raises that is not made: its own words say what is missing or wrong.
        said = " ".join(str(error).split()) or type(error).__name__
        raise RequestError(f"'pettingzoo:{name}': PettingZoo says {said[:200]}") from None


def parameters_of(name: str) -> dict[str, tuple[type, Any]]:
    """Return the parameters of an environment that are plain values, with their types and defaults.

    Raises:
        RequestError: See :func:`open_env`.
    """
    maker = type(open_env(name, {}).unwrapped).__init__
    found = inspect.signature(maker).parameters.values()
    return {
        one.name: (type(one.default), one.default)
        for one in found
        if isinstance(one.default, _PLAIN) and one.name not in RENDERING
    }
