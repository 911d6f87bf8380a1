"""What each strategy of an episode means to the scripted actors' parsers, and whether the actor followed it.

What is checked is the act, not its reason: an actor that would have done the same without advice counts as
having followed it. Intents whose following cannot be seen in one action (to guard a secret, to compare) are
not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.policies.phrasebook import intended
from equipoise.rollout.recorded import recorded_decisions
from equipoise.tasks.household import advice as household
from equipoise.tasks.shop import advice as shop
from equipoise.tasks.social import advice as social
from equipoise.tasks.social.acts import Kind, Reading, read
from equipoise.tasks.social.task import Social
from equipoise.types import STRATEGIST, Episode, Turn

__all__ = ["Told", "told"]


@dataclass(frozen=True, slots=True)
class Told:
    """A strategy.

    Attributes:
        text: What was said.
        intents: What it means; in games, the action in words.
        followed: Whether the action shows that it was followed; None where that cannot be seen.
    """

    text: str
    intents: frozenset[str]
    followed: bool | None


def told(rules: Rules, episode: Episode) -> list[Told]:
    """Return the strategies of the seat under study, in order; nothing in tasks without a parser."""
    if isinstance(rules, Game):
        return list(_in_game(rules, episode))
    if isinstance(rules, Social):
        return list(_in_dialogue(rules, episode))
    parser = _PARSERS.get(rules.name)
    if parser is None:
        return []
    found = []
    for turn, text in _advised(episode):
        intents = frozenset(str(one) for one in parser(text))
        found.append(Told(text, intents, _done(rules.name, intents, str(turn.action))))
    return found


_PARSERS: Mapping[str, Callable[[str], frozenset[str]]] = {
    "shop": lambda text: frozenset(str(one) for one in shop.intents(text)),
    "household": lambda text: frozenset(str(one) for one in household.intents(text)),
}

_SIGNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "shop": {
        "search": ("search[",),
        "narrow": ("search[",),
        "buy": ("click[buy",),
        "back": ("click[back", "click[<", "click[prev"),
        "next": ("click[next",),
    },
    "household": {
        "search": ("go to", "open", "look", "examine"),
        "take": ("take", "go to"),
        "clean": ("clean", "go to"),
        "heat": ("heat", "go to"),
        "cool": ("cool", "go to"),
        "light": ("toggle", "turn on", "use", "go to"),
        "put": ("put", "move", "go to"),
        "open": ("open",),
        "look": ("look",),
    },
}
"""How actions begin that follow an intent; in a home one may have to walk first."""


def _advised(episode: Episode) -> Iterator[tuple[Turn, str]]:
    for turn in episode.turns:
        if turn.seat == episode.seat:
            for made in turn.choice.generations:
                if made.role == STRATEGIST:
                    yield turn, made.text


def _done(task: str, intents: frozenset[str], action: str) -> bool | None:
    signs = [sign for intent in intents for sign in _SIGNS[task].get(intent, ())]
    return action.strip().casefold().startswith(tuple(signs)) if signs else None


def _in_game(game: Game, episode: Episode) -> Iterator[Told]:
    asked = {id(turn): decision for turn, decision in recorded_decisions(game, episode)}
    for turn, text in _advised(episode):
        decision = asked.get(id(turn))
        action = None if decision is None else intended(text, decision)
        words = frozenset() if action is None else frozenset([str(action)])
        yield Told(text, words, None if action is None else action == turn.action)


def _in_dialogue(task: Social, episode: Episode) -> Iterator[Told]:
    scenario = task.by_id[str(episode.notes["scenario"])]
    full = task.options.actions == "full"
    before: Reading | None = None
    for turn, text in _advised(episode):
        intents = frozenset(str(one) for one in social.intents(text))
        reading = read(scenario, episode.seat, str(turn.action), full)
        yield Told(text, intents, _acted(intents, reading, before, str(turn.action)))
        before = reading if reading.offer is not None else before


def _acted(intents: frozenset[str], reading: Reading, before: Reading | None, said: str) -> bool | None:
    """Tell whether a turn of a dialogue does one of the things that were asked for and can be seen."""
    last = None if before is None else before.offer
    signs: dict[str, bool] = {
        "accept": reading.accepts,
        "leave": reading.kind is Kind.LEAVE,
        "ask": "?" in said,
        "firm": not reading.accepts and (reading.offer is None or last is None or reading.offer == last),
        "concede": reading.accepts or (reading.offer is not None and reading.offer != last),
    }
    seen = [signs[intent] for intent in intents if intent in signs]
    return any(seen) if seen else None
