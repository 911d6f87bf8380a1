"""An independent oracle: every line of a game is walked by itself; nothing is merged, cached or weighted.

Memories are folded anew from the whole history at every decision, an episode's features are divided by the
number of rounds it really had, and chance is a branch like any other. Probabilities may be complex, so that
derivatives come out to machine precision (Squire and Trapp, SIAM Review 40, 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.games.base import Game
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools
from equipoise.opponents.registry import get_strategy
from equipoise.policies.tabular import TabularPolicy
from equipoise.types import Action, RoundOutcome, Seat
from tests.helpers import Node, every_decision, joint_actions, root

Player = Callable[[Hashable, tuple[Hashable, ...], tuple[Action, ...]], Mapping[Action, Any]]
"""Maps observation, history and legal actions to a distribution."""

Mixture = Sequence[tuple[Player, float]]
"""Players of whom one is drawn before an episode."""

OWN, OPPONENT, COLLUSION, EXTERNALITY, ABS_OWN, ABS_OPPONENT, FIRST_DIAGNOSTIC = range(7)

Line = tuple[Any, tuple[RoundOutcome, ...]]
"""Probability and round outcomes of one way in which an episode can go."""


def playing(strategy: Strategy) -> Mixture:
    """Return a strategy as a mixture of players, one an initial memory."""

    def start_from(memory: Any) -> Player:
        def act(
            observation: Hashable, history: tuple[Hashable, ...], legal: tuple[Action, ...]
        ) -> Mapping[Action, Any]:
            now = memory
            for signal in history:
                now = strategy.update(now, signal)
            return strategy.probabilities(now, observation, legal)

        return act

    return [(start_from(memory), probability) for memory, probability in strategy.start()]


def reading(game: Game, table: Mapping[str, Mapping[Action, Any]]) -> Mixture:
    """Return a table by label as a player."""
    return [(lambda observation, history, legal: table[game.label(observation, history)], 1.0)]


def named(game: Game, name: str) -> Mixture:
    """Return a scripted strategy by name."""
    return playing(get_strategy(game.name, name))


def lines(game: Game, pair: Sequence[Mixture]) -> Iterator[Line]:
    """Yield every line of positive probability; ``pair`` holds one mixture a seat."""
    for (first, p), (second, q) in product(*pair):
        yield from _walk(root(game), (first, second), p * q, ())


def _walk(
    node: Node, players: tuple[Player, Player], weight: Any, outcomes: tuple[RoundOutcome, ...]
) -> Iterator[Line]:
    state = node.state
    if state.is_over:
        yield weight, outcomes
        return
    if state.chance is not None:
        branches = [(state.apply_chance(outcome), p) for outcome, p in state.chance_outcomes()]
    else:
        rows = {
            seat: players[seat](state.observation(seat), node.histories[seat], state.legal_actions(seat))
            for seat in state.players_to_move
        }
        branches = []
        for actions in joint_actions(state):
            p: Any = 1.0
            for seat, action in actions.items():
                p = p * rows[seat].get(action, 0.0)
            branches.append((state.apply(actions), p))
    for step, p in branches:
        if p != 0.0:
            more = outcomes if step.outcome is None else (*outcomes, step.outcome)
            yield from _walk(node.after(step), players, weight * p, more)


def episode_features(outcomes: Sequence[RoundOutcome], seat: Seat) -> NDArray[np.float64]:
    """Return an episode's means per round: own, opponent, c, x, |own|, |opponent|, diagnostics."""
    rows = []
    for outcome in outcomes:
        own, other = outcome.payoffs[seat], outcome.payoffs[1 - seat]
        c = outcome.collusion[seat] if outcome.collusion is not None else 0.0
        x = outcome.externality[seat] if outcome.externality is not None else 0.0
        rows.append([own, other, c, x, abs(own), abs(other), *[row[seat] for row in outcome.diagnostics]])
    return np.array(rows, dtype=float).sum(axis=0) / len(outcomes)


def means_at(game: Game, policy: Mixture, opponent: Mixture, seat: Seat) -> NDArray[Any]:
    """Return the expected features of the policy at one seat."""
    pair = (policy, opponent) if seat == 0 else (opponent, policy)
    total: Any = 0.0
    for weight, outcomes in lines(game, pair):
        total = total + weight * episode_features(outcomes, seat)
    return np.asarray(total)


def means(game: Game, policy: Mixture | Sequence[Mixture], opponent: Mixture) -> NDArray[Any]:
    """Return the expected features averaged over both seats; a policy may differ by seat."""
    by_seat = policy if isinstance(policy[0], list) else [policy, policy]
    return np.mean([means_at(game, by_seat[seat], opponent, seat) for seat in (0, 1)], axis=0)  # type: ignore[arg-type]


def terms(
    game: Game, policy: Mixture | Sequence[Mixture], pools: Pools, weights: tuple[float, float, float]
) -> dict[str, Any]:
    """Return u, e, c, x and J by the definitions of objective.md."""
    names = dict.fromkeys((*pools.train, *pools.exploiter, *pools.collusive))
    rows = {name: means(game, policy, named(game, name)) for name in names}
    gaps = [rows[name][OPPONENT] - rows[name][OWN] for name in pools.exploiter]
    found = {
        "u": np.mean([rows[name][OWN] for name in pools.train]),
        "e": np.mean([gap if np.real(gap) > 1e-12 else 0.0 * gap for gap in gaps]) if gaps else 0.0,
        "c": np.mean([rows[name][COLLUSION] for name in pools.collusive]) if pools.collusive else 0.0,
        "x": np.mean([rows[name][EXTERNALITY] for name in (*pools.train, *pools.exploiter)]),
    }
    s = 3.0 / game.info_record.payoff_scale
    penalty = weights[0] * s * found["e"] + weights[1] * found["c"] + weights[2] * found["x"]
    found["J"] = s * found["u"] - penalty
    return found


def states(game: Game) -> dict[str, tuple[Action, ...]]:
    """Return the legal actions of every information state by label."""
    found: dict[str, tuple[Action, ...]] = {}
    for decision in every_decision(game):
        assert decision.legal is not None
        found[game.label(decision.observation, decision.history)] = decision.legal
    return found


def random_table(game: Game, seed: int, sharpness: float = 1.0) -> dict[str, dict[Action, float]]:
    """Return a random behaviour; a small ``sharpness`` makes it nearly pure."""
    draw = np.random.default_rng(seed)
    table = {}
    for label, legal in sorted(states(game).items()):
        p = draw.dirichlet([sharpness] * len(legal))
        table[label] = dict(zip(legal, (p / p.sum()).tolist(), strict=True))
    return table


def random_policy(game: Game, seed: int, sharpness: float = 1.0) -> TabularPolicy:
    """Return a random behaviour as a policy."""
    return TabularPolicy(game.info_record.key, random_table(game, seed, sharpness))
