"""Two-player games of OpenSpiel as ``openspiel:NAME(key=value, ...)``, and ours as games of OpenSpiel.

Begin reading at ``rules`` for the way in and at ``outward`` for the way out.
"""

from __future__ import annotations

from typing import Any

from equipoise.errors import RequestError
from equipoise.games.base import Game, finite_game
from equipoise.policies.base import Policy
from equipoise.policies.registry import load_game

__all__ = ["as_openspiel", "as_openspiel_policy"]


def as_openspiel(game: str | Game, **options: Any) -> Any:
    """Return a game as a Python game of OpenSpiel, registered there as ``equipoise_NAME``.

    Its returns are sums over rounds; collusion and externality stay behind. Where rounds are independent it
    is one round, as in exact work here. Where seats move at once it has simultaneous nodes: for algorithms
    that know only turns use ``pyspiel.convert_to_turn_based``.

    Args:
        game: A game or its name.
        options: Options of the game.

    Raises:
        RequestError: OpenSpiel is missing, there is no such game or option, or the game does not fit.
    """
    _needs_openspiel()
    from equipoise.adapters.openspiel.outward import register

    if not isinstance(game, str) and options:
        raise RequestError(
            f"option {next(iter(options))!r}: the game is made already: give options with a name"
        )
    return register(finite_game(load_game(game, options)) if isinstance(game, str) else game)


def as_openspiel_policy(spiel_game: Any, first: Policy, second: Policy | None = None) -> Any:
    """Return policies of this package as a joint ``policy.Policy`` of OpenSpiel.

    Args:
        spiel_game: A game made by :func:`as_openspiel`, converted to turns or not.
        first: The policy on seat 0; it must give probabilities.
        second: The policy on seat 1 (default: the same).

    Raises:
        RequestError: OpenSpiel is missing.
    """
    _needs_openspiel()
    from equipoise.adapters.openspiel.joint import JointPolicy

    return JointPolicy(spiel_game, (first, first if second is None else second))


def _needs_openspiel() -> None:
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        raise RequestError("this needs the package open-spiel: pip install 'equipoise[exact]'") from None
