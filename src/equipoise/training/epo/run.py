"""EPO: rounds of self-play, each some steps of REINFORCE on judged trajectories.

A step plays trajectories with the current strategist, has them judged, and moves the strategist along the
gradient of the objective (``credit``). After a round its weights are frozen; in self-play the frozen copies
are met in later rounds. A round ends with a score on deals kept for selection; the best weights are kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.policies.base import AnyPolicy, Policy
from equipoise.progress import Reporter, silent
from equipoise.training.boards import Boards
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.epo.collect import SELF, Collected, Collector
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.credit import mark_shares, trajectory_samples, turn_advantages
from equipoise.training.epo.recorded import recorded
from equipoise.training.learner import Learner
from equipoise.training.live import live
from equipoise.training.samples import DecisionSample
from equipoise.training.scalars import Scalars
from equipoise.training.sepo import Trained
from equipoise.training.stopping import Best
from equipoise.types import StopReason

__all__ = ["Epo"]


class Epo:
    """One training run of a strategist."""

    def __init__(
        self,
        learner: Learner,
        collector: Collector,
        partners: Mapping[str, AnyPolicy],
        score: Callable[[Policy], float],
        identity: Mapping[str, Any],
        folder: Path,
        reporter: Reporter | None = None,
        title: str = "epo",
    ) -> None:
        """Prepare a run.

        Args:
            learner: Trains the strategist; its policy is the strategist with its actor.
            collector: Plays and judges.
            partners: Whom the strategist meets besides itself, by name.
            score: Scores a policy on deals kept for selection.
            identity: What identifies the run besides its settings.
            folder: Where checkpoints, frozen copies and metrics go.
            reporter: Shows progress.
            title: What progress calls the run.
        """
        self.learner, self.policy, self.collector = learner, learner.policy, collector
        self.config: EpoConfig = collector.config
        self.partners, self._score, self.title = dict(partners), score, title
        self.reporter = reporter or silent()
        config = self.config.model_dump(mode="json")
        self.store = TrainerFolder(folder, {**identity, "config": config})
        self.scalars = Scalars(folder / "tensorboard")
        self.boards = Boards(self.config.report_to, folder, title, {**identity, "config": config})
        self.best = Best(self.config.patience, self.config.min_delta)
        self.history: list[dict[str, Any]] = []
        self._pool: list[Collected] = []
        self._kept: list[dict[str, Any]] = []
        self._past: dict[str, Policy] = {}

    def run(self) -> Trained:
        """Train to the end, from the last checkpoint if there is one."""
        start, total = self._resume(), self.config.rounds * self.config.steps
        with live(self.reporter, self.title, total) as advance:
            advance(start)
            if start == 0:
                self._select(0, {})
            for step in range(start, total):
                if self.best.over:
                    break
                row = self._step(step)
                self._log(row)
                self.store.save(lambda folder, done=step + 1: self._write(folder, done))  # type: ignore[misc]
                advance(1, row)
        self.scalars.close()
        self.boards.close()
        return Trained(self.best.step, self.best.score, self.history)

    def _step(self, step: int) -> dict[str, Any]:
        began = time.perf_counter()
        self.learner.forget()
        number, last = divmod(step, self.config.steps)
        last_of_round = last + 1 == self.config.steps
        collected = self.collector.collect(self.policy, self._met(number), step)
        row = {"step": step + 1, "round": number + 1, **_account(collected)}
        self._kept = recorded(collected, step, self.config)
        if self.config.offline:
            self._pool.append(collected)
            if last_of_round:
                row.update(self._train_offline(number))
                self._pool = []
        else:
            row.update(self._update(self._samples(collected), step))
        if last_of_round:
            self._freeze(number)
            self._select(number + 1, row)
        row["seconds"] = time.perf_counter() - began
        return row

    def _samples(self, collected: Collected) -> list[DecisionSample]:
        config, trajectories = self.config, collected.trajectories
        advantages = turn_advantages(trajectories, config.advantage, config.gamma)
        return trajectory_samples(trajectories, advantages, config.token_reduction)

    def _train_offline(self, number: int) -> dict[str, float]:
        """Train on the round's data, one step's worth of trajectories at a time, in random order."""
        config = self.config
        batches = [self._samples(collected) for collected in self._pool]
        order = np.random.Generator(np.random.Philox([config.seed, number]))
        stats: dict[str, float] = {}
        update = number * config.steps * config.epochs
        for _ in range(config.epochs):
            for index in order.permutation(len(batches)):
                stats = self._update(batches[index], update)
                update += 1
        return stats

    def _update(self, samples: list[DecisionSample], number: int) -> dict[str, float]:
        lr = self.config.rate(number)
        return {"lr": lr, **self.learner.update(samples, lr, self.config.kl, self.config.entropy)}

    def _met(self, number: int) -> dict[str, AnyPolicy]:
        """Return whom the strategist meets: its partners, and in self-play itself, now and before."""
        met = dict(self.partners)
        if self.config.self_play:
            met[SELF] = self.policy
            for name in (f"round{before}" for before in range(1, number + 1)):
                if name not in self._past:
                    self._past[name] = self.learner.frozen(self._weights(name), name)
                met[name] = self._past[name]
        return met

    def _weights(self, name: str) -> Path:
        return self.store.folder / "rounds" / name

    def _freeze(self, number: int) -> None:
        if self.config.self_play:
            self.learner.save_weights(self._weights(f"round{number + 1}"))

    def _select(self, number: int, row: dict[str, Any]) -> None:
        """Score the current weights, keep them if they are the best so far, and count rounds that are not."""
        score = self._score(self.policy)
        row["select_score"] = score
        better = self.best.take(number, score)
        self.best.log(row)
        if better:
            self.store.save_best(self.learner.save_weights)

    def _log(self, row: dict[str, Any]) -> None:
        self.history.append(row)
        self.scalars.add(row)
        self.boards.add(row)
        self.store.log(row)
        self.store.record(self._kept)

    def _write(self, folder: Path, step: int) -> dict[str, Any]:
        self.learner.save_weights(folder)
        return {
            "step": step,
            **self.best.state_dict(),
            "learner": self.learner.save_state(folder),
        }

    def _resume(self) -> int:
        found = self.store.load()
        if found is None:
            return 0
        folder, state = found
        self.learner.load(folder, state["learner"])
        self.best.load_state_dict(state)
        self.history = self.store.metrics()
        step = int(state["step"])
        if self.config.offline:
            self._replay(step)
        return step

    def _replay(self, step: int) -> None:
        """Play the unfinished round's steps again: offline, weights do not move within a round."""
        number = step // self.config.steps
        for earlier in range(number * self.config.steps, step):
            self.learner.forget()
            self._pool.append(self.collector.collect(self.policy, self._met(number), earlier))


def _account(collected: Collected) -> dict[str, float]:
    """Return what a step's trajectories were like."""
    made = [one for row in collected.trajectories for one in row.strategies]
    lengths = [len(one.ids) for one in made]
    texts = {one.text for one in made}
    return {
        "trajectories": float(len(collected.trajectories)),
        "score": collected.score,
        "marked": collected.marked,
        **mark_shares(collected.trajectories),
        "strategy_tokens": float(np.mean(lengths)) if lengths else 0.0,
        "cut_rate": float(np.mean([one.stop is StopReason.LENGTH for one in made])) if made else 0.0,
        "distinct_strategies": len(texts) / max(len(made), 1),
    }
