"""What a chat endpoint said, read from any JSON it may send, and the choice that it amounts to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.policies.endpoint.attempts import MalformedError
from equipoise.policies.endpoint.ledger import Usage
from equipoise.policies.endpoint.words import writable
from equipoise.prompts.base import Renderer
from equipoise.types import Choice, Decision, Generation, StopReason, Validity

__all__ = ["Alternatives", "Reply", "judge", "read_reply", "read_usage"]

Alternatives = tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
"""For each token its text, and the likeliest tokens in its place with their log-probabilities."""

_REFUSING = re.compile(
    r"^\W*(i['’]?m sorry|i am sorry|sorry|i apologi[sz]e|as an ai\b|unfortunately|"
    r"i (can['’]?t|cannot|can not|won['’]?t|will not|must decline|am unable|am not able|decline)|"
    r"i['’]m (unable|not able))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One completion.

    Attributes:
        text: What it says.
        finish: Why it ended, in the endpoint's words (``stop``, ``length``, ``content_filter`` …).
        refusal: What the endpoint gives as a refusal; empty if it gives none.
        alternatives: Log-probabilities, where they were asked for and given.
        usage: Tokens it took, or None where the endpoint does not say.
    """

    text: str
    finish: str = "stop"
    refusal: str = ""
    alternatives: Alternatives = ()
    usage: Usage | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the reply as JSON data."""
        return {
            "text": self.text,
            "finish": self.finish,
            "refusal": self.refusal,
            "alternatives": self.alternatives,
            "usage": self.usage,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reply:
        """Read what :meth:`to_json` returned."""
        rows = tuple(
            (str(token), tuple((str(word), float(value)) for word, value in row))
            for token, row in data["alternatives"]
        )
        usage = None if data["usage"] is None else Usage(*map(int, data["usage"]))
        return cls(str(data["text"]), str(data["finish"]), str(data["refusal"]), rows, usage)


def read_reply(body: Any) -> Reply:
    """Return the first completion of a response, however many there are.

    Raises:
        MalformedError: There is none.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list):
        raise MalformedError("the response has no choices")
    if not choices:
        raise MalformedError("the list of choices is empty")
    first = choices[0]
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise MalformedError("the first choice has no message")
    return Reply(
        _text(message.get("content")),
        writable(str(first.get("finish_reason") or "stop")),
        _text(message.get("refusal")),
        _alternatives(first.get("logprobs")),
        read_usage(body),
    )


def read_usage(body: Any) -> Usage | None:
    """Return the tokens that a response says it took."""
    usage = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 0 for one in counts):
        return None
    return Usage(*(int(one) for one in counts if one is not None))


def judge(reply: Reply, decision: Decision, renderer: Renderer) -> Choice:
    """Return the choice that a reply amounts to: strict reading of its last line, failures as data."""
    stop = StopReason.LENGTH if reply.finish == "length" else StopReason.FINISHED
    said = reply.text or reply.refusal
    made = (Generation("action", (), (), (), (), stop, trainable=False, text=said),)
    if reply.finish == "content_filter":
        return Choice(None, Validity.REFUSAL, generations=made, detail="stopped by a content filter")
    if reply.refusal:
        return Choice(None, Validity.REFUSAL, generations=made, detail="refused")
    action = renderer.parse(reply.text, decision.legal or ())
    # What was cut off in a free-text task is not what would have been said.
    if action is not None and not (decision.legal is None and stop is StopReason.LENGTH):
        return Choice(action, generations=made)
    if stop is StopReason.LENGTH:
        return Choice(None, Validity.TRUNCATED, generations=made, detail="no action within the token budget")
    if _REFUSING.match(reply.text):
        return Choice(None, Validity.REFUSAL, generations=made, detail="refused in words")
    return Choice(None, Validity.INVALID, generations=made, detail="no legal action on the last line")


def _text(content: Any) -> str:
    """Return text, also where it comes in parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return writable(content) if isinstance(content, str) else ""


def _alternatives(logprobs: Any) -> Alternatives:
    rows = logprobs.get("content") if isinstance(logprobs, dict) else None
    try:
        return tuple(
            (
                writable(str(row["token"])),
                tuple((writable(str(one["token"])), float(one["logprob"])) for one in row["top_logprobs"]),
            )
            for row in rows or ()
        )
    except (KeyError, TypeError, ValueError):
        return ()
