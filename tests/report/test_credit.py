"""The figure of a credit study: its files, what they show, and that they are the same every time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from equipoise.report import credit
from equipoise.report.credit import draw_credit
from equipoise.training.study_result import CreditRow, CreditStudy
from equipoise.types import Estimate, Kind

NAMES = ("per_pool", "shared", "$odd_{name}$ <b>")


def study() -> CreditStudy:
    rows = []
    for game in ("kuhn", "ipd"):
        for place, name in enumerate(NAMES):
            one = Estimate(1.0 - place, 0.9 - place, 1.1 - place, 0.95, 100, 10, Kind.SAMPLE)
            rows.append(CreditRow(game, name, 10, one, one, None if place else Estimate.exact(0.0), one))
    return CreditStudy(rows, {"kuhn": {}, "ipd": {}})


def test_without_matplotlib_there_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credit, "can_draw", lambda: False)
    assert draw_credit(study(), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


class TestFigure:
    @pytest.fixture(autouse=True)
    def drawn(self) -> None:
        pytest.importorskip("matplotlib")

    def test_it_shows_every_estimator_in_every_game(self, tmp_path: Path) -> None:
        files = draw_credit(study(), tmp_path / "new")
        assert [file.name for file in files] == ["credit.svg", "credit.png"]
        assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["credit.png", "credit.svg"]
        text = files[0].read_text(encoding="utf-8")
        for word in ("kuhn: 10 batches", "ipd: 10 batches", "per_pool", "shared", "n/a"):
            assert f">{word}<" in text
        # Names are text, whatever is in them.
        assert text.count(">$odd_{name}$ &lt;b&gt;<") == 2
        assert files[1].read_bytes().startswith(b"\x89PNG")

    def test_the_same_numbers_give_the_same_bytes(self, tmp_path: Path) -> None:
        first, again = (draw_credit(study(), tmp_path / name) for name in ("a", "b"))
        for one, other in zip(first, again, strict=True):
            assert one.read_bytes() == other.read_bytes()

    def test_no_file_says_when_or_with_what_it_was_made(self, tmp_path: Path) -> None:
        svg, png = (file.read_bytes() for file in draw_credit(study(), tmp_path))
        assert not re.search(rb"\b20\d\d-\d\d", svg)
        for data in (svg, png):
            assert b"Matplotlib" not in data
            assert str(tmp_path).encode() not in data

    def test_settings_of_other_figures_are_left_alone(self, tmp_path: Path) -> None:
        import matplotlib

        before = dict(matplotlib.rcParams)
        draw_credit(study(), tmp_path)
        assert dict(matplotlib.rcParams) == before
