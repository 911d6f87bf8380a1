"""The app of a server, on OpenEnv's own FastAPI routes."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_app

from equipoise.adapters.openenv.environment import GameEnvironment
from equipoise.adapters.openenv.models import GameAction, GameObservation, GameState
from equipoise.adapters.openenv.tasks import Tasks
from equipoise.errors import RequestError

__all__ = ["app_of"]


def app_of(tasks: Tasks, sessions: int) -> Any:
    """Return the app: a session of its own for every client, the tasks shared.

    Args:
        tasks: What can be played.
        sessions: How many clients may play at a time.
    """
    app = create_app(
        partial(GameEnvironment, tasks),
        GameAction,
        GameObservation,
        env_name=f"equipoise-{tasks.game.name}",
        max_concurrent_envs=sessions,
        state_cls=GameState,
    )
    app.add_exception_handler(RequestError, _refused)
    return app


def _refused(request: Any, error: Any) -> Any:
    """Answer a wrong request over plain HTTP; sessions get the same words in a message of their own."""
    return JSONResponse({"detail": str(error)}, status_code=400)
