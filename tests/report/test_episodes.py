"""What a page holds of transcripts: all of them, or a stated sample, and every number as it was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.errors import RequestError
from equipoise.report.episodes import pack, quotas
from equipoise.report.sources import Recording, find
from equipoise.rollout.transcript import append_lines
from equipoise.training.checkpoints import CREDITED
from tests.report.material import many_folder


def recordings(folder: Path) -> list[Recording]:
    return find([folder]).recordings


@given(st.lists(st.integers(0, 200), min_size=1, max_size=8), st.integers(0, 500))
def test_no_transcript_is_passed_over_for_a_larger_one(counts: list[int], limit: int) -> None:
    found = quotas(counts, limit)
    assert all(0 <= taken <= count for taken, count in zip(found, counts, strict=True))
    assert sum(found) == min(sum(counts), limit) or sum(found) <= limit
    assert sum(found) >= min(sum(counts), limit) - len(counts)
    cut = [taken for taken, count in zip(found, counts, strict=True) if taken < count]
    assert not cut or max(found) - min(cut) <= len(counts)


def test_all_episodes_are_held_where_there_is_room(tmp_path: Path) -> None:
    data = pack(recordings(many_folder(tmp_path, 12)), 100).data
    assert data is not None
    assert (data["shown"], data["total"], len(data["episodes"])) == (12, 12, 12)


def test_a_sample_is_stated_and_the_same_every_time(tmp_path: Path) -> None:
    found = recordings(many_folder(tmp_path, 60))
    first, again = (pack(found, 20).data for _ in range(2))
    assert first == again
    assert first is not None
    assert (first["shown"], first["total"]) == (20, 60)
    deals = [row[6] for row in first["episodes"]]
    assert deals == sorted(set(deals))
    assert {row[5] for row in first["episodes"]} == {0, 1}


def test_what_was_recorded_comes_back(tmp_path: Path) -> None:
    (recording,) = recordings(many_folder(tmp_path, 3))
    lines = recording.path.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[1])
    changed["turns"][0]["advantage"] = 0.5
    recording.path.write_text("\n".join([lines[0], json.dumps(changed), *lines[2:]]) + "\n", encoding="utf-8")
    data: Any = pack([recording], 9).data
    row, texts = data["episodes"][0], data["texts"]
    turn = row[10][0]
    assert (data["policies"][row[2]], data["opponents"][row[4]], row[5], row[6]) == (
        "model",
        "tit_for_tat",
        0,
        0,
    )
    assert (turn[0], turn[1], texts[turn[2]], texts[turn[3]], turn[10]) == (0, 0, "-/-", "DEFECT", 0.5)
    assert [texts[turn[9][0][0]], texts[turn[9][0][1]], *turn[9][0][3:]] == [
        "action",
        "thought 0",
        2,
        -0.75,
        None,
    ]
    mix = data["mixes"][turn[5] - 1]
    assert [texts[mix[0]], mix[1], texts[mix[2]], mix[3]] == ["DEFECT", 0.75, "COOPERATE", 0.25]
    assert row[11] == [[[5.0, 0.0], 1.0, 0.1]]
    assert texts[turn[4]].startswith("Round 1")
    # The other's turn had nothing to say: its row is short.
    assert len(row[10][1]) == 4
    # The third answer, from the other seat, was invalid.
    assert data["validities"][data["episodes"][2][10][1][6]] == "invalid"


def test_of_many_actions_the_likeliest_are_kept_and_the_others_counted(tmp_path: Path) -> None:
    (recording,) = recordings(many_folder(tmp_path, 1))
    lines = recording.path.read_text(encoding="utf-8").splitlines()
    changed = json.loads(lines[1])
    changed["turns"][0]["probabilities"] = [[[n, 0], p] for n, p in enumerate([0.01] * 20 + [0.8])]
    recording.path.write_text("\n".join([lines[0], json.dumps(changed), ""]), encoding="utf-8")
    data: Any = pack([recording], 9).data
    mix = data["mixes"][data["episodes"][0][10][0][5] - 1]
    assert (data["texts"][mix[0]], mix[1], len(mix), mix[-1]) == ("20, 0", 0.8, 21, 11)


def test_frequencies_are_those_of_the_episodes_with_the_deal_as_unit(tmp_path: Path) -> None:
    counted = pack(recordings(many_folder(tmp_path, 12)), 100).counted
    # Even deals defect, odd ones cooperate: twelve deals of one decision each.
    expected = mean_estimate(np.array([0.0, 1.0] * 6), Range(0.0, 1.0), 0.95, 12)
    assert counted.rate("ipd", "model", "first round", "COOPERATE") == expected
    assert counted.rate("ipd", "model", "after the other’s C", "COOPERATE") is None
    assert counted.actions("ipd") == ["COOPERATE", "DEFECT"]


def test_no_transcripts_give_no_episodes() -> None:
    assert pack([], 10).data is None


def test_a_broken_transcript_is_named(tmp_path: Path) -> None:
    (recording,) = recordings(many_folder(tmp_path, 3))
    text = recording.path.read_text(encoding="utf-8").splitlines()
    recording.path.write_text("\n".join([*text[:2], '{"id": 1}', ""]), encoding="utf-8")
    with pytest.raises(RequestError, match="line 3 is no episode"):
        pack([recording], 10)


def test_episodes_of_training_show_step_and_advantages_and_are_not_counted(tmp_path: Path) -> None:
    shown = many_folder(tmp_path, 3)
    (path,) = shown.rglob("transcript.jsonl")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    for line in lines:
        line["training"] = {"step": 7, "divisor": 1.0}
        (turn,) = (turn for turn in line["turns"] if turn["seat"] == line["seat"])
        turn |= {"advantage": 0.0 if line is lines[0] else -0.125, "parts": {"utility": -0.125}}
        (made,) = turn["generations"]
        made |= {"ids": [], "logprobs": [], "mask": [], "prompt_ids": [], "tokens": 9, "logprob": -1.5}
    train = tmp_path / "ipd" / "sepo" / "train"
    train.mkdir(parents=True)
    append_lines(train / CREDITED, lines)
    found = recordings(tmp_path)
    assert [(one.label, one.training) for one in found] == [("model", False), ("sepo in training", True)]
    kept = pack(found, 100)
    assert kept.counted.policies("ipd") == ["model"]
    data = kept.data
    assert data is not None
    rows = [row for row in data["episodes"] if data["policies"][row[2]] == "sepo in training"]
    assert len(rows) == 3
    for number, row in enumerate(rows):
        assert data["texts"][row[12]].startswith("step: 7")
        (turn,) = (turn for turn in row[10] if turn[0] == row[5])
        assert turn[10] == (0.0 if number == 0 else -0.125)
        assert [(data["texts"][name], value) for name, value in turn[11]] == [("utility", -0.125)]
        assert turn[9][0][3:5] == [9, -1.5]
