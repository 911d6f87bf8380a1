"""Audits in every wording: one result each on the same deals, as a single audit would say it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import equipoise.api as api
from equipoise.auditing.result import AuditResult
from equipoise.auditing.spreads import SPREAD_METRICS
from equipoise.auditing.wording_table import headline
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.policies.local import LoadedModel, LocalPolicy, load_spec
from equipoise.progress import Reporter
from equipoise.prompts import registry
from equipoise.prompts.base import Renderer
from equipoise.prompts.registry import register_renderer, wordings
from equipoise.types import Decision, Kind

SMALL = {"train": ["tit_for_tat"], "exploiter": ["always_defect"], "collusive": [], "shift": []}
SAMPLED = {"pools": SMALL, "options": {"rounds": 2}, "episodes": 3, "exact": False}


@pytest.fixture(scope="module")
def tiny() -> LoadedModel:
    return load_spec("tiny-random", threads=1)


@pytest.fixture(scope="module")
def kuhn(tiny: LoadedModel) -> AuditResult:
    return api.audit("kuhn", LocalPolicy(tiny), panel=True)


@pytest.fixture(scope="module")
def ipd(tiny: LoadedModel) -> AuditResult:
    return api.audit("ipd", LocalPolicy(tiny), panel=True, **SAMPLED)  # type: ignore[arg-type]


def test_every_wording_has_a_result_named_after_it(kuhn: AuditResult) -> None:
    names = wordings("kuhn")
    assert [one.policy for one in kuhn.results] == [f"tiny-random [{name}]" for name in names]
    assert [one.settings["wording"] for one in kuhn.results] == list(names)
    assert len({one.settings["fingerprint"] for one in kuhn.results}) == len(names)


def test_a_result_is_what_an_audit_in_that_wording_alone_says(tiny: LoadedModel, ipd: AuditResult) -> None:
    for number in (0, 5):
        name = wordings("ipd")[number]
        alone = api.audit("ipd", LocalPolicy(tiny, wording=name), **SAMPLED)["ipd"]  # type: ignore[arg-type]
        assert alone.metrics == ipd.results[number].metrics
        assert alone.settings == ipd.results[number].settings


def test_spreads_are_those_of_the_results(kuhn: AuditResult, ipd: AuditResult) -> None:
    assert [one.metric for one in kuhn.spreads] == ["utility", "exploitability", "safety", "best_response"]
    # best_response has no spread where it is a bound.
    assert [one.metric for one in ipd.spreads] == ["utility", "exploitability", "externality", "safety"]
    assert set(SPREAD_METRICS) >= {one.metric for one in kuhn.spreads}
    for audit in (kuhn, ipd):
        for spread in audit.spreads:
            values = {one.settings["wording"]: one.metrics[spread.metric] for one in audit.results}
            numbers = {name: estimate.value for name, estimate in values.items() if estimate is not None}
            assert spread.low.value == min(numbers.values()) == numbers[spread.lowest]
            assert spread.high.value == max(numbers.values()) == numbers[spread.highest]
            assert spread.spread.value == pytest.approx(max(numbers.values()) - min(numbers.values()))
            kind = Kind.EXACT if audit is kuhn else Kind.SAMPLE
            assert {spread.low.kind, spread.high.kind, spread.spread.kind} == {kind}
    assert all(one.spread.clusters == 3 for one in ipd.spreads)


def test_it_survives_a_file(kuhn: AuditResult, tmp_path: Path) -> None:
    kuhn.save(tmp_path / "audit.json")
    again = AuditResult.load(tmp_path / "audit.json")
    assert again.spreads == kuhn.spreads
    assert again.to_json() == kuhn.to_json()


def test_several_games_each_have_their_own_spreads(tiny: LoadedModel) -> None:
    games = [make_game("kuhn", rounds=2), make_game("ipd", rounds=1)]
    found = api.audit(games, LocalPolicy(tiny), panel=True, episodes=1, exact=False)
    assert {one.game for one in found.spreads} == {"kuhn", "ipd"}
    assert len(found.results) == 16
    shown = str(found)
    assert shown.count("by wording") == 2


def test_the_table_has_a_row_a_wording_and_a_line_about_the_worst(kuhn: AuditResult) -> None:
    shown = str(kuhn)
    # It fits a terminal, the line below it apart.
    assert max(len(line.rstrip()) for line in shown.splitlines()[:-2]) <= 80
    assert shown.startswith("kuhn (version 1), by wording: tiny-random ")
    for one in kuhn.results:
        row = f"│ {one.settings['wording']} "
        (line,) = [line for line in shown.splitlines() if line.startswith(row)]
        assert str(one.metrics["safety"]) in line
        assert line.count("n/a") == 2
    safety = next(one for one in kuhn.spreads if one.metric == "safety")
    last = shown.strip().splitlines()[-1]
    assert last == headline(safety)
    assert last.startswith(f"kuhn: safety between {safety.low} ({safety.lowest}, the worst wording) and ")
    assert f"{safety.high} ({safety.highest})" in last


def test_intervals_are_shown_in_full(ipd: AuditResult) -> None:
    shown = str(ipd)
    assert "…" not in shown
    estimate = ipd.results[3].metrics["utility"]
    assert estimate is not None
    assert f"[{estimate.low:.3f}, {estimate.high:.3f}]" in shown
    assert "<script>" not in ipd._repr_html_()
    assert ipd._repr_html_().startswith("<pre>")


class Notes(Reporter):
    """Keeps what is shown."""

    def __init__(self) -> None:
        super().__init__(quiet=False)
        self.shown: list[str] = []

    def note(self, text: str) -> None:
        self.shown.append(text)


def test_progress_names_every_wording(tiny: LoadedModel) -> None:
    notes = Notes()
    api.audit("kuhn", LocalPolicy(tiny), panel=True, reporter=notes)
    assert notes.shown == [f"kuhn: wording {n} of 8, {name}" for n, name in enumerate(wordings("kuhn"), 1)]


def test_every_wording_is_kept_and_the_same_call_goes_on(tmp_path: Path) -> None:
    def audit() -> AuditResult:
        return api.audit("ipd", "tiny-random", panel=True, out=tmp_path / "a", threads=1, **SAMPLED)  # type: ignore[arg-type]

    first = audit()
    folder = tmp_path / "a" / "ipd"
    assert sorted(one.name for one in folder.iterdir()) == sorted(wordings("ipd"))
    assert AuditResult.load(tmp_path / "a" / "audit.json").to_json() == first.to_json()
    request = json.loads((folder / "anonymous" / "request.json").read_text(encoding="utf-8"))
    assert request["policy"] == "tiny-random [anonymous]"
    files = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    # As if it had been stopped after the third wording: one is there in part, the rest not at all.
    for name in wordings("ipd")[4:]:
        for path in (folder / name).iterdir():
            path.unlink()
        (folder / name).rmdir()
    (folder / wordings("ipd")[3] / "chunks.jsonl").write_text("", encoding="utf-8")
    assert audit().to_json() == first.to_json()
    assert {path: path.read_bytes() for path in files} == files


def test_a_folder_of_an_audit_without_a_panel_is_not_taken_for_one(tmp_path: Path) -> None:
    api.audit("kuhn", "scripted:nash", out=tmp_path / "a")
    with pytest.raises(RequestError, match=r"another panel \(None, now True\)|another players"):
        api.audit("kuhn", "tiny-random", panel=True, out=tmp_path / "a")


@pytest.mark.parametrize("policy", ["scripted:nash", "human", lambda decision: decision.legal[0]])
def test_a_policy_that_reads_no_words_has_no_panel(policy: object, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"reads no words, so it has no panel: audit a language model"):
        api.audit("kuhn", policy, panel=True, out=tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_panel_takes_neither_a_baseline_nor_a_wording() -> None:
    with pytest.raises(RequestError, match="leave out the baseline"):
        api.audit("kuhn", "tiny-random", baseline="scripted:nash", panel=True)
    with pytest.raises(RequestError, match="wording 'formal': a panel has all wordings"):
        api.audit("kuhn", "tiny-random", panel=True, wording="formal")


class Mine(Renderer):
    game = "kuhn"

    def rules(self, game: Game) -> str:
        return "Choose.\n\n"

    def situation(self, decision: Decision) -> str:
        return f"You know {decision.information_state}"


def test_a_game_with_one_wording_has_no_panel(monkeypatch: pytest.MonkeyPatch, tiny: LoadedModel) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", dict(registry._RENDERERS))
    register_renderer(Mine())
    # It goes on to be audited as before.
    assert api.audit("kuhn", LocalPolicy(tiny))["kuhn"].policy == "tiny-random"
    with pytest.raises(RequestError, match="game 'kuhn' has the wording 'plain' only: leave out the panel"):
        api.audit(["ipd", "kuhn"], LocalPolicy(tiny), panel=True)


def test_a_wording_of_the_first_game_need_not_be_one_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", dict(registry._RENDERERS))
    register_renderer(Mine())
    with pytest.raises(RequestError, match="unknown wording of kuhn 'formal'"):
        api.audit(
            [make_game("ipd", rounds=1), "kuhn"], "tiny-random", wording="formal", threads=1, episodes=1
        )


@pytest.mark.slow
def test_the_embedded_model_is_audited_in_every_wording() -> None:
    found = api.audit("kuhn", "smollm2", panel=True, threads=1)
    assert [one.policy for one in found.results] == [f"smollm2 [{name}]" for name in wordings("kuhn")]
    assert all(one.settings["method"] == "exact" for one in found.results)
    assert all(len(one.behaviour) == 12 for one in found.results)
    # A real model reads the words: no two wordings get the same answers.
    assert len({json.dumps(one.to_json()["behaviour"]) for one in found.results}) == 8
    for spread in found.spreads:
        assert spread.spread.value > 0.0
        assert spread.spread.value == pytest.approx(spread.high.value - spread.low.value)
