"""Games as environments of PettingZoo and Gymnasium, and PettingZoo's as games; begin reading at ``table``.

    from equipoise.adapters.pettingzoo import aec_env, gym_env, parallel_env

Neither library is imported before an environment is made.
"""

from __future__ import annotations

from typing import Any

from equipoise.errors import RequestError
from equipoise.games.base import Game, finite_game
from equipoise.policies.registry import load_game

__all__ = ["aec_env", "gym_env", "parallel_env"]


def aec_env(game: str | Game, *, text: bool = False, **options: Any) -> Any:
    """Return a game as a PettingZoo ``AECEnv``: the seats act in turn, agents ``player_0`` and ``player_1``.

    Where the rules let both move at once, the first move is kept back until the second is made, and nobody
    sees it before. ``reset(seed=s)`` plays deal 0 of seed s, every further ``reset()`` the next deal.

    Args:
        game: A game or its name.
        text: Whether observations hold the words a language model is shown, under ``text``.
        options: Options of the game.

    Raises:
        RequestError: PettingZoo is missing, or there is no such game or option.
    """
    _needs("pettingzoo")
    from equipoise.adapters.pettingzoo.aec import TurnEnv

    return TurnEnv(_game(game, options), text)


def parallel_env(game: str | Game, *, text: bool = False, **options: Any) -> Any:
    """Return a game whose seats move at once as a PettingZoo ``ParallelEnv``; arguments as :func:`aec_env`.

    Raises:
        RequestError: PettingZoo is missing, there is no such game or option, or its seats move in turn.
    """
    _needs("pettingzoo")
    from equipoise.adapters.pettingzoo.parallel import SimultaneousEnv

    return SimultaneousEnv(_game(game, options), text)


def gym_env(game: str | Game, opponent: Any, *, seat: int = 0, text: bool = False, **options: Any) -> Any:
    """Return one seat of a game as a ``gymnasium.Env``, a policy on the other.

    Args:
        game: A game or its name.
        opponent: An opponent of the game by name, any other policy by its spec, or a policy.
        seat: The seat that is played from outside.
        text: Whether observations hold the words a language model is shown, under ``text``.
        options: Options of the game.

    Raises:
        RequestError: Gymnasium is missing, or there is no such game, option, opponent or seat.
    """
    _needs("gymnasium")
    from equipoise.adapters.pettingzoo.single import SeatEnv

    return SeatEnv(_game(game, options), opponent, seat, text)


def _game(game: str | Game, options: dict[str, Any]) -> Game:
    if isinstance(game, str):
        return finite_game(load_game(game, options))
    if options:
        raise RequestError(
            f"option {next(iter(options))!r}: the game is made already: give options with a name"
        )
    return game


def _needs(library: str) -> None:
    try:
        __import__(library)
    except ImportError:
        raise RequestError(
            f"these environments need the package {library}: pip install 'equipoise[pettingzoo]'"
        ) from None
