"""Settings of the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# A run can be repeated, a busy machine fails nothing, and no property takes seconds unless it says so.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("repeatable")


CORE = ("games", "objective", "opponents", "tasks")
"""Rooms whose coverage is measured, each by its own tests."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run slow tests first where the suite is divided, and trace the core's own quick tests only.

    Left to the end, a long file is waited for by one worker while the other has nothing to do. Tracing
    nearly doubles the time of plain Python, and what is outside the core repeats its lines by the million.
    """
    slow = [item for item in items if item.get_closest_marker("slow")]
    for item in {*slow, *(item for item in items if _room(item.path) not in CORE)}:
        item.add_marker("no_cover")
    if hasattr(config, "workerinput"):
        files = {item.path for item in slow}
        items.sort(key=lambda item: item.path not in files)


def _room(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).parts[0]
