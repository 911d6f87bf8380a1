"""Strategies by name, as ``equipoise check --opponent`` takes them."""

from __future__ import annotations

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.opponents.registry import get_strategy
from equipoise.policies.base import Policy
from equipoise.policies.python import load_object
from equipoise.policies.registry import load_policy

__all__ = ["load_strategy"]


def load_strategy(name: str, game: Game) -> Strategy:
    """Return a strategy: of the game by its bare name, of a user's file, or a table.

    A strategy of a file is returned as it is, unlike by ``load_policy``, which already relies on it.

    Raises:
        RequestError: There is none of that name, or it is a policy without finite-memory form.
    """
    kind, sign, rest = name.partition(":")
    if not sign:
        return get_strategy(game.name, name)
    if kind == "python":
        found, _ = load_object(rest)
        if isinstance(found, type) and issubclass(found, Strategy):
            try:
                found = found()
            except Exception as error:
                raise RequestError(f"{name!r} cannot be made without arguments: {error}") from error
        if isinstance(found, Strategy):
            return found
    else:
        policy = load_policy(name, game)
        strategy = policy.strategy(game) if isinstance(policy, Policy) else None
        if strategy is not None:
            return strategy
    raise RequestError(f"{name!r} is no Strategy: check it with --policy")
