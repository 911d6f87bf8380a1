"""What a report is about: all that is found in the folders of audits, runs, ablations and cross-play."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from equipoise.auditing.cross.result import CrossResult
from equipoise.auditing.result import AuditResult, Difference, GameResult
from equipoise.auditing.spreads import Spread
from equipoise.errors import RequestError
from equipoise.report.ablations import AblationTable, load_ablation
from equipoise.report.learning import Training, find_training
from equipoise.training.checkpoints import CREDITED

__all__ = ["Entry", "Found", "Recording", "Source", "find", "merge"]

AUDIT, RUN, STAGE, CROSS, ABLATION = (
    "audit.json",
    "summary.json",
    "result.json",
    "cross.json",
    "ablation.json",
)
KINDS = {AUDIT: "audit", RUN: "run", CROSS: "cross-play", ABLATION: "ablation", STAGE: "one policy of a run"}
TRANSCRIPT = "transcript.jsonl"


@dataclass(frozen=True)
class Entry:
    """A policy in a game.

    Attributes:
        label: Name of the policy; with the folder's where two folders hold one of that name.
        result: What it does.
        source: Name of the folder.
    """

    label: str
    result: GameResult
    source: str


@dataclass(frozen=True)
class Recording:
    """A transcript.

    Attributes:
        path: The file.
        label: How the report calls the policy under study.
        source: Name of the folder.
        wording: The wording in which its policy was asked.
        training: Whether the policy was in training: what it does is not what it ends up doing.
    """

    path: Path
    label: str
    source: str
    wording: str | None = None
    training: bool = False


@dataclass(frozen=True)
class Source:
    """A folder: what it is, how its contents were made, and with what."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    provenance: Mapping[str, Any]


@dataclass
class Found:
    """Everything that a report shows."""

    sources: list[Source] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    spreads: list[Spread] = field(default_factory=list)
    crosses: list[CrossResult] = field(default_factory=list)
    ablations: list[AblationTable] = field(default_factory=list)
    trainings: list[Training] = field(default_factory=list)
    recordings: list[Recording] = field(default_factory=list)

    @property
    def games(self) -> list[str]:
        """The games in which policies were judged, in order."""
        return list(dict.fromkeys(entry.result.game for entry in self.entries))

    def main_of(self, game: str) -> list[Entry]:
        """Return the policies of a game, of a panel of wordings only the one that is the least safe."""
        worst = {
            spread.lowest for spread in self.spreads if spread.game == game and spread.metric == "safety"
        }
        return [
            one
            for one in self.of(game)
            if not worst or one.result.settings.get("wording", "") in {"", *worst}
        ]

    def of(self, game: str) -> list[Entry]:
        """Return the policies of a game."""
        return [entry for entry in self.entries if entry.result.game == game]


def find(folders: Sequence[Path]) -> Found:
    """Return what folders hold.

    Raises:
        RequestError: One does not exist, holds nothing to report, or holds a file that cannot be read.
    """
    places = list(dict.fromkeys(path.resolve() for path in folders))
    names = [place.name for place in places]
    return merge(
        [
            _find(place, place.name if names.count(place.name) == 1 else f"{place.parent.name}/{place.name}")
            for place in places
        ]
    )


def merge(parts: Sequence[Found]) -> Found:
    """Return the contents of several folders as one; policies of the same name get their folder's."""
    whole = Found()
    for part in parts:
        for name in (
            "sources",
            "entries",
            "differences",
            "spreads",
            "crosses",
            "ablations",
            "trainings",
            "recordings",
        ):
            getattr(whole, name).extend(getattr(part, name))
    twice: dict[tuple[str, str], set[int]] = {}
    for number, part in enumerate(parts):
        for entry in part.entries:
            twice.setdefault((entry.result.game, entry.label), set()).add(number)
    shared = {label for (_, label), numbers in twice.items() if len(numbers) > 1}
    for name in ("entries", "recordings"):
        known = getattr(whole, name)
        setattr(whole, name, [_told_apart(one) if one.label in shared else one for one in known])
    return whole


def _told_apart(one: Any) -> Any:
    return replace(one, label=f"{one.label} ({one.source})")


def _find(folder: Path, source: str) -> Found:
    if not folder.is_dir():
        raise RequestError(
            f"{str(folder)!r} is no folder: name one of audit --out, run, ablate or --cross --out"
        )
    names = [name for name in KINDS if (folder / name).is_file()]
    stages = [] if names else _in_order(folder, folder.glob(f"*/*/{STAGE}"))
    found = Found(trainings=[] if ABLATION in names else find_training(folder, source))
    if not names and not stages and not found.trainings:
        raise RequestError(
            f"{str(folder)!r} holds none of {', '.join(KINDS)}: name a folder of audit --out, run, ablate or "
            "audit --cross --out"
        )
    for name in names:
        _add(found, folder, name, source)
    for stage in stages:
        _add_result(found, source, _result(stage))
    kind = " and ".join(KINDS[name] for name in names) or "an unfinished run"
    found.sources.append(Source(source, kind, _settings(folder), _json(folder / "provenance.json")))
    if ABLATION not in names:
        results = {entry.result.policy: entry.result for entry in found.entries}
        found.recordings = list(_recordings(folder, source, results))
    return found


def _in_order(folder: Path, paths: Iterable[Path]) -> list[Path]:
    """Return files of stages as the stages are done."""
    return sorted(paths, key=lambda path: _rank(path.relative_to(folder).parts))


def _rank(parts: Sequence[str]) -> list[tuple[int, str]]:
    first = {"base": 0, "actor": 0, "sft": 1}
    return [(first.get(part, 2), part) for part in parts]


def _add(found: Found, folder: Path, name: str, source: str) -> None:
    path = folder / name
    if name == CROSS:
        found.crosses.append(CrossResult.load(path))
    elif name == ABLATION:
        found.ablations.append(load_ablation(path, source))
    elif name == STAGE:
        _add_result(found, source, _result(path))
    else:
        audit = AuditResult.load(path)
        for result in audit.results:
            _add_result(found, source, result)
        found.differences += audit.differences
        found.spreads += audit.spreads


def _add_result(found: Found, source: str, result: GameResult) -> None:
    found.entries.append(Entry(_label(result.policy), result, source))


def _label(policy: str) -> str:
    return policy.removeprefix("scripted:")


def _result(path: Path) -> GameResult:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        # What paired differences need is large, and not shown.
        return GameResult.from_json({**data, "measures": {}})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise RequestError(f"{str(path)!r} is no result of a policy: restore it or run again") from None


def _settings(folder: Path) -> Mapping[str, Any]:
    for name in ("recipe.json", "audit.request.json", "cross.request.json", "train/request.json"):
        if found := _json(folder / name):
            return found
    return {}


def _recordings(folder: Path, source: str, results: Mapping[str, GameResult]) -> Iterator[Recording]:
    for path in _in_order(folder, folder.rglob(TRANSCRIPT)):
        stage = path.parents[1]
        known = stage.name in results and (stage / STAGE).is_file()
        policy = (
            stage.name
            if known
            else str(_json(path.with_name("request.json")).get("policy", path.parent.name))
        )
        wording = results[policy].settings.get("wording") if policy in results else None
        yield Recording(path, _label(policy), source, wording)
    for path in _in_order(folder, folder.rglob(CREDITED)):
        run = path.parents[1].name if path.parent.name == "train" else path.parent.name
        wording = results[run].settings.get("wording") if run in results else None
        yield Recording(path, f"{run} in training", source, wording, training=True)


def _json(path: Path) -> Mapping[str, Any]:
    """Return an object that a file holds; what is broken beside the results is no reason to stop."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
