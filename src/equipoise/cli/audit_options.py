"""Options of ``equipoise audit`` alone."""

from __future__ import annotations

from typing import Annotated

import typer

from equipoise.cli.options import MODELS, OUTPUT

CrossOption = Annotated[
    bool,
    typer.Option("--cross", help="Let the policies named after the game play each other instead."),
]
IntervalOption = Annotated[
    str, typer.Option("--interval", metavar="KIND", help="t, or bootstrap (bootstrap-t), by deal.")
]
VariatesOption = Annotated[
    bool, typer.Option("--control-variates", help="Take the luck of known draws out of samples.")
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="QUERIES|TIME",
        help="Ask a sampled policy this much for certified best_response and security: 5000, 90s, 10m.",
    ),
]
EvaluatorOption = Annotated[
    str | None,
    typer.Option(
        "--evaluator",
        metavar="MODEL",
        help="Have a language model rate the seven dimensions of dialogues (social), beside the rules.",
    ),
]
PoolOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pool",
        metavar="NAME=A,B",
        help="Replace a pool: train, exploiter, collusive or shift. Repeatable.",
    ),
]
WeightOption = Annotated[
    list[str] | None,
    typer.Option("--weight", "-w", metavar="e=1.5", help="Replace a penalty weight: e, c or x. Repeatable."),
]
PanelOption = Annotated[
    bool,
    typer.Option(
        "--panel",
        help="Audit in every wording of the game, and show how far the numbers lie apart.",
        rich_help_panel=MODELS,
    ),
]
OpponentsOption = Annotated[
    bool,
    typer.Option("--opponents", help="Show the payoffs against every opponent too.", rich_help_panel=OUTPUT),
]
LevelOption = Annotated[float, typer.Option("--level", help="Confidence level of the intervals.")]
