"""The warm start of a strategist's wording in errands, and that its texts move the actor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equipoise.policies.registry import load_game, load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.prompts.phrasings import phrasings
from equipoise.rollout.engine import play
from equipoise.training.pipeline import run_recipe
from tests.rollout.players import requests
from tests.training.recipes import write

RECIPE = """
method = "epo"
name = "errand"
model = "tiny-random"
threads = 1
max_new_tokens = 3
lora.rank = 2
[tasks.{task}]
held_out = {{split = "held_out"}}
actor = "scripted:weak"
sft = {{starts = 1, steps = 1, batch = 1, texts = 2, select_every = 1}}
train.epo = {{rounds = 1, steps = 1, starts = 1, rollouts = 2, lr = 5e-3, select_starts = 1}}
"""


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


@pytest.mark.parametrize("task", ["shop", "household"])
def test_a_recipe_teaches_the_form(task: str, tmp_path: Path) -> None:
    run = run_recipe(write(tmp_path, RECIPE.format(task=task)), [f"out={tmp_path / 'run'}"], stages=("sft",))
    train = run.folder / task / "sft" / "train"
    request = json.loads((train / "request.json").read_text(encoding="utf-8"))
    assert request["texts"] == {intent: list(texts) for intent, texts in phrasings(task).items()}
    assert (train / "done").is_file()
    assert (train / "best" / "adapter_config.json").is_file()


ACTS = [
    ("shop", "back", "back"),
    ("shop", "next", "next"),
    ("household", "look", "look"),
]


@pytest.mark.parametrize(("task", "intent", "sign"), ACTS)
def test_a_scripted_actor_does_what_texts_ask(task: str, intent: str, sign: str) -> None:
    rules = load_game(task)
    alone = load_policy("scripted:weak", rules)

    def share(policy: object) -> float:
        found = play(requests(rules, policy, ("nobody",), 2))  # type: ignore[arg-type]
        acts = [str(turn.action).casefold() for one in found for turn in one.episode.turns]
        return sum(sign in act for act in acts) / len(acts)

    plain = share(alone)
    for text in phrasings(task)[intent][:3]:
        told = advised(FunctionAdviser(lambda decision, text=text: text, "f", text), alone)  # type: ignore[misc]
        assert share(told) > plain, text
