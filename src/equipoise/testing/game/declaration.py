"""Rules about what a game declares: its record, options, stage game and round weights."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import fsum, isfinite, isinf, nextafter
from typing import Any

from pydantic.fields import FieldInfo

from equipoise.errors import RequestError
from equipoise.games.base import Game, State
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.game.bench import GameBench
from equipoise.testing.game.outcomes import horizon_is_told
from equipoise.testing.game.structure import TOLERANCE
from equipoise.testing.walks import moves, take

__all__ = ["declaration", "options_in_range", "round_weights", "stage_is_consistent"]


def declaration(bench: GameBench) -> str:
    """The record is complete, in range, and the same whenever it is asked for."""
    game, record = bench.game, bench.game.info_record
    low, high = record.payoff_bounds
    penalties = (record.weights.e, record.weights.c, record.weights.x)
    # A family's game may carry its parameters: ``openspiel:liars_dice(dice_sides=2)``.
    named = record.id == game.name or record.id.startswith(f"{game.name}(")
    problems = {
        f"id is {record.id!r}, the game's name {game.name!r}": named,
        f"version is {record.version!r}": isinstance(record.version, int) and record.version >= 1,
        "title or summary is empty": bool(record.title and record.summary),
        f"rounds is {record.rounds!r}": isinstance(record.rounds, int) and record.rounds >= 1,
        f"seats is {record.seats!r}": isinstance(record.seats, int) and record.seats >= 1,
        f"payoff_bounds are {low!r} to {high!r}": isfinite(low) and isfinite(high) and low <= high,
        f"payoff_scale is {record.payoff_scale!r}": 0.0 < record.payoff_scale < float("inf"),
        f"a weight of {penalties} is negative": all(0.0 <= weight < float("inf") for weight in penalties),
        f"a diagnostic stands twice in {record.diagnostics}": _distinct(record.diagnostics),
        "info_record changes between calls": game.info_record == record,
    }
    for problem, fine in problems.items():
        if not fine:
            raise Violation(problem, "see equipoise.games.base.GameInfo for what it must be")
    return record.key


def options_in_range(bench: GameBench) -> str:
    """An unknown option, or one out of its range, is a RequestError."""
    kind = type(bench.game)
    wrong = [("no_such_option", 1), *_outside(kind.Options.model_fields)]
    for name, value in wrong:
        try:
            kind.create(**{name: value})
        except RequestError:
            continue
        except Exception as error:
            raise Violation(
                f"option {name} = {value!r} raises {type(error).__name__}",
                "let `create` validate with Options, which turns it into a RequestError",
            ) from None
        raise Violation(
            f"option {name} = {value!r} is accepted", 'keep extra="forbid" and the ranges of Options in force'
        )
    return f"{len(wrong)} wrong options"


def stage_is_consistent(bench: GameBench) -> str:
    """The stage game is one round where rounds are independent, and the game itself elsewhere."""
    record, stage = bench.record, bench.game.stage()
    if not isinstance(stage, Game):
        raise Violation(f"stage() returns {shown(stage)}", "return a game")
    inner = stage.info_record
    rounds = 1 if record.independent_rounds else record.rounds
    if (inner.key, inner.seats, inner.rounds) != (record.key, record.seats, rounds):
        raise Violation(
            f"the stage game is {inner.key} with {inner.seats} seats and {inner.rounds} rounds",
            f"return {record.key} with {record.seats} seats and {rounds} rounds",
        )
    return f"{inner.rounds} of {record.rounds} rounds"


def round_weights(bench: GameBench) -> str:
    """The expected weights of the rounds that are played sum to 1: they make a mean."""
    bench.need_structure()
    game, rounds = bench.game, bench.record.rounds
    weights = [game.round_weight(number) for number in range(rounds)]
    if horizon_is_told(bench):
        total = fsum(weights)
    else:
        played = _played(game, bench.limit)
        total = fsum(p * weight for p, weight in zip(played, weights, strict=True))
    if abs(total - 1.0) > TOLERANCE:
        raise Violation(
            f"round weights {shown(weights)} sum to {total:.6g}",
            "let round_weight(t) be E[1/T | round t is played]",
        )
    return f"{rounds} rounds"


def _distinct(names: tuple[str, ...]) -> bool:
    return len(set(names)) == len(names)


def _outside(fields: dict[str, FieldInfo]) -> Iterator[tuple[str, Any]]:
    """Yield values just outside the range of every option that has one."""
    for name, field in fields.items():
        whole = field.annotation is int
        for bound in field.metadata:
            for sign, direction in (("ge", -1), ("le", 1)):
                if (edge := getattr(bound, sign, None)) is not None:
                    far = direction * float("inf")
                    yield name, edge + direction if whole else nextafter(float(edge), far)
            for sign in ("gt", "lt"):
                if (edge := getattr(bound, sign, None)) is not None and not isinf(edge):
                    yield name, edge


def _played(game: Game, limit: int) -> list[float]:
    """Return the probability that each round is played, under uniform play.

    Raises:
        NotApplicable: There are too many positions to tell.
    """
    reached: dict[State, float] = {game.initial_state(): 1.0}
    played = [0.0] * game.info_record.rounds
    visited = 0
    while reached:
        following: dict[State, float] = defaultdict(float)
        for state, mass in reached.items():
            visited += 1
            if visited > limit:
                raise NotApplicable(f"hidden horizon and more than {limit} positions: too many to weigh")
            for move, probability in _weighted(state):
                step = take(state, move)
                played[state.round] += mass * probability if step.outcome is not None else 0.0
                if not step.state.is_over:
                    following[step.state] += mass * probability
        reached = following
    return played


def _weighted(state: State) -> list[tuple[Any, float]]:
    every = list(moves(state))
    if state.chance is None:
        return [(move, 1.0 / len(every)) for move in every]
    return [(move, p) for move, (_, p) in zip(every, state.chance_outcomes(), strict=True)]
