"""Per-pool credit for episodes of verifiers: what an algorithm of prime-rl does with a group.

The arithmetic is ``objective.credit.per_pool``; here it is only brought onto the tokens of traces. Groups
come one at a time and tasks are drawn evenly, so every stream has the same share of episodes and none is
divided by it: the mean over tasks is ∇J over the number of streams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equipoise.adapters.verifiers.env import episode_of
from equipoise.objective.credit import per_pool
from equipoise.objective.gates import RunningGates
from equipoise.objective.groups import group_episodes
from equipoise.objective.safety import Objective
from equipoise.types import Episode, Validity

__all__ = ["PerPoolCredit", "assign"]


def assign(
    traces: Sequence[Any], objective: Objective, gates: RunningGates, independent: bool
) -> list[list[float]]:
    """Give every sampled token of one group's traces its advantage.

    An answer that did not become the action, because it was invalid, gets 0. Traces without an episode are
    left alone.

    Args:
        traces: Traces of rollouts of the same task; those of both seats in self-play.
        objective: The objective.
        gates: The hinge's gates, which learn from the group after they have judged it.
        independent: Whether a return ends with its round.

    Returns:
        For each trace, one advantage a decision.
    """
    kept = [(trace, episode) for trace in traces if (episode := episode_of(trace)) is not None]
    groups = group_episodes([episode for _, episode in kept])
    credit = per_pool(groups, objective, gates.gates(groups), independent)
    members = {
        (group.stream, group.seat, group.deal): iter(rows)
        for group, rows in zip(groups, credit.advantages, strict=True)
    }
    found: dict[int, list[float]] = {}
    for trace, episode in kept:
        key = ((episode.pool, episode.opponent), episode.seat, episode.deal)
        row = [float(value) for value in next(members[key])]
        _spread(trace, episode, row)
        found[id(trace)] = row
    return [found.get(id(trace), []) for trace in traces]


class PerPoolCredit:
    """The hook of prime-rl: put it before ``Algorithm`` among the bases of a class of your own."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        """Pass everything on."""
        super().__init__(*arguments, **settings)
        self.gates = RunningGates()

    def use(self, objective: Objective, independent: bool) -> None:
        """Take the objective, and whether rounds are independent; before the first group."""
        self._objective, self._independent = objective, independent

    async def score_group(self, episodes: Sequence[Any]) -> None:
        """Credit the episodes of one task."""
        traces = [trace for episode in episodes for trace in episode.traces if trace.agent.trainable]
        assign(traces, self._objective, self.gates, self._independent)


def _spread(trace: Any, episode: Episode, advantages: Sequence[float]) -> None:
    """Write each decision's advantage on the tokens of the answer that was played."""
    sampled = iter([node for node in trace.nodes if node.sampled])
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    for turn, advantage in zip(own, advantages, strict=True):
        for retry in range(turn.retries + 1):
            node = next(sampled, None)
            if node is None:
                return
            played = retry == turn.retries and turn.choice.validity is Validity.VALID
            node.advantages = [advantage if played else 0.0] * len(node.logprobs)
