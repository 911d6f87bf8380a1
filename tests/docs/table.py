"""Which documented commands are not run here as they stand, and why.

Everything that no row of ``EXCEPTIONS`` names is run, in a smaller size (``smaller.py``). A row that names no
command of any page is an error, so that the table stays true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Check(Enum):
    """What is checked of a command that is not run."""

    PARSED = "the options exist and take such values, and the recipe with its changes is valid"
    SCRIPT = "the script is there, can be started, and is a valid shell script"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Exempt:
    """A kind of command that is not run.

    Attributes:
        pattern: A regular expression for the beginning of the command.
        reason: Why it is not run.
        check: What is checked instead.
    """

    pattern: str
    reason: str
    check: Check = Check.PARSED


EXCEPTIONS = (
    Exempt(r"(python -m )?pip install|pip download", "changes the environment", Check.NOTHING),
    Exempt(r"scripts/", "makes an environment, or takes minutes", Check.SCRIPT),
    Exempt(r"(equipoise|python -m equipoise) (run|train|sft) RECIPE", "RECIPE stands for any recipe"),
    Exempt(r"accelerate launch|torchrun", "starts several processes; tests/training/trl does so"),
    Exempt(
        r"equipoise run (quickstart|paper-games|table|epo-quickstart)\b",
        "takes minutes; tests/integration runs the same road with a tiny model",
    ),
    Exempt(r"equipoise run (epo-smoke|smoke-think)", "takes seconds; the slow tests run it as it stands"),
    Exempt(r"equipoise solve multi_issue", "takes a minute; tests/training/test_table.py values such tables"),
    Exempt(r"equipoise (run|train) (gemma4|qwen3)[\w.-]*", "needs a GPU and weights that are not here"),
    Exempt(r"equipoise ablate", "takes minutes; tests/training/ablations runs small ones"),
    Exempt(r"equipoise report (runs|audits/mine)", "needs a run; tests/report makes them"),
    Exempt(
        r"equipoise (audit|play|games) pettingzoo:", "needs the extra pettingzoo; tests/adapters plays them"
    ),
    Exempt(r"\.venv-textarena/", "needs an environment of its own", Check.NOTHING),
    Exempt(r"inspect (eval|view) ", "needs inspect-ai; tests/adapters/inspect runs both", Check.NOTHING),
    Exempt(
        r"(python -m equipoise\.adapters\.openenv|openenv validate) ",
        "needs the extra openenv; tests/adapters/openenv serves and validates",
        Check.NOTHING,
    ),
    Exempt(r"equipoise export", "needs a trained run; tests/training/export makes one"),
)

COMPILED = {
    "from equipoise.adapters.pettingzoo import": "needs the extra pettingzoo; tests/adapters uses each",
    "from equipoise.adapters.verifiers.": "needs the extra verifiers; tests/adapters/verifiers uses each",
    "from equipoise.adapters.openenv.": "needs the extra openenv; tests/adapters/openenv plays over the wire",
    "as_openspiel_policy(game": "goes on from a session; tests/adapters/openspiel uses each function",
    "trainer = GRPOTrainer(": "loads a model of 600 million weights; tests/adapters trains a tiny one",
}
"""Snippets that are compiled and not run, by words in them, with the reason."""

AS_WRITTEN = (
    "equipoise audit kuhn --policy smollm2",
    "equipoise audit ipd --policy scripted:tit_for_tat",
    "equipoise run epo-smoke",
    "equipoise run smoke-think",
)
"""Beginnings of commands that the slow tests run as they stand, the embedded model included."""


def exempt(command: str) -> Exempt | None:
    """Return the row that names a command, if one does."""
    return next((row for row in EXCEPTIONS if re.match(row.pattern, command)), None)
