"""A model behind an endpoint that writes texts for whoever asks: judges and evaluators."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from equipoise.judges.asking import Written
from equipoise.policies.endpoint.attempts import Late, MalformedError
from equipoise.policies.endpoint.chat import ChatPolicy
from equipoise.prompts.base import Prompt
from equipoise.rollout.loops import finish

__all__ = ["EndpointWriter"]


@dataclass(frozen=True)
class _Drawn:
    """One question's randomness in the form of a decision's."""

    draw: Callable[[str], float]

    def uniform(self, purpose: str) -> float:
        return self.draw(purpose)

    def once(self, purpose: str) -> float:
        return self.draw(f"once/{purpose}")


class EndpointWriter:
    """Writes texts, many at once (see ``judges.asking.Writer``).

    Answers are kept and paid for as those of policies are; what comes too late or malformed is an empty text.
    """

    def __init__(self, chat: ChatPolicy) -> None:
        """Take the model, with its settings, its kept answers and its account."""
        self._chat, self.name, self.fingerprint = chat, chat.name, chat.fingerprint

    def write(self, prompts: Sequence[Prompt], draws: Sequence[Callable[[str], float]]) -> list[Written]:
        """Return a text for each prompt.

        Raises:
            EquipoiseError: The server is down, or a cap on costs is reached.
            RequestError: The server refuses the key, the model or the question.
        """
        return finish(self._all(prompts, draws))

    async def _all(self, prompts: Sequence[Prompt], draws: Sequence[Callable[[str], float]]) -> list[Written]:
        slots = asyncio.Semaphore(self._chat.limit)

        async def one(prompt: Prompt, draw: Callable[[str], float]) -> Written:
            async with slots:
                return await self._one(prompt, draw)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(*pair)) for pair in zip(prompts, draws, strict=True)]
        finally:
            # Connections belong to this event loop, and must not outlive it.
            await self._chat.close()
        return [task.result() for task in tasks]

    async def _one(self, prompt: Prompt, draw: Callable[[str], float]) -> Written:
        try:
            reply = await self._chat.reply(prompt, _Drawn(draw))
        except (Late, MalformedError):
            return Written("", 0)
        return Written(reply.text, 0 if reply.usage is None else sum(reply.usage))
