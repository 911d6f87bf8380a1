"""The games of a training run: one, or several that share a policy.

With shares w that sum to 1, a joint step ascends Σ_g w_g·J_g: its batch holds the rows of all games, weights
and visits times w_g, so that its gradient is the weighted sum of what each game's own batch would give. (With
``scale = "rms"`` each game's advantages are divided by a running size of their own first.) The score of
weights is the same mean of the games' scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equipoise.policies.base import Policy
from equipoise.training.arena import Arena
from equipoise.training.batch import Batch
from equipoise.training.config import SepoConfig
from equipoise.training.samples import DecisionSample, count_decisions
from equipoise.training.selection import selection_score

__all__ = ["Arenas", "weighted_samples", "weighted_sum"]


@dataclass(frozen=True)
class Arenas:
    """What a training run plays.

    Attributes:
        config: Settings of the loop.
        parts: The games by name.
        shares: What each counts for; they sum to 1.
    """

    config: SepoConfig
    parts: Mapping[str, Arena]
    shares: Mapping[str, float]

    @classmethod
    def alone(cls, arena: Arena) -> Arenas:
        """Return a single game."""
        return cls(arena.config, {arena.game.name: arena}, {arena.game.name: 1.0})

    @property
    def title(self) -> str:
        """What progress calls the games."""
        return "+".join(self.parts)

    @property
    def identity(self) -> dict[str, Any]:
        """What the games and their opponents are."""
        if len(self.parts) == 1:
            return self._only.identity
        return {
            "games": {
                name: {
                    "share": self.shares[name],
                    "config": arena.config.model_dump(mode="json"),
                    **arena.identity,
                }
                for name, arena in self.parts.items()
            }
        }

    def forget(self) -> None:
        """Drop what opponents have cached."""
        for arena in self.parts.values():
            arena.forget()

    def enter(self, past: Mapping[str, Policy]) -> None:
        """Take the frozen copies of the policy that are met from now on."""
        for arena in self.parts.values():
            arena.enter(past)

    def respond(self, policy: Policy, step: int) -> None:
        """Put the opponents of a step in force, in every game."""
        for arena in self.parts.values():
            arena.respond(policy, step)

    def batch(self, policy: Policy, step: int, row: dict[str, Any], wants: str = "batch") -> Any:
        """Play a step of every game; metrics go into the row, under the game's name if there are several.

        Args:
            policy: The policy.
            step: The step.
            row: Metrics.
            wants: What the learner is given: a ``batch``, or ``samples``, whose advantages are weighted then.
        """
        batches: list[tuple[float, Any]] = []
        for name, arena in self.parts.items():
            own: dict[str, Any] = {}
            batches.append((self.shares[name], arena.batch(policy, step, own, wants)))
            row.update(self._named(name, own))
        if wants == "samples":
            return weighted_samples(batches)
        return weighted_sum(batches)

    @property
    def kept(self) -> list[dict[str, Any]]:
        """The episodes of the last step that are kept, with their advantages, of all games."""
        return [line for arena in self.parts.values() for line in arena.kept]

    def score(self, policy: Policy, row: dict[str, Any]) -> float:
        """Return the mean of the games' scores, weighted by their shares; each goes into the row."""
        total = 0.0
        for name, arena in self.parts.items():
            score = selection_score(arena, policy)
            total += self.shares[name] * score
            row.update(self._named(name, {"select_score": score}))
        row["select_score"] = total
        return total

    def state_dict(self) -> dict[str, Any]:
        """Return what the next step depends on, ready for JSON."""
        if len(self.parts) == 1:
            return self._only.state_dict()
        return {"games": {name: arena.state_dict() for name, arena in self.parts.items()}}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        for name, arena in self.parts.items():
            arena.load_state_dict(state if len(self.parts) == 1 else state["games"][name])

    @property
    def _only(self) -> Arena:
        return next(iter(self.parts.values()))

    def _named(self, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
        prefix = "" if len(self.parts) == 1 else f"{name}/"
        return {f"{prefix}{key}": value for key, value in row.items()}


def weighted_samples(parts: Sequence[tuple[float, Sequence[DecisionSample]]]) -> list[DecisionSample]:
    """Return the samples of all games, advantages times what each game counts for.

    So do KL and entropy: the mean over a game's own decisions counts for the game's share, as in
    :func:`weighted_sum`, however many decisions the game has.
    """
    if len(parts) == 1 and parts[0][0] == 1.0:
        return list(parts[0][1])
    counts = [count_decisions(samples) for _, samples in parts]
    return [
        replace(sample, advantage=share * sample.advantage, share=sample.share * share * sum(counts) / count)
        for (share, samples), count in zip(parts, counts, strict=True)
        for sample in samples
    ]


def weighted_sum(batches: list[tuple[float, Batch]]) -> Batch:
    """Return the batch whose gradient is the weighted sum of the batches' gradients.

    Rows are put one below the other, padded to the widest; weights and visits are multiplied.
    """
    if len(batches) == 1 and batches[0][0] == 1.0:
        return batches[0][1]
    width = max(batch.log_weights.shape[1] for _, batch in batches)

    def padded(field: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.concatenate(
            [
                share * np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
                for share, batch in batches
                for rows in [getattr(batch, field)]
            ]
        )

    return Batch(
        tuple(decision for _, batch in batches for decision in batch.decisions),
        padded("log_weights"),
        padded("prob_weights"),
        np.concatenate([share * batch.visits for share, batch in batches]),
    )
