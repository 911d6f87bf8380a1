"""Imports point inward only, and importing the package is cheap."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import equipoise

ROOT = Path(equipoise.__file__).parent
RINGS = (
    {"types", "errors", "files", "games", "tasks", "opponents", "objective"},
    {"rollout", "policies", "prompts", "progress", "judges"},
    {"auditing"},
    {"training"},
    {"api", "cli", "report", "adapters", "recipes", "testing", "__init__", "__main__"},
)
"""The rings of the design, innermost first: core, play, audit, train, top."""

RING = {room: number for number, rooms in enumerate(RINGS) for room in rooms}
FILES = sorted(ROOT.rglob("*.py"))


def room(path: Path) -> str:
    """Return the top-level part of the package that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes, also inside functions, without what only type checkers see."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and is_type_checking(child.test):
            for statement in child.orelse:
                yield statement
                yield from nodes(statement)
            continue
        yield child
        yield from nodes(child)


def absolute(node: ast.ImportFrom, path: Path) -> str:
    """Return the dotted name that an import is from, with relative ones resolved."""
    if not node.level:
        return node.module or ""
    package = ("equipoise", *path.relative_to(ROOT).parent.parts)
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def imported(source: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, room) for every import of the package's own modules."""
    for node in nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = absolute(node, path)
            # `from equipoise import games` names a room, `from equipoise import audit_it` the front door.
            names = [f"{origin}.{alias.name}" for alias in node.names] if origin == "equipoise" else [origin]
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func).rpartition(".")[2]:
            names = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "equipoise":
                part = rest.partition(".")[0]
                yield node.lineno, part if part in RING else "__init__"


def outward(source: str, path: Path) -> list[str]:
    """Return the imports of a file that point outward."""
    own = RING[room(path)]
    return [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for line, target in imported(source, path)
        if RING[target] > own
    ]


def test_every_part_of_the_package_stands_in_a_ring() -> None:
    assert {room(path) for path in FILES} <= set(RING)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_inward(path: Path) -> None:
    assert outward(path.read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import equipoise.auditing", 1),
        ("from equipoise.training.sft import fit", 1),
        ("from equipoise import train", 1),
        ("from equipoise import audit_it", 1),
        ("def f():\n    from equipoise.rollout.engine import run", 1),
        ("from ..train import sft", 1),
        ("from . import kuhn", 0),
        ("from .base import Game", 0),
        ("import importlib\nimportlib.import_module('equipoise.auditing.run')", 1),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from equipoise.auditing import run", 0),
        (
            "if typing.TYPE_CHECKING:\n    import equipoise.cli\nelse:\n    import equipoise.api",
            1,
        ),
        ("import numpy\nfrom equipoise.types import Action\nfrom equipoise import games", 0),
    ],
)
def test_the_guard_sees_what_it_must(source: str, count: int) -> None:
    assert len(outward(source, ROOT / "games" / "new.py")) == count


@pytest.mark.parametrize("module", ["equipoise", "equipoise.games.registry", "equipoise.testing"])
def test_importing_loads_no_heavy_library(module: str) -> None:
    heavy = "{'torch', 'transformers', 'pandas', 'pyspiel'}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
