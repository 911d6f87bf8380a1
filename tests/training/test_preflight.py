"""What is wrong with a recipe and needs no model is said before any work, with the game and the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.training import pipeline
from equipoise.training.pipeline import run_recipe
from tests.training.recipes import never, write

HEAD = 'name = "a"\nmodel = "{model}"\nthreads = 1\n'
# The first game and run are as they should be: what comes later is seen all the same.
GOOD = '[games.ipd]\noptions = {rounds = 2}\ntrain.first = {steps = 2, gradient = "exact"}\n'
JOINT = "[games.kuhn]\n[joint.both]\ngames = {ipd = 1, kuhn = 1}\nsteps = 4\n"


@pytest.mark.parametrize("model", ["tiny-random", "table"])
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('[games.kuhn.pools]\ntrain = ["gnash"]\n', "games.kuhn: unknown"),
        (
            "[games.kuhn.train.later]\npools = {train = ['tiny-random', 'noisy:0.1:gnash']}\n",
            "games.kuhn.train.later: 'gnash' in 'noisy:0.1:gnash': unknown",
        ),
        (
            "[games.kuhn.train.later]\npools = {exploiter = ['self']}\n",
            "games.kuhn.train.later: 'self' is among",
        ),
        (
            "[games.kuhn.train.later]\npools = {train = ['frozen:random']}\n",
            "games.kuhn.train.later: pools.train: 'frozen:random' meets 'random'",
        ),
        (
            "[games.kuhn.train.later]\nmultipliers = 'lagrangian'\nlimits = {c = 0.1}\n",
            "games.kuhn.train.later: limits.c = 0.1: c is not applicable",
        ),
        (
            "[games.kuhn.train.later]\npenalised = 'regret'\nexploiters = 'pool+best_response'\n",
            "games.kuhn.train.later: penalised = 'regret' says itself who exploits",
        ),
        (
            "[games.multi_issue]\nabstraction = ABSTRACTION\ntrain.later.gradient = 'exact'\n",
            "games.multi_issue.train.later: gradient = 'exact'",
        ),
        ("[games.nim]\n", "nim"),
        (
            JOINT + "curriculum = [{until = 2, train = ['self', 'grim_trigger']}]\n",
            "joint.both, kuhn: ",
        ),
        (JOINT + "per_game.kuhn.penalised = 'regret'\nexploiters = 'none'\n", "joint.both, kuhn: penalised"),
    ],
)
def test_wrong_requests_are_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, more: str, message: str
) -> None:
    more = more.replace("abstraction = ABSTRACTION\n", 'abstraction = "shares"\n' if model == "table" else "")
    monkeypatch.setattr(pipeline._Runner, "run", never)
    with pytest.raises(RequestError) as caught:
        run_recipe(write(tmp_path, HEAD.format(model=model) + GOOD + more), [f"out={tmp_path / 'run'}"])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_abstractions_are_checked_too(tmp_path: Path) -> None:
    text = HEAD.format(model="table") + GOOD + '[games.auction]\nabstraction = "bid"\n'
    with pytest.raises(RequestError, match=r"games.auction: unknown abstraction 'bid': did you mean 'bids'"):
        run_recipe(write(tmp_path, text), [f"out={tmp_path / 'run'}"])


def test_nothing_is_loaded_to_look_at_models_and_runs_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equipoise.policies.local.policy.LocalPolicy.from_spec", never)
    monkeypatch.setattr(pipeline._Runner, "run", lambda *_: None)
    own = tmp_path / "run" / "ipd" / "first"
    met = [f"frozen:{own}", "tiny-random", "mixture:smollm2+grim_trigger", "openai:gpt"]
    met += ["strategist:tiny-random>coached:random"]
    text = HEAD.format(model="tiny-random") + GOOD
    text += f"train.second = {{steps = 2, gradient = 'exact', pools = {{train = {met}}}}}\n"
    run_recipe(write(tmp_path, text), [f"out={tmp_path / 'run'}"], stages=("sepo",))
