"""Plays and credits the step of a run, on all ranks."""

from __future__ import annotations

from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.objective.groups import group_episodes
from equipoise.policies.base import Policy
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.training.arena import Arena
from equipoise.training.samples import decision_samples
from equipoise.training.trl.ranks import Ranks, share
from equipoise.training.trl.rows import chat_rows, decision_rows
from equipoise.training.trl.trainer import StepRows

__all__ = ["Rollouts"]


class Rollouts:
    """What :class:`~equipoise.training.trl.trainer.SepoTrainer` calls for its rows.

    Attributes:
        row: Metrics of the step that was played last.
    """

    def __init__(self, arena: Arena, policy: Policy, ranks: Ranks, layout: str, *, main_plays: bool) -> None:
        """Take what plays.

        Args:
            arena: The game with its opponents, objective and settings.
            policy: Plays with the current weights.
            ranks: The processes.
            layout: ``decisions`` or ``chat``.
            main_plays: Whether the main process alone plays (it talks to a server for all).
        """
        self.arena, self.policy, self.ranks, self.layout = arena, policy, ranks, layout
        self.main_plays = main_plays
        self.row: dict[str, Any] = {}

    def __call__(self, step: int) -> StepRows:
        """Play and credit a step.

        Raises:
            EquipoiseError: No episode holds tokens to train on.
        """
        self.arena.respond(self.policy, step)
        self.row = {"step": step + 1}
        asked = self.arena.requests(self.policy, step)
        played = self.ranks.exchange(play(self._mine(asked), self.arena.rule), asked)
        groups = group_episodes([one.episode for one in played])
        sampled = self.arena.credit(self.policy, played, groups, self.row)
        self.arena.keep(sampled, step)
        samples = decision_samples(sampled)
        if not samples:
            raise EquipoiseError("no episode holds tokens to train on: the policy gives no generations")
        chat = self.layout == "chat"
        rows = chat_rows(samples) if chat else decision_rows(samples)
        decisions = len({(one.stream, one.episode, one.index) for one in samples})
        self.row.update(trained=decisions, rows=len(rows), tokens=sum(sum(row.mask) for row in rows))
        return StepRows(rows, decisions, per_token=chat)

    def _mine(self, asked: list[EpisodeRequest]) -> list[EpisodeRequest]:
        if self.main_plays:
            return asked if self.ranks.main else []
        return share(asked, self.ranks)
