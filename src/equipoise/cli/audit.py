"""``equipoise audit``: judges a policy by what it earns and what it does to others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import audit_options as a
from equipoise.cli import endpoint_options as e
from equipoise.cli import options as o
from equipoise.cli.cross import cross as play_cross
from equipoise.cli.screen import Output, check_folder
from equipoise.cli.values import names, numbers, options
from equipoise.errors import RequestError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from equipoise.auditing.result import AuditResult

__all__ = ["register"]

JUDGE = "Judge"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel=JUDGE)(audit)


def audit(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME",
            help="Games, openspiel:NAME and python:FILE.py:NAME among them, or all; with --cross one game, "
            "then policies.",
        ),
    ],
    policy: Annotated[
        str | None,
        typer.Option("--policy", "-p", metavar="POLICY", help="The policy (see `equipoise models`)."),
    ] = None,
    cross: a.CrossOption = False,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", "-b", metavar="POLICY", help="Compare with this policy on the same deals."
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes",
            "-n",
            help="Deals per opponent, each from both seats; by default 100, or 40 for language models.",
        ),
    ] = None,
    seed: o.SeedOption = 0,
    exact: Annotated[
        bool | None,
        typer.Option("--exact/--sample", help="Compute, or play episodes; as is by default, what is cheap."),
    ] = None,
    level: a.LevelOption = 0.95,
    interval: a.IntervalOption = "t",
    control_variates: a.VariatesOption = False,
    budget: a.BudgetOption = None,
    evaluator: a.EvaluatorOption = None,
    option: o.OptionOption = None,
    pool: a.PoolOption = None,
    weight: a.WeightOption = None,
    panel: a.PanelOption = False,
    wording: o.WordingOption = None,
    mode: o.ModeOption = None,
    temperature: o.TemperatureOption = None,
    max_new_tokens: o.TokensOption = None,
    thought_tokens: o.ThoughtOption = None,
    history: o.HistoryOption = None,
    dtype: o.DtypeOption = None,
    device: o.DeviceOption = None,
    threads: o.ThreadsOption = None,
    api_key_env: e.KeyOption = None,
    concurrency: e.ConcurrencyOption = None,
    timeout: e.TimeoutOption = None,
    tries: e.TriesOption = None,
    max_cost: e.CostOption = None,
    max_tokens_total: e.TotalOption = None,
    prices: e.PricesOption = None,
    top_logprobs: e.LogprobsOption = None,
    retries: o.RetriesOption = None,
    on_invalid: o.OnInvalidOption = None,
    opponents: a.OpponentsOption = False,
    json: o.JsonOption = None,
    out: o.OutOption = None,
    quiet: o.QuietOption = False,
) -> None:
    """Judge a policy: what it earns, and what it does to others.

    For example: equipoise audit ipd --policy scripted:tit_for_tat
    """
    output = Output(json)
    check_folder(out)
    settings: dict[str, Any] = {
        "episodes": episodes,
        "seed": seed,
        "exact": exact,
        "level": level,
        "options": options(option),
        "rule": o.invalid_rule(retries, on_invalid),
        "out": out,
        # Without a terminal standard error is kept for what goes wrong.
        "quiet": quiet or not sys.stderr.isatty(),
        **o.model_settings(
            mode, temperature, max_new_tokens, dtype, device, threads, wording, thought_tokens, history
        ),
        "endpoint": e.endpoint_settings(
            api_key_env, concurrency, timeout, tries, max_cost, max_tokens_total, prices, top_logprobs
        ),
    }
    if cross:
        own = {"--policy": policy, "--baseline": baseline, "--pool": pool, "--weight": weight}
        more = {"--opponents": opponents, "--panel": panel, "--budget": budget}
        more["--evaluator"] = evaluator
        play_cross(
            games,
            {**own, **more, "--control-variates": control_variates, "--interval": interval != "t"},
            output,
            **settings,
        )
        return
    chosen = _games(games)
    if policy is None:
        raise RequestError(
            "--policy is missing: name the policy to judge, or --cross and several "
            "(see `equipoise audit --help`)"
        )
    pools, weights = names(pool), numbers(weight)
    with output.work(resumable=out is not None):
        from equipoise import api

        result = api.audit(
            chosen,
            policy,
            baseline=baseline,
            interval=interval,
            control_variates=control_variates,
            budget=budget,
            evaluator=evaluator,
            pools=pools,
            weights=weights,
            panel=panel,
            **settings,
        )
    output.write(result.to_json())
    output.show(*_tables(result, opponents))


def _games(given: list[str]) -> str | list[str]:
    """Return the games without repetitions, or ``all``."""
    if "all" in given:
        if len(given) > 1:
            raise RequestError("'all' stands for every game: name no other beside it")
        return "all"
    for name in given:
        if ":" not in name.partition("=")[0] and "=" in name:
            raise RequestError(
                f"{name!r} is no game: repeat --option, --pool or --weight for each of its values"
            )
    return list(dict.fromkeys(given))


def _tables(result: AuditResult, opponents: bool) -> list[RenderableType]:
    from equipoise.auditing.tables import (
        difference_table,
        metric_table,
        opponent_table,
        power_notes,
        reading_table,
    )
    from equipoise.auditing.wording_table import wording_table

    found: list[RenderableType] = []
    for game in dict.fromkeys(one.game for one in result.results):
        rows = [one for one in result.results if one.game == game]
        spreads = [one for one in result.spreads if one.game == game]
        read = None if spreads else reading_table(rows)
        found += [wording_table(rows, spreads)] if spreads else [metric_table(rows), *power_notes(rows)]
        found += [] if read is None else [read]
        if opponents:
            found += [opponent_table(one) for one in rows]
    if result.differences:
        found.append(difference_table(result.differences))
    return found
