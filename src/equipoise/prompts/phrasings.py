"""Ways to say each kind of advice that a game or a task knows, as texts to learn the form from.

They are a share of what actors understand, never all of it: a strategist that was taught them may find
other words, and is understood all the same (``policies/phrasebook.py`` and the tasks' own parsers).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from equipoise.errors import RequestError, unknown

__all__ = ["phrasings", "phrasings_known"]

FOLDER = "equipoise.prompts.advice"


def phrasings_known() -> list[str]:
    """Return the games and tasks that have texts of advice."""
    names = [entry.name for entry in files(FOLDER).iterdir()]
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def phrasings(game: str, intents: Sequence[str] = ()) -> Mapping[str, tuple[str, ...]]:
    """Return texts of advice by intent.

    Args:
        game: Name of the game or task.
        intents: Which intents; all if empty.

    Raises:
        RequestError: There are no texts for the game, or it has no such intent.
    """
    if game not in phrasings_known():
        raise RequestError(
            f"there are no texts of advice for {game!r}: there are some for "
            f"{', '.join(phrasings_known())}; else leave the table sft out"
        )
    found = _read(game)
    for name in intents:
        if name not in found:
            raise unknown(f"intent of {game}", name, found)
    return {name: found[name] for name in (intents or found)}


@cache
def _read(game: str) -> dict[str, tuple[str, ...]]:
    text = files(FOLDER).joinpath(f"{game}.toml").read_text(encoding="utf-8")
    return {intent: tuple(texts) for intent, texts in tomllib.loads(text).items()}
