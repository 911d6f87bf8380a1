"""Writes the reference pages: ``python -m equipoise.testing.reference FOLDER [GAME ... | status | all]``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import RequestError
from equipoise.progress import Reporter
from equipoise.testing.reference.pages import write_pages
from equipoise.testing.reference.values import SLOW

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Write the pages and return the exit code.

    Args:
        arguments: The folder, then games whose slow numbers are computed anew, ``status`` or ``all``.
    """
    if not arguments:
        sys.stderr.write("error: name the folder of the pages, e.g. docs/reference\n")
        return 2
    folder, *games = arguments
    try:
        write_pages(Path(folder), SLOW if games == ["all"] else games, Reporter())
    except RequestError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
