"""Inspect itself: looked for when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from equipoise.errors import RequestError

__all__ = ["library"]


def library(module: str = "") -> Any:
    """Return Inspect, or one of its modules.

    Raises:
        RequestError: It is not installed.
    """
    try:
        return import_module(f"inspect_ai{module and '.'}{module}")
    except ImportError:
        raise RequestError("this needs the package inspect-ai: pip install 'equipoise[inspect]'") from None
