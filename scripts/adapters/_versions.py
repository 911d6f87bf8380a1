"""Prints what an extra of equipoise brought into this environment: its packages, how many, how large."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import distributions, requires, version

from packaging.requirements import Requirement


def main(extra: str) -> None:
    """Print the versions of an extra's own packages, and the count and size of all packages."""
    wanted = [Requirement(line) for line in requires("equipoise") or ()]
    own = [one.name for one in wanted if one.marker and one.marker.evaluate({"extra": extra})]
    found = {one.name: one for one in distributions()}
    files = [file.locate() for one in found.values() for file in one.files or ()]
    megabytes = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
    torch = found["torch"].version if "torch" in found else "none"
    brought = ", ".join(f"{name} {version(name)}" for name in own)
    sys.stdout.write(
        f"Python {platform.python_version()}, {brought}; {len(found)} packages, {megabytes:.0f} MB; "
        f"torch: {torch}\n"
    )


if __name__ == "__main__":
    main(sys.argv[1])
