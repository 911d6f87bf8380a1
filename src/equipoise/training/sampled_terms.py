"""The terms of J on the episodes of one step: a rough look at where training stands, never a result.

They are means over a few episodes, without an interval, and the hinge of so few is too high on average. So
they have names of their own, apart from those of terms that are computed exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from equipoise.objective.constraints import mean_features
from equipoise.objective.groups import Group
from equipoise.objective.safety import Objective

__all__ = ["SAMPLED", "sampled_terms"]

SAMPLED = "sampled_"
"""What the names begin with."""


def sampled_terms(objective: Objective, groups: Sequence[Group]) -> dict[str, float]:
    """Return the terms of J by name; none where some opponents of J were not met, their weight being 0."""
    means = mean_features(groups)
    if not all(stream in means for stream in objective.streams):
        return {}
    found = asdict(objective.terms(means))
    return {f"{SAMPLED}{name}": float(value) for name, value in found.items() if value is not None}
