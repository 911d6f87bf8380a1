"""Episodes kept with their advantages: what is credited, of whom, and through any interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.errors import RequestError
from equipoise.rollout.transcript import read_episodes
from equipoise.training.batch import SampledStep
from equipoise.training.checkpoints import CREDITED, TrainerFolder
from equipoise.training.config import SepoConfig
from equipoise.training.credited import COMPONENTS, credited
from tests.objective.learning import Lab, lab
from tests.training.test_sepo import arena_of, trainer_of

FAST: dict[str, Any] = {"steps": 4, "deals": 2, "rollouts": 3, "lr": 1.0, "kl": 0.0, "gates": "running"}


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def some_lab() -> Lab:
    return lab("ipd", 3, seed=1, spread=0.5)


def step_of(one: Lab, number: int = 0, **settings: Any) -> SampledStep:
    arena = arena_of(trainer_of(one, SepoConfig(**{**FAST, **settings})))
    return arena.sample(one.policy, number, {})


def own(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn for turn in line["turns"] if turn["seat"] == line["seat"]]


@pytest.mark.parametrize("credit", ["per_pool", "per_rollout", "shared"])
def test_every_own_decision_has_the_advantage_that_it_is_trained_with(credit: str) -> None:
    step = step_of(some_lab(), credit=credit)
    lines = {line["id"]: line for line in credited(step, 0, 1000)}
    wanted: dict[str, list[float]] = {}
    for decision, _, advantage, _ in step.credited():
        wanted.setdefault(decision.episode, []).append(advantage)
    assert lines.keys() == wanted.keys()
    for name, line in lines.items():
        assert [turn["advantage"] for turn in own(line)] == pytest.approx(wanted[name], abs=1e-6)
        assert line["training"] == {"step": 1, "divisor": step.divisor}
        assert not [turn for turn in line["turns"] if turn["seat"] != line["seat"] and "advantage" in turn]


def test_advantages_are_the_sum_of_their_parts_and_each_pool_has_its_own() -> None:
    found: dict[str, set[str]] = {}
    for line in credited(step_of(some_lab()), 0, 1000):
        for turn in own(line):
            assert sum(turn["parts"].values()) == pytest.approx(turn["advantage"], abs=5e-6)
            found.setdefault(line["pool"], set()).update(turn["parts"])
    assert found == {
        "train": {"utility", "externality"},
        "exploiter": {"exploitability", "externality"},
        "collusive": {"collusion"},
    }
    assert set().union(*found.values()) == set(COMPONENTS)


def test_opponents_take_turns_and_nothing_that_happened_decides_who_is_kept() -> None:
    one = some_lab()
    steps = [credited(step_of(one, number), number, 4) for number in range(6)]
    streams = [(line["pool"], line["opponent"]) for lines in steps for line in lines]
    counts = [streams.count(stream) for stream in dict.fromkeys(streams)]
    assert len(counts) == len(one.objective.streams)
    assert max(counts) - min(counts) <= 1
    # Another table plays otherwise, and the same episodes are kept.
    other = lab("ipd", 3, seed=2, spread=2.0)
    again = [credited(step_of(other, number), number, 4) for number in range(6)]
    assert [[line["id"] for line in lines] for lines in steps] == [
        [line["id"] for line in lines] for lines in again
    ]


def test_no_episode_is_kept_twice_and_none_where_none_is_wanted() -> None:
    step = step_of(some_lab())
    ids = [line["id"] for line in credited(step, 0, 10_000)]
    assert len(ids) == len(set(ids)) == sum(len(group.rollouts) for group in step.groups)
    assert credited(step, 0, 0) == []


def test_the_setting_says_how_many_and_the_file_is_a_transcript(tmp_path: Path) -> None:
    for count in (0, 3):
        folder = tmp_path / str(count)
        trainer_of(some_lab(), SepoConfig(**FAST, record_episodes=count), folder).run()
        assert (folder / CREDITED).exists() == bool(count)
    episodes = list(read_episodes(folder / CREDITED))
    assert len(episodes) == 4 * 3
    with pytest.raises(RequestError, match="record_episodes = 3 changes nothing"):
        _refused(gradient="exact", record_episodes=3)


def _refused(**settings: Any) -> None:
    try:
        SepoConfig(**settings)
    except ValueError as error:
        raise RequestError(str(error)) from None


def test_the_sum_of_advantages_over_a_group_at_one_key_is_zero() -> None:
    step = step_of(some_lab())
    lines = {line["id"]: line for line in credited(step, 0, 1000)}
    members = step.members()
    for group in step.groups:
        rows = [lines[one.episode.id] for one in members[group.stream, group.seat, group.deal]]
        firsts = [own(row)[0]["advantage"] for row in rows]
        assert np.sum(firsts) == pytest.approx(0.0, abs=1e-5)


def test_what_was_written_after_the_last_checkpoint_is_written_again(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    trainer_of(some_lab(), SepoConfig(**FAST), whole).run()
    cut = tmp_path / "cut"
    first = trainer_of(some_lab(), SepoConfig(**FAST), cut)
    step = first._step

    def stops(number: int) -> dict[str, Any]:
        row = step(number)
        if number == 2:
            assert first.store is not None
            # Killed between the line and the checkpoint, in the middle of another line.
            first.store.record(first.arenas.kept)
            with (cut / CREDITED).open("a", encoding="utf-8") as file:
                file.write('{"id": "half')
            raise KeyboardInterrupt
        return row

    first._step = stops  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        first.run()
    assert (cut / CREDITED).read_bytes() != (whole / CREDITED).read_bytes()
    trainer_of(some_lab(), SepoConfig(**FAST), cut).run()
    assert (cut / CREDITED).read_bytes() == (whole / CREDITED).read_bytes()


def test_a_folder_without_a_checkpoint_begins_anew(tmp_path: Path) -> None:
    store = TrainerFolder(tmp_path, {})
    store.record([{"id": "old"}])
    assert store.load() is None
    assert not (tmp_path / CREDITED).exists()
    store.record([{"id": "new"}])
    store.save(lambda folder: {"step": 1})
    store.record([{"id": "later"}])
    store.load()
    lines = (tmp_path / CREDITED).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line).get("id") for line in lines] == [None, "new"]
