"""The strategist: a softmax over pieces of advice, with a row of logits for each key of the situation.

Its strategies are generations like those of a language model, so the same trainers take them: the prompt's
"tokens" are the bytes of the key, the completion's one "token" is the number of the piece.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import RequestError
from equipoise.files import write_text
from equipoise.games.match import pick
from equipoise.games.rules import Rules
from equipoise.policies.phrases.advice import advice_of
from equipoise.policies.phrases.keys import StateKey, state_key
from equipoise.types import STRATEGIST, Decision, Generation, StopReason

__all__ = ["FILE", "PhraseAdviser", "encoded", "load_phrases"]

FORMAT, SCHEMA = "equipoise.phrases", 1
FILE = "phrases.json"
"""Name of the file in a folder of weights."""

Array = NDArray[np.float64]


class PhraseAdviser:
    """Draws a piece of advice at every decision.

    Attributes:
        rules: The game or task it is for.
        key: What it keeps of a situation.
        advice: The pieces.
        logits: (A,) by key; a key without a row advises uniformly.
        version: Training step.
        trainable: Whether its choices may be trained.
    """

    def __init__(
        self,
        rules: Rules,
        key: StateKey,
        advice: Sequence[str],
        logits: Mapping[str, Sequence[float]] | None = None,
        name: str = "phrases",
        *,
        trainable: bool = True,
    ) -> None:
        """Take the game, the key, the pieces, and the logits of rows that are not uniform."""
        self.rules, self.key, self.advice = rules, key, tuple(advice)
        self.logits = {row: np.array(values, dtype=np.float64) for row, values in (logits or {}).items()}
        self.name, self.version, self.trainable = name, 0, trainable
        self.fingerprint = f"phrases/{hashlib.sha256(self.dump().encode()).hexdigest()[:16]}"

    def probabilities(self, row: str) -> Array:
        """Return (A,): the distribution over pieces at a key."""
        return self.softmax(self.logits.get(row), len(self.advice))

    @staticmethod
    def softmax(logits: Array | None, size: int) -> Array:
        """Return (size,): the distribution of logits; uniform if None."""
        if logits is None:
            return np.full(size, 1.0 / size)
        weights = np.exp(logits - logits.max())
        return np.asarray(weights / weights.sum())

    def advise(self, decisions: Sequence[Decision]) -> list[Generation]:
        """Draw a piece for each decision, from draws of the strategist's own."""
        return [self._advise(decision) for decision in decisions]

    def save(self, path: Path) -> None:
        """Write the strategist."""
        write_text(path, self.dump())

    def dump(self) -> str:
        """Return the file's text; logits are exact."""
        data = {
            "format": FORMAT,
            "schema": SCHEMA,
            "game": self.rules.info_record.key,
            "key": self.key.name,
            "advice": list(self.advice),
            "logits": {row: self.logits[row].tolist() for row in sorted(self.logits)},
        }
        return json.dumps(data, indent=1)

    def _advise(self, decision: Decision) -> Generation:
        row = self.key.of(decision)
        p = self.probabilities(row)
        outcomes = [(number, float(share)) for number, share in enumerate(p)]
        chosen = int(pick(outcomes, decision.draws.uniform(f"{STRATEGIST}/phrase")))  # type: ignore[call-overload]
        return Generation(
            STRATEGIST,
            encoded(row),
            (chosen,),
            (float(np.log(p[chosen])),),
            (1,),
            StopReason.FINISHED,
            trainable=self.trainable,
            text=self.advice[chosen],
        )


def encoded(row: str) -> tuple[int, ...]:
    """Return a key in the place of a prompt's tokens."""
    return tuple(row.encode())


def load_phrases(path: Path | None, rules: Rules, name: str | None = None) -> PhraseAdviser:
    """Read a strategist from its file, or from the folder it is in; one that advises uniformly if None.

    Raises:
        RequestError: The file cannot be read or holds none, or one for another game.
    """
    if path is None:
        key = state_key("turn", rules)
        return PhraseAdviser(rules, key, advice_of(rules.name), name=name or "phrases", trainable=False)
    path = path / FILE if path.is_dir() else path
    data = _read(path)
    if data["game"] != rules.info_record.key:
        raise RequestError(f"{str(path)!r} advises in {data['game']}, not in {rules.info_record.key}")
    advice, logits = data["advice"], data["logits"]
    key = state_key(str(data["key"]), rules)
    return PhraseAdviser(rules, key, advice, logits, name or f"phrases:{path}", trainable=False)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"cannot read strategist {str(path)!r}: {error.strerror}") from None
    except ValueError:
        raise RequestError(f"strategist {str(path)!r} is no JSON") from None
    if not isinstance(data, dict) or (data.get("format"), data.get("schema")) != (FORMAT, SCHEMA):
        raise RequestError(
            f'{str(path)!r} is no list of advice: it lacks "format": "{FORMAT}", schema {SCHEMA}'
        )
    width = len(data.get("advice") or ())
    rows = data.get("logits")
    if not width or not isinstance(rows, dict) or any(len(row) != width for row in rows.values()):
        raise RequestError(f"{str(path)!r} is damaged: write it anew")
    return data
