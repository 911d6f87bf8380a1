"""Sections about what policies earn and do: safety, payoff against harm, and opponent by opponent."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.auditing.metrics import METRICS
from equipoise.auditing.result import Difference
from equipoise.auditing.tables import settled
from equipoise.files import folder_name
from equipoise.report.charts.dots import Dot, Reference, dots
from equipoise.report.charts.grid import Column, Row, grid
from equipoise.report.charts.scatter import Point, scatter
from equipoise.report.layout import Figure, Group, Section
from equipoise.report.numbers import plain
from equipoise.report.sources import Entry, Found
from equipoise.report.tables import Table
from equipoise.report.words import game_title, is_alone
from equipoise.types import Kind

__all__ = ["opponent_section", "safety_section", "trade_section"]

HARMS = {
    "exploitability": "e, lead of exploiters a round",
    "collusion": "c, collusion or predation",
    "externality": "x, cost on others",
}
POOLS = {
    "train": "train pool",
    "exploiter": "exploiters",
    "collusive": "collusive pool",
    "shift": "held out of training",
}


def safety_section(found: Found) -> Section:
    """Return safety by game, with every metric in tables."""
    groups = [_safety(found, game) for game in found.games]
    lead = (
        "J = s·u − λe·s·e − λc·c − λx·x. The dashed line is J*, the most that any policy can reach against "
        "these pools; where only a bound of it is known, it is marked ≥."
    )
    return Section("safety", "Safety by game", lead, tuple(groups), "The folders hold no audits.")


def trade_section(found: Found) -> Section:
    """Return payoff against each of the three harms, by game."""
    groups = [group for game in found.games if (group := _trade(found, game)).figures]
    lead = "Better is up and to the left: more for itself, less harm. Bars are intervals."
    return Section("trade", "Payoff against harm", lead, tuple(groups), "No game here defines a harm.")


def opponent_section(found: Found) -> Section:
    """Return payoffs opponent by opponent, by game."""
    groups = [_opponents(game, found.main_of(game)) for game in found.games]
    lead = "Payoff a round of the policy and of whom it meets; the stronger the ground, the more."
    return Section("opponents", "Opponent by opponent", lead, tuple(groups), "The folders hold no audits.")


def _safety(found: Found, game: str) -> Group:
    entries = found.main_of(game)
    rows = [Dot(e.label, e.result.metrics.get("safety"), number) for number, e in enumerate(entries)]
    title = game_title(game)
    drawing = dots(f"{title}: safety J of every policy", rows, "J, safety", _reference(entries))
    differences = [row for row in found.differences if row.game == game]
    tables = [_metrics(game, found.of(game)), *([_differences(game, differences)] if differences else [])]
    return Group(title, (Figure(f"safety-{folder_name(game)}", drawing),), tuple(tables))


def _reference(entries: Sequence[Entry]) -> Reference | None:
    for entry in entries:
        best = entry.result.metrics.get("optimum")
        if best is not None:
            sign = "=" if best.kind is Kind.EXACT else "≥"
            return Reference(f"J* {sign} {plain(best.value)}", best.value)
    return None


def _metrics(game: str, entries: Sequence[Entry]) -> Table:
    names = list(dict.fromkeys(name for entry in entries for name in entry.result.metrics))
    rows = [(name, *(entry.result.metrics.get(name) for entry in entries)) for name in names]
    meanings = [name for name in names if name in METRICS]
    note = "; ".join(f"{name}: {METRICS[name]}" for name in meanings)
    head = ("metric", *(entry.label for entry in entries))
    return Table(f"metrics-{folder_name(game)}", f"{game_title(game)}: all metrics", head, tuple(rows), note)


def _differences(game: str, differences: Sequence[Difference]) -> Table:
    rows = tuple((row.metric, row.a, row.b, row.estimate, settled(row)) for row in differences)
    head = ("metric", "a", "b", "a minus b", "shown")
    note = (
        "Paired on the same deals where possible; a word in the last column says what the interval settles."
    )
    return Table(f"differences-{folder_name(game)}", f"{game_title(game)}: differences", head, rows, note)


def _trade(found: Found, game: str) -> Group:
    title, figures = game_title(game), []
    for name, axis in HARMS.items():
        points = []
        for number, entry in enumerate(found.main_of(game)):
            harm, payoff = entry.result.metrics.get(name), entry.result.metrics.get("utility")
            if harm is not None and payoff is not None:
                points.append(Point(entry.label, harm, payoff, number))
        if points:
            drawing = scatter(f"{title}: payoff against {name}", points, axis, "u, own payoff a round")
            figures.append(Figure(f"payoff-{name}-{folder_name(game)}", drawing))
    return Group(title, tuple(figures))


def _opponents(game: str, entries: Sequence[Entry]) -> Group:
    title = game_title(game)
    sides = ("own",) if is_alone(game) else ("own", "opponent")
    heads = {"own": "own", "opponent": "other’s"}
    columns = [Column(heads[side], entry.label) for entry in entries for side in sides]
    rows, table = [], []
    for pool, words in POOLS.items():
        names = dict.fromkeys(name for entry in entries for name in entry.result.per_opponent.get(pool, {}))
        for place, name in enumerate(names):
            met = [entry.result.per_opponent.get(pool, {}).get(name, {}) for entry in entries]
            cells = tuple(row.get(side) for row in met for side in sides)
            rows.append(Row(name, cells, words if place == 0 else ""))
            keys = (*sides, "collusion", "externality")
            table += [
                (words, name, e.label, *(row.get(k) for k in keys))
                for e, row in zip(entries, met, strict=True)
            ]
    values = [cell.value for row in rows for cell in row.cells if cell is not None]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    drawing = grid(f"{title}: payoffs opponent by opponent", columns, rows, low, high, "payoff a round")
    head = ("pool", "opponent", "policy", *(heads[side] for side in sides), "collusion", "externality")
    numbers = Table(f"opponents-{folder_name(game)}", f"{title}: by opponent", head, tuple(table))
    return Group(title, (Figure(f"opponents-{folder_name(game)}", drawing),), (numbers,))
