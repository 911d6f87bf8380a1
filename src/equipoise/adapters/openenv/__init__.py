"""The games behind OpenEnv's protocol: a server that seats one player, and its client.

    from equipoise.adapters.openenv import game_app           # serve it with uvicorn
    from equipoise.adapters.openenv.client import GameEnv
    from equipoise.adapters.openenv.models import GameAction

``python -m equipoise.adapters.openenv GAME`` serves a game. OpenEnv is not imported before an app is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.adapters.openenv.tasks import DEALS, SESSIONS, Tasks, set_tasks
from equipoise.errors import RequestError
from equipoise.prompts.base import PLAIN
from equipoise.rollout.requests import InvalidRule

__all__ = ["Tasks", "game_app"]


def game_app(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,
    pools: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    deals: int = DEALS,
    rule: InvalidRule | None = None,
    wording: str = PLAIN,
    sessions: int = SESSIONS,
) -> Any:
    """Return a FastAPI app that plays a game over OpenEnv's protocol, a policy on the other seat.

    Args:
        game: A game's name.
        options: Options of the game.
        pools: Opponents by pool, replacing the game's own.
        weights: Penalty weights ``e``, ``c``, ``x``, replacing the game's own.
        seed: Seed of the deals and of all draws.
        deals: Deals that are listed as tasks; more can be played.
        rule: What happens to invalid answers.
        wording: How the game is put.
        sessions: How many clients may play at a time.

    Raises:
        RequestError: OpenEnv is missing, or something asked for does not exist or is out of range.
    """
    if sessions < 1:
        raise RequestError(f"sessions = {sessions}: let at least 1 client play")
    tasks = set_tasks(
        game,
        options=options,
        pools=pools,
        weights=weights,
        seed=seed,
        deals=deals,
        rule=rule,
        wording=wording,
    )
    try:
        import openenv  # noqa: F401
    except ImportError:
        raise RequestError("this needs the package openenv: pip install 'equipoise[openenv]'") from None
    from equipoise.adapters.openenv.server import app_of

    return app_of(tasks, sessions)
