"""Skips what needs Inspect where it is missing; ``scripts/adapters/inspect`` runs it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

needs_inspect = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="needs inspect-ai: run scripts/adapters/inspect"
)
