"""Questions to a writer whose replies must be readable: asked again where they are not, kept by content.

What was asked once is never asked again by the same asker, also in a run that is taken up again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from equipoise.prompts.base import Prompt

__all__ = ["Asker", "Form", "Writer", "Written"]

T = TypeVar("T")
Draw = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Written:
    """A text from a model.

    Attributes:
        text: The text.
        tokens: Tokens read and written.
    """

    text: str
    tokens: int


class Writer(Protocol):
    """Writes texts: a local language model or an endpoint.

    Attributes:
        name: How reports name it.
        fingerprint: Identifies its behaviour.
    """

    name: str
    fingerprint: str

    def write(self, prompts: Sequence[Prompt], draws: Sequence[Draw]) -> list[Written]:
        """Return a text for each prompt, drawn with its own randomness."""
        ...


class Form(Protocol[T]):
    """What answers are like."""

    def read(self, number: int, text: str) -> T | None:
        """Return what a reply to the question of a number says, or None if it cannot be read."""
        ...

    def close(self, number: int, found: T | None, attempts: int, tokens: int) -> T:
        """Return an answer with what it took; where no reply could be read, what stands for that."""
        ...

    def dump(self, answer: T) -> Mapping[str, Any]:
        """Return an answer as JSON data."""
        ...

    def load(self, data: Mapping[str, Any]) -> T:
        """Read what :meth:`dump` returned."""
        ...


@dataclass
class Asker(Generic[T]):
    """Asks a writer.

    Attributes:
        writer: Who is asked.
        draw: Gives the randomness of an attempt: (question key, attempt) to draws by purpose.
        fingerprint: Identifies the asker; answers of others are not taken.
        retries: How often an unreadable reply is asked for again.
        path: The file that answers are kept in; None keeps them in memory.
        known: Answers by key.
    """

    writer: Writer
    draw: Callable[[str, int], Draw]
    fingerprint: str
    retries: int
    path: Path | None
    known: dict[str, T] = field(default_factory=dict)

    def restore(self, form: Form[T]) -> None:
        """Read what was answered before."""
        if self.path is None or not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            data = _line(line)
            if data is not None:
                key = data.pop("key")
                self.known[key] = form.load(data)

    def ask(self, prompts: Sequence[Prompt], form: Form[T]) -> tuple[list[T], list[T]]:
        """Return an answer for each prompt, and those that are new; equal prompts are asked once.

        Args:
            prompts: The questions.
            form: What answers are like.
        """
        keys = [self.key(prompt) for prompt in prompts]
        missing = {key: i for i, key in enumerate(keys) if key not in self.known}
        found: dict[str, T] = {}
        spent = dict.fromkeys(missing, 0)
        for attempt in range(1 + self.retries):
            asked = [key for key in missing if key not in found]
            if not asked:
                break
            rows = [missing[key] for key in asked]
            replies = self.writer.write([prompts[i] for i in rows], [self.draw(k, attempt) for k in asked])
            for key, row, reply in zip(asked, rows, replies, strict=True):
                spent[key] += reply.tokens
                answer = form.read(row, reply.text)
                if answer is not None:
                    found[key] = form.close(row, answer, attempt + 1, spent[key])
        for key, row in missing.items():
            if key not in found:
                found[key] = form.close(row, None, 1 + self.retries, spent[key])
        self._keep(found, form)
        return [self.known[key] for key in keys], [found[key] for key in missing]

    def key(self, prompt: Prompt) -> str:
        """Return the key of a question: a hash of the asker and of all that is read."""
        text = json.dumps([self.fingerprint, prompt.rules, prompt.situation])
        return hashlib.sha256(text.encode()).hexdigest()

    def _keep(self, found: Mapping[str, T], form: Form[T]) -> None:
        self.known.update(found)
        if self.path is not None and found:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                for key, answer in found.items():
                    file.write(json.dumps({"key": key, **form.dump(answer)}) + "\n")


def _line(text: str) -> dict[str, Any] | None:
    """Return a kept answer; None for the half line that an interruption leaves."""
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) and "key" in data else None
