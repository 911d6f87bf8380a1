"""What a run trained, by the name of its folder: it answers as it was trained to."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.base import AnyPolicy
from equipoise.policies.frozen import Frozen, frozen_run
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.policies.strategist import AdvisedPolicy
from equipoise.rollout.engine import play
from equipoise.training.pipeline import run_recipe
from tests.rollout.players import requests
from tests.training.recipes import write

IPD = make_game("ipd", rounds=2)
TEXT = """
name = "text"
model = "tiny-random"
threads = 1
mode = "{mode}"
temperature = 0.7
{settings}
lora.rank = 2
games.ipd.options.rounds = 2
games.ipd.train.sepo = {{steps = 1, deals = 1, rollouts = 2, lr = 5e-3, select_episodes = 1}}
"""
COACH = """
method = "epo"
name = "coach"
model = "tiny-random"
threads = 1
temperature = 0.6
max_new_tokens = 3
lora.rank = 2
[tasks.ipd]
options = {rounds = 2}
actor = "coached:random"
pools = {train = ["tit_for_tat"], exploiter = [], collusive = [], shift = []}
train.epo = {rounds = 1, steps = 1, starts = 1, rollouts = 2, self_play = true, lr = 5e-3, select_starts = 1}
"""


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


@pytest.fixture(scope="module")
def coach(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coach")
    return run_recipe(write(folder, COACH), [f"out={folder / 'run'}"], stages=("sepo",)).folder


@pytest.fixture(scope="module")
def talker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talker")
    recipe = TEXT.format(mode="free", settings='max_new_tokens = 5\nhistory = "chat"')
    return run_recipe(write(folder, recipe), [f"out={folder / 'run'}"], stages=("sepo",)).folder


def manner(policy: AnyPolicy) -> tuple[str, float, int, str]:
    assert isinstance(policy, LocalPolicy)
    return policy.mode, policy.temperature, policy.budget, policy.history


def test_a_policy_that_writes_goes_on_writing(talker: Path, tmp_path: Path) -> None:
    trained = ("free", 0.7, 5, "chat")
    assert manner(load_policy(f"frozen:{talker}", IPD, quiet=True)) == trained
    # Whatever the other models of the request are asked for.
    asked = {"mode": "choose", "temperature": 1.0, "max_new_tokens": 9, "quiet": True}
    models: dict[str, AnyPolicy] = {}
    assert manner(load_policy(f"frozen:{talker}", IPD, models=models, **asked)) == trained
    plain = f"tiny-random+{talker / 'ipd' / 'sepo' / 'train' / 'best'}"
    assert manner(load_policy(plain, IPD, models=models, **asked))[:2] == ("choose", 1.0)
    assert load_policy(f"frozen:{talker}", IPD, models=models, **asked) is models[f"frozen:{plain}"]


def test_a_policy_that_thinks_goes_on_thinking(tmp_path: Path) -> None:
    recipe = write(tmp_path, TEXT.format(mode="think", settings="thought_tokens = 4"))
    run = run_recipe(recipe, [f"out={tmp_path / 'run'}"], stages=("sepo",)).folder
    met = load_opponents([f"frozen:{run}"], IPD, quiet=True)
    assert manner(met[f"frozen:{run}"]) == ("think", 0.7, 4, "state")


def test_all_weights_of_a_model_are_found_too(talker: Path, tmp_path: Path) -> None:
    train = tmp_path / "ipd" / "sepo" / "train"
    (train / "best").mkdir(parents=True)
    for file in (train / "request.json", train / "best" / "config.json"):
        file.write_text("{}", encoding="utf-8")
    assert frozen_run(str(tmp_path), IPD) == Frozen(f"hf:{train / 'best'}")


def test_a_strategist_advises_as_it_was_trained_to(coach: Path) -> None:
    spec = f"strategist:frozen:{coach}>coached:random"
    policy = load_policy(spec, IPD, quiet=True, temperature=1.0, max_new_tokens=20)
    assert isinstance(policy, AdvisedPolicy)
    assert isinstance(policy.adviser, LocalAdviser)
    assert (policy.adviser.temperature, policy.adviser.max_new_tokens) == (0.6, 3)
    assert policy.adviser.name.endswith("ipd/epo/train/best")
    episode = play(requests(IPD, policy, ("random",), 1)[:1])[0].episode
    assert len(episode.rounds) == 2
    copy = frozen_run(f"{coach / 'ipd' / 'epo'}@1", IPD)
    assert copy is not None
    assert copy.strategist
    assert copy.spec == f"tiny-random+{coach / 'ipd' / 'epo' / 'train' / 'rounds' / 'round1'}"


def test_strategists_do_not_play_and_players_do_not_advise(coach: Path, talker: Path) -> None:
    for spec, message in (
        (f"frozen:{coach}", "it is a strategist, which plays at an actor's side: 'strategist:frozen:"),
        (f"frozen:{coach}@4", "its copies are of rounds 1"),
        (f"strategist:frozen:{talker}>coached:random", "holds a policy that plays, name a run of EPO"),
        (f"strategist:frozen:{coach}x>coached:random", "names no folder, name a run of EPO"),
    ):
        with pytest.raises(RequestError) as caught:
            load_policy(spec, IPD, quiet=True)
        assert message in str(caught.value)
