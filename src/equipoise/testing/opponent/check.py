"""``check_opponent``: what every strategy must hold."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.opponents.base import Classifier, Strategy
from equipoise.progress import Reporter, silent
from equipoise.testing.findings import Report, Rule, Violation, examine, shown
from equipoise.testing.opponent import classifier
from equipoise.testing.opponent.bench import STRUCTURE, OpponentBench

__all__ = ["OPPONENT_RULES", "check_opponent", "examine_opponent"]


def declaration(bench: OpponentBench) -> str:
    """The strategy has a name, a source and a classifier."""
    strategy = bench.strategy
    for key, kind in (("name", str), ("source", str), ("classifier", Classifier)):
        value = getattr(strategy, key, None)
        if not isinstance(value, kind) or value == "":
            raise Violation(f"{key} is {shown(value)}", f"set it to a {kind.__name__}")
    depth = strategy.classifier.memory_depth
    if depth is not None and depth < 0:
        raise Violation(f"memory_depth is {depth}", "declare a number of rounds, or None for unbounded")
    return strategy.name


def pure_update(bench: OpponentBench) -> str:
    """The same memory and signal give the same memory, whatever came before; nothing is changed in place."""
    bench.need_structure()
    for start in bench.starts:
        first = [bench.memory(start, visit.history) for visit in bench.visits]
        digests = [hash(memory) for memory in first]
        second = [bench.memory(start, visit.history) for visit in reversed(bench.visits)][::-1]
        for visit, one, other, digest in zip(bench.visits, first, second, digests, strict=True):
            if one != other or hash(one) != digest:
                raise Violation(
                    f"after {shown(visit.history)} the memory is {shown(one)} and then {shown(other)}",
                    "let update return a new memory from its two arguments alone",
                )
    return bench.extent


def pure_probabilities(bench: OpponentBench) -> str:
    """The same memory and observation give the same answer, whatever was asked before."""
    bench.need_structure()
    ask = bench.strategy.probabilities
    for start in bench.starts:
        asked = [
            (bench.memory(start, visit.history), visit.observation, visit.legal) for visit in bench.visits
        ]
        first = [dict(ask(*question)) for question in asked]
        second = [dict(ask(*question)) for question in reversed(asked)][::-1]
        for question, one, other in zip(asked, first, second, strict=True):
            if one != other:
                raise Violation(
                    f"at {shown(question[1])} with memory {shown(question[0])} it answers {shown(one)} and "
                    f"then {shown(other)}",
                    "keep no state: give probabilities instead of drawing, and remember through update",
                )
    return bench.extent


def _asked(bench: OpponentBench) -> str:
    """Stand for a rule that was checked while asking."""
    bench.need_structure()
    return bench.extent


OPPONENT_RULES: tuple[Rule[OpponentBench], ...] = (
    Rule("declaration", "name, source and classifier are given", declaration),
    *(Rule(name, says, _asked) for name, says in STRUCTURE.items()),
    Rule("pure-update", "update is a function of its arguments", pure_update),
    Rule("pure-probabilities", "answers are a function of memory and observation", pure_probabilities),
    Rule("stochastic", "stochastic=False means single actions", classifier.not_stochastic),
    Rule("memory-depth", "older rounds than memory_depth do not matter", classifier.memory_depth),
    Rule("recall", "a finite memory_depth means finitely many memories", classifier.bounded_recall),
    Rule("uses-horizon", "uses_horizon=False means the round does not matter", classifier.no_horizon),
    Rule("knows-private", "knows_private=False means private information does not", classifier.no_private),
)
"""Every rule about an opponent, in the order of a report."""


def examine_opponent(
    strategy: Strategy, game: Game, *, walks: int = 20, seed: int = 0, reporter: Reporter | None = None
) -> Report:
    """Check every rule about a strategy and return what was found.

    Args:
        strategy: The strategy.
        game: The game it plays.
        walks: Random lines of the game on which it is asked, at both seats.
        seed: Seed of the lines.
        reporter: Shows progress.
    """
    bench = OpponentBench(strategy, game, walks, seed)
    name = getattr(strategy, "name", type(strategy).__name__)
    return examine(f"opponent {name} in {game.name}", OPPONENT_RULES, bench, reporter or silent())


def check_opponent(
    strategy: Strategy, game: Game, *, walks: int = 20, seed: int = 0, reporter: Reporter | None = None
) -> Report:
    """Check that a strategy holds what every opponent must hold; arguments as for :func:`examine_opponent`.

    Raises:
        ConformanceError: A rule is broken; the message names it, the offending value and the way out.
    """
    return examine_opponent(strategy, game, walks=walks, seed=seed, reporter=reporter).raise_if_failed()
