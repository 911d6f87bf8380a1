"""What every position and every step must be like for an episode to be walked at all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import fsum
from typing import Any

from equipoise.games.base import GameInfo, State, Step
from equipoise.testing.findings import Violation, shown
from equipoise.types import Action

__all__ = ["STRUCTURE", "TOLERANCE", "check_node", "check_step"]

TOLERANCE = 1e-9
"""By how much a sum of floating-point numbers may miss what it must be."""

STRUCTURE: dict[str, str] = {
    "runs": "every legal move and every chance outcome can be played",
    "one-to-move": "exactly one holds: the episode is over, chance is to move, or some seats are",
    "round-number": "rounds count from 0, stay below the declared number and never go back",
    "legal-actions": "legal actions are words, whole numbers or tuples of them; at least one, no two alike",
    "chance-outcomes": "outcomes are hashable and unique, their probabilities positive with sum 1",
    "draw-purposes": "no two draws of a round have the same purpose",
    "hashable": "states, observations and signals are hashable",
    "signals": "the end of a round gives each seat one signal, and nothing else gives any",
    "ends": "every episode ends",
}
"""The rules checked on the way, with what each says."""


def check_node(record: GameInfo, state: State) -> None:
    """Check a position.

    Raises:
        Violation: A rule of ``STRUCTURE`` is broken.
    """
    _hashable(state, "a state", "derive it as a frozen dataclass of hashable fields")
    seats = tuple(state.players_to_move)
    if bool(state.is_over) + (state.chance is not None) + bool(seats) != 1:
        raise Violation(
            f"at {shown(state)}: over {state.is_over}, chance {state.chance!r}, players {seats}",
            "let exactly one of is_over, chance and players_to_move say what comes next",
            "one-to-move",
        )
    if not 0 <= state.round < record.rounds:
        raise Violation(
            f"at {shown(state)}: round {state.round!r} of {record.rounds}",
            "count rounds from 0 and stay in the last one at the end",
            "round-number",
        )
    if len(set(seats)) != len(seats) or not set(seats) <= set(range(record.seats)):
        raise Violation(
            f"at {shown(state)}: players {seats}", f"name each of seats 0 to {record.seats - 1} once at most",
            "one-to-move",
        )  # fmt: skip
    for seat in seats:
        _hashable(state.observation(seat), "an observation", "return a NamedTuple of hashable fields")
        _check_legal(state, state.legal_actions(seat))
    if state.chance is not None:
        _check_chance(state, state.chance_outcomes())


def check_step(record: GameInfo, before: int, state: State, step: Step) -> None:
    """Check a step from a position in round ``before``.

    Raises:
        Violation: A rule of ``STRUCTURE`` is broken.
    """
    if step.state.round < before:
        raise Violation(
            f"round {before} is followed by round {step.state.round}", "let rounds only go up", "round-number"
        )
    count = len(step.signals)
    # A seat that must not know other rounds (independent ones), or meets none after this, may learn nothing.
    mute = record.independent_rounds or step.state.is_over
    allowed = {record.seats, 0} if mute else {record.seats}
    if count not in (allowed if step.outcome is not None else {0}):
        when = "the end of a round" if step.outcome is not None else "a step within a round"
        raise Violation(
            f"{when} at {shown(state)} gives {count} signals to {record.seats} seats",
            "return one signal a seat with the round's outcome, and none at other steps",
            "signals",
        )
    for signal in step.signals:
        _hashable(signal, "a signal", "return a NamedTuple of hashable fields")


def _hashable(value: Any, what: str, way_out: str) -> None:
    try:
        hash(value)
    except TypeError:
        raise Violation(f"{what} cannot be hashed: {shown(value)}", way_out, "hashable") from None


def _is_action(action: Any) -> bool:
    if isinstance(action, tuple):
        return all(isinstance(part, int) for part in action)
    return isinstance(action, str | int)


def _check_legal(state: State, legal: Sequence[Action]) -> None:
    rule = "legal-actions"
    where = f"at {shown(state)}"
    if not legal:
        raise Violation(f"{where}: no action is legal", "a seat that is to move has at least one", rule)
    for action in legal:
        if not _is_action(action):
            kind = type(action).__name__
            raise Violation(
                f"{where}: action {shown(action)} is a {kind}", "use a str, an int or a tuple of ints", rule
            )
    if len(set(legal)) != len(legal):
        raise Violation(f"{where}: {shown(legal)} has an action twice", "list every action once", rule)


def _check_chance(state: State, outcomes: Sequence[tuple[Hashable, float]]) -> None:
    rule, where = "chance-outcomes", f"draw {state.chance!r} at {shown(state)}"
    for outcome, probability in outcomes:
        _hashable(outcome, "a chance outcome", "use words, numbers or tuples")
        if not 0.0 < probability <= 1.0 + TOLERANCE:
            raise Violation(
                f"{where}: outcome {shown(outcome)} has probability {probability!r}",
                "list outcomes of positive probability only",
                rule,
            )
    if len({outcome for outcome, _ in outcomes}) != len(outcomes):
        raise Violation(f"{where}: {shown(outcomes)} has an outcome twice", "list every outcome once", rule)
    total = fsum(probability for _, probability in outcomes)
    if abs(total - 1.0) > TOLERANCE:
        raise Violation(f"{where}: probabilities sum to {total:.6g}", "let them sum to 1", rule)
