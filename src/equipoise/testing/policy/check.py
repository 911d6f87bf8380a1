"""``check_policy``: what every policy must hold."""

from __future__ import annotations

from typing import Any

from equipoise.games.base import Game
from equipoise.policies.base import AnyPolicy, AsyncPolicy
from equipoise.policies.registry import load_policy
from equipoise.progress import Reporter, silent
from equipoise.testing.findings import NotApplicable, Report, Rule, Violation, examine, shown
from equipoise.testing.policy import answers
from equipoise.testing.policy.bench import STRUCTURE, PolicyBench

__all__ = ["POLICY_RULES", "check_policy", "examine_policy"]


def declaration(bench: PolicyBench) -> str:
    """The policy has a name and a fingerprint, and the engine knows how to ask it."""
    policy = bench.policy
    for key in ("name", "fingerprint"):
        value = getattr(policy, key, None)
        if not isinstance(value, str) or (key == "name" and not value):
            raise Violation(f"{key} is {shown(value)}", "set it to a str")
    if isinstance(policy, AsyncPolicy) and policy.limit < 1:
        raise Violation(f"limit is {policy.limit}", "allow at least 1 open request")
    return policy.name


def _asked(bench: PolicyBench) -> str:
    """Stand for a rule that was checked while asking."""
    bench.need_structure()
    return bench.extent


def _in_time(bench: PolicyBench) -> str:
    bench.need_structure()
    if not isinstance(bench.policy, AsyncPolicy):
        raise NotApplicable("for asynchronous policies")
    return f"{bench.extent}, within {bench.timeout:g} s each"


def _legal(bench: PolicyBench) -> str:
    bench.need_structure()
    if bench.policy.strict:
        return bench.extent
    return f"{bench.extent}, {bench.invalid} without a legal action, which is allowed"


POLICY_RULES: tuple[Rule[PolicyBench], ...] = (
    Rule("declaration", "name and fingerprint are given", declaration),
    *(
        Rule(name, says, {"answers-in-time": _in_time, "legal": _legal}.get(name, _asked))
        for name, says in STRUCTURE.items()
    ),
    Rule("mutates-nothing", "decisions are left as they were", answers.mutates_nothing),
    Rule("distribution", "probabilities are a distribution over legal actions", answers.distribution),
    Rule("same-answer", "the same question gets the same answer", answers.same_question_same_answer),
    Rule("batch-order", "the order of a batch does not matter", answers.order_does_not_matter),
    Rule("batch-composition", "what else is asked does not matter", answers.batches_do_not_matter),
    Rule("same-knowledge", "only what the seat knows matters", answers.same_knowledge_same_answer),
    Rule("keyed-draws", "the same draws give the same actions", answers.keyed_draws),
    Rule("act-agrees", "act draws from probabilities", answers.act_agrees),
)
"""Every rule about a policy, in the order of a report."""


def examine_policy(
    policy: Any,
    game: Game,
    *,
    walks: int = 8,
    seed: int = 0,
    timeout: float = 60.0,
    most: int = 64,
    reporter: Reporter | None = None,
) -> Report:
    """Check every rule about a policy and return what was found.

    Args:
        policy: The policy, or what :func:`equipoise.load_policy` turns into one (a name, a function …).
        game: The game it plays.
        walks: Random episodes whose decisions it is asked.
        seed: Seed of the episodes.
        timeout: Seconds that an asynchronous policy has for each answer.
        most: Decisions asked at most; each is asked several times.
        reporter: Shows progress.
    """
    player: AnyPolicy = load_policy(policy, game)
    bench = PolicyBench(player, game, walks, most, seed, timeout)
    name = getattr(player, "name", type(player).__name__)
    return examine(f"policy {name} in {game.name}", POLICY_RULES, bench, reporter or silent())


def check_policy(
    policy: Any,
    game: Game,
    *,
    walks: int = 8,
    seed: int = 0,
    timeout: float = 60.0,
    most: int = 64,
    reporter: Reporter | None = None,
) -> Report:
    """Check that a policy holds what every policy must hold; arguments as for :func:`examine_policy`.

    Raises:
        ConformanceError: A rule is broken; the message names it, the offending value and the way out.
    """
    found = examine_policy(
        policy, game, walks=walks, seed=seed, timeout=timeout, most=most, reporter=reporter
    )
    return found.raise_if_failed()
