"""Supervised warm start: the model learns to answer as scripted teachers do.

The loss is the mean negative log-likelihood of the answer (its word and the end of the turn), nothing else.
Equal examples are scored once with their count, which is the same loss. It stops when the selection score
(the objective on deals of the select split) has not got better for a while, and keeps the weights with the
best one, so that SFT is judged at its own best. The loss on held-out episodes is logged beside it.
"""

from __future__ import annotations

import math
import time
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
from equipoise.progress import Reporter, silent
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.config import SftConfig
from equipoise.training.data import Example, make_examples
from equipoise.training.lora import load_adapter, save_adapter
from equipoise.training.optimiser import Optimiser
from equipoise.training.scalars import Scalars
from equipoise.training.sepo import Trained

__all__ = ["Sft"]


class Sft:
    """One supervised run."""

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
        self.rule = rule or InvalidRule()
        self.game, self.policy, self.config = game, policy, config
        self.reporter = reporter or silent()
        self.pools = replace(objective.pools, shift=())
        self.met = opponents or Opponents.named(self.pools, game, None)
        self.weights = objective.weights
        self.optimiser = Optimiser(policy.loaded.model, config.max_grad_norm)
        pools = objective.pools
        self.examples = make_examples(
            game,
            config.recipe,
            config.episodes,
            config.seed,
            config.validation,
            pools,
            self.reporter,
            self.met.players,
        )
        request = {
            "game": game.info_record.key,
            "options": game.options.changed(),
            "pools": {pool: list(names) for pool, names in pools},
            "config": config.model_dump(mode="json"),
            "origin": dict(origin or {}),
        }
        self.store = None if folder is None else TrainerFolder(folder, request)
        self.scalars = Scalars(None if folder is None else folder / "tensorboard")
        self.best_step, self.best_score, self.waited = -1, -math.inf, 0
        self.history: list[dict[str, Any]] = []

    def run(self) -> Trained:
        """Train until the selection stops improving, from the last checkpoint if there is one."""
        training = self._answers([e for e in self.examples if not e.held_out])
        validation = self._answers([e for e in self.examples if e.held_out])
        if not training:
            raise EquipoiseError("no episode is left to train on: raise episodes or lower validation")
        start = self._resume()
        with self.reporter.task(f"sft {self.game.name}", self.config.steps) as advance:
            advance(start)
            for step in range(start, self.config.steps):
                if self.waited >= self.config.patience:
                    break
                row = self._step(step, training)
                if (step + 1) % self.config.select_every == 0 or step + 1 == self.config.steps:
                    self._select(step + 1, validation, row)
                self._finish(step + 1, row)
                advance(1)
        self.scalars.close()
        return Trained(self.best_step, self.best_score, self.history)

    def _answers(self, examples: Sequence[Example]) -> list[Answer]:
        renderer = get_renderer(self.game.name, self.policy.wording)
        return [(self.policy.question(e.decision), renderer.say(e.action)) for e in examples]

    def _step(self, step: int, training: Sequence[Answer]) -> dict[str, Any]:
        began = time.perf_counter()
        picked = [training[i] for i in _batch(step, len(training), self.config.batch, self.config.seed)]
        loss = self._loss(Counter(picked), backward=True)
        lr = _rate(step, self.config)
        norm = self.optimiser.step(lr)
        if norm is None:
            raise EquipoiseError("the gradient is not finite: lower the learning rate")
        self.policy.clear()
        return {
            "step": step + 1,
            "loss": loss,
            "lr": lr,
            "grad_norm": norm,
            "seconds": time.perf_counter() - began,
        }

    def _loss(self, answers: Counter[Answer], backward: bool) -> float:
        """Return the mean loss of the answers; accumulate its gradient where asked."""
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
                part.backward()
            loss += float(part.detach())
        return loss

    def _select(self, step: int, validation: Sequence[Answer], row: dict[str, Any]) -> None:
        loss = self._loss(Counter(validation), backward=False) if validation else None
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
        row.update(validation_loss=loss, select_score=found.value, legal_mass=self._legal_mass())
        self.waited = 0 if found.value > self.best_score else self.waited + 1
        if found.value > self.best_score:
            self.best_step, self.best_score = step, found.value
            if self.store is not None:
                self.store.save_best(lambda folder: save_adapter(self.policy.loaded.model, folder))

    def _legal_mass(self) -> float | None:
        """Return the mean unrestricted probability of a legal answer, on validation questions."""
        held_out = [e for e in self.examples if e.held_out][:64]
        questions = list(dict.fromkeys(self.policy.question(e.decision) for e in held_out))
        return float(np.mean(self.policy.scorer.legal_mass(questions))) if questions else None

    def _finish(self, step: int, row: dict[str, Any]) -> None:
        self.history.append(row)
        self.scalars.add(row)
        if self.store is not None:
            self.store.log(row)
            self.store.save(lambda folder: self._write(folder, step))

    def _write(self, folder: Path, step: int) -> dict[str, Any]:
        save_adapter(self.policy.loaded.model, folder)
        self.optimiser.save(folder / "optimiser.safetensors")
        return {
            "step": step,
            "best_step": self.best_step,
            "best_score": self.best_score if self.best_step >= 0 else None,
            "waited": self.waited,
            "version": self.policy.version,
            "steps": self.optimiser.steps,
        }

    def _resume(self) -> int:
        found = None if self.store is None else self.store.load()
        if found is None or self.store is None:
            return 0
        folder, state = found
        load_adapter(self.policy.loaded.model, folder)
        self.optimiser.load(folder / "optimiser.safetensors", int(state["steps"]))
        self.best_step = state["best_step"]
        self.best_score = -math.inf if state["best_score"] is None else state["best_score"]
        self.waited = state["waited"]
        self.policy.clear()
        self.policy.version = state["version"]
        self.history = self.store.metrics()
        return int(state["step"])


def _rate(step: int, config: SftConfig) -> float:
    """Return the learning rate: a linear rise, then a cosine down to a tenth."""
    rise = min(1.0, (step + 1) / (config.warmup + 1))
    progress = step / max(config.steps - 1, 1)
    return config.lr * rise * (0.1 + 0.45 * (1.0 + math.cos(math.pi * progress)))


def _batch(step: int, size: int, batch: int, seed: int) -> list[int]:
    """Return the examples of a step: consecutive slices of one permutation an epoch."""
    picked: list[int] = []
    wanted = min(batch, size)
    position = step * wanted
    while len(picked) < wanted:
        epoch, offset = divmod(position + len(picked), size)
        order = np.random.Generator(np.random.Philox(key=[seed, epoch])).permutation(size)
        picked += order[offset : offset + wanted - len(picked)].tolist()
    return picked
