"""Looks into a built wheel and source archive: what must be there is, and nothing else.

python scripts/release_contents.py WHEEL SDIST
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
SKIPPED = {"__pycache__"}


def wheel_faults(names: set[str], metadata: str) -> list[str]:
    """Return what is wrong with a wheel.

    Args:
        names: The files in it.
        metadata: The text of its METADATA.
    """
    wanted = {str(path.relative_to(SOURCE)) for path in _files(SOURCE)}
    faults = [f"the wheel lacks {name}" for name in sorted(wanted - names)]
    packages = tuple(f"{path.name}/" for path in SOURCE.iterdir() if path.is_dir())
    foreign = {name for name in names if not name.startswith((*packages, "equipoise-"))}
    faults += [f"the wheel holds {name}" for name in sorted(foreign)]
    fields = Parser().parsestr(metadata)
    faults += [
        f"METADATA has no {key}" for key in ("License-Expression", "Requires-Python") if not fields[key]
    ]
    core = [line for line in fields.get_all("Requires-Dist", []) if "extra ==" not in line]
    return faults + [f"the core requires {line}" for line in core if line.lower().startswith("torch")]


def sdist_faults(names: set[str]) -> list[str]:
    """Return what is wrong with a source archive, whose files are given without its top folder."""
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "constraints.txt"}
    wanted |= {str(path.relative_to(ROOT)) for path in _files(SOURCE)}
    return [f"the source archive lacks {name}" for name in sorted(wanted - names)]


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder that git knows, or may come to know."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in found if path.is_file() and not SKIPPED & set(path.parts)]


def main(wheel: str, sdist: str) -> int:
    """Print what is wrong and return the exit code."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        faults = wheel_faults(names, archive.read(metadata).decode())
    with tarfile.open(sdist) as archive:
        faults += sdist_faults({name.partition("/")[2] for name in archive.getnames()})
    for fault in faults:
        sys.stderr.write(f"error: {fault}\n")
    sys.stdout.write(f"{wheel}: {len(names)} files\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
