"""SEPO: gradient ascent on the safe-equilibrium objective, for anything that is a ``Learner``.

A sampled step plays groups of rollouts on shared deals against every opponent of every pool, credits each
stream's decisions with that stream's own reward-to-go (``per_pool``, the default), and hands the learner one
batch. An exact step
computes the same gradient from the policy's whole table. What is left out on purpose: importance ratios and
clipping (every batch is used once, on the policy that played it) and division by a group's spread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.solution import solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.gates import RunningGates
from equipoise.objective.groups import Group, group_episodes
from equipoise.objective.penalties import estimator_named
from equipoise.objective.safety import Objective
from equipoise.objective.scale import RunningScale
from equipoise.policies.base import AnyPolicy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.progress import Reporter, silent
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, Played
from equipoise.training.batch import Batch, sampled_batch
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.config import SepoConfig
from equipoise.training.exact_gradient import ExactStep, exact_batch
from equipoise.training.exploiters import RESPONDER, Exploiters, penalising
from equipoise.training.learner import Learner
from equipoise.training.scalars import Scalars
from equipoise.training.thinning import thin
from equipoise.types import Estimate

__all__ = ["Sepo", "Trained"]


@dataclass(frozen=True)
class Trained:
    """What training ends with.

    Attributes:
        step: The step whose weights were chosen, by their score on the select split.
        score: That score: the training objective.
        history: The metrics of every step.
    """

    step: int
    score: float
    history: list[dict[str, Any]] = field(default_factory=list, repr=False)


class Sepo:
    """One training run."""

    def __init__(
        self,
        game: Game,
        objective: Objective,
        learner: Learner,
        config: SepoConfig,
        folder: Path | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
        on_best: Callable[[], None] | None = None,
        title: str = "sepo",
        opponents: Opponents | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            game: The game.
            objective: What is maximised; its shift pool is not used.
            learner: What is trained.
            config: Settings.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
            origin: What else identifies the run, e.g. where its weights come from.
            on_best: Called whenever the weights score better than ever before.
            title: What progress calls the run.
            opponents: The opponents of the pools, where they are loaded already.

        Raises:
            RequestError: The settings ask for exact work that the game does not allow.
        """
        self.game, self.learner, self.config = game, learner, config
        self.reporter, self._on_best = reporter or silent(), on_best
        self.title = f"{title} {game.name}"
        pools = replace(objective.pools, shift=())
        objective = replace(objective, pools=pools)
        self.met = (opponents or Opponents.named(pools, game, None)).among(pools)
        self.opponents: dict[str, AnyPolicy] = dict(self.met.players)
        strategies = self.met.strategies
        solution = None if strategies is None else solution_of(game, objective, strategies)
        solved = None if solution is None else solution.trees
        cheap = solved is not None and sum(len(t.keys) for t in solved) <= learner.policy.exact_states
        trees = solved if cheap else None
        if trees is None and (config.gradient == "exact" or config.gates == "exact"):
            raise RequestError(
                f"gradient = {config.gradient!r}, gates = {config.gates!r}: {game.name} is too large to be "
                "computed exactly with this policy, use gradient = 'sampled' and gates = 'running'"
            )
        charged = penalising(config.penalised, objective, solution)
        self.exploiters = Exploiters(game.stage(), charged, trees, config.exploiters)
        info = game.info_record
        self.gates = RunningGates()
        spread = info.utility_scale * (info.payoff_bounds[1] - info.payoff_bounds[0])
        self.scale = RunningScale(config.scale, spread / info.rounds)
        self.best_step, self.best_score = -1, float("-inf")
        request = {
            "game": info.key,
            "options": game.options.changed(),
            "pools": {pool: list(names) for pool, names in pools},
            "weights": [objective.weights.e, objective.weights.c, objective.weights.x],
            "config": config.model_dump(mode="json"),
            "origin": dict(origin or {}),
            **({"opponents": found} if (found := self.met.fingerprints) else {}),
        }
        self.store = None if folder is None else TrainerFolder(folder, request)
        self.scalars = Scalars(None if folder is None else folder / "tensorboard")
        self.history: list[dict[str, Any]] = []

    @property
    def objective(self) -> Objective:
        """The training objective, with a responder among the exploiters if there is one."""
        return self.exploiters.objective

    def run(self) -> Trained:
        """Train to the end, from the last checkpoint if there is one."""
        start = self._resume()
        total = self.config.steps
        with self.reporter.task(self.title, total) as advance:
            advance(start)
            if start == 0:
                self._respond(0)
                self._select(0, {})
            for step in range(start, total):
                self._log(self._step(step))
                self._checkpoint(step + 1)
                advance(1)
        self.scalars.close()
        return Trained(self.best_step, self.best_score, self.history)

    def _step(self, step: int) -> dict[str, Any]:
        began = time.perf_counter()
        self.learner.forget()
        self._respond(step)
        row: dict[str, Any] = {"step": step + 1}
        batch = self._exact(row) if self.config.gradient == "exact" else self._sample(step, row)
        lr = self.config.lr / (1.0 + self.config.lr_decay * step)
        stats = self.learner.update(batch, lr, self.config.kl, self.config.entropy)
        row.update(lr=lr, **stats)
        last = step + 1 == self.config.steps
        if last or (step + 1) % self.config.select_every == 0:
            self._select(step + 1, row)
        row["seconds"] = time.perf_counter() - began
        return row

    def _respond(self, step: int) -> None:
        if self.exploiters.wanted and step % self.config.respond_every == 0:
            self.exploiters.respond(self.learner.policy)
            assert self.exploiters.strategy is not None
            self.opponents[RESPONDER] = StrategyPolicy(self.exploiters.strategy)

    def _exact(self, row: dict[str, Any]) -> Batch:
        found = self._exact_step()
        terms = found.terms
        row.update(
            safety=terms.safety,
            utility=terms.utility,
            exploitability=terms.exploitability,
            collusion=terms.collusion,
            externality=terms.externality,
            charged=found.charged,
        )
        return found.batch

    def collect(self, step: int) -> tuple[list[Played], list[Group]]:
        """Play the episodes of a sampled step; return them and their groups."""
        played = play(self._requests(step), InvalidRule())
        return played, group_episodes([one.episode for one in played])

    def _sample(self, step: int, row: dict[str, Any]) -> Batch:
        played, groups = self.collect(step)
        assign = estimator_named(self.config.credit)
        independent = self.game.info_record.independent_rounds
        credit = assign(groups, self.objective, self._gates(groups), independent)
        divisor = self.scale.divisor([a for rows in credit.advantages for a in rows])
        full = sampled_batch(played, groups, credit, divisor)
        start = keyed_uniform(f"{self.config.seed}|thin|{step}")
        batch = thin(full, self.config.max_decisions, start)
        invalid = [t.choice.action != t.action for one in played for t in one.episode.turns]
        row.update(
            episodes=len(played),
            decisions=sum(len(one.decisions) for one in played),
            prompts=len(full.decisions),
            kept=len(batch.decisions),
            dead_keys=credit.dead / max(credit.keys, 1),
            advantage_scale=divisor,
            invalid_rate=sum(invalid) / max(len(invalid), 1),
        )
        return batch

    def _gates(self, groups: Any) -> list[float] | dict[str, float]:
        if self.config.gates == "running" or self.exploiters.book is None:
            return self.gates.gates(groups)
        return self._exact_step().gates

    def _exact_step(self) -> ExactStep:
        book = self.exploiters.book
        assert book is not None
        return exact_batch(book, book.tabulate(self.learner.policy), self.objective)

    def _requests(self, step: int) -> list[EpisodeRequest]:
        config, key, policy = self.config, self.game.info_record.key, self.learner.policy
        seats = self.game.info_record.seats
        requests = []
        gates = dict.fromkeys(self.objective.exploiters, 1.0)
        for (pool, name), parts in self.objective.coefficients(gates).items():
            if not parts:
                continue
            for number in range(config.deals):
                index = step * config.deals + number
                seat, opponent = index % seats, self.opponents[name]
                deal = Deal(config.seed, Split.TRAIN, key, index)
                players = (policy, opponent) if seat == 0 else (opponent, policy)
                requests += [
                    EpisodeRequest(self.game, deal, pool, name, seat, players, rollout)
                    for rollout in range(config.rollouts)
                ]
        return requests

    def _select(self, step: int, row: dict[str, Any]) -> None:
        """Score the current weights and keep them if they are the best so far."""
        score = self._score()
        row["select_score"] = score
        if score > self.best_score:
            self.best_step, self.best_score = step, score
            if self._on_best is not None:
                self._on_best()
            if self.store is not None:
                self.store.save_best(self.learner.save_weights)

    def _score(self) -> float:
        book = self.exploiters.book
        if book is not None:
            if self.exploiters.wanted and self.exploiters.pool is not None:
                # The score is against a responder of its own: the one in force keeps its schedule.
                book = self.exploiters.reply(self.exploiters.pool, self.learner.policy)[1]
            return book.terms(book.tabulate(self.learner.policy), self.objective).safety
        config = AuditConfig(
            episodes=self.config.select_episodes,
            seed=self.config.seed,
            exact=False,
            pools=self.objective.pools,
            weights=self.objective.weights,
            split=Split.SELECT,
            chunk=self.config.select_episodes,
        )
        return self._charge(audit_game(self.game, self.learner.policy, config, opponents=self.met).metrics)

    def _charge(self, metrics: Mapping[str, Estimate | None]) -> float:
        """Return J of an audit, charged for what this run penalises."""
        safety = metrics["safety"]
        assert safety is not None
        e, regret = metrics.get("exploitability"), metrics.get("regret")
        if self.objective.penalised == "opponent_advantage" or e is None or regret is None:
            return safety.value
        return safety.value + self.objective.weights.e * self.objective.scale * (e.value - regret.value)

    def _log(self, row: dict[str, Any]) -> None:
        self.history.append(row)
        self.scalars.add(row)
        if self.store is not None:
            self.store.log(row)

    def _checkpoint(self, step: int) -> None:
        # Between two refreshes a resumed run could not know the responder: go on from a refresh only.
        aligned = not self.exploiters.wanted or step % self.config.respond_every == 0
        due = aligned and step % self.config.checkpoint_every == 0
        if self.store is not None and (due or step == self.config.steps):
            self.store.save(lambda folder: self._write(folder, step))

    def _write(self, folder: Path, step: int) -> dict[str, Any]:
        self.learner.save_weights(folder)
        return {
            "step": step,
            "best_step": self.best_step,
            "best_score": self.best_score,
            "gates": self.gates.state_dict(),
            "scale": self.scale.state_dict(),
            "learner": self.learner.save_state(folder),
        }

    def _resume(self) -> int:
        found = None if self.store is None else self.store.load()
        if found is None or self.store is None:
            return 0
        folder, state = found
        self.learner.load(folder, state["learner"])
        self.gates.load_state_dict(state["gates"])
        self.scale.load_state_dict(state["scale"])
        self.best_step, self.best_score = state["best_step"], state["best_score"]
        self.history = self.store.metrics()
        return int(state["step"])
