"""The client: typed answers and observations over one WebSocket, a session of its own."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from equipoise.adapters.openenv.models import GameAction, GameObservation, GameState

__all__ = ["GameEnv"]


class GameEnv(EnvClient[GameAction, GameObservation, GameState]):
    """Plays on a server of games; ``GameEnv(base_url=...).sync()`` for code that does not await."""

    def _step_payload(self, action: GameAction) -> dict[str, Any]:
        answer: dict[str, Any] = action.model_dump()
        return answer

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[GameObservation]:
        reward, done = payload.get("reward"), bool(payload.get("done", False))
        told = GameObservation(**payload["observation"], reward=reward, done=done)
        return StepResult(told, reward=reward, done=done, metadata=told.metadata)

    def _parse_state(self, payload: dict[str, Any]) -> GameState:
        return GameState(**payload)
