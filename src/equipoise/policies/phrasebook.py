"""What advice means in a game, for a scripted actor: from free text to an intent, by documented phrases.

An intent is an action, or a rule from what the seat knows to an action. A text means an intent if it holds
one of its phrases and none of any other intent's; a phrase that is negated ("do not cooperate") means the
opposite one where there is one, else nothing. Text that means nothing, or several things, changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from equipoise.policies.bargaining import PIE, SHARES
from equipoise.policies.intent import Intent
from equipoise.prompts.registry import get_renderer
from equipoise.types import Action, Decision

__all__ = ["Intent", "intended", "intents", "recall"]

_NEGATION = re.compile(
    r"\b(?:do not|don't|dont|never|not to|no need to|stop|avoid|refuse to|instead of)\s+(?:\w+\s+)?$"
)


def _always(action: Action) -> Callable[[Decision], Action]:
    return lambda decision: action


def _last(decision: Decision) -> Action:
    """Return what the other did last; cooperate at first."""
    other = decision.info["other"]
    assert isinstance(other, tuple | list)
    return str(other[-1]) if other else "COOPERATE"


def _grim(decision: Decision) -> Action:
    """Cooperate until the other has defected once."""
    other = decision.info["other"]
    assert isinstance(other, tuple | list)
    return "DEFECT" if "DEFECT" in other else "COOPERATE"


_DILEMMA = (
    Intent(
        "reciprocate",
        (
            r"tit[- ]for[- ]tat",
            r"reciprocat\w*",
            r"mirror\w*",
            r"cop(?:y|ies|ying) (?:their|the other|his|her|its|what)",
            r"match (?:their|the other|his|her|its)",
            r"do what (?:they|the other|he|she) did",
            r"return (?:their|the) (?:favou?r|move)",
            r"repay (?:in kind|kindness|them)",
            r"respond in kind",
            r"echo (?:their|the other)",
        ),
        _last,
        recall=1,
    ),
    Intent(
        "grim",
        (
            r"until (?:they|the other|he|she|it) (?:betray|defect|cheat|break)\w*",
            r"unless (?:they|the other|he|she|it) (?:betray|defect|cheat|break)\w*",
            r"once (?:they|the other) (?:betray|defect|cheat)\w*",
            r"grim(?: trigger)?",
            r"never forgive\w*",
            r"punish (?:any|every|the first) \w+",
        ),
        _grim,
        recall=None,
    ),
    Intent(
        "cooperate",
        (
            r"co-?operat\w*",
            r"collaborat\w*",
            r"trust(?:ing)? (?:them|the other|your partner|each other|him|her)",
            r"be (?:nice|kind|generous|friendly|fair|trusting|a team player)",
            r"work together",
            r"work with (?:them|the other|your partner)",
            r"stay (?:loyal|friendly|true)",
            r"keep (?:the peace|faith|trust|your word)",
            r"help (?:them|the other|each other|your partner)",
            r"build trust",
            r"share the gains?",
            r"aim for mutual (?:benefit|gain|reward)\w*",
            r"go for the joint (?:gain|payoff)\w*",
            r"choose c\b",
            r"play c\b",
            r"join forces",
            r"show good ?will",
            r"forgive (?:them|the other)",
            r"win[- ]win",
            r"team up",
            r"support (?:them|the other|your partner)",
        ),
        _always("COOPERATE"),
        opposite="defect",
    ),
    Intent(
        "defect",
        (
            r"defect\w*",
            r"betray (?:them|the other|your partner|now|first)",
            r"betray$",
            r"cheat (?:them|the other|now)",
            r"exploit (?:them|the other|their)",
            r"take advantage",
            r"be (?:selfish|greedy|ruthless|tough|mean)",
            r"look out for yourself",
            r"protect yourself",
            r"guard yourself",
            r"play (?:it )?safe",
            r"take (?:the|your) (?:full|whole|bigger|larger) (?:share|payoff|gain)",
            r"choose d\b",
            r"play d\b",
            r"grab (?:the|what|all)\b",
            r"strike first",
            r"turn on (?:them|the other)",
            r"keep it all",
            r"think of yourself",
            r"stab (?:them|the other) in the back",
            r"be hostile",
            r"attack\b",
        ),
        _always("DEFECT"),
        opposite="cooperate",
    ),
)

_BOOKS: Mapping[str, tuple[Intent, ...]] = {"ipd": _DILEMMA, "split": PIE, "multi_issue": SHARES}


def intents(game: str) -> tuple[Intent, ...]:
    """Return the intents of a game beyond the words for its actions."""
    return _BOOKS.get(game, ())


def recall(game: str) -> int | None:
    """Return how many past rounds what advice means depends on in a game; None for all of them."""
    depths = [one.recall for one in intents(game)]
    known = [depth for depth in depths if depth is not None]
    return max(known, default=0) if len(known) == len(depths) else None


def intended(text: str, decision: Decision) -> Action | None:
    """Return the legal action that advice asks for at a decision, or None if it asks for nothing.

    A text asks for an action if it holds the words for one, and for one only. Figures say more than phrases
    ("Stay firm: demand 7."), and phrases of the game's book more than the words for an action.
    """
    lowered = " ".join(text.lower().split())
    found = _meant(lowered, decision.rules.name)
    if found is None or any(character.isdigit() for character in lowered):
        named = _worded(lowered, decision)
        if named is not None or found is None:
            return named
    if len(found) != 1:
        return None
    action = found[0].act(decision)
    return action if action in (decision.legal or ()) else None


@lru_cache(maxsize=4096)
def _meant(text: str, game: str) -> tuple[Intent, ...] | None:
    """Return the intents that a text names, None if it names none, not even in the negative."""
    book = intents(game)
    signs = {intent.name: sign for intent in book if (sign := _sign(intent.phrases, text)) is not None}
    if not signs:
        return None
    named = {one.name: one for one in book}
    found = [named[name] for name, sign in signs.items() if sign > 0]
    found += [
        named[named[name].opposite] for name, sign in signs.items() if sign < 0 and named[name].opposite
    ]
    # "Cooperate until they betray" names the action of its rule as well: the rule says more.
    rules = [one for one in found if not one.opposite]
    return tuple({one.name: one for one in (rules or found)}.values())


def _sign(phrases: Sequence[str], text: str) -> int | None:
    """Return 1 if a phrase is said, −1 if it is said only negated, None if it is not."""
    signs = [
        -1 if _NEGATION.search(text[: match.start()]) else 1
        for phrase in phrases
        for match in re.finditer(rf"\b(?:{phrase})", text)
    ]
    return max(signs, default=None)


def _worded(text: str, decision: Decision) -> Action | None:
    renderer = get_renderer(decision.rules.name)
    words = {action: renderer.say(action).lower() for action in decision.legal or ()}
    found = {
        action
        for action, word in words.items()
        if re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", text) and _sign((re.escape(word),), text) == 1
    }
    # Of "1" and "(1, 0, 2)" the longer is meant.
    longest = [a for a in found if not any(a != b and words[a] in words[b] for b in found)]
    return longest[0] if len(longest) == 1 else None
