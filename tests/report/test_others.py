"""Sections that only some folders have, and where everything came from."""

from __future__ import annotations

from pathlib import Path

from equipoise.auditing.result import AuditResult, Difference
from equipoise.auditing.spreads import Spread
from equipoise.report.ablations import AblationTable
from equipoise.report.layout import places
from equipoise.report.learning import Training
from equipoise.report.others import ablation_section, cross_section, learning_section, wording_section
from equipoise.report.provenance import provenance_groups
from equipoise.report.results import opponent_section, safety_section
from equipoise.report.sources import Entry, Found, Source, find
from equipoise.training.ablations.result import AblationRow
from tests.report.material import result, sample


def test_an_ablation_has_its_rows_against_the_full_method() -> None:
    full = AblationRow("ipd", "full", None, (0, 1), {"safety": sample(1.5, 1.4, 1.6)})
    shared = AblationRow(
        "ipd", "shared", None, (0, 1), {"safety": sample(0.5, 0.4, 0.6)}, {"safety": sample(-1, -2, 0)}
    )
    found = Found(
        ablations=[AblationTable("run", "table", 0.9, (full, shared, AblationRow("ipd", "exact", "no tree")))]
    )
    (group,) = ablation_section(found).groups
    rows = {row[0]: row for row in group.tables[0].rows}
    assert rows["shared"][1:3] == ("one penalty for a whole group", 2)
    assert rows["shared"][-1] == sample(-1, -2, 0)
    assert rows["exact"][1] == "not applicable: no tree"
    drawn = group.figures[0].drawing.svg()
    assert "full: 1.500" in drawn
    assert ">shared<" in drawn
    assert ">exact<" not in drawn
    assert "level 0.9" in group.tables[0].note


def test_a_panel_of_wordings_has_every_wording_and_the_spread(tmp_path: Path) -> None:
    rows = [result(f"m [{name}]", "tit_for_tat", settings={"wording": name}) for name in ("plain", "listed")]
    spread = Spread("ipd", "safety", "listed", sample(1, 0, 2), "plain", sample(3, 2, 4), sample(2, 1, 3))
    AuditResult(rows, (), (spread,)).save(tmp_path / "audit.json")
    found = find([tmp_path])
    (group,) = wording_section(found).groups
    assert group.tables[0].rows == (
        ("safety", "listed", sample(1, 0, 2), "plain", sample(3, 2, 4), sample(2, 1, 3)),
    )
    assert ">plain<" in group.figures[0].drawing.svg()
    # Elsewhere the least safe speaks for all.
    assert ">m [plain]<" not in safety_section(found).groups[0].figures[0].drawing.svg()


def test_a_policy_has_one_colour_in_all_figures_of_a_game() -> None:
    assert places(["base", "sft", "sepo"], ["sepo", "new"]) == {"sepo": 2, "new": 3}
    found = Found(
        entries=[Entry(name, result(name, "x"), "run") for name in ("base", "sepo")],
        trainings=[Training("ipd", "sepo", "run", {"kl": ((1.0, 0.1), (2.0, 0.2))})],
    )
    assert 'class="k-s1"' in learning_section(found).groups[0].figures[0].drawing.svg()
    assert '<text class="f-s1"' in safety_section(found).groups[0].figures[0].drawing.svg()


def test_differences_say_what_their_interval_settles() -> None:
    rows = [
        Difference("ipd", "safety", "a", "b", sample(1.0, 0.5, 1.5)),
        Difference("ipd", "safety", "a", "c", sample(0, -1, 1)),
    ]
    found = Found(entries=[Entry("a", result("a", "x"), "run")], differences=rows)
    tables = {table.name: table for table in safety_section(found).groups[0].tables}
    assert [row[-1] for row in tables["differences-ipd"].rows] == ["higher", "not settled"]


def test_opponents_stand_by_pool_with_both_payoffs() -> None:
    (group,) = opponent_section(Found(entries=[Entry("a", result("a", "tit_for_tat"), "run")])).groups
    assert [row[0] for row in group.tables[0].rows] == [
        "train pool",
        "exploiters",
        "collusive pool",
        "held out of training",
    ]
    assert group.tables[0].rows[0][1:5] == ("tit_for_tat", "a", sample(2.5, 2.0, 3.0), sample(2.0, 1.5, 2.5))


def test_what_is_missing_says_how_to_get_it() -> None:
    for section in (ablation_section, cross_section, learning_section, wording_section):
        found = section(Found())
        assert found.groups == ()
        assert found.missing


def test_settings_are_written_out_without_keys() -> None:
    settings = {
        "api_key": "hush",
        "games": {"ipd": {"pools": ["a", "b"], "on": True, "none": None}},
        "seeds": list(range(40)),
    }
    entry = Entry("m", result("m", "x", settings={"seed": 3}), "run")
    (group,) = provenance_groups(
        Found(sources=[Source("run", "run", settings, {"python": "3.11"})], entries=[entry])
    )
    made, asked, one = (dict(table.rows) for table in group.tables)
    assert made == {"python": "3.11"}
    assert (asked["api_key"], asked["games.ipd.pools"], asked["games.ipd.on"]) == ("[hidden]", "a, b", "yes")
    assert asked["seeds"].endswith("23, … 16 more")
    assert (one["seed"], one["weights.e"], one["version"]) == ("3", "2.4", "1")
