"""``equipoise games`` and ``equipoise opponents``: what there is to play, and against whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from equipoise.games.rules import GameInfo, Rules

__all__ = ["option_rows", "register"]

EXPLORE = "Explore"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (games, opponents):
        app.command(rich_help_panel=EXPLORE)(command)


def games(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Show this one in detail.")] = None,
    option: o.OptionOption = None,
    json: o.JsonOption = None,
) -> None:
    """List the games and the free-text tasks, or show one in detail."""
    from equipoise.cli.values import options
    from equipoise.errors import RequestError
    from equipoise.games.registry import game_names
    from equipoise.policies.registry import load_game
    from equipoise.tasks.registry import task_names

    output = Output(json)
    changes = options(option)
    if game is not None:
        one = load_game(game, changes)
        output.write({"schema": 1, "games": [{**_row(one.info_record), **_detail(one)}]})
        output.show(*_page(one))
        return
    if changes:
        raise RequestError(f"--option {next(iter(changes))!r}: name the game it belongs to")
    rows, tasks = (
        [_row(load_game(one).info_record) for one in names] for names in (game_names(), task_names())
    )
    output.write({"schema": 1, "games": rows, "tasks": tasks})
    output.show(_table(rows), _table(tasks))


def opponents(game: o.GameArgument, json: o.JsonOption = None) -> None:
    """List the opponents of a game, and their pools.

    Each of them is a policy too: scripted:NAME. Any policy can be an opponent, and they combine.
    """
    from equipoise.opponents.pools import default_pools
    from equipoise.opponents.registry import strategies
    from equipoise.policies.registry import load_game
    from equipoise.policies.specs import COMBINED
    from equipoise.tasks.registry import task_actors, task_names

    output = Output(json)
    name = load_game(game).name
    pools = {pool: names for pool, names in default_pools(name) if names}
    if name in task_names():
        actors = [
            {
                "name": actor,
                "pools": [pool for pool, names in pools.items() if actor in names],
                "what it does": (found.__doc__ or "").partition("\n")[0],
            }
            for actor, found in task_actors(name).items()
        ]
        output.write({"schema": 1, "game": name, "opponents": actors, "combined": COMBINED})
        output.show(_table(actors))
        return
    rows = [
        {
            "name": strategy,
            "pools": [pool for pool, names in pools.items() if strategy in names],
            "memory": found.classifier.memory_depth,
            "stochastic": found.classifier.stochastic,
            "source": found.source,
        }
        for strategy, found in strategies(name).items()
    ]
    output.write({"schema": 1, "game": name, "opponents": rows, "combined": COMBINED})
    shown = [{**row, "memory": "unbounded" if row["memory"] is None else row["memory"]} for row in rows]
    combined = [{"made of others": form, "what it is": meaning} for form, meaning in COMBINED.items()]
    output.show(_table(shown), _table(combined))


def _row(info: GameInfo) -> dict[str, Any]:
    weights = info.weights
    return {
        "id": info.id,
        "version": info.version,
        "title": info.title,
        "rounds": info.rounds,
        "seats": info.seats,
        "dynamics": info.dynamics,
        "zero_sum": info.zero_sum,
        "weights": {"e": weights.e, "c": weights.c, "x": weights.x},
    }


def _detail(game: Rules) -> dict[str, Any]:
    from equipoise.opponents.pools import default_pools

    info = game.info_record
    return {
        "summary": info.summary,
        "information": info.information,
        "payoff_bounds": list(info.payoff_bounds),
        "payoff_scale": info.payoff_scale,
        "collusion": info.collusion,
        "externality": info.externality,
        "diagnostics": list(info.diagnostics),
        "solution": info.solution,
        "options": option_rows(game),
        "pools": {pool: list(names) for pool, names in default_pools(game.name)},
    }


def option_rows(game: Rules) -> list[dict[str, Any]]:
    """Return a game's options: name, type, default, range and what they mean."""
    told = dict(re.findall(r"^ +(\w+): (.+)$", game.Options.__doc__ or "", re.MULTILINE))
    signs = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
    rows = []
    for name, found in game.Options.model_fields.items():
        bounds = (
            f"{sign} {getattr(bound, key):g}"
            for bound in found.metadata
            for key, sign in signs.items()
            if hasattr(bound, key)
        )
        kind = getattr(found.annotation, "__name__", None) or str(found.annotation)
        rows.append(
            {
                "option": name,
                "type": kind if kind != "Literal" else str(found.annotation).removeprefix("typing."),
                "default": found.default,
                "range": ", ".join(bounds),
                "meaning": told.get(name, "").rstrip("."),
            }
        )
    return rows


def _page(game: Rules) -> Iterable[RenderableType]:
    from rich.text import Text

    info, detail = game.info_record, _detail(game)
    yield Text(f"{info.title} ({info.key})", style="bold")
    yield info.summary
    low, high = info.payoff_bounds
    yield f"{info.rounds} rounds, {info.seats} seats, {info.dynamics}, {info.information} information"
    yield f"payoffs a round from {low:g} to {high:g}{', zero-sum' if info.zero_sum else ''}"
    yield f"weights: {_cell(_row(info)['weights'])}; scale s = {info.utility_scale:g}"
    for term in ("collusion", "externality"):
        yield f"{term}: {detail[term] or 'not applicable'}"
    yield f"solution: {info.solution}; diagnostics: {', '.join(info.diagnostics) or 'none'}\n"
    if detail["options"]:
        yield _table(detail["options"])
    yield _table([{"pool": pool, "opponents": names} for pool, names in detail["pools"].items()])


def _table(rows: Sequence[Mapping[str, Any]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for column in rows[0]:
        table.add_column(column.replace("_", "-"), overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} {number:g}" for key, number in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
