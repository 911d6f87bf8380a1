"""Rules about answers: a policy is a function of what a seat knows, and of the draws it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import fsum, sqrt
from random import Random

from equipoise.policies.base import AsyncPolicy
from equipoise.rollout.deals import DecisionDraws
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.policy.bench import PolicyBench, snapshot
from equipoise.types import Choice, Decision, Probabilities

__all__ = [
    "act_agrees",
    "batches_do_not_matter",
    "distribution",
    "keyed_draws",
    "mutates_nothing",
    "order_does_not_matter",
    "same_knowledge_same_answer",
    "same_question_same_answer",
]

MIXED, TIMES, DEVIATIONS = 4, 400, 5.0
"""Mixed decisions that are asked again and again, how often, and the standard errors that are tolerated."""


def distribution(bench: PolicyBench) -> str:
    """``probabilities`` gives legal actions numbers in [0, 1] with sum 1."""
    rows = bench.probabilities(bench.decisions)
    if len(rows) != len(bench.decisions):
        raise Violation(f"{len(rows)} rows for {len(bench.decisions)} decisions", "return one a decision")
    for decision, row in zip(bench.decisions, rows, strict=True):
        wrong = [action for action in row if action not in (decision.legal or ())]
        total = fsum(row.values())
        if wrong or abs(total - 1.0) > 1e-6 or any(not 0.0 <= p <= 1.0 for p in row.values()):
            raise Violation(
                f"{shown(dict(row))} at {shown(decision.information_state)}, with sum {total:.6g}",
                f"give numbers in [0, 1] with sum 1 to actions among {shown(decision.legal)}",
            )
    return bench.extent


def same_question_same_answer(bench: PolicyBench) -> str:
    """Asked the same decisions again, a policy gives the same probabilities."""
    first, second = (bench.probabilities(bench.decisions) for _ in range(2))
    _compare(
        bench, first, second, "when asked again", "keep no state between calls, and draw by decision.draws"
    )
    return bench.extent


def order_does_not_matter(bench: PolicyBench) -> str:
    """The order of a batch changes no probability."""
    straight = bench.probabilities(bench.decisions)
    order = list(range(len(straight)))
    Random(f"{bench.seed}|order").shuffle(order)
    shuffled = bench.probabilities([bench.decisions[place] for place in order])
    _compare(
        bench,
        [straight[place] for place in order],
        shuffled,
        "in another order",
        "answer each decision by itself, in its place",
    )
    return bench.extent


def batches_do_not_matter(bench: PolicyBench) -> str:
    """What else is in a batch changes no probability."""
    together = bench.probabilities(bench.decisions)
    alone = [bench.probabilities([decision])[0] for decision in bench.decisions]
    _compare(bench, together, alone, "when asked alone", "answer each decision by itself")
    return bench.extent


def same_knowledge_same_answer(bench: PolicyBench) -> str:
    """Episode, draws and retries change no probability: only what the seat knows does."""
    draws = DecisionDraws("another", "another")
    others = [replace(d, episode="another", draws=draws, retry=d.retry + 1) for d in bench.decisions]
    first, second = bench.probabilities(bench.decisions), bench.probabilities(others)
    _compare(bench, first, second, "in another episode", "use decision.info and decision.legal alone")
    return bench.extent


def keyed_draws(bench: PolicyBench) -> str:
    """The same decisions with the same draws get the same actions, in any order."""
    bench.need_structure()
    if isinstance(bench.policy, AsyncPolicy):
        raise NotApplicable("an asynchronous policy may draw by itself")
    again = bench.ask(bench.decisions[::-1])[::-1]
    for decision, one, other in zip(bench.decisions, bench.choices, again, strict=True):
        if one.action != other.action:
            raise Violation(
                f"{shown(one.action)}, then {shown(other.action)} at {shown(decision.information_state)}",
                "draw with decision.draws (equipoise.policies.base.draw), never by a generator of your own",
            )
    return bench.extent


def act_agrees(bench: PolicyBench) -> str:
    """``act`` draws from ``probabilities``: never what has none, and as often as they say."""
    rows = bench.probabilities(bench.decisions)
    for decision, row, choice in zip(bench.decisions, rows, bench.choices, strict=True):
        _check_support(bench, decision, row, choice)
    mixed = [(d, row) for d, row in zip(bench.decisions, rows, strict=True) if max(row.values()) < 1.0]
    for decision, row in mixed[:MIXED]:
        asked = [
            replace(decision, draws=DecisionDraws(f"{bench.seed}|{number}", f"{bench.seed}|{number}"))
            for number in range(TIMES)
        ]
        counts = Counter(choice.action for choice in bench.ask(asked))
        for action in decision.legal or ():
            p, share = row.get(action, 0.0), counts[action] / TIMES
            if abs(share - p) > DEVIATIONS * sqrt(p * (1.0 - p) / TIMES) + 1.0 / TIMES:
                raise Violation(
                    f"act chooses {action!r} in {counts[action]} of {TIMES} draws at "
                    f"{shown(decision.information_state)}, where it has probability {p:.4g}",
                    "draw from the same distribution that probabilities gives",
                )
    return f"{bench.extent}, {min(MIXED, len(mixed))} of them {TIMES} times"


def mutates_nothing(bench: PolicyBench) -> str:
    """A decision is the same after it was answered."""
    bench.need_structure()
    for decision, was in zip(bench.decisions, bench.before, strict=True):
        if snapshot(decision) != was:
            raise Violation(
                f"the decision was {was[:120]} and is {snapshot(decision)[:120]} after the answer",
                "read decisions, never write to them",
            )
    return bench.extent


def _check_support(bench: PolicyBench, decision: Decision, row: Probabilities, choice: Choice) -> None:
    if choice.action is not None and row.get(choice.action, 0.0) <= 0.0:
        raise Violation(
            f"act chooses {choice.action!r} at {shown(decision.information_state)}, which has probability 0",
            "draw from the same distribution that probabilities gives",
        )
    if choice.probabilities is not None:
        _compare(bench, [row], [choice.probabilities], "in the Choice", "report the distribution drawn from")


def _compare(
    bench: PolicyBench,
    first: Sequence[Probabilities],
    second: Sequence[Probabilities],
    when: str,
    way_out: str,
) -> None:
    for one, other in zip(first, second, strict=True):
        actions = one.keys() | other.keys()
        if any(abs(one.get(a, 0.0) - other.get(a, 0.0)) > bench.tolerance for a in actions):
            raise Violation(f"{shown(dict(one))}, and {shown(dict(other))} {when}", way_out)
