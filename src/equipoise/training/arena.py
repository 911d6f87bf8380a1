"""One game's side of a training run: who is met, what that is worth to J, and how a step is played.

A sampled step plays groups of rollouts on shared deals against every opponent of every pool and credits each
stream's decisions with that stream's own reward-to-go (``per_pool``, the default). An exact step computes the
same gradient from the policy's whole table. Between steps responders answer the policy and multipliers follow
their constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.solution import solution_of
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.objective.constraints import DualAscent, constrained, mean_features
from equipoise.objective.gates import RunningGates
from equipoise.objective.groups import Group, group_episodes
from equipoise.objective.penalties import estimator_named
from equipoise.objective.safety import Objective
from equipoise.objective.scale import RunningScale
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, Played, seated
from equipoise.training.answers import answer_counts
from equipoise.training.batch import Batch, SampledStep, sampled_batch
from equipoise.training.branching import branch_off, group_weights
from equipoise.training.cast import Cast, everyone
from equipoise.training.config import SepoConfig
from equipoise.training.credited import credited
from equipoise.training.exact_gradient import ExactStep, exact_batch
from equipoise.training.exploiters import LIBRARY, RESPONDER, Exploiters, penalising
from equipoise.training.library import Library
from equipoise.training.sampled_terms import sampled_terms
from equipoise.training.samples import decision_samples
from equipoise.training.thinning import thin

__all__ = ["Arena"]


class Arena:
    """Plays a game for a trainer.

    Attributes:
        game: The game, or a free-text task: there, only gradients of sampled episodes are to be had.
        config: Settings of the run.
        cast: Who is met at which step.
        met: The opponents that have a name: those of the pools, and whom the settings name besides.
        opponents: The opponents by name, responders among them once there are any.
        exploiters: Keeps the objective in step with the responders.
        gates: The running gates of the hinge.
        scale: The running scale of advantages.
        multipliers: The multipliers of limited terms; None where λ is fixed.
        rule: What happens to invalid answers.
        kept: Episodes of the last step with their advantages, as many as the settings say (``credited``).
    """

    def __init__(
        self,
        game: Rules,
        objective: Objective,
        policy: Policy,
        config: SepoConfig,
        opponents: Opponents | None = None,
        rule: InvalidRule | None = None,
    ) -> None:
        """Load the opponents and work out what can be computed exactly.

        Args:
            game: The game or task.
            objective: What is maximised; its shift pool is not used.
            policy: What is trained; says how many information states it answers at once.
            config: Settings.
            opponents: The opponents of the pools, where they are loaded already.
            rule: What happens to invalid answers, in training and selection.

        Raises:
            RequestError: The settings ask for exact work that the game does not allow.
        """
        stage = _stage(game, config)
        self.game, self.config, self.rule = game, config, rule or InvalidRule()
        self.cast = Cast(game, objective, config)
        pools = replace(objective.pools, shift=())
        objective = replace(objective, pools=pools)
        named = everyone(pools, config)
        self.met = (opponents or Opponents.named(named, game, None)).among(named)
        self.opponents: dict[str, AnyPolicy] = dict(self.met.players)
        strategies = self.met.strategies
        solution = None
        if strategies is not None and isinstance(game, Game):
            solution = solution_of(game, objective, strategies)
        solved = None if solution is None else solution.trees
        cheap = solved is not None and sum(len(t.keys) for t in solved) <= policy.exact_states
        trees = solved if cheap and self.cast.check_exact(policy) else None
        if trees is None and (config.gradient == "exact" or config.gates == "exact"):
            raise RequestError(
                f"gradient = {config.gradient!r}, gates = {config.gates!r}: {game.name} is too large to be "
                "computed exactly with this policy, use gradient = 'sampled' and gates = 'running'"
            )
        if config.gradient == "all_actions" and not policy.always_legal:
            raise RequestError(
                f"gradient = 'all_actions': policy {policy.name!r} does not choose among the legal actions "
                "by probabilities, use gradient = 'sampled'"
            )
        charged = penalising(config.penalised, objective, solution)
        library = None
        if LIBRARY in config.exploiters:
            states = policy.exact_states if trees is not None else 0
            library = Library(
                stage, self.cast.fixed.shift, states, config.respond_deals, config.seed, self.rule
            )
            if trees is not None and library.trees is None:
                self._check_estimates()
                trees = None
        self.exploiters = Exploiters(
            stage.stage() if isinstance(game, Game) else stage,
            charged,
            trees,
            config.exploiters,
            library,
            config.league_size,
        )
        self.multipliers = self._multipliers()
        info = game.info_record
        self.kept: list[dict[str, Any]] = []
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

    def _check_estimates(self) -> None:
        """Check that everything may be estimated, for want of the tables of a scripted strategy.

        Raises:
            RequestError: Exact values were asked for.
        """
        config = self.config
        answered = RESPONDER in config.exploiters or config.penalised == "best_response"
        if answered or "exact" in (config.gradient, config.gates):
            raise RequestError(
                f"exploiters = {config.exploiters!r}: the strategies of {self.game.name} are too large to "
                "be computed exactly, leave +library_response out, or ask for nothing exact: gradient = "
                "'sampled', gates = 'running', no best_response"
            )

    @property
    def objective(self) -> Objective:
        """The training objective: with the pools, the responders and the multipliers in force."""
        return self.weighted(self.cast.objective(self.exploiters.objective))

    def stages(self) -> list[Objective]:
        """Return the objective of every stage of the curriculum, and of what follows, with today's others."""
        return [self.weighted(one) for one in self.cast.objectives(self.exploiters.objective)]

    def weighted(self, objective: Objective) -> Objective:
        """Return an objective with the multipliers in force."""
        return objective if self.multipliers is None else replace(objective, weights=self.multipliers.weights)

    def forget(self) -> None:
        """Drop what opponents have cached, so that a step is the same after a resume as without one."""
        for player in self.met.players.values():
            player.forget()

    def enter(self, past: Mapping[str, Policy]) -> None:
        """Take the frozen copies of the policy that are met from now on."""
        self.cast.enter(past)

    def respond(self, policy: Policy, step: int) -> None:
        """Put the opponents of a step in force: the pools, and responders where they are recomputed."""
        self.cast.begin(step)
        if self.exploiters.wanted and step % self.config.respond_every == 0:
            self.gates.forget(self.exploiters.respond(policy, step))
            self._meet()

    def batch(self, policy: Policy, step: int, row: dict[str, Any], wants: str = "batch") -> Any:
        """Return what a learner wants of a step, sampled or exact; metrics go into the row.

        Args:
            policy: The policy.
            step: The step.
            row: Metrics.
            wants: ``batch``, or ``samples`` for the sampled tokens (see ``Learner.wants``).
        """
        if self.config.gradient == "exact":
            return self.exact(policy, row)
        if self.config.gradient == "all_actions":
            return self.all_actions(policy, step, row)
        sampled = self.sample(policy, step, row)
        self.keep(sampled, step)
        if wants == "samples":
            return decision_samples(sampled)
        full = sampled_batch(sampled)
        batch = thin(full, self.config.max_decisions, keyed_uniform(f"{self.config.seed}|thin|{step}"))
        row.update(prompts=len(full.decisions), kept=len(batch.decisions))
        return batch

    def exact(self, policy: Policy, row: dict[str, Any]) -> Batch:
        """Return the batch of an exact step; J and its terms go into the row of metrics."""
        self.cast.log(row)
        found = self._exact_step(policy)
        terms = found.terms
        row.update(
            safety=terms.safety,
            utility=terms.utility,
            exploitability=terms.exploitability,
            collusion=terms.collusion,
            externality=terms.externality,
            charged=found.charged,
            **self.exploiters.report,
        )
        self._constrain(found.limited, row)
        return found.batch

    def collect(self, policy: Policy, step: int) -> tuple[list[Played], list[Group]]:
        """Play the episodes of a sampled step; return them and their groups."""
        played = play(self.requests(policy, step), self.rule)
        return played, group_episodes([one.episode for one in played])

    def sample(self, policy: Policy, step: int, row: dict[str, Any]) -> SampledStep:
        """Play and credit a sampled step; counts go into the row of metrics."""
        return self.credit(policy, *self.collect(policy, step), row)

    def keep(self, sampled: SampledStep, step: int) -> None:
        """Keep some of a step's episodes for its folder."""
        self.kept = credited(sampled, step, self.config.record_episodes)

    def credit(
        self, policy: Policy, played: Sequence[Played], groups: Sequence[Group], row: dict[str, Any]
    ) -> SampledStep:
        """Credit a step's episodes, all of them at once; counts go into the row of metrics."""
        gates, found = self._hinge(policy, groups)
        assign = estimator_named(self.config.credit)
        independent = self.game.info_record.independent_rounds
        objective = self.objective
        credit = assign(groups, objective, gates, independent)
        divisor = self.scale.divisor([a for rows in credit.advantages for a in rows])
        row.update(dead_keys=credit.dead / max(credit.keys, 1), advantage_scale=divisor)
        row.update(sampled_terms(objective, groups))
        self._count(played, row)
        self._constrain(found, row)

        def part(name: str, wanted: Sequence[int]) -> dict[int, list[NDArray[np.float64]]]:
            # Only per_pool credits a group by itself.
            places = wanted if self.config.credit == "per_pool" else range(len(groups))
            some = gates if isinstance(gates, Mapping) else [gates[place] for place in places]
            found = assign([groups[place] for place in places], objective, some, independent, (name,))
            return dict(zip(places, found.advantages, strict=True))

        return SampledStep(played, groups, credit, divisor, part)

    def all_actions(self, policy: Policy, step: int, row: dict[str, Any]) -> Batch:
        """Play a sampled step, branch off its rollouts, and return the batch of all actions' values."""
        requests = self.requests(policy, step)
        played = play(requests, self.rule)
        groups = group_episodes([one.episode for one in played])
        gates, found = self._hinge(policy, groups)
        weights = group_weights(groups, self.objective, gates)
        tree = branch_off(requests, played, policy, self.config.branches, weights)
        values = tree.values(weights)
        divisor = self.scale.divisor([values.taken])
        batch = tree.batch(values, divisor)
        row.update(advantage_scale=divisor, branches=tree.count, prompts=len(batch.decisions))
        self._count(played, row)
        row["questions"] = row["decisions"] + tree.asked
        self._constrain(found, row)
        return batch

    def _count(self, played: Sequence[Played], row: dict[str, Any]) -> None:
        self.cast.log(row)
        own = (t for one in played for t in one.episode.turns if t.seat == one.episode.seat)
        invalid = [turn.choice.action != turn.action for turn in own]
        row.update(
            episodes=len(played),
            decisions=sum(len(one.decisions) for one in played),
            **answer_counts(played),
            invalid_rate=sum(invalid) / max(len(invalid), 1),
            **self.exploiters.report,
        )

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
                players = seated(policy, opponent, seat, seats)
                requests += [
                    EpisodeRequest(self.game, deal, pool, name, seat, players, rollout)
                    for rollout in range(config.rollouts)
                ]
        return requests

    def state_dict(self) -> dict[str, Any]:
        """Return what the next step depends on, ready for JSON."""
        return {
            "gates": self.gates.state_dict(),
            "scale": self.scale.state_dict(),
            "exploiters": self.exploiters.state_dict(),
            "multipliers": None if self.multipliers is None else self.multipliers.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        self.gates.load_state_dict(state["gates"])
        self.scale.load_state_dict(state["scale"])
        self.exploiters.load_state_dict(state["exploiters"])
        self._meet()
        if self.multipliers is not None:
            self.multipliers.load_state_dict(state["multipliers"])

    def _meet(self) -> None:
        self.opponents = {**self.met.players, **self.exploiters.players}

    def _multipliers(self) -> DualAscent | None:
        config, objective = self.config, self.exploiters.objective
        if config.multipliers == "penalty":
            return None
        limits = constrained(objective, config.limits.given, self.game.name)
        return DualAscent(objective.weights, limits, config.dual_lr, config.lambda_max)

    def _constrain(self, found: Mapping[str, float | None], row: dict[str, Any]) -> None:
        """Log the multipliers of the step that ends, then let them follow what was found."""
        if self.multipliers is None:
            return
        weights = self.multipliers.weights
        row.update(lambda_e=weights.e, lambda_c=weights.c, lambda_x=weights.x)
        row.update({f"limited_{name}": found[name] for name in self.multipliers.limits})
        self.multipliers.update(found)

    def _hinge(
        self, policy: Policy, groups: Sequence[Group]
    ) -> tuple[list[float] | dict[str, float], Mapping[str, float | None]]:
        """Return the gates, and the limited terms: exact where the tables are at hand."""
        running = self.config.gates == "running" or self.exploiters.book is None
        gates = self.gates.gates(groups) if running else None
        if self.exploiters.book is not None and (gates is None or self.multipliers is not None):
            step = self._exact_step(policy)
            return (step.gates if gates is None else gates), step.limited
        assert gates is not None
        return gates, {} if self.multipliers is None else self.objective.limited(mean_features(groups))

    def _exact_step(self, policy: Policy) -> ExactStep:
        objective = self.objective
        book = self.cast.book(self.exploiters.book, objective, policy, self.met.strategies)
        assert book is not None
        return exact_batch(book, book.tabulate(policy), objective)


def _stage(game: Rules, config: SepoConfig) -> Game:
    """Return what responders would be computed in; a task has none, so nobody asks it for more than it has.

    Raises:
        RequestError: The settings ask for what a free-text task cannot give.
    """
    if isinstance(game, Game):
        return game
    wrong = {
        "gradient": (config.gradient, ("sampled",)),
        "gates": (config.gates, ("auto", "running")),
        "penalised": (config.penalised, ("opponent_advantage",)),
        "exploiters": (config.exploiters, ("none", "pool")),
    }
    for name, (value, possible) in wrong.items():
        if value not in possible:
            raise RequestError(
                f"{name} = {value!r}: {game.name} is a free-text task, use {name} = {possible[-1]!r}"
            )
    return cast(Game, game)
