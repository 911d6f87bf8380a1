"""Options that several commands share, and what they mean together."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from equipoise.rollout.requests import InvalidRule

__all__ = ["invalid_rule", "model_settings"]

MODELS = "Language models"
INVALID = "Invalid answers"
OUTPUT = "Output"


class Mode(StrEnum):
    """How a language model decides."""

    CHOOSE = "choose"
    THINK = "think"
    FREE = "free"


class History(StrEnum):
    """What the prompts of a language model are made of."""

    STATE = "state"
    CHAT = "chat"


class Dtype(StrEnum):
    """Number format of a model's weights."""

    FLOAT32 = "float32"
    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"


class OnInvalid(StrEnum):
    """What happens when retries are used up."""

    FALLBACK = "fallback"
    FORFEIT = "forfeit"


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="A game (see `equipoise games`), openspiel:NAME or python:FILE.py:NAME."
    ),
]
PolicyOption = Annotated[
    str, typer.Option("--policy", "-p", metavar="POLICY", help="The policy (see `equipoise models`).")
]
OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the game. Repeatable."),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of deals and draws.")]
JsonOption = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write the result as JSON; - writes it, and nothing else, to standard output.",
        rich_help_panel=OUTPUT,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Keep everything in this folder.", rich_help_panel=OUTPUT),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=OUTPUT)]

ModeOption = Annotated[
    Mode | None,
    typer.Option(
        "--mode",
        help="choose scores the legal actions, think does so after a thought, free generates text and reads "
        "its last line.",
        rich_help_panel=MODELS,
    ),
]
TemperatureOption = Annotated[
    float | None, typer.Option("--temperature", min=0.0, help="Sampling temperature.", rich_help_panel=MODELS)
]
TokensOption = Annotated[
    int | None,
    typer.Option(
        "--max-new-tokens",
        min=1,
        help="Budget of an answer in mode free, and of a strategist's text.",
        rich_help_panel=MODELS,
    ),
]
ThoughtOption = Annotated[
    int | None,
    typer.Option(
        "--thought-tokens", min=1, help="Budget of a thought in mode think.", rich_help_panel=MODELS
    ),
]
HistoryOption = Annotated[
    History | None,
    typer.Option(
        "--history",
        help="state builds every prompt anew from what a seat knows, chat goes on with the conversation.",
        rich_help_panel=MODELS,
    ),
]
DtypeOption = Annotated[
    Dtype | None, typer.Option("--dtype", help="Number format of the weights.", rich_help_panel=MODELS)
]
DeviceOption = Annotated[
    str | None,
    typer.Option("--device", metavar="DEVICE", help="A torch device, e.g. cuda.", rich_help_panel=MODELS),
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", min=1, help="CPU threads of torch.", rich_help_panel=MODELS)
]
WordingOption = Annotated[
    str | None,
    typer.Option(
        "--wording",
        metavar="NAME",
        help="How the game is put: plain, formal, casual, listed, record, swapped_labels, swapped_order, "
        "anonymous.",
        rich_help_panel=MODELS,
    ),
]

RetriesOption = Annotated[
    int | None,
    typer.Option(
        "--retries", min=0, help="How often an invalid answer is asked again.", rich_help_panel=INVALID
    ),
]
OnInvalidOption = Annotated[
    OnInvalid | None,
    typer.Option(
        "--on-invalid",
        help="Then play an action drawn uniformly, or forfeit the episode.",
        rich_help_panel=INVALID,
    ),
]


def model_settings(
    mode: Mode | None,
    temperature: float | None,
    max_new_tokens: int | None,
    dtype: Dtype | None,
    device: str | None,
    threads: int | None,
    wording: str | None = None,
    thought_tokens: int | None = None,
    history: History | None = None,
) -> dict[str, Any]:
    """Return the settings of language models that were given; the rest keep the model's defaults."""
    given: dict[str, Any] = {
        "mode": None if mode is None else mode.value,
        "temperature": temperature,
        "max_new_tokens": max_new_tokens,
        "dtype": None if dtype is None else dtype.value,
        "device": device,
        "threads": threads,
        "wording": wording,
        "thought_tokens": thought_tokens,
        "history": None if history is None else history.value,
    }
    return {name: setting for name, setting in given.items() if setting is not None}


def invalid_rule(
    retries: int | None, on_invalid: OnInvalid | None, default: int | None = None
) -> InvalidRule | None:
    """Return what happens to invalid answers, or None for the usual rule.

    Args:
        retries: How often they are asked again.
        on_invalid: What happens then.
        default: Retries if none were given.
    """
    from equipoise.rollout.requests import InvalidRule

    retries = default if retries is None else retries
    if retries is None and on_invalid is None:
        return None
    usual = InvalidRule()
    return InvalidRule(
        usual.retries if retries is None else retries,
        "forfeit" if on_invalid is OnInvalid.FORFEIT else "fallback",
    )
