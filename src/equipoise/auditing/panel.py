"""What sampling yields: features per opponent, deal and seat, ready for statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.features import features
from equipoise.types import Episode, Validity

__all__ = ["Panel"]


@dataclass(frozen=True)
class Panel:
    """Sampled episodes of one policy, reduced to means over rounds.

    Attributes:
        features: For each opponent (D, S, F): deal, seat, feature.
        invalid: For each opponent (D, S): share of own decisions without a valid answer.
    """

    features: Mapping[str, NDArray[np.float64]]
    invalid: Mapping[str, NDArray[np.float64]]

    @classmethod
    def of(cls, episodes: Sequence[Episode]) -> Panel:
        """Reduce episodes, ordered by deal and seat within each opponent, each pair once."""
        rows: dict[str, dict[tuple[int, int], Episode]] = {}
        for episode in episodes:
            rows.setdefault(episode.opponent, {})[episode.deal, episode.seat] = episode
        found = {name: [played[key] for key in sorted(played)] for name, played in rows.items()}
        return cls(
            {name: _by_deal([_means(e) for e in played]) for name, played in found.items()},
            {name: _by_deal([_invalid(e) for e in played]) for name, played in found.items()},
        )

    @property
    def deals(self) -> int:
        """Number of deals, shared by all opponents."""
        return len(next(iter(self.features.values())))

    @property
    def seats(self) -> int:
        """Number of seats each deal was played from."""
        return int(next(iter(self.features.values())).shape[1])

    def by_deal(self, opponent: str) -> NDArray[np.float64]:
        """Return (D, F): features averaged over seats."""
        return np.asarray(self.features[opponent].mean(axis=1))

    def to_json(self) -> dict[str, Any]:
        """Return the panel as plain JSON data."""
        return {
            "features": {name: array.tolist() for name, array in self.features.items()},
            "invalid": {name: array.tolist() for name, array in self.invalid.items()},
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Panel:
        """Read a panel written by :meth:`to_json`."""
        return cls(
            {name: np.array(rows) for name, rows in data["features"].items()},
            {name: np.array(rows) for name, rows in data["invalid"].items()},
        )


def _means(episode: Episode) -> NDArray[np.float64]:
    return np.asarray(np.mean([features(outcome, episode.seat) for outcome in episode.rounds], axis=0))


def _invalid(episode: Episode) -> float:
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    return float(np.mean([t.choice.validity is not Validity.VALID for t in own])) if own else 0.0


def _by_deal(values: Sequence[Any]) -> NDArray[np.float64]:
    """Fold a list ordered by (deal, seat) into (deals, seats, …); both seats of every deal are there."""
    array = np.array(values)
    return array.reshape(-1, 2, *array.shape[1:])
