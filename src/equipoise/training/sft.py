"""Supervised warm start: the model learns to answer as scripted teachers do.

The loss is the mean negative log-likelihood of the answer (its word and the end of the turn), nothing else.
Equal examples are scored once with their count, which is the same loss. It stops when the selection score
(the objective on deals of the select split) has not got better for a while, and keeps the weights with the
best one, so that SFT is judged at its own best (see ``stopping``). The loss on held-out episodes is logged
beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import EquipoiseError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.policies.local.answers import Answer, answer_log_probabilities
from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule
from equipoise.training.config import SftConfig
from equipoise.training.data import Example, make_examples
from equipoise.training.supervised import Evaluation, Supervised

__all__ = ["Sft", "batch_of"]


class Sft(Supervised):
    """One supervised run in one game."""

    policy: LocalPolicy
    config: SftConfig

    def __init__(
        self,
        game: Game,
        objective: Objective,
        policy: LocalPolicy,
        config: SftConfig,
        folder: Path | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
        opponents: Opponents | None = None,
        rule: InvalidRule | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            game: The game.
            objective: Scores the selection; its shift pool is kept out of the data.
            policy: A local policy with a trainable adapter.
            config: Settings.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
            origin: What else identifies the run.
            opponents: The opponents of the pools, where they are loaded already.
            rule: What happens to invalid answers when weights are scored.
        """
        pools = objective.pools
        self.game, self.rule = game, rule or InvalidRule()
        self.pools = replace(pools, shift=())
        self.met = opponents or Opponents.named(self.pools, game, None)
        self.weights = objective.weights
        self.examples = make_examples(
            game,
            config.recipe,
            config.episodes,
            config.seed,
            config.validation,
            pools,
            reporter,
            self.met.players,
        )
        self._training: list[Answer] = []
        self._validation: list[Answer] = []
        self.identity = {
            "game": game.info_record.key,
            "options": game.options.changed(),
            "pools": {pool: list(names) for pool, names in pools},
        }
        request = {
            **self.identity,
            "config": config.model_dump(mode="json"),
            "origin": dict(origin or {}),
        }
        super().__init__(f"sft {game.name}", policy, config, request, folder, reporter)

    def prepare(self) -> None:
        """Put the examples into words (see ``Supervised``)."""
        self._training = self._answers([e for e in self.examples if not e.held_out])
        self._validation = self._answers([e for e in self.examples if e.held_out])
        if not self._training:
            raise EquipoiseError("no episode is left to train on: raise episodes or lower validation")

    def learn(self, step: int, share: float = 1.0) -> tuple[float, dict[str, Any]]:
        """Accumulate the gradient of the mean loss of a batch (see ``Supervised``)."""
        numbers = batch_of(step, len(self._training), self.config.batch, self.config.seed)
        return self._loss(Counter(self._training[i] for i in numbers), True, share), {}

    def evaluate(self) -> Evaluation:
        """Score the current weights on deals of the select split (see ``Supervised``)."""
        loss = self._loss(Counter(self._validation), False) if self._validation else None
        config = AuditConfig(
            episodes=self.config.select_episodes,
            seed=self.config.seed,
            pools=self.pools,
            weights=self.weights,
            split=Split.SELECT,
            chunk=self.config.select_episodes,
            rule=self.rule,
        )
        found = audit_game(self.game, self.policy, config, opponents=self.met).metrics["safety"]
        assert found is not None
        return Evaluation(found.value, loss, self._legal_mass())

    def _answers(self, examples: Sequence[Example]) -> list[Answer]:
        renderer = get_renderer(self.game.name, self.policy.wording)
        return [(self.policy.question(e.decision), renderer.say(e.action)) for e in examples]

    def _loss(self, answers: Counter[Answer], backward: bool, share: float = 1.0) -> float:
        """Return the mean loss of the answers; accumulate its gradient times ``share`` where asked."""
        rows, total = list(answers.items()), answers.total()
        loss = 0.0
        for start in range(0, len(rows), self.config.rows):
            chunk = rows[start : start + self.config.rows]
            with torch.set_grad_enabled(backward):
                asked = [answer for answer, _ in chunk]
                # Whoever writes freely must write the marker too.
                prefilled = self.policy.mode != "free"
                logs = answer_log_probabilities(self.policy.scorer, asked, prefilled=prefilled)
                part = -sum(count * value for (_, count), value in zip(chunk, logs, strict=True)) / total
            if backward:
                (share * part).backward()
            loss += float(part.detach())
        return loss

    def _legal_mass(self) -> float | None:
        """Return the mean unrestricted probability of a legal answer, on validation questions."""
        held_out = [e for e in self.examples if e.held_out][:64]
        questions = list(dict.fromkeys(self.policy.question(e.decision) for e in held_out))
        return float(np.mean(self.policy.scorer.legal_mass(questions))) if questions else None


def batch_of(step: int, size: int, batch: int, seed: int) -> list[int]:
    """Return the examples of a step: consecutive slices of one permutation an epoch."""
    picked: list[int] = []
    wanted = min(batch, size)
    position = step * wanted
    while len(picked) < wanted:
        epoch, offset = divmod(position + len(picked), size)
        order = np.random.Generator(np.random.Philox(key=[seed, epoch])).permutation(size)
        picked += order[offset : offset + wanted - len(picked)].tolist()
    return picked
