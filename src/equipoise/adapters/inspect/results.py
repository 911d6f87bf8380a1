"""The metrics of an audit as the results of a log: value and interval, with their kind beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.adapters.inspect.library import library
from equipoise.auditing.metrics import METRICS
from equipoise.auditing.result import GameResult
from equipoise.types import Estimate

if TYPE_CHECKING:
    from inspect_ai.log import EvalResults, EvalScore

__all__ = ["eval_results", "results_metadata"]

SCORER = "equipoise"
"""The scorer that all metrics are attributed to."""


def eval_results(result: GameResult | None, samples: int, played: int) -> EvalResults | None:
    """Return the results of a log; None if the audit was not finished.

    Every metric is a score of its own, with the metrics ``value``, ``low`` and ``high``; what a bound does
    not have is left out, and so are metrics that do not apply, which the metadata lists.

    Args:
        result: The audit's result.
        samples: Episodes in the log.
        played: Episodes behind the result.
    """
    if result is None:
        return None
    scores = [_score(name, value) for name, value in result.metrics.items() if value is not None]
    missing = [name for name, value in result.metrics.items() if value is None]
    metadata = {"not_applicable": missing, "episodes": played, "weights": dict(result.weights)}
    log = library("log")
    made: EvalResults = log.EvalResults(
        total_samples=samples,
        completed_samples=samples,
        scores=scores,
        headline=log.HeadlineMetric(scorer=SCORER, score="safety", metric="value"),
        metadata=metadata,
    )
    return made


def _score(name: str, estimate: Estimate) -> EvalScore:
    log = library("log")
    about = {key: value for key, value in estimate.to_json().items() if key not in ("value", "low", "high")}
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    made: EvalScore = log.EvalScore(
        name=name,
        scorer=SCORER,
        metrics={
            key: log.EvalMetric(name=key, value=number, metadata=about)
            for key, number in numbers.items()
            if number is not None
        },
        metadata={**about, "what": METRICS.get(name, "a diagnostic of the game")},
    )
    return made


def results_metadata(result: GameResult | None) -> dict[str, Any]:
    """Return what an audit says beside its metrics, as plain data."""
    if result is None:
        return {}
    data = result.to_json()
    return {key: data[key] for key in ("weights", "settings", "per_opponent", "behaviour")}
