"""Rules about the classifier: a strategy is no more than it says it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.opponent.bench import History, OpponentBench, Visit

__all__ = ["bounded_recall", "memory_depth", "no_horizon", "no_private", "not_stochastic"]


def not_stochastic(bench: OpponentBench) -> str:
    """Without ``stochastic`` every answer is a single action, from a single initial memory."""
    if bench.strategy.classifier.stochastic:
        raise NotApplicable("declared stochastic")
    bench.need_structure()
    if len(bench.starts) > 1:
        raise Violation(f"it draws one of {len(bench.starts)} memories", "declare stochastic=True")
    for visit in bench.visits:
        answer = bench.answer(bench.starts[0], visit.history, visit.observation, visit.legal)
        if max(answer) < 1.0:
            mixed = dict(zip(visit.legal, answer, strict=True))
            raise Violation(
                f"it mixes {shown(mixed)} at {shown(visit.observation)}", "declare stochastic=True"
            )
    return bench.extent


def memory_depth(bench: OpponentBench) -> str:
    """Rounds further back than ``memory_depth`` change no answer."""
    depth = _depth(bench)
    older = _by_length(bench, depth)
    compared = 0
    for visit, random in _with_random(bench):
        recent = visit.history[len(visit.history) - depth :]
        others = older[len(visit.history) - depth] if len(visit.history) > depth else []
        for other in random.sample(others, min(3, len(others))):
            compared += 1
            if not bench.same(visit, history=(*other, *recent)):
                raise Violation(
                    f"at {shown(visit.observation)} it answers differently after {shown(visit.history)} and "
                    f"after {shown((*other, *recent))}, which differ before the last {depth} rounds",
                    "declare a larger memory_depth, or None if it is unbounded",
                )
    if not compared:
        raise NotApplicable("no history is long enough to tell")
    return f"{compared} pairs of histories"


def bounded_recall(bench: OpponentBench) -> str:
    """With a finite ``memory_depth`` there are no more memories than recent histories."""
    depth = _depth(bench)
    memories: set[Hashable] = set()
    windows: set[Hashable] = set()
    for visit in bench.visits:
        length = len(visit.history)
        window = visit.history[length - depth :] if length >= depth else visit.history
        windows.add((window, length if bench.strategy.classifier.uses_horizon else None))
        memories |= {(start, bench.memory(start, visit.history)) for start in bench.starts}
    most = len(windows) * len(bench.starts)
    if len(memories) > most:
        raise Violation(
            f"it has {len(memories)} memories where the last {depth} rounds differ in {most} ways",
            "keep only what answers depend on, or declare memory_depth=None",
        )
    return f"{len(memories)} memories"


def no_horizon(bench: OpponentBench) -> str:
    """Without ``uses_horizon`` neither the round's number nor the number of rounds changes an answer."""
    if bench.strategy.classifier.uses_horizon:
        raise NotApplicable("declared to use the horizon")
    bench.need_structure()
    telling = _round_fields(bench)
    compared = 0
    for visit in bench.visits:
        for observation in _at_other_rounds(bench, visit, telling):
            compared += 1
            if not bench.same(visit, observation=observation):
                raise Violation(
                    f"it answers differently at {shown(visit.observation)} and {shown(observation)}",
                    "declare uses_horizon=True",
                )
        for history in _shorter(bench, visit):
            compared += 1
            if not bench.same(visit, history=history):
                raise Violation(
                    f"it answers differently after {len(visit.history)} rounds and after the last "
                    f"{len(history)} of them alone",
                    "declare uses_horizon=True",
                )
    if not compared:
        raise NotApplicable("nothing tells the round")
    return f"{compared} pairs"


def no_private(bench: OpponentBench) -> str:
    """Without ``knows_private`` what only the own seat sees changes no answer."""
    if bench.strategy.classifier.knows_private:
        raise NotApplicable("declared to use private information")
    if bench.game.info_record.information == "complete":
        raise NotApplicable("the game has no private information")
    bench.need_structure()
    private = _private_fields(bench)
    if not private:
        raise NotApplicable("no part of an observation is seen to be private")
    for visit in bench.visits:
        other = _fields(visit.state.observation((visit.seat + 1) % bench.game.info_record.seats))
        changed = {name: other[name] for name in private if name in other}
        observation = _changed(visit.observation, changed)
        if not bench.same(visit, observation=observation):
            raise Violation(
                f"it answers differently at {shown(visit.observation)} and {shown(observation)}",
                "declare knows_private=True",
            )
    return f"{bench.extent}; private: {', '.join(sorted(private))}"


def _depth(bench: OpponentBench) -> int:
    depth = bench.strategy.classifier.memory_depth
    if depth is None:
        raise NotApplicable("declared unbounded")
    bench.need_structure()
    return depth


def _with_random(bench: OpponentBench) -> Iterator[tuple[Visit, Random]]:
    random = Random(f"{bench.seed}|histories")
    return ((visit, random) for visit in bench.visits)


def _by_length(bench: OpponentBench, depth: int) -> dict[int, list[History]]:
    """Return what lies before the last ``depth`` rounds of every history, by length."""
    found: dict[int, dict[History, None]] = defaultdict(dict)
    for visit in bench.visits:
        if (length := len(visit.history) - depth) > 0:
            found[length][visit.history[:length]] = None
    return {length: list(histories) for length, histories in found.items()}


def _shorter(bench: OpponentBench, visit: Visit) -> Iterator[History]:
    """Yield histories of other lengths with the same recent rounds, where memory is bounded."""
    depth = bench.strategy.classifier.memory_depth
    length = len(visit.history)
    if depth is not None and length > depth:
        for kept in sorted({depth, length - 1}):
            yield visit.history[length - kept :]


def _fields(observation: Any) -> dict[str, Any]:
    """Return the named fields of an observation; none where it has no names."""
    if hasattr(observation, "_asdict"):
        return dict(observation._asdict())
    if is_dataclass(observation):
        return {field.name: getattr(observation, field.name) for field in fields(observation)}
    return {}


def _changed(observation: Any, values: dict[str, Any]) -> Any:
    if hasattr(observation, "_replace"):
        return observation._replace(**values)
    return replace(observation, **values)


def _round_fields(bench: OpponentBench) -> dict[str, set[Any]]:
    """Return the fields of observations that tell the round, with the values they take."""
    values: dict[str, set[Any]] = defaultdict(set)
    other: set[str] = set()
    for visit in bench.visits:
        for name, value in _fields(visit.observation).items():
            values[name].add(value)
            if value != visit.state.round:
                other.add(name)
    return {name: seen for name, seen in values.items() if name not in other and len(seen) > 1}


def _at_other_rounds(bench: OpponentBench, visit: Visit, telling: dict[str, set[Any]]) -> Iterator[Any]:
    observation = visit.observation
    for name, values in telling.items():
        for value in sorted(values - {getattr(observation, name)}):
            yield _changed(observation, {name: value})
    if "rounds" in _fields(observation):
        # By one and by many: whoever counts from the end notices one of them.
        for more in (1, bench.game.info_record.rounds):
            yield _changed(observation, {"rounds": observation.rounds + more})


def _private_fields(bench: OpponentBench) -> set[str]:
    """Return the fields in which seats differ at one state, and that do not follow from the seat alone."""
    seats = range(bench.game.info_record.seats)
    differ: set[str] = set()
    for visit in bench.visits:
        rows = [_fields(visit.state.observation(seat)) for seat in seats]
        differ |= {name for name in rows[0] if any(row.get(name) != rows[0][name] for row in rows)}
    narrow, wide = (_varying(bench, differ, public) for public in (True, False))
    # Where what is public hardly ever repeats, only the coarser comparison can tell.
    return narrow or wide


def _varying(bench: OpponentBench, names: set[str], public: bool) -> set[str]:
    """Return the fields that vary for one seat in one round (and where all else is the same, if asked)."""
    found: dict[tuple[str, Hashable], set[Any]] = defaultdict(set)
    for visit in bench.visits:
        row = _fields(visit.observation)
        rest = tuple(sorted((name, value) for name, value in row.items() if name not in names))
        context = (visit.seat, visit.state.round, rest if public else ())
        for name in names & set(row):
            found[name, context].add(row[name])
    return {name for (name, _), values in found.items() if len(values) > 1}
