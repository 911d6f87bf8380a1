"""A list of advice that a run trained, by the name of the run's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.phrases.policy import PhraseStrategist
from equipoise.policies.registry import load_game, load_policy
from equipoise.training.pipeline import run_recipe
from tests.training.recipes import write

LIST = """
method = "epo"
name = "list"
model = "phrases"
[tasks.split]
actor = "coached:random"
phrases = {key = "demands"}
pools = {train = ["fair", "hardball"]}
train.epo = {rounds = 2, steps = 1, starts = 2, rollouts = 2, lr = 20.0, self_play = true, select_starts = 1}
penalised.sepo = {gates = "running", steps = 1, deals = 1, rollouts = 4, lr = 1.0, select_episodes = 1}
"""
SPLIT = make_game("split")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("list")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)
        return run_recipe(write(folder, LIST), [f"out={folder / 'run'}"], stages=("sepo",)).folder


@pytest.mark.parametrize("name", ["epo", "sepo"])
def test_the_folder_of_a_run_names_its_list(run: Path, name: str) -> None:
    place = run / "split" / name
    found = load_policy(f"strategist:frozen:{place}>coached:random", SPLIT)
    file = load_policy(f"strategist:phrases:{place / 'train' / 'best'}>coached:random", SPLIT)
    assert isinstance(found, PhraseStrategist)
    assert isinstance(file, PhraseStrategist)
    assert found.fingerprint == file.fingerprint
    assert found.name == f"strategist:frozen:{place}>coached:random"
    # It has a finite-memory form, so that it is valued exactly.
    assert found.strategy(SPLIT) is not None


def test_copies_of_rounds_are_lists_too(run: Path) -> None:
    place = run / "split" / "epo"
    first, second = (
        load_policy(f"strategist:frozen:{place}@{number}>coached:random", SPLIT) for number in (1, 2)
    )
    assert first.fingerprint != second.fingerprint


def test_what_cannot_be_meant_is_said(run: Path) -> None:
    for spec, message in (
        (f"strategist:frozen:{run}>coached:random", "several trainings (split/epo, split/sepo)"),
        (f"strategist:frozen:{run / 'split' / 'epo'}@7>coached:random", "copies are of rounds 1, 2"),
        (f"frozen:{run / 'split' / 'epo'}", "it is a strategist, which plays at an actor's side"),
        ("strategist:think:phrases>coached:random", "'phrases' is no local model"),
    ):
        with pytest.raises(RequestError) as caught:
            load_policy(spec, SPLIT)
        assert message in str(caught.value)
    with pytest.raises(RequestError, match="advises in split@1, not in social@1"):
        load_policy(f"strategist:frozen:{run / 'split' / 'epo'}>scripted:weak", load_game("social"))
