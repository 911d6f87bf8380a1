"""Audits as logs of Inspect, read back by Inspect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import equipoise
from equipoise.adapters.inspect.logs import export_logs
from equipoise.types import Decision
from tests.adapters.inspect.needs import needs_inspect

pytestmark = needs_inspect


def mixed(decision: Decision) -> dict[Any, float]:
    """Acts at random, so that nothing is equal by chance."""
    return {action: 1 / len(decision.legal or ()) for action in decision.legal or ()}


def read(path: Path) -> Any:
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(path), resolve_attachments=True)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("audit") / "mine"
    found = equipoise.audit(["ipd", "kuhn"], mixed, exact=False, episodes=3, seed=5, out=folder)
    return folder, found


def test_results_are_those_of_the_audit(audited: tuple[Path, Any], tmp_path: Path) -> None:
    folder, audit = audited
    written = export_logs(folder, tmp_path / "logs")
    assert [(one.path.name, one.game, one.samples) for one in written] == [
        ("ipd-policy.eval", "ipd@1", 66),
        ("kuhn-policy.eval", "kuhn@1", 42),
    ]
    for one in written:
        log = read(one.path)
        result = audit[log.eval.task.removeprefix("equipoise/")]
        assert (log.status, log.eval.model) == ("success", "mixed")
        scores = {score.name: score for score in log.results.scores}
        for name, estimate in result.metrics.items():
            if estimate is None:
                assert name in log.results.metadata["not_applicable"]
                continue
            found = {key: metric.value for key, metric in scores[name].metrics.items()}
            ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
            assert found == {key: end for key, end in ends.items() if end is not None}
            assert scores[name].metadata["kind"] == estimate.kind.value
            assert scores[name].metadata["clusters"] == estimate.clusters
    assert read(written[0].path).results.headline.score == "safety"


def test_scores_of_samples_average_to_the_metrics(audited: tuple[Path, Any], tmp_path: Path) -> None:
    folder, audit = audited
    log = read(export_logs(folder, tmp_path / "logs")[0].path)
    train = [one for one in log.samples if one.metadata["pool"] == "train"]
    own = sum(one.scores["own"].value for one in train) / len(train)
    assert own == pytest.approx(audit["ipd"].metrics["utility"].value)
    collusive = [one for one in log.samples if one.metadata["pool"] == "collusive"]
    found = sum(one.scores["collusion"].value for one in collusive) / len(collusive)
    assert found == pytest.approx(audit["ipd"].metrics["collusion"].value)
    assert "collusion" not in read(tmp_path / "logs" / "kuhn-policy.eval").samples[0].scores


def test_a_sample_tells_the_whole_episode(audited: tuple[Path, Any], tmp_path: Path) -> None:
    folder, _ = audited
    log = read(export_logs(folder, tmp_path / "logs")[0].path)
    lines = (folder / "ipd" / "policy" / "transcript.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    record = json.loads(lines[7])
    place = {key: record[key] for key in ("pool", "opponent", "deal", "seat")}
    (sample,) = (one for one in log.samples if {key: one.metadata[key] for key in place} == place)
    assert sample.id == "train-{opponent}-deal{deal}-seat{seat}".format(**place)
    own = [turn["action"] for turn in record["turns"] if turn["seat"] == record["seat"]]
    assert [message.text for message in sample.messages if message.role == "assistant"] == own
    asked = [message.text for message in sample.messages if message.role == "user"]
    pairs = zip(own, [t["action"] for t in record["turns"] if t["seat"] != record["seat"]], strict=True)
    past = " ".join(f"{a[0]}{b[0]}" for a, b in list(pairs)[:-1])
    assert asked[-1] == f"Round 8 of 8. Past: {past}"
    events = [(event.event, getattr(event, "source", None)) for event in sample.events]
    one_round = ["span_begin", "move", "opponent", "payoffs", "span_end"]
    flat = [source or kind for kind, source in events]
    assert sorted(flat) == sorted(one_round * 8)
    paid = [event.data["payoffs"] for event in sample.events if getattr(event, "source", "") == "payoffs"]
    assert paid == [outcome["payoffs"] for outcome in record["rounds"]]


def test_models_calls_stand_in_the_events(tmp_path: Path) -> None:
    settings = {"mode": "think", "thought_tokens": 4}
    pools = {"train": ["random"], "exploiter": ["nash"], "shift": []}
    equipoise.audit("kuhn", "tiny-random", episodes=1, pools=pools, out=tmp_path / "a", **settings)
    log = read(export_logs(tmp_path / "a", tmp_path / "logs")[0].path)
    sample = log.samples[0]
    calls = [event for event in sample.events if event.event == "model"]
    answers = [message for message in sample.messages if message.role == "assistant"]
    assert len(calls) == len(answers) > 0
    for call, answer in zip(calls, answers, strict=True):
        assert call.output.message.text == answer.text
        assert [part.type for part in call.output.message.content] == ["reasoning", "text"]
        assert call.input[0].text.startswith(sample.messages[0].text)
    used = sample.model_usage["tiny-random"]
    assert used.total_tokens == sum(call.output.usage.total_tokens for call in calls) > 0


def test_the_same_folder_gives_the_same_samples(audited: tuple[Path, Any], tmp_path: Path) -> None:
    folder, _ = audited
    first, second = (read(export_logs(folder, tmp_path / name)[1].path) for name in ("a", "b"))
    assert first.samples == second.samples
    assert first.eval == second.eval


def test_a_limit_leaves_the_results_alone(audited: tuple[Path, Any], tmp_path: Path) -> None:
    folder, audit = audited
    done = export_logs(folder, tmp_path / "logs", limit=4)[0]
    log = read(done.path)
    assert (len(log.samples), done.samples, done.played) == (4, 4, 66)
    assert log.results.metadata["episodes"] == 66
    found = next(score for score in log.results.scores if score.name == "safety")
    assert found.metrics["value"].value == audit["ipd"].metrics["safety"].value


def test_an_audit_that_was_stopped_has_no_results(audited: tuple[Path, Any], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(audited[0], tmp_path / "mine")
    (tmp_path / "mine" / "audit.json").unlink()
    done = export_logs(tmp_path / "mine", tmp_path / "logs")[0]
    assert (done.finished, read(done.path).status, read(done.path).results) == (False, "cancelled", None)


def test_inspect_makes_a_site_of_them(audited: tuple[Path, Any], tmp_path: Path) -> None:
    from inspect_ai.log import bundle_log_dir

    export_logs(audited[0], tmp_path / "logs")
    bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "site"))
    listing = json.loads((tmp_path / "site" / "logs" / "listing.json").read_text(encoding="utf-8"))
    assert sorted(listing) == ["ipd-policy.eval", "kuhn-policy.eval"]
    assert (tmp_path / "site" / "index.html").is_file()
