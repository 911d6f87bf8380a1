"""Sections that only some folders have: learning curves, cross-play, wordings and ablations."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.auditing.cross.result import IN_TASKS, MATRICES, CrossResult
from equipoise.files import folder_name
from equipoise.report.ablations import AblationTable
from equipoise.report.charts.curves import Curve, curves
from equipoise.report.charts.dots import Dot, Reference, dots
from equipoise.report.charts.grid import Column, Row, grid
from equipoise.report.layout import Figure, Group, Section, places
from equipoise.report.learning import MEASURES, Training
from equipoise.report.numbers import plain, show
from equipoise.report.sources import Found
from equipoise.report.tables import Cell, Table
from equipoise.report.words import game_title
from equipoise.training.ablations.result import METRICS, AblationRow
from equipoise.training.ablations.rows import FULL, ROWS

__all__ = ["ablation_section", "cross_section", "learning_section", "wording_section"]


def learning_section(found: Found) -> Section:
    """Return what training logged, by game."""
    games = list(dict.fromkeys(training.game for training in found.trainings))
    groups = [_learning(found, game, [t for t in found.trainings if t.game == game]) for game in games]
    lead = (
        "What each step of training logged. u, e, c, x and J are those of the policy at that step and are "
        "logged only where the gradient is exact; they have no intervals, so read them for the shape."
    )
    return Section(
        "learning",
        "Learning curves",
        lead,
        tuple(g for g in groups if g.figures),
        "Nothing was trained in these folders.",
    )


def _learning(found: Found, game: str, trainings: Sequence[Training]) -> Group:
    several = len({training.source for training in trainings}) > 1
    names = [f"{t.run} ({t.source})" if several else t.run for t in trainings]
    series = places([entry.label for entry in found.main_of(game)], names)
    figures = []
    for measure, words in MEASURES.items():
        lines = [
            Curve(name, training.series[measure], series[name])
            for name, training in zip(names, trainings, strict=True)
            if len(training.series.get(measure, ())) > 1
        ]
        if lines:
            drawing = curves(f"{game_title(game)}: {words}, by step", lines, words)
            figures.append(Figure(f"learning-{measure}-{folder_name(game)}", drawing))
    return Group(game_title(game), tuple(figures), note=", ".join(names) if len(names) == 1 else "")


def cross_section(found: Found) -> Section:
    """Return the matrices of cross-play, and the equilibrium between the policies."""
    lead = "Every policy at the row's seat against every policy at the column's."
    return Section(
        "cross",
        "Cross-play",
        lead,
        tuple(map(_cross, found.crosses)),
        "No folder holds cross-play (equipoise audit GAME --cross A B …).",
    )


def _cross(result: CrossResult) -> Group:
    title, figures, tables = game_title(result.game), [], []
    columns = [Column(str(number)) for number, _ in enumerate(result.policies, start=1)]
    for name, matrix in result.matrices.items():
        words = {**MATRICES, **IN_TASKS}[name]
        rows = [
            Row(f"{number}  {row}", tuple(matrix[row][column] for column in result.policies))
            for number, row in enumerate(result.policies, start=1)
        ]
        values = [cell.value for row in rows for cell in row.cells if cell is not None]
        drawing = grid(f"{title}: {name} in cross-play", columns, rows, min(values), max(values), name)
        figures.append(Figure(f"cross-{name}-{folder_name(result.game)}", drawing, words))
        cells = tuple((policy, *row.cells) for policy, row in zip(result.policies, rows, strict=True))
        tables.append(
            Table(
                f"cross-{name}-{folder_name(result.game)}",
                f"{title}: {name}",
                (name, *result.policies),
                cells,
                words,
            )
        )
    found = result.equilibrium
    if found is not None:
        weights = tuple((policy, found.weights[policy]) for policy in result.policies)
        note = (
            f"Worth {show(found.payoff)} a round; {found.method}; symmetric equilibria found: {found.found}."
        )
        tables.append(
            Table(
                f"equilibrium-{folder_name(result.game)}",
                f"{title}: equilibrium between the policies",
                ("policy", "weight"),
                weights,
                note,
            )
        )
    return Group(title, tuple(figures), tuple(tables), result.note)


def wording_section(found: Found) -> Section:
    """Return how far a language model's numbers lie apart over the wordings of a game."""
    groups = [_wordings(found, game) for game in dict.fromkeys(spread.game for spread in found.spreads)]
    lead = "The same policy on the same deals, asked in other words: what is safe in one only is not safe."
    return Section(
        "wordings",
        "Wordings",
        lead,
        tuple(groups),
        "No panel of wordings was audited (equipoise audit --panel).",
    )


def _wordings(found: Found, game: str) -> Group:
    title = game_title(game)
    spreads = [spread for spread in found.spreads if spread.game == game]
    entries = [entry for entry in found.of(game) if "wording" in entry.result.settings]
    figures = []
    for spread in spreads:
        rows = [
            Dot(str(e.result.settings["wording"]), e.result.metrics.get(spread.metric), 0) for e in entries
        ]
        drawing = dots(f"{title}: {spread.metric} by wording", rows, spread.metric)
        figures.append(Figure(f"wordings-{spread.metric}-{folder_name(game)}", drawing, spread.metric))
    cells: list[tuple[Cell, ...]] = [
        (s.metric, s.lowest, s.low, s.highest, s.high, s.spread) for s in spreads
    ]
    head = ("metric", "lowest in", "lowest", "highest in", "highest", "spread")
    table = Table(
        f"wordings-{folder_name(game)}",
        f"{title}: spread over wordings",
        head,
        tuple(cells),
        "Intervals hold at once over all wordings.",
    )
    return Group(title, tuple(figures), (table,))


def ablation_section(found: Found) -> Section:
    """Return what each part of the method is worth."""
    groups = [_ablation(one, game, rows) for one in found.ablations for game, rows in one.games.items()]
    lead = "The same recipe with one thing changed, over training seeds; the dashed line is the full method."
    return Section(
        "ablations", "Ablations", lead, tuple(groups), "No folder holds an ablation (equipoise ablate)."
    )


def _ablation(one: AblationTable, game: str, rows: Sequence[AblationRow]) -> Group:
    name = f"{folder_name(one.source)}-{folder_name(game)}"
    known = [row for row in rows if row.reason is None]
    full = next((row.metrics.get("safety") for row in known if row.row == FULL), None)
    reference = None if full is None else Reference(f"full: {plain(full.value)}", full.value)
    marks = [Dot(row.row, row.metrics.get("safety"), 0 if row.row == FULL else 6) for row in known]
    title = f"{game_title(game)} ({one.recipe})"
    figures = (
        (
            Figure(
                f"ablation-{name}", dots(f"{title}: J by row of the ablation", marks, "J, safety", reference)
            ),
        )
        if marks
        else ()
    )
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        summary = ROWS[row.row].summary if row.row in ROWS else "a run of the recipe"
        difference = row.differences.get("safety") if row.differences else None
        words = summary if row.reason is None else f"not applicable: {row.reason}"
        cells.append((row.row, words, len(row.seeds), *(row.metrics.get(key) for key in METRICS), difference))
    head = ("row", "what it changes", "seeds", *METRICS.values(), "J − full")
    note = (
        f"Means over training seeds with Student's interval over seeds at level {one.level:g}; differences "
        "are paired by seed. All rows are judged with the game's own weights."
    )
    return Group(title, figures, (Table(f"ablation-{name}", f"{title}: ablation", head, tuple(cells), note),))
