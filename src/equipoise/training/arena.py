"""One game's side of a training run: who is met, what that is worth to J, and how a step is played.

A sampled step plays groups of rollouts on shared deals against every opponent of every pool and credits each
stream's decisions with that stream's own reward-to-go (``per_pool``, the default). An exact step computes the
same gradient from the policy's whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.solution import solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.gates import RunningGates
from equipoise.objective.groups import Group, group_episodes
from equipoise.objective.penalties import estimator_named
from equipoise.objective.safety import Objective
from equipoise.objective.scale import RunningScale
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, Played
from equipoise.training.answers import answer_counts
from equipoise.training.batch import Batch, SampledStep, sampled_batch
from equipoise.training.cast import Cast, everyone
from equipoise.training.config import SepoConfig
from equipoise.training.exact_gradient import ExactStep, exact_batch
from equipoise.training.exploiters import RESPONDER, Exploiters, penalising
from equipoise.training.samples import decision_samples

__all__ = ["Arena"]


class Arena:
    """Plays a game for a trainer.

    Attributes:
        game: The game.
        config: Settings of the run.
        cast: Who is met at which step.
        met: The opponents that have a name: those of the pools, and whom the settings name besides.
        opponents: The opponents by name, a responder among them once there is one.
        exploiters: Keeps the objective in step with the responder.
        gates: The running gates of the hinge.
        scale: The running scale of advantages.
        rule: What happens to invalid answers.
    """

    def __init__(
        self,
        game: Game,
        objective: Objective,
        policy: Policy,
        config: SepoConfig,
        opponents: Opponents | None = None,
        rule: InvalidRule | None = None,
    ) -> None:
        """Load the opponents and work out what can be computed exactly.

        Args:
            game: The game.
            objective: What is maximised; its shift pool is not used.
            policy: What is trained; says how many information states it answers at once.
            config: Settings.
            opponents: The opponents of the pools, where they are loaded already.
            rule: What happens to invalid answers, in training and selection.

        Raises:
            RequestError: The settings ask for exact work that the game does not allow.
        """
        self.game, self.config, self.rule = game, config, rule or InvalidRule()
        self.cast = Cast(game, objective, config)
        pools = replace(objective.pools, shift=())
        objective = replace(objective, pools=pools)
        named = everyone(pools, config)
        self.met = (opponents or Opponents.named(named, game, None)).among(named)
        self.opponents: dict[str, AnyPolicy] = dict(self.met.players)
        strategies = self.met.strategies
        solution = None if strategies is None else solution_of(game, objective, strategies)
        solved = None if solution is None else solution.trees
        cheap = solved is not None and sum(len(t.keys) for t in solved) <= policy.exact_states
        trees = solved if cheap and self.cast.check_exact(policy) else None
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
        self.identity: dict[str, Any] = {
            "game": info.key,
            "options": game.options.changed(),
            "pools": {pool: list(names) for pool, names in pools},
            "weights": [objective.weights.e, objective.weights.c, objective.weights.x],
            **({"opponents": found} if (found := self.met.fingerprints) else {}),
        }

    @property
    def objective(self) -> Objective:
        """The training objective: with the pools in force and a responder if there is one."""
        return self.cast.objective(self.exploiters.objective)

    @property
    def aligned(self) -> int:
        """Steps between those a run can be resumed at: a responder is known at its refresh only."""
        return self.config.respond_every if self.exploiters.wanted else 1

    def forget(self) -> None:
        """Drop what opponents have cached, so that a step is the same after a resume as without one."""
        for player in self.met.players.values():
            player.forget()

    def enter(self, past: Mapping[str, Policy]) -> None:
        """Take the frozen copies of the policy that are met from now on."""
        self.cast.enter(past)

    def respond(self, policy: Policy, step: int) -> None:
        """Put the opponents of a step in force: the pools, and the responder where it is recomputed."""
        self.cast.begin(step)
        if self.exploiters.wanted and step % self.config.respond_every == 0:
            self.exploiters.respond(policy)
            assert self.exploiters.strategy is not None
            self.opponents[RESPONDER] = StrategyPolicy(self.exploiters.strategy)

    def batch(self, policy: Policy, step: int, row: dict[str, Any], wants: str = "batch") -> Any:
        """Return what a learner wants of a step, sampled or exact; metrics go into the row.

        Args:
            policy: The policy.
            step: The step.
            row: Metrics.
            wants: ``batch``, or ``samples`` for the sampled tokens (see ``Learner.wants``).
        """
        self.cast.log(row)
        if self.config.gradient == "exact":
            return self.exact(policy, row)
        sampled = self.sample(policy, step, row)
        if wants == "samples":
            return decision_samples(sampled)
        batch = sampled_batch(sampled)
        row.update(prompts=len(batch.decisions))
        return batch

    def exact(self, policy: Policy, row: dict[str, Any]) -> Batch:
        """Return the batch of an exact step; J and its terms go into the row of metrics."""
        found = self._exact_step(policy)
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

    def collect(self, policy: Policy, step: int) -> tuple[list[Played], list[Group]]:
        """Play the episodes of a sampled step; return them and their groups."""
        played = play(self.requests(policy, step), self.rule)
        return played, group_episodes([one.episode for one in played])

    def sample(self, policy: Policy, step: int, row: dict[str, Any]) -> SampledStep:
        """Play and credit a sampled step; counts go into the row of metrics."""
        return self.credit(policy, *self.collect(policy, step), row)

    def credit(
        self, policy: Policy, played: Sequence[Played], groups: Sequence[Group], row: dict[str, Any]
    ) -> SampledStep:
        """Credit a step's episodes, all of them at once; counts go into the row of metrics."""
        assign = estimator_named(self.config.credit)
        independent = self.game.info_record.independent_rounds
        credit = assign(groups, self.objective, self._gates(policy, groups), independent)
        divisor = self.scale.divisor([a for rows in credit.advantages for a in rows])
        own = (t for one in played for t in one.episode.turns if t.seat == one.episode.seat)
        invalid = [turn.choice.action != turn.action for turn in own]
        row.update(
            episodes=len(played),
            decisions=sum(len(one.decisions) for one in played),
            dead_keys=credit.dead / max(credit.keys, 1),
            advantage_scale=divisor,
            **answer_counts(played),
            invalid_rate=sum(invalid) / max(len(invalid), 1),
        )
        return SampledStep(played, groups, credit, divisor)

    def requests(self, policy: Policy, step: int) -> list[EpisodeRequest]:
        """Return the episodes of a step: for every stream, groups of rollouts on deals of its own."""
        config, key = self.config, self.game.info_record.key
        seats = self.game.info_record.seats
        requests = []
        met = {**self.opponents, **self.cast.players(policy)}
        gates = dict.fromkeys(self.objective.exploiters, 1.0)
        for (pool, name), parts in self.objective.coefficients(gates).items():
            if not parts:
                continue
            for number in range(config.deals):
                index = step * config.deals + number
                seat, opponent = index % seats, met[name]
                deal = Deal(config.seed, Split.TRAIN, key, index)
                players = (policy, opponent) if seat == 0 else (opponent, policy)
                requests += [
                    EpisodeRequest(self.game, deal, pool, name, seat, players, rollout)
                    for rollout in range(config.rollouts)
                ]
        return requests

    def state_dict(self) -> dict[str, Any]:
        """Return what the next step depends on, ready for JSON."""
        return {"gates": self.gates.state_dict(), "scale": self.scale.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        self.gates.load_state_dict(state["gates"])
        self.scale.load_state_dict(state["scale"])

    def _gates(self, policy: Policy, groups: Sequence[Group]) -> list[float] | dict[str, float]:
        if self.config.gates == "running" or self.exploiters.book is None:
            return self.gates.gates(groups)
        return self._exact_step(policy).gates

    def _exact_step(self, policy: Policy) -> ExactStep:
        objective = self.objective
        book = self.cast.book(self.exploiters.book, objective, policy, self.met.strategies)
        assert book is not None
        return exact_batch(book, book.tabulate(policy), objective)
