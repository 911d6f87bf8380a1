"""The section about what policies do: how often they play what, and how often theory says they should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equipoise.files import folder_name
from equipoise.report.charts.rates import Situation, rates
from equipoise.report.frequencies import AFTER, ANY, FIRST, Frequencies
from equipoise.report.layout import Figure, Group, Section, places
from equipoise.report.sources import Entry, Found
from equipoise.report.tables import Table
from equipoise.report.words import game_title
from equipoise.tasks.registry import task_names
from equipoise.types import Estimate

__all__ = ["behaviour_section"]

THIRD = 1.0 / 3.0
NASH: Mapping[str, tuple[str, str, tuple[float, float]]] = {
    "J:": ("J opens", "BET", (0.0, THIRD)),
    "Q:": ("Q opens", "BET", (0.0, 0.0)),
    "K:": ("K opens", "BET", (0.0, 1.0)),
    "J:p": ("J after a pass", "BET", (THIRD, THIRD)),
    "Q:p": ("Q after a pass", "BET", (0.0, 0.0)),
    "K:p": ("K after a pass", "BET", (1.0, 1.0)),
    "J:b": ("J facing a bet", "CALL", (0.0, 0.0)),
    "Q:b": ("Q facing a bet", "CALL", (THIRD, THIRD)),
    "K:b": ("K facing a bet", "CALL", (1.0, 1.0)),
    "J:pb": ("J passed, then bet", "CALL", (0.0, 0.0)),
    "Q:pb": ("Q passed, then bet", "CALL", (THIRD, 2.0 * THIRD)),
    "K:pb": ("K passed, then bet", "CALL", (1.0, 1.0)),
}
"""Kuhn (1950): with α in [0, 1/3] the opener bets J with α, K with 3α and calls Q with α + 1/3."""


def behaviour_section(found: Found, counted: Frequencies) -> Section:
    """Return how often policies play what, by game."""
    groups = []
    for game in found.games:
        group = _kuhn(found.main_of(game)) if game == "kuhn" else _counted(found, game, counted)
        if group is not None:
            groups.append(group)
    lead = (
        "Rates of the studied policy’s own actions. Where they were counted in episodes, intervals are over "
        "deals and all opponents of the audit count as they were met."
    )
    missing = (
        "No episodes were recorded and no rates by information state kept: exact audits of policies with a "
        "memory leave none."
    )
    return Section("actions", "What it does", lead, tuple(groups), missing)


def _kuhn(entries: Sequence[Entry]) -> Group | None:
    known = [entry for entry in entries if set(NASH) & set(entry.result.behaviour)]
    if not known:
        return None
    rows = [
        Situation(words, tuple(_rate(entry, state, action) for entry in known), band)
        for state, (words, action, band) in NASH.items()
    ]
    names = [entry.label for entry in known]
    series = {entry.label: number for number, entry in enumerate(entries) if entry in known}
    drawing = rates(
        "Kuhn poker: how often each card bets or calls",
        series,
        rows,
        "rate of betting or calling",
        "equilibrium, any α in [0, 1/3]",
    )
    alphas = [(entry.label, _rate(entry, "J:", "BET")) for entry in known]
    note = (
        "The family of equilibria has one parameter: α, how often the opener bets the jack; it then bets the "
        "king 3α and calls with the queen α + 1/3."
    )
    cells = tuple((row.label, *row.rates, _span(row.band)) for row in rows)
    numbers = Table(
        "actions-kuhn", "Kuhn poker: rates by state", ("state", *names, "equilibrium"), cells, note
    )
    alpha = Table(
        "alpha-kuhn", "Kuhn poker: α, the opener’s bets on the jack", ("policy", "α"), tuple(alphas)
    )
    return Group(game_title("kuhn"), (Figure("actions-kuhn", drawing, note),), (numbers, alpha))


def _rate(entry: Entry, state: str, action: str) -> Estimate | None:
    row = entry.result.behaviour.get(state)
    if not row:
        return None
    # An action that was never sampled where the state was met has no row of its own.
    return row.get(action) or _never(row)


def _never(row: Mapping[str, Estimate]) -> Estimate:
    other = next(iter(row.values()))
    low, high = other.low, other.high
    return Estimate(
        0.0,
        None if high is None else max(0.0, 1.0 - high),
        None if low is None else 1.0 - low,
        other.level,
        other.n,
        other.clusters,
        other.kind,
    )


def _counted(found: Found, game: str, counted: Frequencies) -> Group | None:
    names, actions = counted.policies(game), counted.actions(game)
    if not names or not actions or game in task_names():
        return None
    title = game_title(game)
    if game == "ipd":
        wanted = [
            (FIRST, "in the first round"),
            (AFTER + "C", "after cooperation"),
            (AFTER + "D", "after defection"),
        ]
        rows = [
            Situation(words, tuple(counted.rate(game, name, place, "COOPERATE") for name in names))
            for place, words in wanted
        ]
        heading, axis = f"{title}: how often it cooperates, by the other’s last move", "rate of cooperation"
    else:
        rows = [
            Situation(action, tuple(counted.rate(game, name, ANY, action) for name in names))
            for action in actions
        ]
        heading, axis = f"{title}: how often each action is played", "share of own decisions"
    series = places([entry.label for entry in found.main_of(game)], names)
    drawing = rates(heading, series, rows, axis)
    cells = tuple((row.label, *row.rates) for row in rows)
    table = Table(
        f"actions-{folder_name(game)}",
        heading,
        ("", *names),
        cells,
        f"{axis}, over the episodes that this page holds",
    )
    return Group(
        title, (Figure(f"actions-{folder_name(game)}", drawing, heading.partition(": ")[2]),), (table,)
    )


def _span(band: tuple[float, float] | None) -> str:
    assert band is not None
    low, high = (f"{end:.3f}" for end in band)
    return low if low == high else f"{low} to {high}"
