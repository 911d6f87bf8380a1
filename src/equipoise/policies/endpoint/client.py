"""One request to a chat endpoint through the official client, with what goes wrong sorted by what helps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.endpoint.attempts import Busy, Down, Late, MalformedError, retry_after
from equipoise.policies.endpoint.words import one_line, redact

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

__all__ = ["ChatClient"]

OPTIONAL = ("seed", "top_logprobs", "logprobs")
"""Fields that a server may not know; without them it is asked the same."""

TURNED_AWAY = (429, 503, 529)
FILTERED = ("content_filter", "content_policy")


class ChatClient:
    """Talks to one server within one event loop.

    Attributes:
        dropped: Fields that the server refused, left out from then on.
    """

    def __init__(self, url: str, key: str, name: str, timeout: float, dropped: set[str]) -> None:
        """Take the base URL, the key, the name that messages use, seconds, and fields to leave out."""
        from openai import AsyncOpenAI

        self.dropped = dropped
        self._key, self._name = key, name
        # Waits and tries are ours: they are the same in every run.
        self._client: AsyncOpenAI = AsyncOpenAI(
            api_key=key or "none", base_url=url, timeout=timeout, max_retries=0
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def ask(self, payload: Mapping[str, Any]) -> Any:
        """Return the body of a response as JSON data.

        Raises:
            Busy: The server asks for patience.
            Down: It cannot be reached or fails.
            Late: It took too long.
            MalformedError: It sent no JSON.
            RequestError: It refuses the key, the model or the question.
        """
        import openai

        while True:
            sent = {name: value for name, value in payload.items() if name not in self.dropped}
            if "max_tokens" in self.dropped:
                sent["max_completion_tokens"] = payload["max_tokens"]
            try:
                raw = await self._client.chat.completions.with_raw_response.create(**sent)
            except openai.APITimeoutError:
                raise Late("the connection timed out") from None
            except openai.APIStatusError as error:
                found = self._refused(error, sent)
                if found is not None:
                    return found
                continue
            except openai.APIConnectionError as error:
                raise Down(self._said(error.__cause__ or error)) from None
            return self._body(raw.http_response.content)

    def _body(self, content: bytes) -> Any:
        text = content.decode("utf-8", "replace")
        try:
            return json.loads(redact(text, self._key))
        except (ValueError, RecursionError):
            raise MalformedError("the response is no JSON") from None

    def _refused(self, error: APIStatusError, sent: Mapping[str, Any]) -> Any:
        """Return a body in place of an error, or None to ask again with less; raise what is left."""
        status, whole = error.status_code, error.response.text
        body = error.body if isinstance(error.body, dict) else {}
        said = self._said(body.get("message") or whole)
        if status in TURNED_AWAY and "insufficient_quota" not in whole:
            raise Busy(f"status {status}", retry_after(error.response.headers))
        if status == 408:
            raise Late("status 408")
        if status >= 500:
            raise Down(f"status {status}: {said}" if said else f"status {status}")
        if status == 400 and any(word in whole for word in FILTERED):
            return {
                "choices": [{"finish_reason": "content_filter", "message": {"content": ""}}],
                "usage": _FREE,
            }
        if status in (400, 422):
            for field in OPTIONAL:
                if field in sent and field in whole:
                    self.dropped.update(("top_logprobs", "logprobs") if "logprobs" in field else (field,))
                    return None
            if "max_tokens" in sent and "max_completion_tokens" in whole:
                self.dropped.add("max_tokens")
                return None
        if status == 429:
            raise EquipoiseError(f"{self._name}: {said}")
        raise RequestError(f"{self._name} refuses the request (status {status}): {said}{_hint(status)}")

    def _said(self, text: object) -> str:
        return one_line(text, self._key)


_FREE = {"prompt_tokens": 0, "completion_tokens": 0}


def _hint(status: int) -> str:
    if status in (401, 403):
        return "; check the key in the environment (--api-key-env NAME)"
    return "; check the model and the URL" if status in (404, 405) else ""
