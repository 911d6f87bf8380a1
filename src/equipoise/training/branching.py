"""The all-actions policy gradient, sampled: at visited decisions every legal action is valued by trial.

The policy gradient theorem sums over actions,

    ∇J = Σ_o E_o[ Σ_t Σ_a ∇π(a | h_t) · Q_o(h_t, a) ]

and so leaves out the noise of which action was drawn (expected policy gradients, Ciosek and Whiteson, arXiv
1801.03326). Where Q is not at hand it is estimated by *branching* (the vine procedure of TRPO, arXiv
1502.05477, section 5.2): the deal is played again up to h_t, an action is forced, and the policy goes on.
Chance and opponent answer alike on the same deal, so a branch starts exactly where its rollout was; it goes
on with that rollout's draws (common random numbers), which have not been looked at before.

Rollouts of a group that arrive at the same point share their trials, and an action that one of them took
there needs no other. Given who was there and what they did, each trial is a draw of what follows, so

    ĝ = Σ over rollouts of (D / B) · Σ over B of its D decisions, drawn at random, of Σ_a ∇π(a | h) · Q̂(h, a)

is unbiased for every B, over the episodes of its stream like any credit. There is no need of a baseline: what
is added to all actions of a decision has no gradient.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import EquipoiseError, RequestError
from equipoise.objective.advantages import returns_to_go
from equipoise.objective.credit import Gates, reward_weights
from equipoise.objective.features import REWARD_FEATURES, features
from equipoise.objective.groups import Group
from equipoise.objective.safety import Objective, Stream
from equipoise.policies.base import Policy
from equipoise.rollout.deals import keyed_uniform
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, Played
from equipoise.training.batch import Batch, pad
from equipoise.training.forced import Entry, Forced
from equipoise.types import Action, Decision, Episode, Turn

__all__ = ["Branches", "GroupKey", "Values", "branch_off", "group_key", "group_weights"]

Array = NDArray[np.float64]
GroupKey = tuple[Stream, int, int]
"""Stream, seat and deal of a group."""

Node = Hashable
"""A point in the play of a deal: the group and the own actions that lead there."""


class _Start(NamedTuple):
    """Where branches begin: what was asked to be played, the decision, and the own actions before it."""

    request: EpisodeRequest
    decision: Decision
    before: tuple[Action, ...]


@dataclass(frozen=True)
class _Visit:
    """A decision that is branched at.

    Attributes:
        decision: The decision.
        turn: What was answered.
        key: Its group.
        node: Where in the play of the deal it is.
        weight: D / B of its rollout.
    """

    decision: Decision
    turn: Turn
    key: GroupKey
    node: Node
    weight: float


@dataclass(frozen=True)
class Values:
    """Action values of the decisions that were branched at, under some rewards.

    Attributes:
        rows: For each of them (A,) values of its legal actions, minus their mean under the policy.
        taken: The same of the action that was taken, the advantage it would be credited with.
    """

    rows: list[Array]
    taken: Array


@dataclass(frozen=True)
class Branches:
    """The trials of a step.

    Attributes:
        played: The rollouts.
        visits: The decisions that are branched at.
        trials: For each node and action, the episodes in which it was tried, and the round.
        asked: Decisions that the policy was asked in branches, on top of those of the rollouts.
        count: Episodes played for it.
        independent: Whether a return ends with its round.
    """

    played: Sequence[Played]
    visits: Sequence[_Visit]
    trials: Mapping[tuple[Node, Action], Sequence[tuple[Episode, int]]]
    asked: int
    count: int
    independent: bool

    def values(self, weights: Mapping[GroupKey, Array]) -> Values:
        """Return the action values under the rewards whose coefficients are given by group."""
        known: dict[tuple[Node, Action], float] = {}

        def value(visit: _Visit, action: Action) -> float:
            key = (visit.node, action)
            if key not in known:
                found = [self._return(*one, weights[visit.key]) for one in self.trials[key]]
                known[key] = float(np.mean(found))
            return known[key]

        rows, taken = [], []
        for visit in self.visits:
            legal = visit.decision.legal or ()
            row = np.array([value(visit, action) for action in legal])
            row -= _distribution(visit) @ row
            rows.append(row)
            taken.append(row[legal.index(visit.turn.action)])
        return Values(rows, np.array(taken))

    def batch(self, values: Values, divisor: float) -> Batch:
        """Return the batch of action values; every decision of a rollout counts as a visit.

        Args:
            values: The action values.
            divisor: What they are divided by.
        """
        index: dict[Hashable, int] = {}
        decisions: list[Decision] = []
        for one in self.played:
            for decision in one.decisions:
                if index.setdefault(decision.information_state, len(decisions)) == len(decisions):
                    decisions.append(decision)
        weights = [np.zeros(len(decision.legal or ())) for decision in decisions]
        for visit, row in zip(self.visits, values.rows, strict=True):
            share = visit.weight / (divisor * self._episodes[visit.key[0]])
            weights[index[visit.decision.information_state]] += share * row
        visits = np.zeros(len(decisions))
        np.add.at(visits, [index[d.information_state] for one in self.played for d in one.decisions], 1.0)
        prob_weights = pad(weights)
        return Batch(tuple(decisions), np.zeros_like(prob_weights), prob_weights, visits / visits.sum())

    @cached_property
    def _episodes(self) -> Mapping[Stream, int]:
        found: dict[Stream, int] = defaultdict(int)
        for one in self.played:
            found[group_key(one.episode)[0]] += 1
        return found

    def _return(self, episode: Episode, round_: int, weight: Array) -> float:
        rewards = [float(features(o, episode.seat)[:REWARD_FEATURES] @ weight) for o in episode.rounds]
        return float(returns_to_go(rewards, self.independent)[round_])


def group_weights(
    groups: Sequence[Group], objective: Objective, gates: Gates, components: Sequence[str] | None = None
) -> dict[GroupKey, Array]:
    """Return what a round's features are worth to J in each group (see ``credit.reward_weights``)."""
    rewards = reward_weights(groups, objective, gates, components)
    return {(g.stream, g.seat, g.deal): weight for g, weight in zip(groups, rewards, strict=True)}


def group_key(episode: Episode) -> GroupKey:
    """Return the group that an episode belongs to."""
    return ((episode.pool, episode.opponent), episode.seat, episode.deal)


def branch_off(
    requests: Sequence[EpisodeRequest],
    played: Sequence[Played],
    policy: Policy,
    branches: int,
    weights: Mapping[GroupKey, Array],
) -> Branches:
    """Play the branches of a step.

    Args:
        requests: What was asked to be played.
        played: What came of it, in the same order.
        policy: The policy that played it.
        branches: B, the decisions of a rollout that are branched at; all where it has fewer.
        weights: The rewards' coefficients by group; where all are 0 there is no gradient and no branch.

    Raises:
        RequestError: The policy gives no probabilities.
        EquipoiseError: A branch did not arrive where its rollout was: the opponent does not repeat itself on
            a deal.
    """
    alone = requests[0].game.info_record.independent_rounds
    trials: dict[tuple[Node, Action], list[tuple[Episode, int]]] = defaultdict(list)
    visits: list[_Visit] = []
    first: dict[Node, _Start] = {}
    for request, one in zip(requests, played, strict=True):
        key = group_key(one.episode)
        if not weights[key].any():
            continue
        own = [turn for turn in one.episode.turns if turn.seat == one.episode.seat]
        nodes = [(key, *_path(own, number, alone)) for number in range(len(own))]
        chosen = _chosen(request, len(own), branches)
        for number, (node, turn, decision) in enumerate(zip(nodes, own, one.decisions, strict=True)):
            trials[node, turn.action].append((one.episode, turn.round))
            # Whose draws a branch goes on with must not depend on who is branched at.
            first.setdefault(node, _Start(request, decision, tuple(t.action for t in own[:number])))
            if number in chosen:
                visits.append(_Visit(decision, turn, key, node, len(own) / len(chosen)))
    wanted = {(visit.node, action): None for visit in visits for action in visit.decision.legal or ()}
    missing = [(node, action, first[node]) for node, action in wanted if (node, action) not in trials]
    asked = _play(missing, policy, alone, trials)
    return Branches(played, visits, trials, asked, len(missing), alone)


def _path(own: Sequence[Turn], number: int, alone: bool) -> tuple[Hashable, ...]:
    """Return the own actions before a decision; where rounds are independent, those of its round."""
    round_ = own[number].round
    return (round_, *(turn.action for turn in own[:number] if turn.round == round_ or not alone))


def _chosen(request: EpisodeRequest, count: int, branches: int) -> set[int]:
    """Return which own decisions of a rollout are branched at, uniformly without replacement."""
    owner = f"{request.deal.key}|{request.id}|branch"
    order = sorted(range(count), key=lambda number: keyed_uniform(f"{owner}|{number}"))
    return set(order[:branches])


def _play(
    missing: Sequence[tuple[Node, Action, _Start]],
    policy: Policy,
    alone: bool,
    trials: dict[tuple[Node, Action], list[tuple[Episode, int]]],
) -> int:
    """Play what was not tried yet into ``trials``; return how many decisions the policy was asked."""
    entries: dict[str, Entry] = {}
    forced = Forced(policy, entries, alone)
    requests = []
    for _, action, (request, decision, before) in missing:
        legal = decision.legal or ()
        players = tuple(forced if s == request.seat else p for s, p in enumerate(request.players))
        tag = f"{request.tag}branch.{len(before)}.{legal.index(action)}"
        requests.append(replace(request, players=players, tag=tag))
        owner = f"{request.deal.key}|{request.id}"
        entries[requests[-1].id] = Entry((*before, action), request.deal.seed, owner)
    for (node, action, (_, decision, before)), one in zip(missing, play(requests), strict=True):
        if one.decisions[len(before)].information_state != decision.information_state:
            raise EquipoiseError(
                f"opponent {one.episode.opponent!r} does not repeat itself on a deal, on which branches "
                "rest: use gradient = 'sampled'"
            )
        own = [turn for turn in one.episode.turns if turn.seat == one.episode.seat]
        trials[node, action].append((one.episode, own[len(before)].round))
    return forced.asked


def _distribution(visit: _Visit) -> Array:
    given = visit.turn.choice.probabilities
    if given is None:
        raise RequestError(
            "gradient = 'all_actions' needs the probabilities of all actions, which this policy does not "
            "give: use gradient = 'sampled'"
        )
    return np.array([given.get(action, 0.0) for action in visit.decision.legal or ()])
