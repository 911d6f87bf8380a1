"""``http:URL``: an agent behind a URL, one POST a decision."""

from __future__ import annotations

import asyncio
import hashlib
import os
from typing import TYPE_CHECKING, Any

from equipoise.errors import RequestError
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.attempts import (
    Busy,
    Down,
    Late,
    MalformedError,
    attempt,
    retry_after,
)
from equipoise.policies.endpoint.limiter import Limiter
from equipoise.policies.endpoint.question import question, read_answer
from equipoise.policies.endpoint.settings import EndpointSettings
from equipoise.policies.endpoint.words import one_line, redact
from equipoise.prompts.base import PLAIN
from equipoise.types import Choice, Decision, Validity

if TYPE_CHECKING:
    import httpx

__all__ = ["LONGEST_ANSWER", "ServerPolicy"]

LONGEST_ANSWER = 1_000_000
"""Bytes of an answer that are read."""

WRONG_PLACE = (401, 403, 404, 405)


class ServerPolicy(AsyncPolicy):
    """Asks a server of the user's own; what it gets wrong is data, where it is not is an error."""

    def __init__(self, spec: str, url: str, settings: EndpointSettings, wording: str = PLAIN) -> None:
        """Take the name, the URL, how to ask and how prompts put the game.

        Raises:
            RequestError: A key is named that the environment lacks.
        """
        self.name, self._url, self._settings, self._wording = spec, url, settings, wording
        self.limit = settings.concurrency or AsyncPolicy.limit
        self.fingerprint = hashlib.sha256(f"{url}\n{wording}".encode()).hexdigest()[:16]
        self._key = _key(settings)
        self._limiter = Limiter(self.limit)
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def decide(self, decision: Decision) -> Choice:
        """Send the decision and read the answer."""
        asked = question(decision, self._wording)
        self._connected()
        try:
            content = await attempt(
                lambda: self._post(asked), decision.draws, self._limiter, self._settings, self.name
            )
            return read_answer(content, decision, self._wording)
        except Late as error:
            return Choice(None, Validity.TIMEOUT, detail=str(error))
        except MalformedError as error:
            return Choice(None, Validity.INVALID, detail=str(error))

    async def close(self) -> None:
        """Close all connections; the next question opens them again."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _post(self, asked: dict[str, Any]) -> bytes:
        client = self._connected()
        import httpx

        try:
            async with client.stream("POST", self._url, json=asked) as response:
                self._check(response)
                content = await _read(response)
        except httpx.TimeoutException:
            raise Late("the connection timed out") from None
        except httpx.HTTPError as error:
            raise Down(one_line(str(error) or type(error).__name__, self._key)) from None
        return redact(content.decode("utf-8", "replace"), self._key).encode()

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status in (429, 503):
            raise Busy(f"status {status}", retry_after(response.headers))
        if status in WRONG_PLACE:
            raise RequestError(
                f"{self.name} refuses the question (status {status}): check the URL and the key"
            )
        if not 200 <= status < 300:
            raise MalformedError(f"status {status}")

    def _connected(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            import httpx

            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            self._client = httpx.AsyncClient(headers=headers, timeout=self._settings.timeout)
            self._loop = loop
        return self._client


async def _read(response: httpx.Response) -> bytes:
    content = b""
    async for part in response.aiter_bytes():
        content += part
        if len(content) > LONGEST_ANSWER:
            raise MalformedError(f"the answer is longer than {LONGEST_ANSWER} bytes")
    return content


def _key(settings: EndpointSettings) -> str:
    """Return the key that was asked for by name; nobody's key goes to an agent unasked."""
    if settings.api_key_env is None:
        return ""
    key = os.environ.get(settings.api_key_env, "").strip()
    if not key:
        raise RequestError(
            f"the environment has no {settings.api_key_env}: set it, or leave out --api-key-env"
        )
    return key
