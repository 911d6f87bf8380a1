"""What a strategist with a finite list of advice keeps of a situation: a key, by which its rows are found.

In games a key is that of a state abstraction (``policies.abstractions``), so that the strategist has finite
memory and can be valued exactly. In tasks it is a function of the view: of what the seat knows, its own
figures among it, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.errors import unknown
from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.policies.abstractions.base import Abstraction
from equipoise.policies.abstractions.registry import abstraction_names, abstraction_of
from equipoise.tasks.base import View
from equipoise.types import Decision

__all__ = ["StateKey", "key_names", "state_key"]


@dataclass(frozen=True)
class StateKey:
    """A named map from decisions to keys.

    Attributes:
        name: Its name.
        of: The map.
        abstraction: The same in finite-memory form; None in tasks.
    """

    name: str
    of: Callable[[Decision], str]
    abstraction: Abstraction | None = None


_ALWAYS = Abstraction("none", "nothing", ("always",), (), lambda memory, observation: "always")
_ROUND = Abstraction(
    "turn",
    "the round",
    (),
    (),
    lambda memory, observation: f"turn {memory}",
    first=0,
    learn=lambda memory, signal: memory + 1,
)


def _offers(decision: Decision) -> str:
    from equipoise.policies.phrases.dialogue import offers_key

    return offers_key(decision)


def _turn(decision: Decision) -> str:
    view = decision.observation
    assert isinstance(view, View)
    return f"turn {view.turn}"


_IN_TASKS: Mapping[str, Callable[[Decision], str]] = {"none": lambda decision: "always", "turn": _turn}
_OF_TASK: Mapping[str, Mapping[str, Callable[[Decision], str]]] = {"social": {"offers": _offers}}


def key_names(rules: Rules) -> list[str]:
    """Return the names of the keys there are in a game or task, the most telling last."""
    if isinstance(rules, Game):
        return ["none", "turn", *abstraction_names(rules.name)]
    return [*_IN_TASKS, *_OF_TASK.get(rules.name, {})]


def state_key(name: str, rules: Rules) -> StateKey:
    """Return a key by name.

    Args:
        name: ``none`` keeps nothing, ``turn`` the number of the seat's turn (of the round, in games); games
            have the names of their state abstractions besides, ``social`` has ``offers``.
        rules: The game or task.

    Raises:
        RequestError: There is no such key here; the message names the nearest.
    """
    names = key_names(rules)
    if name not in names:
        raise unknown("state key", name, names)
    if not isinstance(rules, Game):
        return StateKey(name, {**_IN_TASKS, **_OF_TASK.get(rules.name, {})}[name])
    plain = {"none": _ALWAYS, "turn": _ROUND}
    kept = plain[name] if name in plain else abstraction_of(rules, name)
    return StateKey(name, lambda decision: _key(kept, decision), kept)


def _key(kept: Abstraction, decision: Decision) -> str:
    observation: Any = decision.observation
    return kept.key(kept.memory(decision.history), observation)
