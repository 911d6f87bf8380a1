"""A strategist on SEPO's objective: in games, in dialogues, resumed, and refused where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.policies.phrases.adviser import load_phrases
from equipoise.policies.registry import load_game
from equipoise.training.pipeline import run_recipe
from equipoise.training.sepo import Sepo

RECIPE = """
method = "epo"
name = "mine"
model = "phrases"

[audit]
episodes = 3

[tasks.split]
options = {rounds = 2}
actor = "coached:random"
phrases = {key = "demands"}
train.epo = {rounds = 2, steps = 1, starts = 2, rollouts = 2, lr = 5.0, select_starts = 2, self_play = true}
penalised.sepo = {steps = 3, deals = 1, rollouts = 2, lr = 1.0, select_every = 3, select_episodes = 2}
"""

SOCIAL = """
method = "epo"
name = "mine"
model = "phrases"

[audit]
episodes = 2

[tasks.social]
options = {families = ["price"]}
actor = "scripted:weak"
phrases = {key = "offers", advice = ["Hold firm.", "Accept the offer."]}
pools = {train = ["weak"], exploiter = ["tough"], shift = []}
penalised.sepo = {steps = 1, deals = 1, rollouts = 2, lr = 1.0, select_every = 1, select_episodes = 1}
"""


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def run(folder: Path, text: str = RECIPE, *changes: str, **settings: Any) -> Any:
    file = folder.parent / f"{folder.name}.toml"
    file.write_text(text, encoding="utf-8")
    return run_recipe(str(file), [f"out={folder}", *changes], **settings)


def weights(folder: Path, run: str = "sepo", task: str = "split") -> bytes:
    return (folder / task / run / "train" / "best" / "phrases.json").read_bytes()


def rows(folder: Path, task: str = "split") -> list[dict[str, Any]]:
    lines = (folder / task / "sepo" / "train" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def test_a_recipe_sets_epo_beside_sepo(tmp_path: Path) -> None:
    found = run(tmp_path / "run")
    assert [r.policy for r in found.result.results] == ["actor", "base", "epo", "sepo"]
    pairs = {(d.a, d.b) for d in found.result.differences if d.metric == "safety"}
    assert ("sepo", "epo") in pairs
    streams = rows(tmp_path / "run")[0]["episodes"]
    # Four trained with, two exploiters, one collusive partner; two rollouts each.
    assert streams == 7 * 2
    assert set(found.result.results[3].readings["strategies"]) >= {"followed", "self_bleu", "understood"}


def test_stopping_anywhere_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "whole", stages=["sepo"])
    real = Sepo._step

    def cut(self: Sepo, step: int) -> dict[str, Any]:
        if step == 2:
            raise KeyboardInterrupt
        return real(self, step)

    with monkeypatch.context() as patched:
        patched.setattr(Sepo, "_step", cut)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "cut", stages=["sepo"])
    run(tmp_path / "cut", stages=["sepo"])
    for name in ("epo", "sepo"):
        assert weights(tmp_path / "cut", name) == weights(tmp_path / "whole", name)
    assert rows(tmp_path / "cut") == rows(tmp_path / "whole")
    assert (tmp_path / "whole" / "split" / "epo" / "train" / "rounds" / "round1" / "phrases.json").exists()


def test_weights_of_training_may_differ_from_those_of_the_table(tmp_path: Path) -> None:
    select = "tasks.split.penalised.sepo.select_every=1"
    run(tmp_path / "a", RECIPE, select)
    free = [f"tasks.split.train_weights.{term}=0.0" for term in "ecx"]
    run(tmp_path / "b", RECIPE, select, *free)
    request = [json.loads((tmp_path / one / "split/sepo/train/request.json").read_text()) for one in "ab"]
    assert [one["weights"] for one in request] == [[3.0, 1.0, 1.8], [0.0, 0.0, 0.0]]
    results = [json.loads((tmp_path / one / "split/sepo/result.json").read_text()) for one in "ab"]
    assert results[0]["weights"] == results[1]["weights"]


def test_audits_are_exact_where_that_is_asked_for(tmp_path: Path) -> None:
    found = run(tmp_path / "run", RECIPE, "audit.exact=true", "tasks.split.train={}")
    kinds = {row.metrics["exploitability"].kind.value for row in found.result.results}
    assert kinds == {"exact"}
    assert [row.policy for row in found.result.results] == ["actor", "base", "sepo"]
    # Uniform over 5, 5, 8, 6, 3, 6 and 7 at the opening: what the untrained list demands of the pie.
    base = found.result.results[1]
    assert base.settings["method"] == "exact"


def test_dialogues_are_trained_on_too(tmp_path: Path) -> None:
    run(tmp_path / "run", SOCIAL)
    adviser = load_phrases(tmp_path / "run" / "social" / "sepo" / "train" / "checkpoint", load_game("social"))
    assert adviser.advice == ("Hold firm.", "Accept the offer.")
    (row,) = rows(tmp_path / "run", "social")
    assert row["episodes"] == 2 * 2


@pytest.mark.parametrize(
    ("text", "change", "message"),
    [
        (RECIPE, "tasks.split.penalised.sepo.gradient=all_actions", "a strategist's advice is sampled"),
        (RECIPE, "tasks.split.penalised.epo.steps=1", "two runs are called 'epo'"),
        (RECIPE, "tasks.split.phrases.key=demnads", "did you mean 'demands'"),
        (RECIPE, "tasks.split.phrases.adivce=[]", "did you mean 'advice'"),
        (
            SOCIAL,
            "tasks.social.penalised.sepo.gates=exact",
            "social is a free-text task, use gates = 'running'",
        ),
        (SOCIAL, "tasks.social.penalised.sepo.penalised=regret", "use penalised = 'opponent_advantage'"),
        (SOCIAL, "tasks.social.penalised.sepo.exploiters=pool+library_response", "use exploiters = 'pool'"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, text: str, change: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        run(tmp_path / "run", text, change)
