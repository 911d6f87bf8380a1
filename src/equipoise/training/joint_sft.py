"""One warm start for several games: every batch holds examples of all of them.

With shares w that sum to 1, a step's loss is Σ_g w_g times the mean loss of the batch's examples of game g;
of ``batch`` examples, each game gives its share, at least one. The score is the same mean of the games'
scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter
from equipoise.training.config import SftConfig
from equipoise.training.sft import Sft
from equipoise.training.supervised import Evaluation, Supervised

__all__ = ["JointSft", "share_out"]


class JointSft(Supervised):
    """One supervised run on the teachers of several games."""

    policy: LocalPolicy
    config: SftConfig

    def __init__(
        self,
        parts: Mapping[str, Sft],
        shares: Mapping[str, float],
        policy: LocalPolicy,
        config: SftConfig,
        folder: Path | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            parts: The games' own warm starts of the same policy, which lend their data and evaluations; their
                batches are those of ``share_out``.
            shares: What each game counts for; they sum to 1.
            policy: The policy.
            config: Settings.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
            origin: What else identifies the run.
        """
        self.parts, self.shares = parts, shares
        games = {name: {"share": shares[name], **part.identity} for name, part in parts.items()}
        request = {"games": games, "config": config.model_dump(mode="json"), "origin": dict(origin or {})}
        super().__init__(f"sft {'+'.join(parts)}", policy, config, request, folder, reporter)

    def prepare(self) -> None:
        """Check that there is something to learn in every game (see ``Supervised``)."""
        for part in self.parts.values():
            part.prepare()

    def learn(self, step: int, share: float = 1.0) -> tuple[float, dict[str, Any]]:
        """Accumulate the gradient of the weighted mean of the games' losses (see ``Supervised``)."""
        total, row = 0.0, {}
        for name, part in self.parts.items():
            weight = share * self.shares[name]
            loss, _ = part.learn(step, weight)
            total += weight * loss
            row[f"{name}/loss"] = loss
        return total, row

    def evaluate(self) -> Evaluation:
        """Score the current weights in every game (see ``Supervised``)."""
        found = {name: part.evaluate() for name, part in self.parts.items()}
        return Evaluation(
            sum(self.shares[name] * one.score for name, one in found.items()),
            self._mean({name: one.loss for name, one in found.items()}),
            self._mean({name: one.legal_mass for name, one in found.items()}),
            found,
        )

    def _mean(self, values: Mapping[str, float | None]) -> float | None:
        known = {name: value for name, value in values.items() if value is not None}
        total = sum(self.shares[name] for name in known)
        return sum(self.shares[name] * value for name, value in known.items()) / total if known else None


def share_out(batch: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return how many of a batch's examples each game gives: its share rounded, at least 1."""
    return {name: max(1, round(batch * share)) for name, share in shares.items()}
