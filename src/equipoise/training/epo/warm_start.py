"""The language model of a recipe as a strategist that is trained, and the warm start of its wording."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.strategist import LocalStrategist
from equipoise.progress import Reporter
from equipoise.training.epo.config import WordingConfig
from equipoise.training.epo.recipe import SFT, EpoRecipe
from equipoise.training.epo.wording import Wording
from equipoise.training.lora import adapted_policy

__all__ = ["local_strategist", "train_wording"]


def local_strategist(
    recipe: EpoRecipe, actor: AnyPolicy, name: str, seed: int, quiet: bool, start: Path | None = None
) -> LocalStrategist:
    """Return the recipe's model with an adapter that is trained, at the side of an actor.

    Args:
        recipe: The recipe.
        actor: The actor.
        name: Name of the run.
        seed: Seed of a fresh adapter.
        quiet: Show no progress.
        start: The adapter to go on from, which is also the reference; None makes a fresh one.

    Raises:
        RequestError: The actor answers in its own time.
    """
    if not isinstance(actor, Policy):
        raise RequestError(
            f"actor = {actor.name!r} answers in its own time: train with a local or scripted actor"
        )
    spec = recipe.model if start is None else f"{recipe.model}+{start}"
    device: dict[str, Any] = {"dtype": recipe.dtype, "device": recipe.device}
    loaded = adapted_policy(spec, recipe.lora, seed, name, quiet=quiet, **device).loaded
    adviser = LocalAdviser(loaded, recipe.temperature, recipe.max_new_tokens, name, prompt=recipe.prompt)
    return LocalStrategist(adviser, actor, name)


def train_wording(
    recipe: EpoRecipe,
    settings: WordingConfig,
    rules: Rules,
    actor: AnyPolicy,
    partners: Mapping[str, AnyPolicy],
    folder: Path,
    reporter: Reporter,
) -> None:
    """Teach the recipe's model how advice sounds, and mark the folder as done."""
    settings = settings.model_copy(update={"seed": settings.seed + recipe.seed})
    strategist = local_strategist(recipe, actor, SFT, settings.seed, reporter.quiet)
    origin = {"fingerprint": strategist.adviser.fingerprint}
    Wording(rules, strategist, partners, settings, folder, reporter, origin).run()
    (folder / "done").touch()
