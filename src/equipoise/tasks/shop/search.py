"""Search by BM25 (Robertson and Zaragoza 2009), with the package rank-bm25."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from equipoise.errors import RequestError

__all__ = ["Index", "check_installed", "terms"]


def terms(text: str) -> list[str]:
    """Return the search terms of a text: words and figures in lower case, without a plural's s."""
    return [_stem(word) for word in re.findall(r"[^\W_]+", text.casefold())]


def _stem(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def check_installed() -> None:
    """Check that what the shop needs is there, before an episode begins.

    Raises:
        RequestError: rank-bm25 or rapidfuzz is not installed.
    """
    for package, name in (("rank_bm25", "rank-bm25"), ("rapidfuzz", "rapidfuzz")):
        if find_spec(package) is None:
            raise RequestError(
                f"task 'shop' needs {name}, which is not installed: pip install 'equipoise[envs]'"
            )


class Index:
    """Texts that can be searched."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take the texts.

        Raises:
            RequestError: rank-bm25 is not installed, or there are no texts.
        """
        check_installed()
        from rank_bm25 import BM25Okapi

        if not texts:
            raise RequestError("the catalogue is empty: give at least one product")
        self._ranks = BM25Okapi([terms(text) for text in texts])

    def best(self, words: str, count: int) -> tuple[int, ...]:
        """Return the places of the best matches, best first, equal ones in order; none without a match."""
        scores = np.asarray(self._ranks.get_scores(terms(words)))
        order = np.argsort(-scores, kind="stable")[:count]
        return tuple(int(place) for place in order if scores[place] > 0.0)
