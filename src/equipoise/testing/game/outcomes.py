"""Rules about what a round pays, and about playing the same again."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, isfinite

from equipoise.games.base import State
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.game.bench import GameBench, fingerprint
from equipoise.testing.game.structure import TOLERANCE
from equipoise.testing.walks import Line, Node, root
from equipoise.types import RoundOutcome

__all__ = [
    "diagnostics_as_declared",
    "equal_play_equal_states",
    "forfeit_in_bounds",
    "immutable",
    "payoffs_in_bounds",
    "round_count",
    "same_deal_same_payoffs",
    "terms_in_range",
    "zero_sum",
]


def payoffs_in_bounds(bench: GameBench) -> str:
    """Every seat gets one payoff a round, within the declared bounds."""
    found = _outcomes(bench)
    for node, outcome in found:
        _check_payoffs(bench, outcome.payoffs, node.state)
    return f"{len(found)} rounds, {bench.extent}"


def zero_sum(bench: GameBench) -> str:
    """The payoffs of a round sum to 0 where that is declared."""
    if not bench.record.zero_sum:
        raise NotApplicable("zero_sum is not declared")
    for node, outcome in _outcomes(bench):
        total = fsum(outcome.payoffs)
        if abs(total) > TOLERANCE:
            raise Violation(
                f"payoffs {shown(outcome.payoffs)} at {shown(node.state)} sum to {total:g}",
                "let them sum to 0 or declare zero_sum=False",
            )
    return bench.extent


def terms_in_range(bench: GameBench) -> str:
    """The terms c and x are in [0, 1] for each seat, and None exactly where the declaration says None."""
    record = bench.record
    for node, outcome in _outcomes(bench):
        _check_term("collusion", record.collusion, outcome.collusion, record.seats, node.state)
        _check_term("externality", record.externality, outcome.externality, record.seats, node.state)
    return bench.extent


def diagnostics_as_declared(bench: GameBench) -> str:
    """Every outcome has one tuple a declared diagnostic, with one finite number a seat."""
    names, seats = bench.record.diagnostics, bench.record.seats
    for node, outcome in _outcomes(bench):
        rows = outcome.diagnostics
        if len(rows) != len(names) or any(len(row) != seats for row in rows):
            raise Violation(
                f"diagnostics {shown(rows)} at {shown(node.state)} for {shown(names)}",
                f"report one tuple of {seats} numbers for each name that is declared",
            )
        if not all(isfinite(number) for row in rows for number in row):
            raise Violation(f"diagnostics {shown(rows)} at {shown(node.state)}", "report finite numbers")
    if not names:
        raise NotApplicable("no diagnostics are declared")
    return bench.extent


def forfeit_in_bounds(bench: GameBench) -> str:
    """A forfeited round pays within the bounds, zero-sum and with terms as declared."""
    record = bench.record
    for asked in bench.asked:
        state = asked.node.state
        outcome = bench.game.forfeit(state, asked.seat)
        _check_payoffs(bench, outcome.payoffs, state)
        if record.zero_sum and abs(fsum(outcome.payoffs)) > TOLERANCE:
            raise Violation(f"a forfeit pays {shown(outcome.payoffs)}", "zero-sum games sum to 0 here too")
        _check_term("collusion", record.collusion, outcome.collusion, record.seats, state)
        _check_term("externality", record.externality, outcome.externality, record.seats, state)
        if len(outcome.diagnostics) != len(record.diagnostics):
            raise Violation(
                f"a forfeit reports {len(outcome.diagnostics)} diagnostics", "report one a declared name"
            )
    return bench.extent


def round_count(bench: GameBench) -> str:
    """As many rounds are played as declared; at most as many where the horizon is hidden."""
    bench.need_structure()
    declared, told = bench.record.rounds, horizon_is_told(bench)
    for line in bench.lines:
        played = len(line.outcomes)
        if played > declared or played < (declared if told else 1):
            raise Violation(
                f"an episode has {played} rounds where {declared} are declared",
                "give an outcome a round; where play may stop early, `info` says rounds=None",
            )
    return f"{len(bench.lines)} episodes of {declared} rounds{'' if told else ' at most'}"


def immutable(bench: GameBench) -> str:
    """Playing on from a position leaves the position as it was."""
    bench.need_structure()
    for line, before in zip(bench.lines, bench.before, strict=True):
        for node, was in zip(line.nodes, before, strict=True):
            if fingerprint(node) != was:
                raise Violation(
                    f"{shown(node.state)} changed after it was played on from",
                    "let apply return a new state: a frozen dataclass of immutable fields",
                )
    return bench.extent


def equal_play_equal_states(bench: GameBench) -> str:
    """The same moves lead to states that are equal and have equal hashes."""
    bench.need_structure()
    for line in bench.lines:
        for one, other in zip(line.nodes, _again(bench, line).nodes, strict=True):
            if one != other or hash(one) != hash(other):
                raise Violation(
                    f"the same moves lead to {shown(one.state)} and to {shown(other.state)}",
                    "compare states by what the rules need to go on, and by nothing else",
                )
    return f"{len(bench.lines)} random lines, played twice"


def same_deal_same_payoffs(bench: GameBench) -> str:
    """The same chance outcomes and actions give the same outcomes."""
    bench.need_structure()
    for line in bench.lines:
        for step, other in zip(line.steps, _again(bench, line).steps, strict=True):
            if step.outcome != other.outcome:
                raise Violation(
                    f"the same deal and actions give {shown(step.outcome)} and {shown(other.outcome)}",
                    "draw what is random at chance nodes, never inside apply",
                )
    return f"{len(bench.lines)} random lines, played twice"


def horizon_is_told(bench: GameBench) -> bool:
    """Tell whether seats know the number of rounds, so that it is exact and no cap."""
    for asked in bench.asked[:1]:
        node, seat = asked
        info = bench.game.info(seat, node.state.observation(seat), node.histories[seat])
        return info.get("rounds", 0) is not None
    return True


def _outcomes(bench: GameBench) -> list[tuple[Node, RoundOutcome]]:
    return [(node, step.outcome) for node, step in bench.steps() if step.outcome is not None]


def _again(bench: GameBench, line: Line) -> Line:
    replay = Line([root(bench.game)])
    for move in line.moves:
        replay.go(move)
    return replay


def _check_payoffs(bench: GameBench, payoffs: Sequence[float], state: State) -> None:
    low, high = bench.record.payoff_bounds
    if len(payoffs) != bench.record.seats:
        raise Violation(
            f"{len(payoffs)} payoffs at {shown(state)}", f"pay each of {bench.record.seats} seats"
        )
    for seat, payoff in enumerate(payoffs):
        if not low - TOLERANCE <= payoff <= high + TOLERANCE:
            raise Violation(
                f"seat {seat} gets {payoff!r} at {shown(state)}, outside the declared {low:g} to {high:g}",
                "correct the payoff or declare payoff_bounds that hold",
            )


def _check_term(
    name: str, declared: str | None, term: Sequence[float] | None, seats: int, state: State
) -> None:
    if (declared is None) != (term is None):
        raise Violation(
            f"{name} is {shown(term)} at {shown(state)} where {shown(declared)} is declared",
            f"report {name} for every round or for none, as declared",
        )
    if term is not None and (len(term) != seats or not all(0.0 <= amount <= 1.0 for amount in term)):
        raise Violation(
            f"{name} is {shown(term)} at {shown(state)}", f"report {seats} numbers in [0, 1], one a seat"
        )
