"""What the table of a recipe starts from: nothing, or what scripted teachers did."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.tree import Tree
from equipoise.auditing.opponents import Opponents
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.opponents.base import Uniform
from equipoise.opponents.pools import Pools
from equipoise.policies.abstract import load_table
from equipoise.policies.abstractions.registry import abstraction_names, abstraction_of
from equipoise.progress import Reporter
from equipoise.training.config import SepoConfig, SftConfig
from equipoise.training.data import Example, make_examples
from equipoise.training.table import SoftmaxTable, TabularLearner

__all__ = ["everywhere", "imitate", "new_table", "table_learner", "warm_table"]

ROWS = 30_000
"""Information states that a table may have a row for each of."""


def new_table(game: Game, seed: int, abstraction: str | None = None, spread: float = 0.0) -> SoftmaxTable:
    """Return a table for a whole game.

    Args:
        game: The game.
        seed: Seed of the logits.
        abstraction: Name of a state abstraction; None gives every information state a row.
        spread: Standard deviation of the logits; 0 starts uniform.

    Raises:
        RequestError: There is no such abstraction, or the game has too many information states without one.
    """
    stage = game.stage()
    if abstraction is not None:
        return SoftmaxTable.abstract(stage, abstraction_of(stage, abstraction), seed, spread)
    trees = everywhere(stage)
    if trees is None:
        names = abstraction_names(game.name)
        way_out = f"set abstraction = {names[0]!r}" if names else "play fewer rounds"
        raise RequestError(
            f"{game.name} has too many information states for a table of all of them: {way_out}"
        )
    return SoftmaxTable.of(stage, trees, seed, spread)


def everywhere(stage: Game) -> list[Tree] | None:
    """Return the information states there are against anybody, by seat; None where they are too many."""
    seats = (0,) if stage.info_record.symmetric else range(stage.info_record.seats)
    try:
        return [compile_tree(stage, {"random": Uniform()}, seat, ROWS) for seat in seats]
    except TooLargeError:
        return None


def imitate(table: SoftmaxTable, examples: Iterable[Example]) -> None:
    """Set a table to how often teachers chose each column, by Laplace's rule of succession.

    A teacher's action counts for every column that plays it, in equal parts; actions that no column plays
    are left out.
    """
    given = list(examples)
    decisions = [one.decision for one in given]
    counts = np.ones(table.mask.shape)
    rows, places = table.rows(decisions), table.places(decisions)
    for number, (one, row) in enumerate(zip(given, rows.tolist(), strict=True)):
        action = (one.decision.legal or ()).index(one.action)
        columns = np.array([action]) if places is None else np.flatnonzero(places[number] == action)
        counts[row, columns] += 1.0 / max(len(columns), 1)
    table.logits = np.where(table.mask, np.log(counts), -np.inf)


def warm_table(
    game: Game,
    settings: SftConfig,
    abstraction: str | None,
    pools: Pools,
    met: Opponents,
    reporter: Reporter,
) -> TabularLearner:
    """Return a table set to what the teachers did in the training split of their episodes."""
    table = new_table(game, settings.seed, abstraction)
    recipe, episodes, seed, share = settings.recipe, settings.episodes, settings.seed, settings.validation
    examples = make_examples(game, recipe, episodes, seed, share, pools, reporter, met.players)
    imitate(table, [one for one in examples if not one.held_out])
    return TabularLearner(table)


def table_learner(
    game: Game, settings: SepoConfig, start: Path | None, abstraction: str | None
) -> tuple[TabularLearner, str]:
    """Return a table as a learner, from the file of a warm start if there is one, and what it starts from."""
    table = new_table(game, settings.seed, abstraction)
    fingerprint = table.fingerprint
    if start is not None:
        warm = load_table(start, game)
        table.start_from(warm)
        fingerprint = warm.fingerprint
    return TabularLearner(table, settings.max_grad_norm), fingerprint
