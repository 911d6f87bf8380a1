"""From ``textarena:NAME`` or ``textarena:NAME(key=value, ...)`` to a task, with parameters as options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import create_model

from equipoise.adapters.openspiel.names import all_options, parse_name
from equipoise.adapters.textarena.library import open_env, parameters_of
from equipoise.adapters.textarena.task import TextArenaOptions, TextArenaTask
from equipoise.tasks.registry import Parts, register_task

__all__ = ["make"]

_HERE = "equipoise.adapters.textarena"


def make(name: str, options: Mapping[str, Any]) -> TextArenaTask:
    """Return an environment of TextArena as a task, and make its players known.

    Args:
        name: ``NAME`` or ``NAME(key=value, ...)``.
        options: More options: the environment's parameters and those of ``TextArenaOptions``.

    Raises:
        RequestError: TextArena is missing, there is no such environment or option, an option is given twice,
            or the environment is not for two players.
    """
    short, written = parse_name(name, "textarena", r"[\w-]+")
    made = _class_of(short).create(**all_options(name, "textarena", written, options))
    assert isinstance(made, TextArenaTask)
    made.start(0, lambda round_, purpose: 0.0)
    return made


@cache
def _class_of(short: str) -> type[TextArenaTask]:
    own: dict[str, Any] = dict(sorted(parameters_of(short).items()))
    parameters = create_model("Parameters", __base__=TextArenaOptions, **own)

    class Loaded(TextArenaTask):
        """An environment of TextArena with its parameters as options."""

        Options = parameters
        name = f"textarena:{short}"

        def open(self) -> Any:
            """Return a new environment."""
            return open_env(short, {key: getattr(self.options, key) for key in own})

    register_task(
        Loaded.name,
        Parts(
            task=f"{_HERE}.loading:make",
            actors=f"{_HERE}.actors:ACTORS",
            pools=f"{_HERE}.actors:POOLS",
            renderer=f"{_HERE}.prompts:TextArenaPrompts",
        ),
    )
    return Loaded
