"""TextArena itself: imported when first asked for, its environments opened by id, its draws kept apart."""

from __future__ import annotations

import importlib
import inspect
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from equipoise.errors import RequestError, nearest

__all__ = ["Randomness", "open_env", "parameters_of", "refused"]

_PLAIN = (bool, int, float, str)


def _registry() -> Mapping[str, Any]:
    try:
        registration = importlib.import_module("textarena.envs.registration")
    except ImportError:
        raise RequestError(
            "games of TextArena need the package textarena: pip install 'equipoise[textarena]'"
        ) from None
    registry: Mapping[str, Any] = registration.ENV_REGISTRY
    return registry


def _known(name: str) -> Any:
    registry = _registry()
    if name not in registry:
        guess = nearest(name, registry)
        hint = f"did you mean {guess!r}?" if guess else "textarena.envs.registration.ENV_REGISTRY lists all"
        raise RequestError(f"unknown environment of TextArena {name!r}: {hint}")
    return registry[name]


def open_env(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return an environment with the wrappers that belong to its id.

    Raises:
        RequestError: TextArena or what the environment needs is missing, there is no such environment, or it
            refuses the parameters.
    """
    _known(name)
    textarena = importlib.import_module("textarena")
    try:
        return textarena.make(name, **parameters)
    except Exception as error:
        raise refused(name, error) from None


def refused(name: str, error: Exception) -> RequestError:
    """Return what to say of an environment that raised while it was made or reset."""
    said = " ".join(str(error).split()) or type(error).__name__
    return RequestError(f"'textarena:{name}': TextArena says {said[:200]}")


def parameters_of(name: str) -> dict[str, tuple[type, Any]]:
    """Return the parameters of an environment that are plain values, with their types and its defaults.

    Raises:
        RequestError: TextArena is missing, or there is no such environment.
    """
    spec = _known(name)
    maker = spec.entry_point
    if isinstance(maker, str):
        module, _, kind = maker.partition(":")
        try:
            maker = getattr(importlib.import_module(module), kind)
        except Exception as error:
            # Some environments do not even compile on every version of Python.
            raise refused(name, error) from None
    found = {}
    for one in inspect.signature(maker).parameters.values():
        default = spec.kwargs.get(one.name, one.default)
        if isinstance(default, _PLAIN):
            found[one.name] = (type(default), default)
    return found


class Randomness:
    """The draws of one episode.

    Environments draw from the global generators of ``random`` and NumPy. Episodes that are open at the same
    time would take draws from each other, so each has generators of its own, put in place while it moves.
    """

    def __init__(self, seed: int) -> None:
        """Take the seed."""
        self._states = (random.Random(seed).getstate(), np.random.RandomState(seed % 2**32).get_state())

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Put the episode's generators in the place of the global ones for a while."""
        kept = random.getstate(), np.random.get_state()
        self._use(self._states)
        try:
            yield
        finally:
            self._states = random.getstate(), np.random.get_state()
            self._use(kept)

    @staticmethod
    def _use(states: tuple[Any, Any]) -> None:
        random.setstate(states[0])
        np.random.set_state(states[1])
