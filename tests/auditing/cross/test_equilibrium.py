"""Equilibria of small symmetric games, by hand and by definition."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.auditing.cross import equilibrium as module
from equipoise.auditing.cross.equilibrium import equilibrium, is_equilibrium

pytest.importorskip("nashpy")

# Rows by hand; for each the symmetric equilibrium with the highest payoff, of these the smallest support.
GAMES: dict[str, tuple[list[list[float]], list[float], float]] = {
    "dominance": ([[3, 0], [5, 1]], [0, 1], 1),
    "rock paper scissors": ([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], [1 / 3, 1 / 3, 1 / 3], 0),
    # Hawk and dove with V = 2, C = 4: hawks V/C = 1/2, worth (V/2)(1 - V/C) = 1/2 (Maynard Smith 1982).
    "hawk and dove": ([[-1, 2], [0, 1]], [1 / 2, 1 / 2], 1 / 2),
    # Two pure equilibria and a mixed one: the better pure one.
    "stag hunt": ([[4, 1], [3, 3]], [1, 0], 4),
    # A coordination game whose only symmetric equilibrium with both is worth less than either alone.
    "coordination": ([[2, 0], [0, 1]], [1, 0], 2),
    # x against y earns 5y + 1.5x = 6y: complement 0.6, worth 3.6 (split: complement and hardball).
    "split": ([[5, 1.5], [6, 0]], [0.6, 0.4], 3.6),
}


@pytest.mark.parametrize("name", GAMES)
def test_equilibria_by_hand(name: str) -> None:
    payoff, weights, worth = GAMES[name]
    a = np.array(payoff, dtype=float)
    found = equilibrium(a)
    assert found is not None
    assert found.is_symmetric
    np.testing.assert_allclose(found.row, weights, atol=1e-12)
    assert found.row @ a @ found.column == pytest.approx(worth, abs=1e-12)


def test_all_symmetric_equilibria_are_counted() -> None:
    found = equilibrium(np.array([[2.0, 0.0], [0.0, 1.0]]))
    assert found is not None
    assert (found.found, found.method) == (3, "support enumeration")


def test_policies_that_tie_do_not_hide_the_equilibrium() -> None:
    # Twins at the top, and every support of both of them is singular.
    a = np.array([[3.0, 3.0, 0.0], [3.0, 3.0, 0.0], [1.0, 1.0, 0.5]])
    found = equilibrium(a)
    assert found is not None
    np.testing.assert_allclose(found.row, [1.0, 0.0, 0.0])


def test_the_vertices_hold_the_equilibria_of_a_game_full_of_ties() -> None:
    # Rock, paper and scissors with each policy doubled: any split between twins will do.
    base = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    a = np.kron(base, np.ones((2, 2)))
    by_vertices = [x for x in module._vertices(a) if is_equilibrium(a, x, x)]
    assert by_vertices
    for x in by_vertices:
        np.testing.assert_allclose(x.reshape(3, 2).sum(axis=1), [1 / 3] * 3, atol=1e-9)


def test_vertices_are_read_where_supports_give_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_supports", lambda a: iter(()))
    found = equilibrium(np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]))
    assert found is not None
    assert found.method == "vertex enumeration"
    np.testing.assert_allclose(found.row, [1 / 3] * 3, atol=1e-9)


def random_game(size: int, seed: int, ties: bool) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return draw.integers(-2, 3, (size, size)).astype(float) if ties else draw.normal(size=(size, size))


@given(size=st.integers(2, 5), seed=st.integers(0, 10_000), ties=st.booleans())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_what_is_returned_is_a_symmetric_equilibrium(size: int, seed: int, ties: bool) -> None:
    a = random_game(size, seed, ties)
    found = equilibrium(a)
    assert found is not None
    assert found.is_symmetric
    assert found.row.min() >= 0.0
    assert found.row.sum() == pytest.approx(1.0)
    # By definition, without the module's own check.
    gains = a @ found.row - found.row @ a @ found.row
    assert gains.max() <= 1e-8


@given(size=st.integers(2, 4), seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_it_is_the_best_of_all_symmetric_ones(size: int, seed: int) -> None:
    import nashpy

    a = random_game(size, seed, ties=False)
    found = equilibrium(a)
    assert found is not None
    pairs = nashpy.Game(a - a.min() + 1.0, (a - a.min() + 1.0).T).vertex_enumeration()
    alike = [row @ a @ row for row, column in pairs if np.allclose(row, column, atol=1e-9)]
    assert len(alike) == found.found
    assert found.row @ a @ found.row == pytest.approx(max(alike), abs=1e-8)


def test_a_policy_that_is_not_used_does_not_hide_the_equilibrium() -> None:
    # The third earns (2/3)0 + (1/3)1 against 2/3 of itself and 1/3 of the fourth, the fourth 2/3 - 1/3: the
    # same. Solving for all four at once leaves the others at a rounding error below 0.
    a = np.array([[0.0, 1, 0, -1], [-1, -1, 0, -1], [-1, 1, 0, 1], [1, -1, 1, -1]])
    found = equilibrium(a)
    assert found is not None
    assert found.method == "support enumeration"
    np.testing.assert_allclose(found.row, [0, 0, 2 / 3, 1 / 3], atol=1e-12)


class TestMany:
    def test_a_pure_equilibrium_is_found_by_looking(self) -> None:
        a = -np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0)))
        a[7, 7] = 1.0
        found = equilibrium(a)
        assert found is not None
        assert found.method == "Lemke-Howson"
        np.testing.assert_allclose(found.row, np.eye(10)[7])

    def test_a_mixed_one_at_the_end_of_a_path(self) -> None:
        # Rock, paper, scissors and seven policies that lose to all three.
        a = np.full((10, 10), -3.0)
        a[:3, 3:] = 3.0
        a[:3, :3] = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
        found = equilibrium(a)
        assert found is not None
        assert found.is_symmetric
        np.testing.assert_allclose(found.row[:3], [1 / 3] * 3, atol=1e-9)

    def test_an_equilibrium_that_is_not_symmetric_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "FEW", 1)
        monkeypatch.setattr(module, "_paths", lambda a: [(np.array([1.0, 0.0]), np.array([0.0, 1.0]))])
        found = equilibrium(np.array([[-1.0, 2.0], [0.0, 1.0]]))
        assert found is not None
        assert (found.is_symmetric, found.found) == (False, 0)

    def test_finding_none_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "FEW", 1)
        monkeypatch.setattr(module, "_paths", lambda a: [])
        assert equilibrium(np.array([[-1.0, 2.0], [0.0, 1.0]])) is None


def test_without_nashpy_an_import_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("nashpy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "nashpy", None)
    with pytest.raises(ImportError):
        equilibrium(np.eye(2))
