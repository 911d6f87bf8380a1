"""Writes playthroughs anew from their own first lines: ``python -m equipoise.testing.golden FILE ...``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import RequestError
from equipoise.files import write_text
from equipoise.testing.playthroughs import replay

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Write playthroughs anew and return the exit code.

    Args:
        arguments: The files.
    """
    for name in arguments:
        path = Path(name)
        try:
            write_text(path, replay(path.read_text(encoding="utf-8")))
        except (OSError, RequestError) as error:
            sys.stderr.write(f"error: {name}: {error}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
