"""The games and free-text tasks as tasks of Inspect, ``equipoise/ipd`` and so on.

Each sample is one episode: a deal, an opponent and a seat. Deals, opponents' draws and metrics are those of
an audit with the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from equipoise.adapters.inspect.playing import play
from equipoise.adapters.inspect.scoring import audit, episode
from equipoise.adapters.table import Place, Table, set_table
from equipoise.files import folder_name
from equipoise.games.registry import game_names
from equipoise.prompts.base import PLAIN
from equipoise.tasks.registry import task_names

__all__ = ["TASKS", "game_task"]


def game_task(
    game: str,
    deals: int = 10,
    seed: int = 0,
    retries: int = 1,
    on_invalid: Literal["fallback", "forfeit"] = "fallback",
    wording: str = PLAIN,
    options: dict[str, Any] | None = None,
    pools: dict[str, list[str]] | None = None,
    weights: dict[str, float] | None = None,
    level: float = 0.95,
) -> Task:
    """Return a game as a task.

    Args:
        game: A game, ``openspiel:NAME`` and ``python:FILE.py:NAME`` among them, or a free-text task.
        deals: Deals per opponent, each played from every seat.
        seed: Seed of the deals and of all draws.
        retries: How often a model is asked again after an invalid answer.
        on_invalid: What happens then: ``fallback`` draws a legal action, ``forfeit`` ends the episode.
        wording: How the game is put.
        options: Options of the game.
        pools: Opponents by pool, replacing the game's own.
        weights: Penalty weights ``e``, ``c``, ``x``, replacing the game's own.
        level: Confidence level of the intervals.

    Raises:
        RequestError: Something asked for does not exist or is out of range.
    """
    table = set_table(game, options=options, pools=pools, weights=weights, seed=seed)
    info = table.game.info_record
    samples = [_sample(table, place) for place in table.places(deals)]
    return Task(
        dataset=MemoryDataset(samples, name=info.key),
        solver=play(game, seed, retries, on_invalid, wording, options, pools),
        scorer=episode(game, options),
        metrics=[audit(game, options, pools, weights, level)],
        version=info.version,
        metadata={"game": info.key, "pools": {pool: list(names) for pool, names in table.objective.pools}},
    )


def _sample(table: Table, place: Place) -> Sample:
    name = f"{place.pool}-{place.opponent}-deal{place.deal}-seat{place.seat}"
    said = f"seat {place.seat} against {place.opponent} ({place.pool} pool)"
    return Sample(
        input=f"{table.game.info_record.key}, deal {place.deal}: {said}",
        id=folder_name(name),
        metadata=place._asdict(),
    )


def _named(game: str) -> Callable[..., Task]:
    def build(
        deals: int = 10,
        seed: int = 0,
        retries: int = 1,
        on_invalid: Literal["fallback", "forfeit"] = "fallback",
        wording: str = PLAIN,
        options: dict[str, Any] | None = None,
        pools: dict[str, list[str]] | None = None,
        weights: dict[str, float] | None = None,
        level: float = 0.95,
    ) -> Task:
        return game_task(game, deals, seed, retries, on_invalid, wording, options, pools, weights, level)

    build.__name__ = build.__qualname__ = game
    build.__doc__ = f"Return {game} as a task (see ``game_task``)."
    found: Callable[..., Task] = task(name=game)(build)
    return found


TASKS = {name: _named(name) for name in (*game_names(), *task_names())}
"""The tasks by name; ``equipoise/game`` takes the name of any game."""

game = task(name="game")(game_task)
