"""Scripted players that know nothing of an environment but the form of its moves: words in brackets.

TextArena's environments list what may be done as ``'[bet]'`` in what they show. ``random`` plays one of those
that were listed last. The others answer the same each time, which is a move in some environments only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from equipoise.opponents.pools import Pools
from equipoise.tasks.base import View
from equipoise.tasks.registry import Actor
from equipoise.types import Decision

__all__ = ["ACTORS", "POOLS", "listed"]

_MOVE = re.compile(r"'(\[[^\[\]'\n]{1,40}\])'")
_WHOLE = 12
"""Most moves of a list."""


def listed(text: str) -> tuple[str, ...]:
    """Return the moves in quotation marks on the last line that has any, or all there are if it has one."""
    lines = [_MOVE.findall(line) for line in text.splitlines()]
    last: list[str] = next((found for found in reversed(lines) if found), [])
    if len(last) < 2 and not any(len(found) > 1 for found in lines):
        last = [move for found in lines for move in found]
    return tuple(dict.fromkeys(last))[-_WHOLE:]


def _random(decision: Decision) -> str:
    view = decision.observation
    assert isinstance(view, View)
    moves = listed(view.lines[-1].text)
    if not moves:
        return "I pass."
    return moves[int(decision.draws.uniform("move") * len(moves))]


def _always(text: str) -> Callable[[Decision], str]:
    return lambda decision: text


ACTORS: Mapping[str, Actor] = {
    "random": _random,
    "cooperates": _always("[Cooperate]"),
    "defects": _always("[Defect]"),
    "accepts": _always("[Accept]"),
    "denies": _always("[Deny]"),
    "silent": _always("..."),
}
"""The players by name."""

POOLS = Pools(train=("random",), exploiter=("random",))
"""Whom a policy meets unless told otherwise: a weak measure of anything; name your own."""
