"""``equipoise check``: whether a game, policy or opponent holds what the package relies on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import options as o
from equipoise.cli.screen import Output
from equipoise.cli.text import printable
from equipoise.cli.values import options
from equipoise.errors import RequestError

if TYPE_CHECKING:
    from equipoise.games.base import Game
    from equipoise.testing.findings import Report

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Judge")(check)


def check(
    game: o.GameArgument,
    policy: Annotated[
        str | None,
        typer.Option("--policy", "-p", metavar="POLICY", help="Check this policy instead of the game."),
    ] = None,
    opponent: Annotated[
        str | None,
        typer.Option("--opponent", metavar="NAME", help="Check this strategy instead of the game."),
    ] = None,
    option: o.OptionOption = None,
    walks: Annotated[
        int | None, typer.Option("--walks", min=1, help="Random episodes to look at. Default: 30, 20 or 8.")
    ] = None,
    seed: o.SeedOption = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.001, help="Seconds for an answer of an asynchronous policy.")
    ] = 60.0,
    playthrough: Annotated[
        bool, typer.Option("--playthrough", help="Print one episode in full instead, to be kept as golden.")
    ] = False,
    json: o.JsonOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Check a game, a policy or an opponent, one line a rule; exit with 1 if a rule is broken.

    For example: equipoise check python:mine.py:MyGame
    """
    from equipoise.games.base import finite_game
    from equipoise.policies.registry import load_game

    rules = finite_game(load_game(game, options(option)))
    if playthrough:
        if policy is not None or opponent is not None:
            raise RequestError("--playthrough is of a game: leave out --policy and --opponent")
        _print_playthrough(rules, seed)
        return
    output = Output(json)
    with output.work():
        # Without a terminal standard error is kept for what goes wrong.
        calm = quiet or not sys.stderr.isatty()
        reports = _reports(rules, policy, opponent, walks, seed, timeout, calm)
    output.write({"schema": 1, "checks": [_row(report) for report in reports]})
    for report in reports:
        output.show(*(printable(line) for line in str(report).splitlines()))
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


def _reports(
    game: Game,
    policy: str | None,
    opponent: str | None,
    walks: int | None,
    seed: int,
    timeout: float,
    quiet: bool,
) -> list[Report]:
    from equipoise.progress import Reporter
    from equipoise.testing import examine_game, examine_opponent, examine_policy
    from equipoise.testing.opponent.load import load_strategy

    shared: dict[str, Any] = {"seed": seed, "reporter": Reporter(quiet)}
    if walks is not None:
        shared["walks"] = walks
    reports = []
    if policy == "human":
        raise RequestError("--policy human: a person is nothing to check, choose another policy")
    if policy is not None:
        reports.append(examine_policy(policy, game, timeout=timeout, **shared))
    if opponent is not None:
        reports.append(examine_opponent(load_strategy(opponent, game), game, **shared))
    return reports or [examine_game(game, **shared)]


def _print_playthrough(game: Game, seed: int) -> None:
    from equipoise.testing import playthrough

    sys.stdout.write(printable(playthrough(game, seed)))


def _row(report: Report) -> dict[str, Any]:
    rows = [{"rule": one.rule, "status": one.status.value, "detail": one.detail} for one in report.findings]
    return {"subject": report.subject, "ok": report.ok, "rules": rows}
