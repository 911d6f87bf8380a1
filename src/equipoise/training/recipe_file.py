"""Recipes as files: TOML by name or path, overrides from the command line, errors that name the way out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from equipoise.errors import RequestError, nearest, unknown

__all__ = ["parse_value", "recipe_data", "recipe_names", "validated"]

M = TypeVar("M", bound=BaseModel)


def recipe_names() -> list[str]:
    """Return the recipes that ship with the package."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in files("equipoise.recipes").iterdir()
        if entry.name.endswith(".toml")
    )


def recipe_data(name: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a recipe says, by name or path, with ``key=value`` overrides (dotted keys reach inside).

    Raises:
        RequestError: There is no such recipe, it is no TOML, or an override is none.
    """
    data = _read(name)
    for override in overrides:
        key, sign, value = override.partition("=")
        if not sign or not key.strip():
            raise RequestError(f"{override!r} is no override: write key=value, e.g. seed=1")
        _set(data, key.strip().split("."), parse_value(value), override)
    return data


def validated(model: type[M], data: Mapping[str, Any], name: str) -> M:
    """Return the settings that a recipe's data stand for.

    Raises:
        RequestError: A key or value is wrong; the message names the nearest right key.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise RequestError(f"recipe {name!r}: {_explain(error, model)}") from None


def parse_value(text: str) -> Any:
    """Read a value as TOML writes it; anything else is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _read(name: str) -> dict[str, Any]:
    path = Path(name)
    if path.suffix == ".toml" or path.is_file():
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise RequestError(f"cannot read recipe {name!r}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise RequestError(f"recipe {name!r} is no UTF-8 text") from None
    else:
        if name not in recipe_names():
            raise unknown("recipe", name, recipe_names())
        text = files("equipoise.recipes").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"recipe {name!r} is no TOML: {error}") from None


def _set(data: dict[str, Any], keys: list[str], value: Any, override: str) -> None:
    for key in keys[:-1]:
        inner = data.setdefault(key, {})
        if not isinstance(inner, dict):
            raise RequestError(f"{override!r}: {key!r} is a value, it has no keys")
        data = inner
    data[keys[-1]] = value


def _explain(error: ValidationError, model: type[BaseModel]) -> str:
    """Turn the first error into one line that names the value and the way out."""
    first = error.errors()[0]
    where = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = _fields(model, where[:-1])
        guess = nearest(where[-1], known)
        hint = f"did you mean {guess!r}?" if guess else f"keys are {', '.join(known)}"
        return f"unknown key {'.'.join(where)!r}: {hint}"
    if first["type"] == "missing":
        return f"key {'.'.join(where)!r} is missing"
    if not where:
        # Of the recipe as a whole: the message names the keys itself.
        return first["msg"].removeprefix("Value error, ")
    if isinstance(first["input"], dict) and first["type"] == "value_error":
        # Of a table as a whole: the message names the key inside it.
        return f"{'.'.join(where)}: {first['msg'].removeprefix('Value error, ')}"
    reason = first["msg"].removeprefix("Value error, ").lower()
    if first["type"] == "literal_error" and isinstance(first["input"], str):
        guess = nearest(first["input"], re.findall("'([^']*)'", first["ctx"]["expected"]))
        reason += "" if guess is None else f"; did you mean {guess!r}?"
    return f"{'.'.join(where)} = {first['input']!r}: {reason}"


def _fields(model: type[BaseModel], where: Sequence[str]) -> list[str]:
    """Return the keys that are known at a place inside the recipe."""
    current: Any = model
    for key in where:
        # Keys of a mapping (a game's or a run's name) lead to the settings they hold, not to a field.
        fields = getattr(current, "model_fields", {})
        if key in fields:
            current = _model_in(fields[key].annotation)
    return list(current.model_fields) if isinstance(current, type) and issubclass(current, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    """Return the settings class inside an annotation such as ``dict[str, X]`` or ``X | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = [_model_in(part) for part in get_args(annotation)]
    return next((part for part in inner if part is not None), None)
