"""Small recipes, and how to write and read them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from rich.console import Console

from equipoise.training.summary import Run

SMALL = """
name = "small"
model = "tiny-random"
threads = 1
lora.rank = 4
audit.episodes = 2
games.ipd.options.rounds = 2
games.ipd.sft = {episodes = 12, steps = 2, batch = 8, lr = 5e-3, select_every = 1, select_episodes = 1}
games.ipd.train.sepo = {steps = 2, deals = 1, rollouts = 2, lr = 5e-3, select_every = 1, select_episodes = 1}
"""

TABLE = """
name = "table"
model = "table"
games.kuhn.train.sampled = {gradient = "sampled", steps = 2, lr = 0.5, deals = 2, rollouts = 4}
games.kuhn.train.exact = {gradient = "exact", steps = 4, lr = 5.0, max_grad_norm = 9.0, kl = 0.0}
"""


def write(folder: Path, text: str, name: str = "recipe") -> str:
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


def never(*arguments: Any, **settings: Any) -> Any:
    raise AssertionError("this should not have been called")


def rendered(run: Run) -> str:
    console = Console(width=300, file=io.StringIO())
    with console.capture() as shown:
        console.print(*run.render(), sep="\n")
    return shown.get()
