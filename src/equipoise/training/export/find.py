"""Finds a trained adapter, in a run or by itself, and what it belongs to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError, unknown
from equipoise.files import folder_name
from equipoise.games.base import finite_game
from equipoise.games.rules import Rules
from equipoise.policies.registry import load_game
from equipoise.training.epo.recipe import EpoRecipe
from equipoise.training.recipe import Recipe, joint_start

__all__ = ["TrainedAdapter", "find_adapter"]

_CONFIG = "adapter_config.json"
DEFAULT_GAME = "ipd"
"""Whose prompts are read where nothing says for which game an adapter was trained."""


@dataclass(frozen=True)
class TrainedAdapter:
    """An adapter with what it belongs to.

    Attributes:
        folder: Where it lies.
        model: Spec of the model that it was trained on.
        games: The games whose prompts it is judged on: those it was trained in.
        dtype: Number format it was trained in.
        device: Where it was trained.
        recipe: Name of the recipe, or None if it lies outside a run.
        strategist: Whether it was trained to advise an actor (EPO), not to play.
    """

    folder: Path
    model: str
    games: tuple[Rules, ...]
    dtype: str = "float32"
    device: str = "cpu"
    recipe: str | None = None
    strategist: bool = False

    @property
    def spec(self) -> str:
        """The policy spec of model and adapter."""
        return f"{self.model}+{self.folder}"


def find_adapter(
    place: Path, run: str | None = None, model: str | None = None, game: str | None = None
) -> TrainedAdapter:
    """Find an adapter.

    Args:
        place: An adapter's folder, or a folder of `equipoise run`.
        run: Which of a run's adapters, e.g. ``ipd/sepo``; needed where it has several.
        model: The model it was trained on; needed where it lies outside a run.
        game: The game whose prompts are read; None takes the one it was trained in.

    Raises:
        RequestError: There is none, there are several, or nothing says what it was trained on.
    """
    if not place.is_dir():
        raise RequestError(f"{str(place)!r} is no folder: name an adapter's or a run's")
    folder = _adapter(place, run)
    root = next((one for one in folder.resolve().parents if (one / "recipe.json").is_file()), None)
    recipe = None if root is None else _recipe(root)
    if model is None and recipe is None:
        raise RequestError(
            f"nothing says what {str(folder)!r} was trained on: name the model with --model, e.g. smollm2"
        )
    return TrainedAdapter(
        folder,
        model or (recipe.model if recipe else ""),
        _games(game, recipe, root, folder),
        recipe.dtype if recipe else "float32",
        recipe.device if recipe else "cpu",
        recipe.name if recipe else None,
        isinstance(recipe, EpoRecipe),
    )


def _adapter(place: Path, run: str | None) -> Path:
    if (place / _CONFIG).is_file():
        return place
    found = {
        one.parent.parent.parent.relative_to(place).as_posix(): one.parent
        for one in sorted(place.glob(f"**/train/best/{_CONFIG}"))
    }
    if not found:
        raise RequestError(f"there is no adapter in {str(place)!r}: name an adapter's folder, or a run's")
    if run is None:
        if len(found) > 1:
            raise RequestError(f"{str(place)!r} holds several adapters: choose --run {' or '.join(found)}")
        return next(iter(found.values()))
    if run not in found:
        raise unknown("adapter", run, found)
    return found[run]


def _recipe(root: Path) -> Recipe | EpoRecipe:
    try:
        data = json.loads((root / "recipe.json").read_text(encoding="utf-8"))
        kind = EpoRecipe if data.get("method") == "epo" else Recipe
        return kind.model_validate(data)
    except (OSError, ValueError, AttributeError):
        raise RequestError(f"{str(root / 'recipe.json')!r} is no recipe of a run: name --model") from None


def _games(
    name: str | None, recipe: Recipe | EpoRecipe | None, root: Path | None, folder: Path
) -> tuple[Rules, ...]:
    """Return the game named, those that the adapter was trained in by its place in the run, or the usual."""
    if name is not None:
        return (_load(recipe, name),)
    if recipe is None or root is None:
        return (finite_game(load_game(DEFAULT_GAME)),)
    place, run = folder.resolve().relative_to(root.resolve()).parts[:2]
    joint = {} if isinstance(recipe, EpoRecipe) else recipe.joint
    for key, shared in joint.items():
        if place == "joint" and run in (key, joint_start(key)):
            return tuple(_load(recipe, game) for game in shared.games)
    games = [_load(recipe, key) for key in _options(recipe)]
    own = [game for game in games if place in (folder_name(game.info_record.id), folder_name(game.name))]
    return tuple(own[:1] or games[:1])


def _load(recipe: Recipe | EpoRecipe | None, name: str) -> Rules:
    rules = load_game(name, None if recipe is None else _options(recipe).get(name))
    return rules if isinstance(recipe, EpoRecipe) else finite_game(rules)


def _options(recipe: Recipe | EpoRecipe) -> dict[str, dict[str, Any]]:
    parts = recipe.tasks if isinstance(recipe, EpoRecipe) else recipe.games
    return {name: one.options for name, one in parts.items()}
