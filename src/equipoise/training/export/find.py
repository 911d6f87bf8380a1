"""Finds a trained adapter, in a run or by itself, and what it belongs to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import RequestError, unknown
from equipoise.files import folder_name
from equipoise.games.base import Game, finite_game
from equipoise.policies.registry import load_game
from equipoise.training.recipe import Recipe

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
        game: The game whose prompts it is judged on.
        dtype: Number format it was trained in.
        device: Where it was trained.
        recipe: Name of the recipe, or None if it lies outside a run.
    """

    folder: Path
    model: str
    game: Game
    dtype: str = "float32"
    device: str = "cpu"
    recipe: str | None = None

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
        _game(game, recipe, root, folder),
        recipe.dtype if recipe else "float32",
        recipe.device if recipe else "cpu",
        recipe.name if recipe else None,
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


def _recipe(root: Path) -> Recipe:
    try:
        return Recipe.model_validate(json.loads((root / "recipe.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        raise RequestError(f"{str(root / 'recipe.json')!r} is no recipe of a run: name --model") from None


def _game(name: str | None, recipe: Recipe | None, root: Path | None, folder: Path) -> Game:
    """Return the game named, the one whose folder of the run holds the adapter, or the usual one."""
    if name is not None:
        options = recipe.games[name].options if recipe and name in recipe.games else None
        return finite_game(load_game(name, options))
    if recipe is None or root is None:
        return finite_game(load_game(DEFAULT_GAME))
    games = [finite_game(load_game(key, one.options)) for key, one in recipe.games.items()]
    place = folder.resolve().relative_to(root).parts[0]
    own = [game for game in games if folder_name(game.info_record.id) == place]
    return (own or games)[0]
