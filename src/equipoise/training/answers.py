"""What became of a step's answers: which failed and how, how long they were, which were cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from equipoise.rollout.requests import Played
from equipoise.types import StopReason, Validity

__all__ = ["answer_counts"]


def answer_counts(played: Sequence[Played]) -> dict[str, float]:
    """Return rates over the policy's own decisions; nothing where it wrote no text.

    ``truncation_rate`` and ``refusal_rate`` are shares of decisions, ``budget_rate`` the share with a
    generation that was cut at its budget (a cut thought is no failure), and ``ROLE_tokens`` the mean number
    of tokens of the generations of a role.
    """
    choices = [turn.choice for one in played for turn in one.episode.turns if turn.seat == one.episode.seat]
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for choice in choices:
        for made in choice.generations:
            lengths[made.role].append(len(made.ids))
    if not lengths:
        return {}
    cut = sum(any(made.stop is StopReason.LENGTH for made in choice.generations) for choice in choices)
    counts = {validity: sum(c.validity is validity for c in choices) for validity in Validity}
    return {
        "truncation_rate": counts[Validity.TRUNCATED] / len(choices),
        "refusal_rate": counts[Validity.REFUSAL] / len(choices),
        "budget_rate": cut / len(choices),
        **{f"{role}_tokens": sum(found) / len(found) for role, found in sorted(lengths.items())},
    }
