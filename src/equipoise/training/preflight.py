"""What can be wrong with a recipe and needs no model to be seen: said before any work is done.

Every game and every run of a recipe is looked at: teachers, abstractions, names in pools, who stands where,
limits, and, where a run asks for exact work, whether its game allows it. Opponents that are models or that
answer from elsewhere are loaded when their turn comes, and so is what earlier runs of a recipe leave behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.run import AuditConfig
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.objective.constraints import constrained
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.abstractions.registry import abstraction_of
from equipoise.policies.registry import load_opponents
from equipoise.policies.specs import Leaf, fold, parse
from equipoise.training.arena import Arena
from equipoise.training.boards import check_boards
from equipoise.training.cast import Cast, everyone
from equipoise.training.config import SepoConfig, SftConfig
from equipoise.training.exploiters import check_kind
from equipoise.training.plan.recorder import Recorder
from equipoise.training.recipe import Recipe
from equipoise.training.table import SoftmaxTable
from equipoise.training.tabular import new_table
from equipoise.training.teachers import mixture_of

__all__ = ["check_recipe", "check_settings", "light", "load_light", "within"]

LIGHT = ("scripted", "tabular", "python", "coached")
"""Kinds of policies that are loaded at once."""

CHOOSING = 64
"""Information states that a language model is asked for at once, see ``LocalPolicy.exact_states``."""


def check_recipe(recipe: Recipe, games: Mapping[str, tuple[Game, AuditConfig]]) -> None:
    """Check every game and run of a recipe.

    Args:
        recipe: The recipe.
        games: Its games with how they are audited, by name.

    Raises:
        RequestError: Something cannot be done; the message names the game and the run.
    """
    for name, (game, config) in games.items():
        one = recipe.games[name]
        with within(f"games.{name}"):
            _check_game(recipe, game, config, one.abstraction)
            _check_start(game, config, one.sft)
        for run, settings in one.train.items():
            with within(f"games.{name}.train.{run}"):
                _check_run(recipe, game, config, settings)
    for joint, shared in recipe.joint.items():
        for name in shared.games:
            with within(f"joint.{joint}, {name}"):
                _check_start(*games[name], shared.sft)
                _check_run(recipe, *games[name], shared.settings(name))


@contextmanager
def within(where: str) -> Iterator[None]:
    """Put a place in the recipe before the message of a ``RequestError``."""
    try:
        yield
    except RequestError as error:
        raise type(error)(f"{where}: {error}") from error


def _check_game(recipe: Recipe, game: Game, config: AuditConfig, abstraction: str | None) -> None:
    if recipe.model == "table" and abstraction is not None:
        abstraction_of(game.stage(), abstraction)
    elif recipe.model == "table":
        new_table(game, 0)
    load_light(_pools(game, config), game)


def _check_start(game: Game, config: AuditConfig, sft: SftConfig | None) -> None:
    if sft is not None:
        mixture_of(game.name, sft.recipe, _pools(game, config))


def _check_run(recipe: Recipe, game: Game, config: AuditConfig, settings: SepoConfig) -> None:
    objective = Objective.of(game.info_record, _pools(game, config), config.weights)
    players = check_settings(game, objective, settings)
    # Exact work is tried only where all that it takes is at hand, and where somebody asked for it.
    if players is not None and _exact(settings):
        Arena(game, objective, _stand_in(recipe), settings, players, config.rule)


def check_settings(rules: Rules, objective: Objective, settings: SepoConfig) -> Opponents | None:
    """Check a run on SEPO's objective: who stands where, names, limits, exploiters, services.

    Returns:
        Its opponents; None if some of them are models.

    Raises:
        RequestError: Something cannot be done.
    """
    Cast(rules, objective, settings)
    players = load_light(everyone(objective.pools, settings), rules)
    if settings.limits.given:
        constrained(objective, settings.limits.given, rules.name)
    check_kind(settings.exploiters, settings.penalised)
    check_boards(settings.report_to)
    return players


def _exact(settings: SepoConfig) -> bool:
    answered = settings.exploiters not in ("none", "pool") or settings.penalised != "opponent_advantage"
    return answered or settings.gradient != "sampled" or settings.gates == "exact"


def _stand_in(recipe: Recipe) -> Recorder:
    """Return something that answers as the recipe's policy would be asked."""
    states = SoftmaxTable.exact_states if recipe.model == "table" else CHOOSING
    found = Recorder(states if recipe.mode == "choose" else 0)
    found.name, found.always_legal = recipe.model, recipe.mode != "free"
    return found


def _pools(game: Game, config: AuditConfig) -> Pools:
    return config.pools or default_pools(game.name)


def load_light(pools: Pools, game: Rules) -> Opponents | None:
    """Load the opponents that need no model; None if there are others among them."""
    names = dict.fromkeys(name for _, pool in pools for name in pool)
    found = [name for name in names if light(name)]
    players = load_opponents(found, game)
    return Opponents.of(players, game, None) if len(found) == len(names) else None


def light(spec: str) -> bool:
    """Tell whether a policy is loaded at once, without a model or another machine."""
    return fold(
        parse(spec) if "(" in spec or spec.startswith(("mixture:", "noisy:", "frozen:")) else Leaf(spec),
        _light_leaf,
        lambda _, inner: inner,
        lambda _, parts: all(parts),
    )


def _light_leaf(leaf: Leaf) -> bool:
    kind, colon, rest = leaf.text.partition(":")
    if not colon:
        # A bare name is a strategy, unless it is that of a model or of a run's folder.
        return not leaf.text.startswith(("smollm2", "tiny-random", "human")) and not (
            leaf.run and ("/" in leaf.text or "@" in leaf.text)
        )
    return kind in LIGHT and (kind != "coached" or light(rest))
