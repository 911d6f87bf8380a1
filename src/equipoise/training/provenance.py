"""What a result was made with: package versions, machine, git state."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["provenance"]

_PACKAGES = (
    "equipoise",
    "numpy",
    "scipy",
    "pydantic",
    "torch",
    "transformers",
    "peft",
    "tokenizers",
    "safetensors",
)


def provenance() -> dict[str, Any]:
    """Return versions and git state, without paths, names or secrets of the machine."""
    return {
        "packages": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.machine()}",
        "git": _git(),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git() -> dict[str, Any] | None:
    """Return commit and whether the tree is clean, of the folder the command runs in; None outside git."""
    try:
        commit = _run("rev-parse", "HEAD")
        return {"commit": commit, "clean": not _run("status", "--porcelain")}
    except (OSError, subprocess.SubprocessError):
        return None


def _run(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], capture_output=True, text=True, timeout=10, check=True, stdin=subprocess.DEVNULL
    )
    return done.stdout.strip()
