"""What advice means in the two negotiations: rules of thumb as negotiators state them, by documented phrases.

``PIE`` is for the pie (``split``), ``SHARES`` for several items (``multi_issue``). Each reads the last round
at most, so an actor that follows them has finite memory.
"""

from __future__ import annotations

from collections.abc import Callable

from equipoise.games.split import PIE as WHOLE
from equipoise.policies.intent import Intent
from equipoise.types import Action, Decision

__all__ = ["PIE", "SHARES"]

_EVEN = (
    r"(?:split|divide|share)(?: it| everything| the \w+)? (?:evenly|equally|fairly|down the middle)",
    r"(?:ask|go|settle|aim) for (?:an? )?(?:half|even split|equal split|equal shares?|fair shares?)",
    r"half (?:of (?:it|each|everything)|each|and half)",
    r"fifty[- ]fifty",
    r"(?:an? )?(?:even|equal|fair) (?:split|share|division)",
    r"meet (?:them|him|her) (?:half ?way|in the middle)",
)
_TAKE = r"(?:take|ask for|demand|accept|be content with)"
_REST = (
    rf"{_TAKE} (?:only )?what (?:they|he|she|it) (?:left|leaves?|left over)",
    rf"{_TAKE} (?:only )?(?:the rest|what (?:is|was) left|what remains)",
    r"fit (?:your demand )?(?:to|around) (?:theirs|their|his|her)",
    r"adapt to (?:their|his|her|the other's) (?:last )?demand",
    r"make room for (?:their|his|her|the other's) demand",
)
_HARD = (
    r"(?:be|stay|stand|hold|remain) (?:\w+ )?(?:firm|tough|hard)",
    r"play hardball",
    r"drive a hard bargain",
    r"(?:demand|ask for|take|claim) (?:almost|nearly) (?:everything|all)",
    r"leave (?:them|him|her) (?:only )?(?:crumbs|scraps|very little|next to nothing)",
    r"give no ground",
)


def _past(decision: Decision, key: str) -> tuple[Action, ...]:
    found = decision.info[key]
    assert isinstance(found, tuple | list)
    return tuple(found)


def _pie(share: int) -> Callable[[Decision], Action]:
    return lambda decision: share


def _pie_rest(decision: Decision) -> Action:
    """Return what the other's last demand left; half at first."""
    other = _past(decision, "other")
    return WHOLE - int(other[-1]) if other else WHOLE // 2  # type: ignore[arg-type]


def _pie_less(decision: Decision) -> Action:
    """Return one less than what was asked for last, at least 1; a little more than half at first."""
    own = _past(decision, "own")
    return max(1, int(own[-1]) - 1) if own else WHOLE // 2 + 1  # type: ignore[arg-type]


PIE = (
    Intent("even", _EVEN, _pie(WHOLE // 2)),
    Intent("rest", _REST, _pie_rest, recall=1),
    Intent("hard", _HARD, _pie(WHOLE - 2)),
    Intent(
        "less",
        (
            r"(?:concede|come down|give way|lower your demand)(?: by)? (?:a little|a bit|one)",
            r"ask for one less",
            r"make (?:a|one) (?:small )?concession",
            r"ask for (?:a little |a bit |one )?less than (?:before|last time)",
            r"soften (?:a little|a bit|your demand)",
        ),
        _pie_less,
        recall=1,
    ),
    Intent(
        "modest",
        (
            r"be (?:modest|generous|humble)",
            r"(?:leave|give) (?:them|him|her) (?:most|the larger share|the bigger share|more than half)",
            r"(?:take|ask for) (?:less than half|the smaller share)",
        ),
        _pie(WHOLE // 2 - 2),
    ),
)
"""Demands of the pie: half, what is left, all but two, one less than before, three."""


def _bundle(decision: Decision, key: str) -> tuple[int, ...]:
    found = decision.info[key]
    assert isinstance(found, tuple | list)
    return tuple(int(units) for units in found)


def _each(share: Callable[[int], int]) -> Callable[[Decision], Action]:
    return lambda decision: tuple(share(units) for units in _bundle(decision, "pool"))


def _rest(decision: Decision) -> Action:
    """Return what the other's last demand left; half of each item at first."""
    pool, other = _bundle(decision, "pool"), _past(decision, "other")
    if not other:
        return tuple(units // 2 for units in pool)
    last = other[-1]
    assert isinstance(last, tuple)
    return tuple(units - asked for units, asked in zip(pool, last, strict=True))


def _favourite(decision: Decision) -> Action:
    """Return all of the most valued item, half of the next, none of the least; ties go to the first."""
    pool, values = _bundle(decision, "pool"), _bundle(decision, "values")
    order = sorted(range(len(pool)), key=lambda item: (-values[item], item))
    found = [0] * len(pool)
    found[order[0]] = pool[order[0]]
    for item in order[1:-1]:
        found[item] = pool[item] // 2
    return tuple(found)


SHARES = (
    Intent("even", _EVEN, _each(lambda units: units // 2)),
    Intent("rest", _REST, _rest, recall=1),
    Intent("hard", _HARD, _each(lambda units: units - 1)),
    Intent(
        "favourite",
        (
            r"(?:insist on|take|keep|ask for|go for|claim) (?:all of )?(?:what|the (?:item|thing)s?) you "
            r"(?:value|want|like|need) (?:the )?most",
            r"trade (?:away )?what (?:you (?:value|want|need) least|is worth least to you)",
            r"give up what (?:you (?:value|want|need) least|is worth least to you)",
            r"(?:insist on|keep|take|go for) your (?:favou?rite|best|most valued) (?:item|thing)s?",
        ),
        _favourite,
    ),
    Intent(
        "third",
        (
            r"(?:ask for|demand|take|claim|aim for) (?:about )?two thirds",
            r"(?:ask for|demand|take|claim|aim for) (?:a little|somewhat|a bit) more than half",
            r"aim high",
        ),
        _each(lambda units: 2 * units // 3),
    ),
    Intent(
        "modest",
        (
            r"be (?:modest|generous|humble)",
            r"(?:take|ask for|demand) (?:only |just |at most )?one of each",
            r"(?:leave|give) (?:them|him|her) (?:most|the larger share|the bigger share|more than half)",
        ),
        _each(lambda units: min(units, 1)),
    ),
    Intent(
        "all",
        (
            r"(?:take|demand|ask for|claim|grab) (?:everything|it all|all of it|the whole pool)",
            r"leave (?:them|him|her) nothing",
        ),
        _each(lambda units: units),
    ),
)
"""Demands of items: half, what is left, all but one, the favourite first, two thirds, one, all."""
