"""The protocol of ``http:`` and ``command:`` agents: a decision as JSON, and an answer read from JSON.

It is written down in ``docs/endpoints.md``; a change of it raises ``PROTOCOL``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from equipoise.policies.endpoint.attempts import MalformedError
from equipoise.policies.endpoint.words import writable
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.types import Action, Choice, Decision, Generation, StopReason, Validity

__all__ = ["PROTOCOL", "question", "read_answer"]

PROTOCOL = 1
SEEDS = 2**31


def question(decision: Decision, wording: str = PLAIN) -> dict[str, Any]:
    """Return what an agent is asked.

    The episode's identifier names pool and opponent, which the agent must not know: it gets a hash of it.
    """
    renderer = get_renderer(decision.rules.name, wording)
    prompt = renderer.prompt(decision)
    legal = decision.legal
    episode = hashlib.sha256(f"{decision.episode}|{decision.seat}".encode()).hexdigest()[:16]
    asked = {
        "protocol": PROTOCOL,
        "id": f"{episode}.{decision.index}.{decision.retry}",
        "game": decision.rules.name,
        "episode": episode,
        "seat": decision.seat,
        "round": decision.round,
        "step": decision.step,
        "retry": decision.retry,
        "info": dict(decision.info),
        "legal": None if legal is None else list(legal),
        "words": None if legal is None else [renderer.say(action) for action in legal],
        "advice": list(decision.advice),
        "prompt": prompt.rules + prompt.situation,
        "seed": int(decision.draws.uniform("seed") * SEEDS),
    }
    plain: dict[str, Any] = json.loads(json.dumps(asked, default=str))
    return plain


def read_answer(content: bytes, decision: Decision, wording: str = PLAIN) -> Choice:
    """Return the choice that an answer amounts to.

    Raises:
        MalformedError: It is no JSON object with ``action`` or ``text``, or belongs to another question.
    """
    data = _object(content)
    given = data.get("id")
    if given is not None and given != question(decision, wording)["id"]:
        raise MalformedError(f"the answer belongs to another question ({str(given)[:60]!r})")
    if ("action" in data) == ("text" in data):
        raise MalformedError("the answer has either action or text, and not both")
    if "action" in data:
        return _action(data["action"], decision)
    if not isinstance(data["text"], str):
        raise MalformedError("text is no string")
    return _text(data["text"], decision, wording)


def _object(content: bytes) -> Mapping[str, Any]:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise MalformedError("the answer is no JSON") from None
    if not isinstance(data, dict):
        raise MalformedError("the answer is no JSON object")
    return data


def _action(given: Any, decision: Decision) -> Choice:
    """Return an action that is given as the rules know it; lists stand for tuples, True is not 1."""
    action: Action = tuple(given) if isinstance(given, list) else given
    if decision.legal is None:
        if isinstance(action, str) and action:
            return Choice(writable(action))
        return Choice(None, Validity.INVALID, detail="in a free-text task an action is text")
    if any(_same(action, legal) for legal in decision.legal):
        return Choice(action)
    return Choice(None, Validity.INVALID, detail=f"{writable(str(given))[:60]!r} is not legal")


def _same(action: Any, legal: Action) -> bool:
    if type(action) is not type(legal) or action != legal:
        return False
    return not isinstance(action, tuple) or all(type(one) is int for one in action)


def _text(text: str, decision: Decision, wording: str) -> Choice:
    text = writable(text)
    made = (Generation("action", (), (), (), (), StopReason.FINISHED, trainable=False, text=text),)
    action = get_renderer(decision.rules.name, wording).parse(text, decision.legal or ())
    if action is None:
        return Choice(None, Validity.INVALID, generations=made, detail="no legal action on the last line")
    return Choice(action, generations=made)
