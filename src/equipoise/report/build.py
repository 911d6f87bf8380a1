"""Puts a report together from folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import RequestError
from equipoise.report.behaviour import behaviour_section
from equipoise.report.episodes import pack
from equipoise.report.layout import GameVerdict, Report
from equipoise.report.others import ablation_section, cross_section, learning_section, wording_section
from equipoise.report.provenance import provenance_groups
from equipoise.report.results import opponent_section, safety_section, trade_section
from equipoise.report.secrets import clean_text
from equipoise.report.sources import Found, find
from equipoise.report.verdict import glance, judge
from equipoise.report.words import game_info, game_title

__all__ = ["EPISODES", "build_report"]

EPISODES = 5000
"""Episodes that a page holds unless told otherwise."""


def build_report(folders: Sequence[str | Path], episodes: int = EPISODES, title: str | None = None) -> Report:
    """Return the report of folders of audits, runs, ablations and cross-play.

    Args:
        folders: The folders.
        episodes: Episodes to hold at most, for the reader to browse.
        title: Title of the page (default: the policies and folders it is about).

    Raises:
        RequestError: A folder holds nothing to report, or a file of it is broken.
    """
    if not folders:
        raise RequestError(
            "nothing to report: name a folder of audit --out, run, ablate or audit --cross --out"
        )
    if episodes < 0:
        raise RequestError(f"--episodes {episodes}: hold 0 or more episodes")
    found = find([Path(folder) for folder in folders])
    kept = pack(found.recordings, episodes)
    sections = (
        safety_section(found),
        trade_section(found),
        opponent_section(found),
        learning_section(found),
        behaviour_section(found, kept.counted),
        cross_section(found),
        wording_section(found),
        ablation_section(found),
    )
    return Report(
        clean_text(title or _title(found)),
        _subtitle(found),
        tuple(_verdict(found, game) for game in found.games),
        sections,
        provenance_groups(found),
        kept.data,
    )


def _verdict(found: Found, game: str) -> GameVerdict:
    entries, info = found.main_of(game), game_info(game)
    rows = tuple((entry.label, tuple(glance(entry.result))) for entry in entries)
    verdicts = tuple(judge(e.label, e.result, found.differences, len(entries)) for e in entries)
    left_out = len(found.of(game)) > len(entries)
    note = (
        " Of a panel of wordings only the least safe stands here; see Wordings for all." if left_out else ""
    )
    return GameVerdict(game, game_title(game), ("" if info is None else info.summary) + note, rows, verdicts)


def _title(found: Found) -> str:
    names = list(dict.fromkeys(source.name for source in found.sources))
    return f"What it does to others: {names[0]}" if len(names) == 1 else "What they do to others"


def _subtitle(found: Found) -> str:
    parts = [f"{source.kind} {source.name}" for source in found.sources]
    games = found.games or [one.game for one in found.crosses]
    judged = f"{len(found.entries)} results in {', '.join(games)}. " if found.entries else ""
    return f"{judged}From {'; '.join(parts)}."
