"""What an audit returns: numbers with their kind and interval, as objects, table, data frame and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from equipoise.auditing.metrics import METRICS, Measure, difference
from equipoise.auditing.spreads import Spread
from equipoise.errors import RequestError
from equipoise.files import write_json
from equipoise.tasks.registry import NOBODY
from equipoise.types import Estimate

__all__ = [
    "SCHEMA",
    "AuditResult",
    "Difference",
    "GameResult",
    "Test",
    "check_panels",
    "paired",
    "same_deals",
]

SCHEMA = 1


@dataclass(frozen=True)
class GameResult:
    """What one policy does in one game.

    Attributes:
        game: Name of the game.
        version: Its version.
        policy: Name of the policy.
        metrics: Every metric; None where not applicable.
        per_opponent: By pool and opponent: own, opponent, collusion, externality.
        weights: λe, λc, λx and the scale s.
        settings: How the numbers came about.
        behaviour: By information state: probability (or frequency) of each action, for small games.
        measures: What paired differences need; not part of the JSON.
        readings: What sampled transcripts say besides, by group: ``strategies``, ``leaks``, ``outcomes``,
            ``dimensions`` (see ``auditing.transcripts``).
    """

    game: str
    version: int
    policy: str
    metrics: Mapping[str, Estimate | None]
    per_opponent: Mapping[str, Mapping[str, Mapping[str, Estimate | None]]]
    weights: Mapping[str, float]
    settings: Mapping[str, Any]
    behaviour: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    measures: Mapping[str, Measure | None] = field(default_factory=dict, repr=False, compare=False)
    readings: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether the policy met nobody: the task has one seat."""
        return {name for rows in self.per_opponent.values() for name in rows} == {NOBODY}

    def to_json(self, measures: bool = False) -> dict[str, Any]:
        """Return the result in the form of audit schema 1.

        Args:
            measures: Add what paired differences need (one observation a deal).
        """
        data: dict[str, Any] = {
            "game": self.game,
            "version": self.version,
            "policy": self.policy,
            "metrics": {name: _json(value) for name, value in self.metrics.items()},
            "per_opponent": {
                pool: {name: {key: _json(value) for key, value in row.items()} for name, row in rows.items()}
                for pool, rows in self.per_opponent.items()
            },
            "weights": dict(self.weights),
            "settings": dict(self.settings),
            "behaviour": {
                label: {action: value.to_json() for action, value in row.items()}
                for label, row in self.behaviour.items()
            },
        }
        if self.readings:
            data["readings"] = {
                group: {name: value.to_json() for name, value in rows.items()}
                for group, rows in self.readings.items()
            }
        if measures:
            data["measures"] = {
                name: None if measure is None else measure.to_json()
                for name, measure in self.measures.items()
            }
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GameResult:
        """Read a result written by :meth:`to_json`."""
        return cls(
            data["game"],
            data["version"],
            data["policy"],
            {name: _estimate(value) for name, value in data["metrics"].items()},
            {
                pool: {
                    name: {key: _estimate(value) for key, value in row.items()} for name, row in rows.items()
                }
                for pool, rows in data["per_opponent"].items()
            },
            data["weights"],
            data["settings"],
            {
                label: {action: Estimate.from_json(value) for action, value in row.items()}
                for label, row in data.get("behaviour", {}).items()
            },
            {
                name: None if row is None else Measure.from_json(row)
                for name, row in data.get("measures", {}).items()
            },
            {
                group: {name: Estimate.from_json(value) for name, value in rows.items()}
                for group, rows in data.get("readings", {}).items()
            },
        )


@dataclass(frozen=True)
class Test:
    """What a sampled difference shows, among others that were looked at with it.

    Attributes:
        pairing: ``deal`` if both policies met the same deals, ``none`` if not (Welch).
        p: p-value of no difference, by itself.
        p_holm: p-value adjusted for the family (Holm).
        family: Differences in the family: one metric, all games compared.
        low: Lower end of the simultaneous interval (Bonferroni over the family).
        high: Its upper end.
        level: The level of each of them.
    """

    __test__ = False

    pairing: str
    p: float
    p_holm: float
    family: int
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Difference:
    """A difference of one metric between two policies, a minus b, paired on the same deals if it can be.

    Attributes:
        game: Name of the game.
        metric: The metric.
        a: One policy.
        b: The other.
        estimate: The difference with its own interval.
        test: How it stands among its family, where it was tested.
    """

    game: str
    metric: str
    a: str
    b: str
    estimate: Estimate
    test: Test | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the difference in the form of audit schema 1."""
        row = {"game": self.game, "metric": self.metric, "a": self.a, "b": self.b, **self.estimate.to_json()}
        return row if self.test is None else {**row, "test": asdict(self.test)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Difference:
        """Read a difference written by :meth:`to_json`."""
        rest = {k: v for k, v in data.items() if k not in ("game", "metric", "a", "b", "test")}
        test = data.get("test")
        return cls(
            data["game"],
            data["metric"],
            data["a"],
            data["b"],
            Estimate.from_json(rest),
            None if test is None else Test(**test),
        )


@dataclass(frozen=True)
class AuditResult:
    """The results of an audit; prints as a table.

    Attributes:
        results: One a game and policy.
        differences: Paired differences from a baseline, where one was given.
        spreads: Extremes over the wordings of each game, where the policy was audited in all of them.
    """

    results: Sequence[GameResult]
    differences: Sequence[Difference] = ()
    spreads: Sequence[Spread] = ()

    def __getitem__(self, game: str) -> GameResult:
        """Return the first result of a game."""
        for result in self.results:
            if result.game == game:
                return result
        raise KeyError(game)

    def __str__(self) -> str:
        """Return the table as plain text."""
        from equipoise.auditing.tables import render

        return render(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        from equipoise.auditing.tables import render

        return render(self, html=True)

    def to_json(self) -> dict[str, Any]:
        """Return everything in the form of audit schema 1."""
        data: dict[str, Any] = {"schema": SCHEMA, "results": [r.to_json() for r in self.results]}
        if self.differences:
            data["differences"] = [d.to_json() for d in self.differences]
        if self.spreads:
            data["spreads"] = [s.to_json() for s in self.spreads]
        return data

    def save(self, path: str | Path, **extra: object) -> None:
        """Write the JSON, with further keys if any, to a file: all of it or nothing."""
        write_json(Path(path), {**self.to_json(), **extra})

    @classmethod
    def load(cls, path: str | Path) -> AuditResult:
        """Read a file written by :meth:`save`.

        Raises:
            RequestError: The file cannot be read or has another schema.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RequestError(f"cannot read audit {str(path)!r}: {error}") from None
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise RequestError(f"{str(path)!r} is no audit of schema {SCHEMA}")
        try:
            return cls(
                [GameResult.from_json(row) for row in data["results"]],
                [Difference.from_json(row) for row in data.get("differences", ())],
                tuple(Spread.from_json(row) for row in data.get("spreads", ())),
            )
        except (KeyError, TypeError, AttributeError, ValueError):
            raise RequestError(f"{str(path)!r} is not whole: restore it or audit again") from None

    def to_dataframe(self) -> Any:
        """Return one row a (game, policy, metric) as a pandas DataFrame.

        Raises:
            RequestError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise RequestError("to_dataframe needs pandas: pip install pandas") from None
        rows = [
            {"game": r.game, "policy": r.policy, "metric": name, **value.to_json()}
            for r in self.results
            for name, value in r.metrics.items()
            if value is not None
        ]
        return pd.DataFrame(rows)


def same_deals(a: GameResult, b: GameResult) -> bool:
    """Tell whether two results may be paired deal by deal; exact ones go with everything."""
    keys = {one.settings.get("panel") for one in (a, b)} - {None}
    return len(keys) < 2


def check_panels(a: GameResult, b: GameResult) -> None:
    """Check that two results may be paired.

    Raises:
        RequestError: They were sampled on other deals, or against other opponents.
    """
    if not same_deals(a, b):
        raise RequestError(
            f"{a.game}: {a.policy} and {b.policy} were not sampled on the same deals (panels "
            f"{a.settings['panel']} and {b.settings['panel']}): audit both with the same seed, split, "
            "options, deals and opponents, or compare them unpaired"
        )


def paired(a: GameResult, b: GameResult, names: tuple[str, str], level: float) -> list[Difference]:
    """Return the differences a − b of all metrics that both policies have.

    Raises:
        RequestError: They were sampled on other deals, or against other opponents.
    """
    check_panels(a, b)
    rows = []
    for metric in (*METRICS, *[m for m in a.measures if m not in METRICS]):
        first, second = a.measures.get(metric), b.measures.get(metric)
        if first is not None and second is not None:
            estimate = difference(first, second, level)
            rows.append(Difference(a.game, metric, *names, estimate))
    return rows


def _json(value: Estimate | None) -> dict[str, object] | None:
    return None if value is None else value.to_json()


def _estimate(value: Mapping[str, object] | None) -> Estimate | None:
    return None if value is None else Estimate.from_json(value)
