"""What a strategist's strategies are like: how long, how varied, understood, and followed.

- ``words`` and ``tokens``: mean length of a strategy; ``cut``: share that reached its token budget.
- ``distinct_1`` and ``distinct_2``: share of different words, of different pairs of neighbours, among all of
  an episode's strategies (J. Li et al., arXiv 1510.03055).
- ``self_bleu``: how much a strategy is made of words and pairs that the episode's others hold, after
  Self-BLEU (Y. Zhu et al., arXiv 1802.01886): the geometric mean of the clipped precisions of words and pairs
  against all others together, without the penalty for brevity. 1 is repetition.
- ``understood``: share of strategies that the parser of the scripted actors maps to something; ``intents``:
  how many different things an episode's strategies mean, over how many mean anything.
- ``followed``: of those whose following can be seen in the action, the share that was followed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from equipoise.auditing.transcripts.following import Told, told
from equipoise.games.rules import Rules
from equipoise.types import STRATEGIST, Episode, Generation, StopReason

__all__ = ["LENGTHS", "self_bleu", "wording"]

LENGTHS = ("words", "tokens")
"""Figures that are no shares."""


def wording(rules: Rules, episode: Episode) -> Mapping[str, float | None]:
    """Return the figures of an episode's strategies; nothing where no strategist spoke."""
    made = [
        one
        for turn in episode.turns
        if turn.seat == episode.seat
        for one in turn.choice.generations
        if one.role == STRATEGIST
    ]
    if not made:
        return {}
    words = [_words(one.text) for one in made]
    pairs = [_pairs(row) for row in words]
    advice = told(rules, episode)
    meant = [one for one in advice if one.intents]
    checked = [one.followed for one in advice if one.followed is not None]
    return {
        "words": _mean([len(row) for row in words]),
        "tokens": _mean([len(one.ids) for one in made]) if _by_tokens(made) else None,
        "cut": _mean([one.stop is StopReason.LENGTH for one in made]),
        "distinct_1": _distinct(words),
        "distinct_2": _distinct(pairs),
        "self_bleu": self_bleu([one.text for one in made]),
        "understood": _mean([bool(one.intents) for one in advice]),
        "intents": len({intent for one in meant for intent in one.intents}) / _spoken(meant)
        if meant
        else None,
        "followed": _mean(checked) if checked else None,
    }


def self_bleu(texts: Sequence[str]) -> float | None:
    """Return how much texts are made of each other (see the module), None for fewer than two."""
    if len(texts) < 2:
        return None
    rows = [_words(text) for text in texts]
    counted = [(Counter(row), Counter(_pairs(row))) for row in rows]
    scores = []
    for i, own in enumerate(counted):
        others = [one for j, one in enumerate(counted) if j != i]
        precisions = [
            _precision(own[n], [one[n] for one in others]) for n in range(2) if sum(own[n].values())
        ]
        scores.append(math.prod(precisions) ** (1.0 / len(precisions)) if precisions else 0.0)
    return _mean(scores)


def _spoken(meant: Sequence[Told]) -> int:
    return sum(len(one.intents) for one in meant)


def _precision(own: Counter[str], others: Sequence[Counter[str]]) -> float:
    most: Counter[str] = Counter()
    for one in others:
        most |= one
    return sum((own & most).values()) / sum(own.values())


def _by_tokens(made: Sequence[Generation]) -> bool:
    """Tell whether strategies were written token by token: one from a list is a single choice."""
    return any(len(one.ids) > 1 for one in made)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:[-'’]\w+)*", text.casefold())


def _pairs(words: Sequence[str]) -> list[str]:
    return [f"{a} {b}" for a, b in pairwise(words)]


def _distinct(rows: Sequence[Sequence[str]]) -> float | None:
    all_of_them = [one for row in rows for one in row]
    return len(set(all_of_them)) / len(all_of_them) if all_of_them else None


def _mean(values: Sequence[float | bool | int]) -> float:
    return float(sum(values)) / len(values)
