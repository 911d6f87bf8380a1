"""``check_game``: a right game passes, and each broken one is told exactly the rule it breaks."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pytest

from equipoise.errors import EquipoiseError
from equipoise.games.base import Game
from equipoise.games.registry import game_names, make_game
from equipoise.progress import Reporter
from equipoise.prompts import registry
from equipoise.testing import GAME_RULES, ConformanceError, Status, check_game, examine_game
from equipoise.types import RoundOutcome
from tests.helpers import FULL, SMALL, named
from tests.testing.broken_games import BROKEN, CONSEQUENCES, Mumbles, Nameless, Raises, ReadsAnything
from tests.testing.toy import Toy, ToyState, ToyWords

WORDS = {"parse-inverse": Mumbles, "parse-strict": ReadsAnything}


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", {**registry._RENDERERS, "toy": {"plain": ToyWords()}})


def test_a_right_game_passes_every_rule_that_applies() -> None:
    report = check_game(Toy())
    skipped = {one.rule for one in report.findings if one.status is Status.NOT_APPLICABLE}
    assert skipped == {"zero-sum"}
    assert [one.rule for one in report.findings] == [rule.id for rule in GAME_RULES]
    # 1 + 2 + 2·4 + 2·4·2 + 2·4·2·4 positions; a round ends in 2·4 + 2·4·2·4 ways.
    assert report["payoffs-in-bounds"].detail == "72 rounds, all 91 positions"


@pytest.mark.parametrize(("rule", "game", "named"), BROKEN, ids=[game.__name__ for _, game, _ in BROKEN])
def test_a_broken_game_is_told_the_rule(rule: str, game: type[Toy], named: str) -> None:
    report = examine_game(game(), walks=5)
    failed = [one.rule for one in report.failed]
    assert failed[0] == rule, str(report)
    assert set(failed) <= {rule} | CONSEQUENCES.get(rule, set()), str(report)
    assert named in report[rule].detail
    assert "; " in report[rule].detail, "the way out is missing"
    with pytest.raises(ConformanceError) as caught:
        check_game(game(), walks=5)
    assert caught.value.rule == rule
    assert repr(rule) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rule", WORDS)
def test_a_broken_renderer_is_told_the_rule(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", {"toy": {"plain": WORDS[rule]()}})
    assert [one.rule for one in examine_game(Toy()).failed] == [rule]


def test_every_rule_has_a_game_that_breaks_it() -> None:
    assert {rule for rule, _, _ in BROKEN} | set(WORDS) == {rule.id for rule in GAME_RULES}


def test_what_cannot_be_walked_is_not_checked_further() -> None:
    report = examine_game(Raises())
    after = report["payoffs-in-bounds"]
    assert (after.status, after.detail) == (Status.NOT_APPLICABLE, "not checked, as 'runs' is broken")
    assert report["declaration"].status is Status.OK


def test_the_error_is_one_of_the_package() -> None:
    with pytest.raises(EquipoiseError) as caught:
        check_game(Nameless())
    assert caught.value.exit_code == 1


def test_the_same_seed_finds_the_same() -> None:
    one, other = (str(examine_game(make_game("ipd", noise=0.1), walks=3, seed=7)) for _ in range(2))
    assert one == other


def test_a_report_has_one_line_a_rule() -> None:
    lines = str(examine_game(Toy())).splitlines()
    assert lines[0] == "game toy"
    assert len(lines) == 1 + len(GAME_RULES)
    assert lines[1].split()[:2] == ["declaration", "ok"]


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    examine_game(Toy(), reporter=Reporter())
    assert "check game toy" in capsys.readouterr().err


def test_a_game_without_words_skips_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", {})
    assert check_game(Toy())["parse-inverse"].status is Status.NOT_APPLICABLE


def _ids(report: Any, status: Status) -> set[str]:
    return {one.rule for one in report.findings if one.status is status}


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "options"), named(SMALL) + named(FULL))
def test_every_game_of_the_package_passes(name: str, options: dict[str, object]) -> None:
    game = make_game(name, **options)
    report = check_game(game, walks=6)
    assert _ids(report, Status.NOT_APPLICABLE) <= _may_be_skipped(game), str(report)


def _seats_exchanged(purpose: str, outcome: Hashable) -> tuple[str, Hashable]:
    """Exchange the seats in purposes like ``values/0``, and in a coin that names the winner of a tie."""
    stem, _, seat = purpose.rpartition("/")
    if purpose == "tie" and isinstance(outcome, int):
        return purpose, 1 - outcome
    return (f"{stem}/{1 - int(seat)}" if seat in ("0", "1") else purpose), outcome


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "options"), named({k: v for k, v in FULL.items() if k != "kuhn"}))
def test_single_deals_are_transposed_where_it_is_said_how(name: str, options: dict[str, object]) -> None:
    report = check_game(make_game(name, **options), walks=1, transpose=_seats_exchanged)
    assert report["transposition"].detail.endswith(", 5 whole deals each")


def _drawn_outcome(self: Toy, state: ToyState, a: str, b: str) -> RoundOutcome:
    """Pay the bonus to the seat that the draw names."""
    bonus = float(sum(state.drawn))
    return RoundOutcome((1.0 - bonus, bonus), (0.0, 0.0), (0.0, 0.0), ((0.0, 0.0),))


def test_a_wrong_transposition_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Toy, "outcome", _drawn_outcome)
    assert check_game(Toy(), transpose=lambda purpose, outcome: (purpose, 1 - outcome)).ok  # type: ignore[operator]
    (failed,) = examine_game(Toy(), transpose=lambda purpose, outcome: (purpose, outcome)).failed
    assert failed.rule == "transposition"
    assert "a deal pays" in failed.detail
    (failed,) = examine_game(Toy(), transpose=lambda purpose, outcome: ("other", outcome)).failed
    assert "the transposed deal has no draw 'bonus/0' in round 0" in failed.detail


def _may_be_skipped(game: Game) -> set[str]:
    record = game.info_record
    told = {"same-information"}
    told |= set() if record.zero_sum else {"zero-sum"}
    told |= set() if record.diagnostics else {"diagnostics"}
    told |= set() if record.information == "complete" else {"nothing-hidden"}
    # Pools of items and both sides' values: more deals in one round than are compared.
    wide = record.id == "multi_issue" and game.options.pool is None
    return told | (set() if record.symmetric and not wide else {"transposition"})


@pytest.mark.parametrize("name", game_names())
def test_each_game_is_looked_at_in_full_under_some_options(name: str) -> None:
    reports = [examine_game(make_game(name, **options), walks=1) for options in SMALL[name]]
    assert any(report["payoffs-in-bounds"].detail.endswith("positions") for report in reports)
    assert any("all " in report["payoffs-in-bounds"].detail for report in reports)
    if make_game(name).info_record.symmetric:
        assert any(report["same-information"].status is Status.OK for report in reports)
        assert any(report["transposition"].status is Status.OK for report in reports)
