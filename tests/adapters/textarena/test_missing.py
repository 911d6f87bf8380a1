"""Without TextArena one line says what to install."""

from __future__ import annotations

import sys

import pytest

from equipoise.adapters.textarena import loading
from equipoise.errors import RequestError
from equipoise.policies.registry import load_game


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    loading._class_of.cache_clear()
    monkeypatch.setitem(sys.modules, "textarena", None)
    monkeypatch.setitem(sys.modules, "textarena.envs.registration", None)
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[textarena\]'"):
        load_game("textarena:KuhnPoker-v0")
