"""Transcripts on disk, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import equipoise
from equipoise.adapters.inspect.find import find_records
from equipoise.errors import RequestError
from equipoise.rollout.requests import InvalidRule

POOLS = {"train": ["random"], "exploiter": ["random"], "collusive": [], "shift": []}


def audit(folder: Path, policy: str = "scripted:tit_for_tat", **settings: object) -> None:
    given = {"exact": False, "episodes": 1, "pools": POOLS, **settings}
    equipoise.audit("ipd", policy, out=folder, **given)  # type: ignore[arg-type]


def test_each_transcript_has_its_own_result(tmp_path: Path) -> None:
    audit(tmp_path / "a", baseline="scripted:always_defect", seed=9, rule=InvalidRule(3, "forfeit"))
    baseline, policy = find_records(tmp_path / "a")
    assert (baseline.name, policy.name) == ("ipd/baseline", "ipd/policy")
    assert (baseline.policy, policy.policy) == ("scripted:always_defect", "scripted:tit_for_tat")
    for record in (baseline, policy):
        assert record.result is not None
        assert record.result.policy == record.policy
        assert (record.seed, record.rule) == (9, InvalidRule(3, "forfeit"))
        assert record.played == len(list(record.episodes())) == 2
        assert len(list(record.episodes(1))) == 1


def test_runs_name_their_policies(tmp_path: Path) -> None:
    audit(tmp_path / "audit")
    place = tmp_path / "run" / "ipd" / "sepo"
    place.mkdir(parents=True)
    (tmp_path / "audit" / "ipd" / "policy").rename(place / "audit")
    result = json.loads((tmp_path / "audit" / "audit.json").read_text(encoding="utf-8"))["results"][0]
    (place / "result.json").write_text(json.dumps({**result, "policy": "sepo"}), encoding="utf-8")
    (found,) = find_records(tmp_path / "run")
    assert (found.name, found.policy) == ("ipd/sepo/audit", "sepo")


def test_cross_play_has_no_policy_under_study(tmp_path: Path) -> None:
    players = ["always_defect", "tit_for_tat"]
    equipoise.cross("ipd", players, exact=False, episodes=1, out=tmp_path / "cross")
    with pytest.raises(RequestError, match="holds no transcripts of a policy"):
        find_records(tmp_path / "cross")


def test_exact_audits_have_no_episodes(tmp_path: Path) -> None:
    equipoise.audit("ipd", "scripted:tit_for_tat", out=tmp_path / "exact")
    with pytest.raises(RequestError, match="--sample --out DIR"):
        find_records(tmp_path / "exact")
    with pytest.raises(RequestError, match="is no folder"):
        find_records(tmp_path / "none")


def test_a_game_of_ones_own_must_be_named(tmp_path: Path) -> None:
    audit(tmp_path / "a")
    file = tmp_path / "a" / "ipd" / "policy" / "request.json"
    request = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**request, "game": "mine@1"}), encoding="utf-8")
    with pytest.raises(RequestError, match=r"unknown game 'mine'.*--game python:FILE.py:NAME"):
        find_records(tmp_path / "a")
    assert find_records(tmp_path / "a", "ipd")[0].game.name == "ipd"


def test_a_transcript_without_its_request_is_refused(tmp_path: Path) -> None:
    audit(tmp_path / "a")
    (tmp_path / "a" / "ipd" / "policy" / "request.json").unlink()
    with pytest.raises(RequestError, match="does not say what was played"):
        find_records(tmp_path / "a")
