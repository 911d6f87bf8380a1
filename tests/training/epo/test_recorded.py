"""EPO's trajectories with the advantages of their turns, in the folder of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.rollout.transcript import read_episodes
from equipoise.training.checkpoints import CREDITED
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.credit import turn_advantages
from equipoise.training.epo.recorded import recorded
from tests.training.epo.test_run import no_tensorboard, run_of  # noqa: F401


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / CREDITED).read_text(encoding="utf-8").splitlines()[1:]]


def test_turns_have_the_advantages_and_rewards_they_are_trained_with(tmp_path: Path) -> None:
    run = run_of(tmp_path, self_play=True)
    collected = run.collector.collect(run.policy, run._met(0), 0)
    config = EpoConfig(**{**run.config.model_dump(), "record_episodes": 100})
    lines = {line["id"]: line for line in recorded(collected, 0, config)}
    assert len(lines) == len(collected.trajectories)
    advantages = turn_advantages(collected.trajectories, config.advantage, config.gamma)
    for one, row in zip(collected.trajectories, advantages, strict=True):
        line = lines[one.episode]
        turns = [turn for turn in line["turns"] if "advantage" in turn]
        assert {turn["seat"] for turn in turns} == {line["seat"]}
        assert [turn["advantage"] for turn in turns] == pytest.approx(list(row), abs=1e-6)
        rewards = [turn["parts"].get("reward", 0.0) for turn in turns]
        assert rewards == pytest.approx(list(one.rewards), abs=1e-6)
        made = [text for turn in turns for text in turn["generations"] if text["role"] == "strategist"]
        assert [text["tokens"] for text in made] == [len(text.ids) for text in one.strategies]
        assert not any(text["ids"] or text["prompt_ids"] for text in made)


def test_a_run_keeps_as_many_as_it_is_told_to_through_an_interruption(tmp_path: Path) -> None:
    whole = run_of(tmp_path / "whole", record_episodes=2)
    whole.run()
    found = lines_of(tmp_path / "whole")
    assert [line["training"]["step"] for line in found] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert {line["opponent"] for line in found} == {"tit_for_tat", "always_cooperate"}
    assert len(list(read_episodes(tmp_path / "whole" / CREDITED))) == len(found)
    cut = run_of(tmp_path / "cut", record_episodes=2)
    step = cut._step

    def stops(number: int) -> dict[str, Any]:
        if number == 2:
            raise KeyboardInterrupt
        return step(number)

    cut._step = stops  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        cut.run()
    run_of(tmp_path / "cut", record_episodes=2).run()
    assert (tmp_path / "cut" / CREDITED).read_bytes() == (tmp_path / "whole" / CREDITED).read_bytes()
    run_of(tmp_path / "none", record_episodes=0, rounds=1, steps=1).run()
    assert not (tmp_path / "none" / CREDITED).exists()


def test_report_to_reaches_the_services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr("equipoise.training.boards.check_boards", told.append)
    run = run_of(tmp_path, report_to=["trackio"])
    assert told == [("trackio",)]
    assert run.boards._names == ("trackio",)
