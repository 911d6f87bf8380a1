"""``openai:MODEL@BASE_URL``: a language model behind an endpoint that speaks OpenAI's chat protocol."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

from equipoise.errors import RequestError
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.address import Address, key_for
from equipoise.policies.endpoint.answers import answer_key
from equipoise.policies.endpoint.attempts import Late, MalformedError, attempt
from equipoise.policies.endpoint.client import ChatClient
from equipoise.policies.endpoint.desk import Desk
from equipoise.policies.endpoint.ledger import Usage
from equipoise.policies.endpoint.limiter import Limiter
from equipoise.policies.endpoint.partial import partial_generation, partial_probabilities
from equipoise.policies.endpoint.reply import Reply, judge, read_reply, read_usage
from equipoise.policies.worded import in_words
from equipoise.prompts.base import PLAIN, Prompt, Renderer
from equipoise.prompts.registry import get_renderer
from equipoise.types import Choice, Decision, Draws, Validity

__all__ = ["ChatPolicy"]

SEEDS = 2**31
CHARACTERS = 3
"""Characters a token, for what a request took that left no account: rather too many tokens than too few."""


class ChatPolicy(AsyncPolicy):
    """Answers in text, read strictly, as local models do in mode ``free``.

    Attributes:
        wording: How the game is put.
        base_name: The policy's name, whatever the wording.
    """

    def __init__(
        self,
        spec: str,
        address: Address,
        desk: Desk,
        *,
        temperature: float | None = None,
        max_new_tokens: int = 256,
        wording: str = PLAIN,
        limiter: Limiter | None = None,
    ) -> None:
        """Take the name, the model and its server, what endpoints share, and how to ask.

        Raises:
            RequestError: There is no key in the environment, or no price for the model.
        """
        self._address, self._desk, self.wording, self.base_name = address, desk, wording, spec
        self._key = key_for(address, desk.settings)
        self._temperature, self._budget = temperature, max_new_tokens
        self.name = spec if wording == PLAIN else in_words(spec, wording)
        self.limit = desk.settings.concurrency or AsyncPolicy.limit
        self._limiter = limiter or Limiter(self.limit)
        self._client: ChatClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._dropped: set[str] = set()
        desk.price(address.model)
        version = [address.model, address.url, temperature, max_new_tokens, wording]
        self.fingerprint = hashlib.sha256(json.dumps(version).encode()).hexdigest()[:16]

    def in_wording(self, wording: str) -> ChatPolicy:
        """Return the same model asked in another wording, through the same connections."""
        return ChatPolicy(
            self.base_name,
            self._address,
            self._desk,
            temperature=self._temperature,
            max_new_tokens=self._budget,
            wording=wording,
            limiter=self._limiter,
        )

    async def decide(self, decision: Decision) -> Choice:
        """Ask, unless the same was asked before, and read the answer."""
        renderer = get_renderer(decision.rules.name, self.wording)
        try:
            reply = await self.reply(renderer.prompt(decision), decision.draws)
        except Late as error:
            return Choice(None, Validity.TIMEOUT, detail=str(error))
        except MalformedError as error:
            return Choice(None, Validity.INVALID, detail=str(error))
        return self._choice(reply, decision, renderer)

    async def reply(self, prompt: Prompt, draws: Draws) -> Reply:
        """Return what the model writes to a prompt, asked at most once.

        Raises:
            Late: There was no answer in time.
            MalformedError: There is no completion in the response.
        """
        payload = self._payload(prompt, draws)
        key = answer_key(self.fingerprint, payload)
        return await self._desk.answers.once(key, self._address.model, lambda: self._fetch(payload, draws))

    async def close(self) -> None:
        """Close all connections; the next question opens them again."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _choice(self, reply: Reply, decision: Decision, renderer: Renderer) -> Choice:
        choice = judge(reply, decision, renderer)
        if choice.action is None or not decision.legal or not reply.alternatives:
            return choice
        row = partial_probabilities(reply, renderer, choice.action, decision.legal)
        if row is None:
            return choice
        made = (*choice.generations, partial_generation(row, renderer))
        return Choice(choice.action, generations=made)

    def _payload(self, prompt: Prompt, draws: Draws) -> dict[str, Any]:
        payload: dict[str, Any] = {
            "model": self._address.model,
            "messages": [{"role": "user", "content": prompt.rules + prompt.situation}],
            "max_tokens": self._budget,
        }
        if self._temperature is not None:
            payload["temperature"] = self._temperature
        # At temperature 0 equal questions have equal answers, and are asked once.
        if self._temperature != 0.0:
            payload["seed"] = int(draws.uniform("seed") * SEEDS)
        if alternatives := self._desk.settings.top_logprobs:
            payload |= {"logprobs": True, "top_logprobs": alternatives}
        return payload

    async def _fetch(self, payload: dict[str, Any], draws: Draws) -> Reply:
        settings = self._desk.settings
        # Loading the client takes a while the first time, which is not the server's.
        self._connected()
        return await attempt(lambda: self._try(payload), draws, self._limiter, settings, self.base_name)

    async def _try(self, payload: dict[str, Any]) -> Reply:
        """Ask once, and count what it took, whatever comes of it."""
        desk, model = self._desk, self._address.model
        desk.ledger.check()
        guess = Usage(len(payload["messages"][0]["content"]) // CHARACTERS + 1, self._budget)
        body: Any = None
        try:
            body = await self._connected().ask(payload)
            reply = read_reply(body)
        except (Late, asyncio.CancelledError):
            desk.charge(model, guess, lost=True)
            raise
        except MalformedError:
            desk.charge(model, read_usage(body) or guess, lost=True)
            raise
        if reply.usage is not None:
            desk.charge(model, reply.usage)
        elif desk.ledger.is_capped:
            raise RequestError(
                f"{self.base_name} does not say how many tokens it took: no cap can be kept, leave out "
                "--max-cost and --max-tokens-total"
            )
        return reply

    def _connected(self) -> ChatClient:
        """Return the client of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            timeout = self._desk.settings.timeout
            self._client = ChatClient(self._address.url, self._key, self.base_name, timeout, self._dropped)
            self._loop = loop
        return self._client
