"""Search terms and the index."""

from __future__ import annotations

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.shop.search import Index, check_installed, terms
from equipoise.tasks.shop.task import Shop


def test_terms_are_words_and_figures_without_a_plurals_s() -> None:
    assert terms("Three Socks, 42-44: glass & bus!") == ["three", "sock", "42", "44", "glass", "bus"]


def test_rare_words_weigh_more_than_common_ones() -> None:
    index = Index(["red sock", "blue sock", "green sock", "blue shoe", "hat"])
    assert index.best("green sock", 3)[0] == 2
    assert index.best("hat", 3) == (4,)
    assert index.best("", 3) == index.best("zebra", 3) == ()


def test_equal_matches_keep_their_order() -> None:
    assert Index(["cap", "mug one", "mug one", "hat", "pin"]).best("mug", 5) == (1, 2)


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestError, match="catalogue is empty"):
        Index([])
    monkeypatch.setattr(
        "equipoise.tasks.shop.search.find_spec", lambda name: None if name == "rapidfuzz" else 1
    )
    with pytest.raises(RequestError, match=r"needs rapidfuzz.*pip install 'equipoise\[envs\]'"):
        check_installed()
    with pytest.raises(RequestError, match="needs rapidfuzz"):
        Shop.create().start(0, lambda round_, purpose: 0.5)
