"""How endpoints, servers and programs are asked, and what asking them may cost."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from equipoise.errors import RequestError, unknown

__all__ = ["EndpointSettings", "Price", "price_of", "read_settings"]

MILLION = 1_000_000


class EndpointSettings(BaseModel):
    """Settings of ``openai:``, ``http:`` and ``command:`` policies.

    Attributes:
        api_key_env: Name of the environment variable that holds the key; None takes ``OPENAI_API_KEY`` for
            ``openai:`` and sends none to ``http:``. The key itself is no setting: settings are stored.
        concurrency: Largest number of open requests, or processes of a program; None takes 16, or 1 process.
        timeout: Seconds an answer may take.
        tries: How often a request is made before it counts as failed.
        retry_wait: Seconds before the second try; doubled for each further one, with jitter.
        max_cost: Most that all answers together may cost, in the currency of the prices.
        max_tokens_total: Most tokens, prompts and answers together.
        prices: TOML file with ``input`` and ``output`` a million tokens under each model's name.
        top_logprobs: How many alternatives a token to ask for; 0 asks for none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    api_key_env: str | None = Field(None, min_length=1)
    concurrency: int | None = Field(None, ge=1)
    timeout: float = Field(60.0, gt=0.0)
    tries: int = Field(6, ge=1)
    retry_wait: float = Field(1.0, ge=0.0)
    max_cost: float | None = Field(None, gt=0.0)
    max_tokens_total: int | None = Field(None, ge=1)
    prices: Path | None = None
    top_logprobs: int = Field(0, ge=0, le=20)


class Price(NamedTuple):
    """What a token costs.

    Attributes:
        input: A token of a prompt.
        output: A token of an answer.
    """

    input: float
    output: float


def read_settings(given: Mapping[str, Any]) -> EndpointSettings:
    """Return checked settings.

    Raises:
        RequestError: A name is unknown, a value out of range, or a cap on costs has no prices.
    """
    for name in given:
        if name not in EndpointSettings.model_fields:
            raise unknown("endpoint setting", name, EndpointSettings.model_fields)
    try:
        found = EndpointSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise RequestError(f"endpoint.{first['loc'][0]} = {first['input']!r}: {first['msg']}") from None
    if found.max_cost is not None and found.prices is None:
        raise RequestError(
            f"max_cost = {found.max_cost:g} needs prices: name a TOML file of them with --prices"
        )
    return found


def price_of(model: str, path: Path) -> Price:
    """Return what a model's tokens cost, from a table of prices a million tokens.

    Raises:
        RequestError: The file cannot be read, lacks the model, or a price is no number from 0.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"cannot read prices {str(path)!r}: {error.strerror}") from None
    except ValueError as error:
        raise RequestError(f"prices {str(path)!r} are no TOML: {error}") from None
    if model not in table:
        raise unknown(f"model in prices {str(path)!r}", model, table or {"(none)": None})
    row = table[model]
    numbers = [row.get(name) if isinstance(row, dict) else None for name in Price._fields]
    for name, number in zip(Price._fields, numbers, strict=True):
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < float("inf"):
            raise RequestError(
                f"prices {str(path)!r}: {name} of {model!r} is {number!r}, give a number from 0 on"
            )
    return Price(*(float(number) / MILLION for number in numbers if number is not None))
