"""What sampling yields: features per opponent, deal and seat, ready for statistics, in bounded memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.objective.features import features
from equipoise.types import Episode, Validity

__all__ = ["BLOCKS", "Panel", "PanelBuilder", "block_of", "panel_key"]

BLOCKS = 4096
"""Observations kept at most; of more deals than that only means over blocks of them are kept."""


def block_of(deal: int, deals: int, blocks: int) -> int:
    """Return the block that a deal belongs to; sizes differ by at most 1."""
    return deal * min(blocks, deals) // deals


def panel_key(description: Mapping[str, Any]) -> str:
    """Return a short hash of what identifies a set of deals; equal keys may be paired deal by deal."""
    text = json.dumps(description, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Panel:
    """Sampled episodes of one policy, reduced to means over rounds.

    Attributes:
        features: For each opponent (B, S, F): deal or block of deals, seat, feature.
        invalid: For each opponent (B, S): share of own decisions without a valid answer.
        played: Deals behind it; 0 if every observation is one.
    """

    features: Mapping[str, NDArray[np.float64]]
    invalid: Mapping[str, NDArray[np.float64]]
    played: int = 0

    @classmethod
    def of(cls, episodes: Iterable[Episode]) -> Panel:
        """Reduce episodes of deals 0, 1, …, each deal from both seats against every opponent."""
        found = list(episodes)
        builder = PanelBuilder(1 + max(episode.deal for episode in found))
        for episode in found:
            builder.add(episode)
        return builder.panel()

    @property
    def observations(self) -> int:
        """Number of independent observations."""
        return len(next(iter(self.features.values())))

    @property
    def deals(self) -> int:
        """Number of deals, shared by all opponents."""
        return self.played or self.observations

    @property
    def seats(self) -> int:
        """Number of seats each deal was played from."""
        return int(next(iter(self.features.values())).shape[1])

    def by_deal(self, opponent: str) -> NDArray[np.float64]:
        """Return (B, F): features averaged over seats."""
        return np.asarray(self.features[opponent].mean(axis=1))

    def to_json(self) -> dict[str, Any]:
        """Return the panel as plain JSON data."""
        return {
            "features": {name: array.tolist() for name, array in self.features.items()},
            "invalid": {name: array.tolist() for name, array in self.invalid.items()},
            "played": self.played,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Panel:
        """Read a panel written by :meth:`to_json`."""
        return cls(
            {name: np.array(rows) for name, rows in data["features"].items()},
            {name: np.array(rows) for name, rows in data["invalid"].items()},
            data["played"],
        )


class PanelBuilder:
    """Adds up episodes as they come, in any order; what is kept does not grow with their number."""

    def __init__(self, deals: int, blocks: int = BLOCKS) -> None:
        """Take how many deals there will be and how many observations to keep."""
        self.deals, self.blocks = deals, blocks
        self._sums: dict[str, NDArray[np.float64]] = {}
        self._counts: dict[str, NDArray[np.int64]] = {}

    def add(self, episode: Episode, correction: NDArray[np.float64] | None = None) -> None:
        """Add an episode.

        Args:
            episode: The episode.
            correction: (F,) a term of expectation 0 that is added to its features.
        """
        row = _means(episode) if correction is None else _means(episode) + correction
        name, rows, seats = episode.opponent, min(self.deals, self.blocks), len(episode.policies)
        if name not in self._sums:
            self._sums[name] = np.zeros((rows, seats, len(row) + 1))
            self._counts[name] = np.zeros((rows, seats), dtype=np.int64)
        place = (block_of(episode.deal, self.deals, self.blocks), episode.seat)
        self._sums[name][place][:-1] += row
        self._sums[name][place][-1] += _invalid(episode)
        self._counts[name][place] += 1

    def panel(self) -> Panel:
        """Return the means over the episodes added."""
        means = {name: sums / self._counts[name][:, :, None] for name, sums in self._sums.items()}
        return Panel(
            {name: rows[:, :, :-1] for name, rows in means.items()},
            {name: rows[:, :, -1] for name, rows in means.items()},
            self.deals,
        )


def _means(episode: Episode) -> NDArray[np.float64]:
    return np.asarray(np.mean([features(outcome, episode.seat) for outcome in episode.rounds], axis=0))


def _invalid(episode: Episode) -> float:
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    return float(np.mean([t.choice.validity is not Validity.VALID for t in own])) if own else 0.0
