"""How the equilibrium of sampled policies is reported, on made-up payoffs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from equipoise.auditing.cross import stability as module
from equipoise.auditing.cross.cells import Cell
from equipoise.auditing.cross.equilibrium import Profile
from equipoise.auditing.cross.result import MATRICES, CrossResult, PolicyEquilibrium
from equipoise.auditing.cross.stability import policy_equilibrium, resampled
from equipoise.auditing.cross.tables import render_cross
from equipoise.games.registry import make_game
from equipoise.progress import silent
from equipoise.types import Estimate, Kind

pytest.importorskip("nashpy")

INFO = make_game("ipd").info_record
NAMES = ("a", "b")


def cells(own: Sequence[Sequence[object]]) -> dict[tuple[str, str], Cell]:
    """Return cells of payoffs: numbers are exact, arrays sampled."""
    found = {}
    for i, row in enumerate(NAMES):
        for j, column in enumerate(NAMES):
            value = own[i][j]
            if isinstance(value, np.ndarray):
                found[row, column] = Cell(value, value, 2 * len(value))
            else:
                found[row, column] = Cell.exact(float(value), 0.0)  # type: ignore[arg-type]
    return found


def equilibrium(own: Sequence[Sequence[object]], level: float = 0.95) -> tuple[PolicyEquilibrium | None, str]:
    return policy_equilibrium(INFO, NAMES, cells(own), level, 0, silent())


def test_resamples_draw_the_same_deals_for_all_cells_and_keep_what_is_exact() -> None:
    deals = np.arange(10.0)
    table = cells([[deals, 1.5], [2.0 * deals, 0.5]])
    drawn = list(resampled(NAMES, table, 30, seed=3))
    for matrix in drawn:
        assert (matrix[0, 1], matrix[1, 1]) == (1.5, 0.5)
        assert matrix[1, 0] == pytest.approx(2.0 * matrix[0, 0])
    assert len({float(matrix[0, 0]) for matrix in drawn}) > 10
    again = list(resampled(NAMES, table, 30, seed=3))
    assert all((one == other).all() for one, other in zip(drawn, again, strict=True))
    assert any(
        (one != other).any() for one, other in zip(drawn, resampled(NAMES, table, 30, seed=4), strict=True)
    )


def test_a_clear_winner_is_in_every_support() -> None:
    noise = np.linspace(-0.1, 0.1, 40)
    found, note = equilibrium([[3.0 + noise, 3.0 + noise], [1.0 + noise, 1.0 + noise]])
    assert note == ""
    assert found is not None
    assert found.in_support is not None
    assert (found.in_support["a"].value, found.in_support["b"].value) == (1.0, 0.0)
    assert found.weights["a"].value == 1.0
    assert found.payoff.value == pytest.approx(3.0)
    assert found.payoff.kind is Kind.SAMPLE


def test_a_toss_up_is_told_as_one() -> None:
    # b beats a by 0.001 on average, with deals that differ by 1: dominance could go either way.
    swing = np.tile([0.5, -0.5], 50)
    found, _ = equilibrium([[2.0, 2.0], [2.001 + swing, 2.001 + swing]])
    assert found is not None
    assert found.in_support is not None
    assert found.weights["b"].value == 1.0
    assert 0.3 < found.in_support["b"].value < 0.7
    low, high = found.weights["b"].low, found.weights["b"].high
    assert (low, high) == (0.0, 1.0)


def test_exact_payoffs_need_no_resamples() -> None:
    found, _ = equilibrium([[5.0, 1.5], [6.0, 0.0]])
    assert found is not None
    assert (found.resamples, found.in_support) == (0, None)
    assert found.weights == {
        "a": Estimate.exact(found.weights["a"].value),
        "b": Estimate.exact(found.weights["b"].value),
    }
    assert found.weights["a"].value == pytest.approx(0.6)
    assert PolicyEquilibrium.from_json(found.to_json()) == found


def test_an_equilibrium_that_is_not_symmetric_shows_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    profile = Profile(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 0, "Lemke-Howson")
    monkeypatch.setattr(module, "equilibrium", lambda payoff: profile)
    for table in ([[-1.0, 2.0], [0.0, 1.0]], [[-1.0, np.array([1.0, 3.0])], [0.0, 1.0]]):
        found, _ = equilibrium(table)
        assert found is not None
        assert found.column_weights is not None
        assert (found.weights["a"].value, found.column_weights["b"].value) == (1.0, 1.0)
        assert found.payoff.value == pytest.approx(2.0)
        assert PolicyEquilibrium.from_json(found.to_json()) == found
        zero = {name: {other: Estimate.exact(0.0) for other in NAMES} for name in NAMES}
        result = CrossResult("ipd", 1, NAMES, dict.fromkeys(MATRICES, zero), zero["a"], found, "", {})
        text = " ".join(render_cross(result).split())
        assert "equilibrium (not symmetric)" in text
        assert "other side's weight" in text


def test_finding_none_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "equilibrium", lambda payoff: None)
    found, note = equilibrium([[1.0, 1.0], [1.0, 1.0]])
    assert found is None
    assert note == "no equilibrium was found among these 2 policies: cross fewer of them"
