"""Audits as ``.eval`` logs: one file a game and policy, one sample an episode."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.adapters.inspect.find import Record, find_records
from equipoise.adapters.inspect.library import library
from equipoise.adapters.inspect.results import eval_results, results_metadata
from equipoise.adapters.inspect.sample import Sampler
from equipoise.files import appearing, folder_name
from equipoise.progress import Reporter, silent

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalSpec

__all__ = ["Written", "export_logs", "make_log"]


@dataclass(frozen=True)
class Written:
    """A log that was written.

    Attributes:
        path: The file.
        game: ``id@version`` of the game.
        policy: Name of the policy.
        samples: Episodes in it.
        played: Episodes of the transcript.
        finished: Whether the audit was finished, so that the log has results.
    """

    path: Path
    game: str
    policy: str
    samples: int
    played: int
    finished: bool

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {**vars(self), "path": str(self.path)}


def export_logs(
    place: Path,
    out: Path,
    *,
    game: str | None = None,
    limit: int | None = None,
    reporter: Reporter | None = None,
) -> list[Written]:
    """Write the transcripts of a folder as logs that ``inspect view`` opens.

    Args:
        place: Folder of ``equipoise audit --out`` or of a run.
        out: Where to write; a new folder.
        game: Name of the game where transcripts do not name one that can be loaded.
        limit: Most episodes a log; results are those of the whole audit all the same.
        reporter: Shows progress.

    Raises:
        RequestError: There are no transcripts, they do not follow from the rules, the folder is taken, or
            Inspect is not installed.
    """
    library()
    reporter = reporter or silent()
    records = find_records(place, game)
    found: list[Written] = []
    with appearing(out) as part:
        for record in records:
            log = make_log(record, limit, reporter)
            path = part / f"{_file_name(record)}.eval"
            library("log").write_eval_log(log, str(path))
            found.append(
                Written(
                    out / path.name,
                    record.game.info_record.key,
                    record.policy,
                    len(log.samples or ()),
                    record.played,
                    record.result is not None,
                )
            )
    return found


def make_log(record: Record, limit: int | None = None, reporter: Reporter | None = None) -> EvalLog:
    """Return a transcript as a log; see :func:`export_logs`."""
    log, sampler = library("log"), Sampler(record)
    total = record.played if limit is None else min(limit, record.played)
    samples: list[EvalSample] = []
    with (reporter or silent()).task(f"export {record.name}", total) as advance:
        for episode in record.episodes(limit):
            samples.append(sampler.sample(episode))
            advance(1)
    when = record.made.isoformat()
    made: EvalLog = log.EvalLog(
        status="cancelled" if record.result is None else "success",
        eval=_spec(record, samples),
        plan=log.EvalPlan(name="equipoise audit", steps=[log.EvalPlanStep(solver="equipoise/play")]),
        results=eval_results(record.result, len(samples), record.played),
        stats=log.EvalStats(started_at=when, completed_at=when),
        samples=samples,
    )
    return made


def _spec(record: Record, samples: list[EvalSample]) -> EvalSpec:
    log, info = library("log"), record.game.info_record
    identity = hashlib.sha256(json.dumps([record.name, dict(record.request)]).encode()).hexdigest()[:22]
    ids = [str(sample.id) for sample in samples]
    made: EvalSpec = log.EvalSpec(
        eval_id=identity,
        run_id=identity,
        task_id=identity,
        created=record.made.isoformat(),
        task=f"equipoise/{info.id}",
        task_version=info.version,
        task_args={**record.game.options.changed(), "seed": record.seed},
        dataset=log.EvalDataset(name=info.key, samples=len(ids), sample_ids=ids, shuffled=False),
        model=record.policy,
        config=log.EvalConfig(epochs=1),
        packages={"equipoise": version("equipoise")},
        metadata=_plain({"request": dict(record.request), **results_metadata(record.result)}),
    )
    return made


def _file_name(record: Record) -> str:
    return folder_name(record.name.replace("/", "-"))


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(data, default=str))
    return found
