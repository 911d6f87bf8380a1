"""Equipoise trains and audits agents that play against others.

They should win without exploiting, colluding or passing their costs on. The functions below are all that a
notebook needs; importing this package loads no torch.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

__version__ = version("equipoise")

__all__ = ["__version__", "audit", "cross", "load_policy", "play", "solve", "train"]

_API = frozenset(__all__) - {"__version__"}


def __getattr__(name: str) -> Any:
    # Imported on first use: the command line answers --version without loading NumPy and SciPy.
    if name in _API:
        from equipoise import api

        return getattr(api, name)
    raise AttributeError(f"module 'equipoise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
