"""Equipoise trains and audits agents that play against others.

They should win without exploiting, colluding or passing their costs on. The functions below are all that a
notebook needs; importing this package loads no torch.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from equipoise.games.families import Family, register_family

__version__ = version("equipoise")

__all__ = [
    "__version__",
    "audit",
    "compare",
    "cross",
    "load_policy",
    "play",
    "solve",
    "study_credit",
    "train",
]

_API = frozenset(__all__) - {"__version__"}

register_family(
    "openspiel",
    Family(
        make="equipoise.adapters.openspiel.loading:make",
        renderer="equipoise.adapters.openspiel.prompts:OpenSpielPrompts",
    ),
)
register_family(
    "pettingzoo",
    Family(
        make="equipoise.adapters.pettingzoo.loading:make",
        renderer="equipoise.adapters.pettingzoo.prompts:PettingZooPrompts",
    ),
)
register_family(
    "textarena",
    Family(
        make="equipoise.adapters.textarena.loading:make",
        renderer="equipoise.adapters.textarena.prompts:TextArenaPrompts",
    ),
)


def __getattr__(name: str) -> Any:
    # Imported on first use: the command line answers --version without loading NumPy and SciPy.
    if name in _API:
        from equipoise import api

        return getattr(api, name)
    raise AttributeError(f"module 'equipoise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
