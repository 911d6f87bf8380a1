"""A model of Inspect at a seat: asked as endpoints are, one message a decision, and read as strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.adapters.inspect.library import library
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.reply import Reply, judge
from equipoise.policies.endpoint.words import writable
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.types import Choice, Decision

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput

__all__ = ["ModelSeat"]

SEEDS = 2**31

_FINISH = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}
"""Why a text ended, as endpoints say it."""


class ModelSeat(AsyncPolicy):
    """Asks a model, and keeps what was said.

    Attributes:
        wording: How the game is put.
        messages: The questions and answers of the episode, in order.
        output: The last answer; None before the first.
    """

    def __init__(self, model: Model, wording: str = PLAIN) -> None:
        """Take the model and the words to use."""
        self.name = str(model)
        self.wording = wording
        self.messages: list[ChatMessage] = []
        self.output: ModelOutput | None = None
        self._model: Any = model

    async def decide(self, decision: Decision) -> Choice:
        """Ask the model once; the engine's rule says what follows an invalid answer."""
        model, renderer = library("model"), get_renderer(decision.rules.name, self.wording)
        prompt = renderer.prompt(decision)
        question = model.ChatMessageUser(content=prompt.rules + prompt.situation)
        seed = int(decision.draws.uniform("seed") * SEEDS)
        output = await self._model.generate([question], config=model.GenerateConfig(seed=seed))
        self.output = output
        self.messages.append(question)
        if output.empty:
            return judge(Reply("", refusal=writable(output.error or "")), decision, renderer)
        self.messages.append(output.message)
        finish = _FINISH.get(output.stop_reason, "stop")
        # Only the answer counts: what a model reasoned before it is no part of it.
        return judge(Reply(writable(output.message.text), finish), decision, renderer)
