"""Options of endpoints, servers and programs, and what they mean together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["endpoint_settings"]

ENDPOINTS = "Endpoints and programs"

KeyOption = Annotated[
    str | None,
    typer.Option(
        "--api-key-env",
        metavar="NAME",
        help="Environment variable that holds the key (openai: uses OPENAI_API_KEY).",
        rich_help_panel=ENDPOINTS,
    ),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        min=1,
        help="Most open requests, 16 by default; for command: processes, 1 by default.",
        rich_help_panel=ENDPOINTS,
    ),
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds an answer may take.", rich_help_panel=ENDPOINTS),
]
TriesOption = Annotated[
    int | None,
    typer.Option(
        "--tries", min=1, help="How often a request is made before it fails.", rich_help_panel=ENDPOINTS
    ),
]
CostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost", help="Stop when all answers have cost this; needs --prices.", rich_help_panel=ENDPOINTS
    ),
]
TotalOption = Annotated[
    int | None,
    typer.Option(
        "--max-tokens-total",
        min=1,
        help="Stop when prompts and answers took so many tokens.",
        rich_help_panel=ENDPOINTS,
    ),
]
PricesOption = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        help="TOML: input and output a million tokens under each model's name.",
        rich_help_panel=ENDPOINTS,
    ),
]
LogprobsOption = Annotated[
    int | None,
    typer.Option(
        "--top-logprobs",
        min=0,
        max=20,
        help="Ask for so many alternatives a token, for partial probabilities of actions.",
        rich_help_panel=ENDPOINTS,
    ),
]


def endpoint_settings(
    api_key_env: str | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    tries: int | None = None,
    max_cost: float | None = None,
    max_tokens_total: int | None = None,
    prices: Path | None = None,
    top_logprobs: int | None = None,
) -> dict[str, Any]:
    """Return the settings of endpoints that were given; the rest keep their defaults."""
    given = {
        "api_key_env": api_key_env,
        "concurrency": concurrency,
        "timeout": timeout,
        "tries": tries,
        "max_cost": max_cost,
        "max_tokens_total": max_tokens_total,
        "prices": prices,
        "top_logprobs": top_logprobs,
    }
    return {name: setting for name, setting in given.items() if setting is not None}
