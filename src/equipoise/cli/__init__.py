"""The command line: thin commands over the functions that Python has too.

One file a group of commands; ``app`` puts them together, ``failures`` turns what goes wrong into one line
and an exit code. Nothing here loads NumPy or torch before a command needs it.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 the work failed, 2 the request was wrong.

    Args:
        arguments: What follows the program's name; None takes it from the process.
    """
    # Libraries of models report on standard error what users of this command cannot act on.
    if not sys.warnoptions:
        warnings.simplefilter("ignore", FutureWarning)
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a letter shows its code; it does not end the work.
            stream.reconfigure(errors="backslashreplace")
    from equipoise.cli.app import app

    given = list(sys.argv[1:] if arguments is None else arguments)
    code: int = app(args=given, prog_name="equipoise", standalone_mode=False)
    return code
