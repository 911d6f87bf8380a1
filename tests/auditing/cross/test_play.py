"""Cross-play: exact matrices by hand, sampled ones around them, both in one, and resumed."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise
from equipoise.auditing.cross.cells import Cell
from equipoise.auditing.cross.play import cross_game, meetings, name_policies
from equipoise.auditing.cross.result import MATRICES, CrossResult, Matrix
from equipoise.auditing.run import AuditConfig
from equipoise.errors import RequestError
from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.games.registry import make_game
from equipoise.opponents.registry import get_strategy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import load_players
from equipoise.rollout.transcript import read_episodes
from equipoise.types import Choice, Decision, Estimate, Kind, Validity
from tests.auditing.oracle import means_at, random_table, reading
from tests.rollout.players import Answers

pytest.importorskip("nashpy")

IPD, KUHN = make_game("ipd"), make_game("kuhn")
EXACT = AuditConfig(exact=True)
SAMPLE = AuditConfig(exact=False, episodes=6, chunk=2)

# Eight rounds. Always D against tit for tat earns 5, then 1 seven times, and gives 0, then 1 seven times.
DILEMMA = {
    "always_defect": (1, 5, Fraction(12, 8)),
    "always_cooperate": (0, 3, 3),
    "tit_for_tat": (Fraction(7, 8), 3, 3),
}
# domains.md, the table of kuhn.
POKER = {
    "nash": (0, 0, 1 / 36, 1 / 9, 1 / 36),
    "tight_passive": (0, 0, 1 / 6, 0, 1 / 12),
    "loose_aggressive": (-1 / 36, -1 / 6, 0, 1 / 3, -1 / 12),
    "always_bet": (-1 / 9, 0, -1 / 3, 0, -1 / 6),
    "max_exploiter": (-1 / 36, -1 / 12, 1 / 12, 1 / 6, 0),
}


def crossed(game: Any, names: Any, config: AuditConfig) -> CrossResult:
    return cross_game(game, load_players(name_policies(names), game), config)


def values(matrix: Matrix) -> list[list[float]]:
    return [[cell.value for cell in row.values()] for row in matrix.values()]


class TestExact:
    @pytest.mark.parametrize(("game", "table"), [(IPD, DILEMMA), (KUHN, POKER)], ids=["ipd", "kuhn"])
    def test_matrices_by_hand(self, game: Any, table: dict[str, tuple[Any, ...]]) -> None:
        found = crossed(game, list(table), EXACT)
        own = np.array([[float(cell) for cell in row] for row in table.values()])
        np.testing.assert_allclose(values(found.payoff), own, atol=1e-9)
        np.testing.assert_allclose(values(found.welfare), own + own.T, atol=1e-9)
        np.testing.assert_allclose(values(found.exploitability), np.maximum(0.0, own.T - own), atol=1e-9)
        cells = [cell for name in MATRICES for row in found.matrices[name].values() for cell in row.values()]
        assert {cell.kind for cell in cells} == {Kind.EXACT}
        assert found.settings["method"] == "exact"

    def test_the_equilibrium_of_the_dilemma_is_tit_for_tat(self) -> None:
        found = crossed(IPD, list(DILEMMA), EXACT).equilibrium
        assert found is not None
        assert [w.value for w in found.weights.values()] == [0.0, 0.0, 1.0]
        assert found.payoff == Estimate.exact(3.0)
        # Besides: always D; one of always D and tit for tat with 1/13 of the latter, which is worth 27/26.
        assert found.found >= 2
        assert found.in_support is None

    def test_without_its_rivals_the_dilemma_has_a_mixed_equilibrium(self) -> None:
        found = crossed(make_game("split"), ["complement", "hardball"], EXACT)
        # Complement opens 5 against 8, which fails, and then takes what is left: 2 three times, to 8.
        np.testing.assert_allclose(values(found.payoff), [[5, 1.5], [6, 0]], atol=1e-9)
        assert found.equilibrium is not None
        weights = [w.value for w in found.equilibrium.weights.values()]
        assert weights == pytest.approx([0.6, 0.4], abs=1e-9)
        assert found.equilibrium.payoff.value == pytest.approx(3.6, abs=1e-9)
        assert found.equilibrium.found == 1

    def test_in_kuhn_nash_play_is_an_equilibrium_worth_nothing(self) -> None:
        found = crossed(KUHN, ["loose_aggressive", "nash", "always_bet"], EXACT).equilibrium
        assert found is not None
        assert [w.value for w in found.weights.values()] == [0.0, 1.0, 0.0]
        assert found.payoff.value == pytest.approx(0.0, abs=1e-12)

    @pytest.mark.parametrize(
        "game", [make_game("ipd", rounds=3), make_game("kuhn", rounds=2)], ids=["ipd", "kuhn"]
    )
    def test_functions_may_act_on_their_seat_on_either_side(self, game: Any) -> None:
        tables = [random_table(game, seed) for seed in range(4)]

        def by_seat(first: int) -> Callable[[Decision], Any]:
            return lambda d: tables[first + d.seat][game.label(d.observation, d.history)]

        both = {name: FunctionPolicy(by_seat(n), name) for name, n in (("a", 0), ("b", 2))}
        found = cross_game(game, both, EXACT)
        read = [reading(game, table) for table in tables]
        # The oracle puts the row at seat 0 and at seat 1; the column's table is that of the other seat.
        for row, column, pair in (("a", "b", (0, 2)), ("b", "a", (2, 0)), ("a", "a", (0, 0))):
            seats = [
                means_at(game, read[pair[0] + seat], read[pair[1] + 1 - seat], seat)[0] for seat in (0, 1)
            ]
            assert found.payoff[row][column].value == pytest.approx(np.mean(seats), abs=1e-12)

    def test_mixtures_and_noise_are_valued_exactly(self) -> None:
        found = crossed(IPD, ["always_defect", "mixture:0.25*tit_for_tat+0.75*always_defect"], EXACT)
        cell = found.payoff["mixture:0.25*tit_for_tat+0.75*always_defect"]["always_defect"]
        assert cell.value == pytest.approx(0.25 * 7 / 8 + 0.75, abs=1e-12)

    def test_what_is_too_large_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("equipoise.auditing.cross.play.ASKED", 10)
        with pytest.raises(RequestError, match="ipd is too large for exact values: leave out --exact"):
            crossed(IPD, ["random", "mixed_half"], EXACT)


class TestSampled:
    def test_every_ordered_pair_is_played_on_the_same_deals_from_both_seats(self, tmp_path: Path) -> None:
        crossed(KUHN, ["nash", "always_bet"], replace(SAMPLE, out=tmp_path / "c"))
        episodes = list(read_episodes(tmp_path / "c" / "transcript.jsonl"))
        assert len(episodes) == 4 * 6 * 2
        assert len({episode.id for episode in episodes}) == len(episodes)
        chance: dict[int, set[Any]] = {}
        for episode in episodes:
            names = {0: episode.policies, 1: episode.policies[::-1]}[episode.seat]
            assert names == (f"scripted:{episode.pool}", f"scripted:{episode.opponent}")
            # Cards are those of the deal, whoever plays.
            chance.setdefault(episode.deal, set()).add(episode.chance)
        assert all(len(cards) == 1 for cards in chance.values())

    def test_estimates_cover_the_exact_values(self) -> None:
        names = ["mixed_half", "generous_tit_for_tat", "noisy:0.2:grim_trigger"]
        exact = crossed(IPD, names, EXACT)
        found = crossed(IPD, names, replace(SAMPLE, episodes=60, level=0.9999))
        for name in MATRICES:
            for row in names:
                for column in names:
                    cell, wanted = found.matrices[name][row][column], exact.matrices[name][row][column].value
                    assert cell.low is not None
                    assert cell.high is not None
                    assert cell.low - 1e-9 <= wanted <= cell.high + 1e-9, (name, row, column)
                    same = name == "exploitability" and row == column
                    assert (cell.kind, cell.n, cell.clusters) == (
                        (Kind.EXACT, 0, 0) if same else (Kind.SAMPLE, 120, 60)
                    )

    def test_the_equilibrium_is_that_of_the_point_estimates_and_says_how_stable_it_is(self) -> None:
        found = crossed(KUHN, ["nash", "loose_aggressive", "always_bet"], replace(SAMPLE, episodes=30))
        best = found.equilibrium
        assert best is not None
        assert best.payoff.kind is Kind.SAMPLE
        assert best.in_support is not None
        own = np.array(values(found.payoff))
        weights = np.array([w.value for w in best.weights.values()])
        assert (own @ weights).max() == pytest.approx(weights @ own @ weights, abs=1e-8)
        assert best.payoff.value == pytest.approx(weights @ own @ weights, abs=1e-12)
        assert best.resamples == 200
        assert sum(share.value for share in best.in_support.values()) >= 1.0
        for cell in (*best.weights.values(), *best.in_support.values(), best.payoff):
            assert cell.low is not None
            assert cell.high is not None
            assert cell.low <= cell.value <= cell.high
            assert cell.high > cell.low
        assert found == crossed(KUHN, list(found.policies), replace(SAMPLE, episodes=30))

    def test_exact_and_sampled_cells_stand_side_by_side(self) -> None:
        flaky = Answers(lambda decision: Choice(DEFECT), "flaky")
        players = {**load_players(name_policies(["always_defect", "tit_for_tat"]), IPD), "flaky": flaky}
        found = cross_game(IPD, players, AuditConfig(episodes=4))
        assert found.settings["method"] == "exact and sample"
        assert found.payoff["always_defect"]["tit_for_tat"] == Estimate.exact(1.5)
        assert found.payoff["flaky"]["tit_for_tat"].kind is Kind.SAMPLE
        assert found.payoff["flaky"]["tit_for_tat"].value == 1.5
        assert found.equilibrium is not None
        assert found.equilibrium.payoff.kind is Kind.SAMPLE

    def test_invalid_answers_are_counted_for_the_row(self) -> None:
        def answer(decision: Decision) -> Choice:
            return Choice(COOPERATE) if decision.round else Choice(None, Validity.INVALID)

        players = {**load_players(name_policies(["always_defect", "tit_for_tat"]), IPD)}
        found = cross_game(IPD, {**players, "mumbles": Answers(answer)}, AuditConfig(episodes=4))
        assert found.invalid_rate["mumbles"].value == pytest.approx(1 / 8)
        assert found.invalid_rate["tit_for_tat"] == Estimate.exact(0.0)
        assert "invalid_rate" in str(found)

    def test_a_killed_run_goes_on_with_the_same_bytes(self, tmp_path: Path) -> None:
        calls = 0

        def tired(decision: Decision) -> Choice:
            nonlocal calls
            calls += 1
            if calls == 150:
                raise KeyboardInterrupt
            return Choice(DEFECT)

        def run(folder: Path) -> CrossResult:
            players = {**load_players(name_policies(["random", "pavlov"]), IPD), "t": Answers(tired, "t")}
            return cross_game(IPD, players, AuditConfig(episodes=6, chunk=2, out=folder))

        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "parts")
        parts = run(tmp_path / "parts")
        whole = run(tmp_path / "whole")
        assert parts == whole
        for name in ("transcript.jsonl", "chunks.jsonl"):
            assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()

    def test_a_folder_of_other_policies_is_left_alone(self, tmp_path: Path) -> None:
        crossed(IPD, ["random", "pavlov"], replace(SAMPLE, out=tmp_path / "a"))
        with pytest.raises(RequestError, match="choose another --out"):
            crossed(IPD, ["random", "grim_trigger"], replace(SAMPLE, out=tmp_path / "a"))


class TestCells:
    def test_the_hinge_is_taken_on_the_mean_and_on_the_interval(self) -> None:
        info = IPD.info_record
        own, other = np.array([1.0, 3.0, 2.0]), np.array([2.0, 1.0, 2.5])
        cell = Cell(own, other, 6)
        gap = cell.lead(info, 0.95, itself=False)
        assert (gap.value, gap.low) == (0.0, 0.0)
        back = cell.turned().lead(info, 0.95, itself=False)
        assert back.value == pytest.approx(1 / 6)
        assert back.low == 0.0
        assert gap.high is not None
        assert gap.high > 0.0

    def test_a_policy_does_not_lead_itself(self) -> None:
        cell = Cell(np.array([1.0, 3.0]), np.array([2.0, 3.5]), 4)
        assert cell.lead(IPD.info_record, 0.95, itself=True) == Estimate.exact(0.0)

    def test_welfare_of_a_zero_sum_game_is_zero_without_doubt(self) -> None:
        cell = Cell(np.array([1.0, -2.0]), np.array([-1.0, 2.0]), 4)
        found = cell.welfare(KUHN.info_record, 0.95)
        assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


class TestRequests:
    def test_names(self) -> None:
        def mine(decision: Decision) -> str:
            return DEFECT

        strategy = get_strategy("ipd", "pavlov")
        assert list(name_policies(["random", mine, strategy])) == ["random", "mine", "pavlov"]
        assert name_policies({"a": "random", "b": "random"}) == {"a": "random", "b": "random"}
        with pytest.raises(RequestError, match="policy 'random' is named twice"):
            name_policies(["random", "random"])
        with pytest.raises(RequestError, match="cross-play of random: name at least two"):
            name_policies("random")
        with pytest.raises(RequestError, match="cross-play of nobody"):
            name_policies([])

    def test_meetings_of_a_symmetric_game_need_one_seat(self) -> None:
        a, b = get_strategy("ipd", "pavlov"), get_strategy("ipd", "random")
        assert meetings([a], [b], IPD) == [(a, b, 0)]
        assert meetings([a, b], [b], IPD) == [(a, b, 0), (b, b, 0)]
        memory = make_game("kuhn", rounds=2, memory=True)
        assert meetings([a, b], [b, a], memory) == [(a, a, 0), (b, b, 1)]

    def test_without_nashpy_the_matrices_are_there_and_a_line_says_what_is_missing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [name for name in sys.modules if name.startswith("nashpy")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "nashpy", None)
        found = crossed(IPD, list(DILEMMA), EXACT)
        assert found.equilibrium is None
        assert found.note == "the equilibrium needs nashpy: pip install 'equipoise[exact]'"
        assert found.note in str(found)
        assert found.payoff["tit_for_tat"]["tit_for_tat"].value == 3.0


class TestFromPython:
    def test_the_signature(self) -> None:
        found = inspect.signature(equipoise.cross)
        assert [*found.parameters] == [
            *("game", "policies", "episodes", "seed", "exact", "level", "options"),
            *("rule", "out", "quiet", "reporter", "settings"),
        ]
        assert [p.default for p in found.parameters.values()][2:6] == [None, 0, None, 0.95]
        assert "cross" in equipoise.__all__

    def test_the_function_of_the_package(self, tmp_path: Path) -> None:
        def mine(decision: Decision) -> str:
            return DEFECT

        found = equipoise.cross("ipd", ["tit_for_tat", mine], options={"rounds": 2}, out=tmp_path / "c")
        assert found.policies == ("tit_for_tat", "mine")
        assert found.payoff["mine"]["tit_for_tat"] == Estimate.exact(3.0)
        assert CrossResult.load(tmp_path / "c" / "cross.json") == found
        assert CrossResult.load(tmp_path / "c" / "cross.json").to_json() == found.to_json()
        with pytest.raises(RequestError, match="choose another out folder"):
            equipoise.cross("ipd", ["pavlov", mine], options={"rounds": 2}, out=tmp_path / "c")

    def test_sampled_results_survive_a_file(self, tmp_path: Path) -> None:
        found = equipoise.cross("ipd", {"a": "random", "b": "pavlov"}, episodes=3, exact=False)
        found.save(tmp_path / "c.json")
        assert CrossResult.load(tmp_path / "c.json") == found
        data = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
        assert (data["schema"], data["results"]) == (1, [])
        assert set(MATRICES) < set(data["cross"])

    def test_text_from_names_is_data(self) -> None:
        found = equipoise.cross("ipd", {"[red]a[/red]": "random", "<b>b</b>": "pavlov"})
        assert "[red]a[/red]" in str(found)
        assert "&lt;b&gt;b&lt;/b&gt;" in found._repr_html_()

    @pytest.mark.parametrize(
        "text", ["no json", "[]", '{"schema": 1, "results": []}', '{"schema": 2, "cross": {}}']
    )
    def test_foreign_files(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "x.json").write_text(text, encoding="utf-8")
        with pytest.raises(RequestError, match=r"x\.json"):
            CrossResult.load(tmp_path / "x.json")
