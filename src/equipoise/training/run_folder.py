"""The folder of a whole run or of an ablation: it says what made it, and is never shared by both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.files import claim, write_json
from equipoise.training.provenance import provenance

__all__ = ["RECIPE", "open_run"]

RECIPE, PROVENANCE = "recipe.json", "provenance.json"
WAY_OUT = "choose another out=DIR"


def open_run(folder: Path, request: Mapping[str, Any], command: str) -> None:
    """Mark a folder as a run's, or check that it is; ``provenance.json`` says with what it was made.

    Args:
        folder: The folder; made if it does not exist.
        request: The resolved recipe.
        command: What makes it: ``run`` (single stages are parts of that) or ``ablate``.

    Raises:
        RequestError: The folder cannot be written, or holds something else: files of another recipe, or what
            another command made of the same one.
    """
    made = _maker(folder)
    if made not in (None, command):
        raise RequestError(f"{str(folder)!r} was made by `equipoise {made}`: {WAY_OUT}")
    claim(folder, RECIPE, request, WAY_OUT)
    if not (folder / PROVENANCE).exists():
        write_json(folder / PROVENANCE, {"command": command, **provenance()})


def _maker(folder: Path) -> str | None:
    """Return the command that made a folder; None if none did."""
    if not (folder / RECIPE).exists():
        return None
    try:
        made = json.loads((folder / PROVENANCE).read_text(encoding="utf-8")).get("command")
    except (OSError, ValueError, AttributeError):
        made = None
    if isinstance(made, str):
        return made
    # Folders of earlier versions do not say: only ablations have one folder a seed.
    ablation = (folder / "ablation.json").exists() or any(folder.glob("*/seed*"))
    stages = any(folder.glob("*/*/result.json")) or any(folder.glob("*/*/train"))
    return "ablate" if ablation else "run" if stages else None
