"""The nouns of a title, by rule.

WebShop tags titles with spaCy's large English model. Titles hold little but nouns, adjectives and brands, so
that taking out what is plainly neither does nearly the same without a model: function words, colours and
common adjectives by list, others by their ending, and whatever holds no letters.
"""

from __future__ import annotations

import re

__all__ = ["nouns"]

_OUT = frozenset(
    (
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "off", "on", "or", "per",
        "plus", "the", "to", "up", "with", "without", "your", "our", "its", "it", "is", "are", "be",
        "this", "that", "these", "those", "no", "not", "non", "all", "any", "both", "each", "more", "most",
        "very", "so", "than", "too", "one", "two", "three", "four", "five", "six", "seven", "eight",
        "nine", "ten", "twelve", "double", "single", "dual", "triple", "black", "white", "red", "green",
        "blue", "grey", "gray", "brown", "pink", "purple", "yellow", "orange", "beige", "navy", "ivory",
        "cream", "teal", "big", "small", "large", "medium", "little", "mini", "slim", "thin", "thick",
        "heavy", "light", "lightweight", "soft", "hard", "warm", "cool", "cold", "hot", "long", "short",
        "tall", "wide", "narrow", "deep", "high", "low", "round", "square", "flat", "fine", "coarse",
        "dry", "wet", "new", "old", "good", "best", "great", "fresh", "pure", "raw", "real", "true",
        "full", "half", "extra", "super", "ultra", "premium", "modern", "classic", "vintage", "natural",
        "organic", "dark", "bright", "clear", "plain", "sweet", "sour", "bitter", "mild", "strong",
        "gentle", "sharp", "quick", "fast", "slow", "quiet", "loud", "safe", "easy", "smart", "simple",
        "fair", "free", "open", "close", "left", "right", "main", "inner", "outer", "upper", "lower",
        "indoor", "outdoor", "portable", "men", "mens", "women", "womens", "kids", "unisex", "adult",
    )
)  # fmt: skip
_ENDINGS = re.compile(r"(?:able|ible|less|ful|ous|proof|resistant|ish|ive|ated|ised|ized|ly)$")


def nouns(title: str) -> frozenset[str]:
    """Return the words of a title that are taken for nouns or names, in lower case."""
    found = re.findall(r"[^\W\d_]{3,}", title.casefold().replace("'s", ""))
    return frozenset(word for word in found if word not in _OUT and not _ENDINGS.search(word))
