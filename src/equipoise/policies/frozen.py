"""Policies of finished or running training, by the folder of their run: ``frozen:RUN[@STEP]``.

RUN is the folder of one training (it holds ``train``, or is that folder), or of a whole run that trained one
policy in the game. Without a step it is the policy with the best weights; with one, the copy that a league
wrote after that many updates.
"""

from __future__ import annotations

import json
from pathlib import Path

from equipoise.errors import RequestError
from equipoise.files import folder_name
from equipoise.games.rules import Rules

__all__ = ["frozen_spec"]

TABLE, ADAPTER = "table.json", "adapter_config.json"


def frozen_spec(text: str, game: Rules) -> str | None:
    """Return the policy spec that a run's folder stands for, or None if the text names no folder.

    Raises:
        RequestError: The folder holds no training, several of them, or no copy of that step.
    """
    path, at, step = text.rpartition("@")
    if not at or not step.isdigit() or Path(text).is_dir():
        path, step = text, ""
    if not Path(path).is_dir():
        return None
    train = _training(Path(path), game, text)
    weights = train / "past" / step if step else train / "best"
    if not weights.is_dir():
        known = sorted(int(one.name) for one in (train / "past").glob("*") if one.name.isdigit())
        steps = f"its copies are of steps {', '.join(map(str, known))}" if known else "it kept no copies"
        raise RequestError(f"{text!r}: {steps if step else 'it has no weights yet'}")
    for table in (TABLE, f"{folder_name(game.info_record.id)}.json"):
        if (weights / table).is_file():
            return f"tabular:{weights / table}"
    if (weights / ADAPTER).is_file():
        return f"{_model(train, text)}+{weights}"
    raise RequestError(f"{text!r} holds no policy for {game.name}")


def _training(path: Path, game: Rules, text: str) -> Path:
    """Return the folder of the training that a path names."""
    if (path / "request.json").is_file() and (path / "best").is_dir():
        return path
    if (path / "train" / "request.json").is_file():
        return path / "train"
    places = [path / folder_name(game.info_record.id), path / "joint"]
    found = [one for place in places for one in sorted(place.glob("*/train")) if one.parent.name != "sft"]
    found = [one for one in found if not one.parent.name.endswith("-sft")]
    if len(found) == 1:
        return found[0]
    if not found:
        raise RequestError(f"{text!r} holds no training of {game.name}")
    names = ", ".join(str(one.parent.relative_to(path)) for one in found)
    raise RequestError(f"{text!r} holds several trainings ({names}): name the folder of one")


def _model(train: Path, text: str) -> str:
    try:
        return str(json.loads((train / "request.json").read_text(encoding="utf-8"))["origin"]["model"])
    except (OSError, ValueError, KeyError, TypeError):
        raise RequestError(f"{text!r} does not say which model its adapter is for") from None
