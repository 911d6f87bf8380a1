"""Runs of tables and tiny models with settings of one's own, and what they leave behind."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open

import equipoise.training.checkpoints as checkpoints
import equipoise.training.exploiters as exploiters
import equipoise.training.sft as sft
from equipoise.training.pipeline import run_recipe

BARE = 'name = "test"\nmodel = "{model}"\nthreads = 1\n[games.{game}]\n'


def write_recipe(folder: Path, model: str, game: str) -> str:
    file = folder / f"{model}-{game}.toml"
    file.write_text(BARE.format(model=model, game=game), encoding="utf-8")
    return str(file)


def overrides(prefix: str, settings: dict[str, Any]) -> list[str]:
    return [f"{prefix}{key}={toml(value)}" for key, value in settings.items()]


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else str(value)


def metrics(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def adapter(folder: Path) -> dict[str, Any]:
    with safe_open(str(folder / "adapter_model.safetensors"), "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


@dataclass
class Seen:
    """What a training run left behind."""

    rows: list[dict[str, Any]]
    weights: Any
    calls: Counter[str]

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows if name in row]

    def moved_like(self, other: Seen) -> bool:
        return all(np.array_equal(self.weights[k], other.weights[k]) for k in self.weights)


def sepo(
    folder: Path, game: str = "kuhn", model: str = "table", top: dict[str, Any] | None = None, **settings: Any
) -> Seen:
    """Train a table on the recipe's way and look at it; ``top`` are settings of the whole recipe."""
    out = folder / f"run{len(list(folder.iterdir()))}"
    start = {
        "steps": 3,
        "lr": 5.0,
        "deals": 2,
        "rollouts": 3,
        "select_every": 2,
        "select_episodes": 2,
        "kl": 0.0,
    }
    given = overrides(f"games.{game}.train.sepo.", {**start, **settings}) + overrides("", top or {})
    calls: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patched:
        count(patched, calls, checkpoints.TrainerFolder, "save")
        count(patched, calls, exploiters.Exploiters, "respond")
        run_recipe(write_recipe(folder, model, game), [f"out={out}", *given], stages=("sepo",))
    place = out / game / "sepo" / "train"
    if model == "table":
        weights = json.loads((place / "checkpoint" / "logits.json").read_text(encoding="utf-8"))
    else:
        weights = adapter(place / "checkpoint")
    return Seen(metrics(place), weights, calls)


def count(patched: pytest.MonkeyPatch, calls: Counter[str], owner: Any, name: str) -> None:
    real = getattr(owner, name)

    def call(*arguments: Any, **named: Any) -> Any:
        calls[name] += 1
        return real(*arguments, **named)

    patched.setattr(owner, name, call)


def warm(folder: Path, rounds: int = 2, top: dict[str, Any] | None = None, **settings: Any) -> Seen:
    """Do the warm start of a tiny model on the recipe's way and look at it."""
    out = folder / f"run{len(list(folder.iterdir()))}"
    start = {
        "episodes": 16,
        "steps": 3,
        "batch": 8,
        "lr": 5e-3,
        "warmup": 0,
        "select_every": 2,
        "select_episodes": 2,
        "validation": 0.25,
        "patience": 9,
    }
    given = overrides("games.ipd.sft.", {**start, **settings})
    given += [f"games.ipd.options.rounds={rounds}", *overrides("", {"lora.rank": 4, **(top or {})})]
    calls: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patched:
        count(patched, calls, sft, "answer_log_probabilities")
        run_recipe(write_recipe(folder, "tiny-random", "ipd"), [f"out={out}", *given], stages=("sft",))
    place = out / "ipd" / "sft" / "train"
    return Seen(metrics(place), adapter(place / "checkpoint"), calls)
