"""Audits and runs from disk, with the observations that differences need."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from equipoise.auditing.metrics import Measure
from equipoise.auditing.result import SCHEMA, AuditResult, GameResult
from equipoise.errors import RequestError, unknown
from equipoise.files import write_json
from equipoise.types import Kind

__all__ = ["Kept", "load_kept", "save_measures"]

AUDIT, MEASURES, RUN, STAGE = "audit.json", "measures.json", "summary.json", "result.json"


@dataclass(frozen=True)
class Kept:
    """Results with what differences need.

    Attributes:
        where: Where they come from, for messages.
        results: The results.
        is_run: Whether they are those of a run: several policies of equal standing.
    """

    where: str
    results: Sequence[GameResult]
    is_run: bool = False

    def select(self, name: str | None, flag: str) -> dict[str, GameResult]:
        """Return one result a game.

        Args:
            name: The policy; None takes the first of an audit, and the only one of a run.
            flag: The option that names it, for messages.

        Raises:
            RequestError: There is no such policy, it must be named, or its observations were not kept.
        """
        known = list(dict.fromkeys(one.policy for one in self.results))
        if name is not None and name not in known:
            raise unknown(f"policy of {self.where}", name, known)
        if name is None and self.is_run and len(known) > 1:
            raise RequestError(f"{self.where} holds {', '.join(known)}: choose one with {flag} NAME")
        found: dict[str, GameResult] = {}
        for one in self.results:
            if name in (None, one.policy):
                found.setdefault(one.game, _with_measures(one, self.where))
        return found


def save_measures(result: AuditResult, path: Path) -> None:
    """Write what differences need, at most ``panel.BLOCKS`` numbers a metric and gap, beside an audit."""
    rows = [
        {"game": one.game, "policy": one.policy, "measures": one.to_json(measures=True)["measures"]}
        for one in result.results
    ]
    write_json(path, {"schema": SCHEMA, "measures": rows})


def load_kept(path: Path) -> Kept:
    """Read the folder or the JSON of an audit, of a run, or of one policy of a run.

    Raises:
        RequestError: There is none, or it cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    names = [AUDIT, RUN, STAGE] if path.is_dir() else [path.name]
    name = next((one for one in names if (folder / one).is_file()), None)
    if name is None:
        what = f"holds none of {', '.join(names)}" if path.is_dir() else "does not exist"
        raise RequestError(f"{str(path)!r} {what}: name the folder or the JSON of an audit or a run")
    if name == STAGE:
        return Kept(repr(str(path)), [_one(folder / STAGE)])
    result = AuditResult.load(folder / name)
    if name == RUN:
        return Kept(repr(str(path)), [_of_run(folder, one) for one in result.results], True)
    kept = _kept_measures(folder / MEASURES) if name == AUDIT and (folder / MEASURES).exists() else {}
    return Kept(repr(str(path)), [_filled(one, kept.get((one.game, one.policy))) for one in result.results])


def _kept_measures(path: Path) -> dict[tuple[str, str], Any]:
    try:
        return {(row["game"], row["policy"]): row["measures"] for row in _read(path)["measures"]}
    except (KeyError, TypeError):
        raise RequestError(
            f"{str(path)!r} holds no measures of an audit: restore it or audit again"
        ) from None


def _of_run(folder: Path, one: GameResult) -> GameResult:
    """Return a policy's result as its stage left it; the yardstick has none and is exact."""
    place = folder / one.game / one.policy / STAGE
    return _one(place) if place.exists() else one


def _one(path: Path) -> GameResult:
    try:
        return GameResult.from_json(_read(path))
    except (KeyError, TypeError, AttributeError):
        raise RequestError(f"{str(path)!r} is no result of a policy") from None


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RequestError(f"cannot read {str(path)!r}: {error}") from None


def _filled(one: GameResult, rows: Any) -> GameResult:
    if rows is None:
        return one
    return replace(one, measures={k: None if v is None else Measure.from_json(v) for k, v in rows.items()})


def _with_measures(one: GameResult, where: str) -> GameResult:
    """Return a result whose exact metrics are measures even where none were kept."""
    if one.measures:
        return one
    if any(value is not None and value.kind is Kind.SAMPLE for value in one.metrics.values()):
        raise RequestError(
            f"{where} holds no observations of {one.policy} in {one.game}: audit with --out DIR and "
            "name the folder"
        )
    exact = {k: v for k, v in one.metrics.items() if v is not None and v.kind is Kind.EXACT}
    return replace(one, measures={name: Measure.exact(value.value) for name, value in exact.items()})
