"""How the contents of every folder were made: settings and versions, without what looks like a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.files import folder_name
from equipoise.report.layout import Group
from equipoise.report.secrets import clean
from equipoise.report.sources import Found, Source
from equipoise.report.tables import Table

__all__ = ["provenance_groups"]

MANY = 24
"""Entries of a list that are written out."""


def provenance_groups(found: Found) -> tuple[Group, ...]:
    """Return the settings of every folder, and of every result in it."""
    return tuple(_group(source, found) for source in found.sources)


def _group(source: Source, found: Found) -> Group:
    name = folder_name(source.name)
    tables = [
        _table(f"made-with-{name}", "made with", source.provenance),
        _table(f"settings-{name}", "settings", source.settings),
    ]
    for entry in found.entries:
        if entry.source == source.name:
            title = f"{entry.result.game}: {entry.label}"
            known = {
                **entry.result.settings,
                "weights": dict(entry.result.weights),
                "version": entry.result.version,
            }
            tables.append(_table(f"result-{name}-{folder_name(title)}", title, known))
    kept = tuple(table for table in tables if table.rows)
    return Group(f"{source.name}: {source.kind}", (), kept, "" if kept else "Nothing is written down here.")


def _table(name: str, title: str, data: Mapping[str, Any]) -> Table:
    rows = tuple(_rows(clean(dict(data))))
    return Table(name, title, ("setting", "value"), rows)


def _rows(data: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _rows(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and all(not isinstance(one, dict | list) for one in data):
        words = ", ".join(map(_word, data[:MANY]))
        yield path, words + (f", … {len(data) - MANY} more" if len(data) > MANY else "") or "none"
    elif isinstance(data, list):
        for number, value in enumerate(data[:MANY]):
            yield from _rows(value, f"{path}.{number}")
    elif data != {}:
        yield path, _word(data)


def _word(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
