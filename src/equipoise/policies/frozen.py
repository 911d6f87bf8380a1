"""Policies of finished or running training, by the folder of their run: ``frozen:RUN[@STEP]``.

RUN is the folder of one training (it holds ``train``, or is that folder), or of a whole run that trained one
policy in the game. Without a step it is the policy with the best weights; with one, the copy that a league
wrote after that many updates, or that self-play wrote after that many rounds of a strategist.

It plays as it was trained: in the mode, with the temperature, budgets and history of the run's recipe,
whatever other models are asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.files import folder_name
from equipoise.games.rules import Rules

__all__ = ["Frozen", "frozen_run"]

TABLE, ADAPTER, WEIGHTS = "table.json", "adapter_config.json", "config.json"
PHRASES = "phrases.json"
PLAYER = ("mode", "temperature", "thought_tokens", "max_new_tokens", "history")
STRATEGIST = ("temperature", "max_new_tokens")


@dataclass(frozen=True)
class Frozen:
    """What a run's folder stands for.

    Attributes:
        spec: The policy spec of its weights.
        settings: How it was trained to answer; empty for tables and lists, or where nothing says.
        strategist: Whether it is a strategist, which advises and does not play.
    """

    spec: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    strategist: bool = False


def frozen_run(text: str, game: Rules) -> Frozen | None:
    """Return what a run's folder stands for, or None if the text names no folder.

    Raises:
        RequestError: The folder holds no training, several of them, or no copy of that step.
    """
    path, at, step = text.rpartition("@")
    if not at or not step.isdigit() or Path(text).is_dir():
        path, step = text, ""
    if not Path(path).is_dir():
        return None
    train = _training(Path(path), game, text)
    request = _read(train / "request.json")
    strategist = "strategist" in request
    weights = _weights(train, step, strategist, text)
    for table in (TABLE, f"{folder_name(game.info_record.id)}.json"):
        if (weights / table).is_file():
            return Frozen(f"tabular:{weights / table}")
    if (weights / PHRASES).is_file():
        return Frozen(f"phrases:{weights}", strategist=True)
    recipe = _recipe(train)
    settings = {name: recipe[name] for name in (STRATEGIST if strategist else PLAYER) if name in recipe}
    if (weights / ADAPTER).is_file():
        origin = request.get("origin")
        model = origin.get("model") if isinstance(origin, dict) else recipe.get("model")
        if not isinstance(model, str):
            raise RequestError(f"{text!r} does not say which model its adapter is for")
        return Frozen(f"{model}+{weights}", settings, strategist)
    if (weights / WEIGHTS).is_file():
        return Frozen(f"hf:{weights}", settings, strategist)
    raise RequestError(f"{text!r} holds no policy for {game.name}")


def _weights(train: Path, step: str, strategist: bool, text: str) -> Path:
    """Return the folder of the best weights, or of a copy."""
    copies = train / "rounds" if strategist else train / "past"
    before, what = ("round", "rounds") if strategist else ("", "steps")
    weights = copies / f"{before}{step}" if step else train / "best"
    if weights.is_dir():
        return weights
    names = [one.name.removeprefix(before) for one in copies.glob(f"{before}*")]
    known = ", ".join(map(str, sorted(int(name) for name in names if name.isdigit())))
    kept = f"its copies are of {what} {known}" if known else "it kept no copies"
    raise RequestError(f"{text!r}: {kept if step else 'it has no weights yet'}")


def _training(path: Path, game: Rules, text: str) -> Path:
    """Return the folder of the training that a path names."""
    if (path / "request.json").is_file() and (path / "best").is_dir():
        return path
    if (path / "train" / "request.json").is_file():
        return path / "train"
    names = dict.fromkeys((folder_name(game.info_record.id), folder_name(game.name), "joint"))
    found = [one for name in names for one in sorted((path / name).glob("*/train"))]
    found = [one for one in found if one.parent.name != "sft" and not one.parent.name.endswith("-sft")]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RequestError(f"{text!r} holds no training of {game.name}")
    several = ", ".join(str(one.parent.relative_to(path)) for one in found)
    raise RequestError(f"{text!r} holds several trainings ({several}): name the folder of one")


def _recipe(train: Path) -> dict[str, Any]:
    """Return the recipe of the run that a training belongs to; empty where there is none."""
    place = next((one for one in train.resolve().parents if (one / "recipe.json").is_file()), None)
    return {} if place is None else _read(place / "recipe.json")


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
