"""Numbers in words and in figures."""

from __future__ import annotations

import re

__all__ = ["figures", "number"]

_LOW = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_ONES = {name: value for value, name in enumerate(_LOW.split(" "))}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {name: 10 * value for value, name in enumerate(_DECADES.split(" "), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000}
_WORDS = "|".join([*_ONES, *_TENS, *_SCALES])
_RUN = re.compile(rf"\b(?:(?:a (?=hundred|thousand))?(?:{_WORDS}))(?:(?:[ -]| and )(?:{_WORDS}))*\b")


def figures(text: str, least: int = 0) -> str:
    """Return text with numbers in words written in figures, from ``least`` on.

    "two hundred and fifty dollars" becomes "250 dollars"; "one of them" stays where ``least`` is above 1.
    """

    def write(found: re.Match[str]) -> str:
        value = _value(found.group())
        return found.group() if value is None or value < least else str(value)

    return _RUN.sub(write, text)


def _value(words: str) -> int | None:
    """Return what a run of number words says, or None where it is no single number ("fifty sixty")."""
    total, current, last = 0, 0, 10**6
    for part in re.findall(r"[a-z]+", words):
        if part in ("and", "a"):
            continue
        if part in _SCALES:
            scale = _SCALES[part]
            current = (current or 1) * scale
            if scale == 1000:
                total, current = total + current, 0
            last = scale
            continue
        value = _ONES.get(part, _TENS.get(part, 0))
        size = 10 if part in _ONES else 100
        if (
            size > last
            or (last == 10 and size == 10)
            or (part in _ONES and value > 9 and last != 10**6 and last < 100)
        ):
            return None
        current, last = current + value, 10 if part in _ONES else 20
        if part in _TENS:
            last = 11
    return total + current


def number(text: str) -> float | None:
    """Read a figure: 1,200 and 1.200 and 1 200 are 1200; 12,50 and 12.50 are 12.5; 1.2k is 1200."""
    thousand = text[-1:] in "kK" and text[-1:] != ""
    digits = re.sub(r"[\s ]", "", text.rstrip("kK"))
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits) and not thousand:
        return float(re.sub(r"[.,]", "", digits))
    if mixed := re.fullmatch(r"(\d{1,3}(?:([.,])\d{3})+)([.,])(\d{1,2})", digits):
        if mixed[2] == mixed[3]:
            return None
        return float(re.sub(r"[.,]", "", mixed[1]) + "." + mixed[4])
    if not re.fullmatch(r"\d+(?:[.,]\d{1,2})?", digits):
        return None
    return float(digits.replace(",", ".")) * (1000.0 if thousand else 1.0)
