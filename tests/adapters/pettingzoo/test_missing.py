"""Without PettingZoo one line says what to install."""

from __future__ import annotations

import sys

import pytest

from equipoise.adapters.pettingzoo import aec_env, gym_env, parallel_env
from equipoise.errors import RequestError


@pytest.mark.parametrize(
    ("library", "make"),
    [
        ("pettingzoo", lambda: aec_env("ipd")),
        ("pettingzoo", lambda: parallel_env("ipd")),
        ("gymnasium", lambda: gym_env("ipd", "random")),
    ],
)
def test_the_missing_package_is_named(library: str, make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(RequestError, match=rf"package {library}: pip install 'equipoise\[pettingzoo\]'"):
        make()  # type: ignore[operator]
