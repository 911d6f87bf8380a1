"""One table as CSV, Markdown and LaTeX: numbers whole, words harmless in each."""

from __future__ import annotations

import csv
import io

from equipoise.report.tables import Table, csv_text, latex_text, markdown_text
from equipoise.types import Estimate, Kind

NUMBER = Estimate(-0.25, -0.5, 0.125, 0.95, 4, 2, Kind.SAMPLE)
TABLE = Table(
    "t",
    "A & B",
    ("policy", "J"),
    (("=cmd|x", NUMBER), ("a_b|<i>", Estimate.exact(1.0)), ("c", None)),
    "50 % of λ",
)


def test_csv_has_the_whole_number_with_interval_and_kind() -> None:
    rows = list(csv.reader(io.StringIO(csv_text(TABLE))))
    assert rows[0] == ["policy", "J", "J low", "J high", "J level", "J kind"]
    assert rows[1][1:] == ["-0.25", "-0.5", "0.125", "0.95", "sample"]
    assert rows[2][1:] == ["1.0", "1.0", "1.0", "1.0", "exact"]
    assert rows[3][1:] == [""] * 5


def test_no_spreadsheet_takes_a_name_for_a_formula() -> None:
    assert list(csv.reader(io.StringIO(csv_text(TABLE))))[1][0] == "'=cmd|x"


def test_markdown_keeps_its_columns_and_shows_no_markup() -> None:
    lines = markdown_text(TABLE).splitlines()
    assert lines[2:4] == ["| policy | J |", "| --- | --- |"]
    assert lines[5] == r"| a\_b\|\<i\> | 1.000 |"
    assert lines[6] == "| c | n/a |"


def test_latex_escapes_what_it_would_read() -> None:
    text = latex_text(TABLE)
    assert r"\caption{A \& B}" in text
    assert r"a\_b|\textless{}i\textgreater{} & 1.000 \\" in text
    assert r"50 \% of $\lambda$" in text
    assert r"$-$0.25 [$-$0.50, 0.12] \\" in text
    assert text.count("&") == text.count(r" & ") + 1
