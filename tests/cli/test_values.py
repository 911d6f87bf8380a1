"""What ``key=value`` means."""

from __future__ import annotations

import pytest

from equipoise.cli.text import one_line, printable
from equipoise.cli.values import names, numbers, options, overrides, pairs, value
from equipoise.errors import RequestError


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("4", 4),
        ("-0.5", -0.5),
        ("1e-3", 1e-3),
        ("true", True),
        ('"4"', "4"),
        ("[1, 2]", [1, 2]),
        ('["always_defect", "python:mine.py:sniper"]', ["always_defect", "python:mine.py:sniper"]),
        ("pool10", "pool10"),
        ("python:mine.py:f", "python:mine.py:f"),
        ("", ""),
        ("a=b", "a=b"),
        ("2024-01-01", "2024-01-01"),
        ("{a = 1}", "{a = 1}"),
        ("1\nother = 2", "1\nother = 2"),
        ("1 # remark", 1),
    ],
)
def test_values_are_read_like_toml_and_are_text_otherwise(text: str, meaning: object) -> None:
    found = value(text)
    assert found == meaning
    assert type(found) is type(meaning)


def test_only_the_first_equals_sign_divides() -> None:
    assert pairs(["a = b=c"], "--option") == {"a": "b=c"}


@pytest.mark.parametrize("text", ["rounds", "=4", " =4", ""])
def test_what_is_no_pair_is_named(text: str) -> None:
    with pytest.raises(RequestError, match=r"--option .* key=value"):
        options([text])


def test_a_key_that_comes_twice_is_an_error() -> None:
    with pytest.raises(RequestError, match="rounds is given twice"):
        options(["rounds=4", "rounds=5"])


def test_nothing_given_is_none() -> None:
    assert options(None) is None
    assert names([]) is None
    assert numbers(None) is None
    assert overrides(None) == ()


def test_pools_are_lists_of_names_and_may_be_empty() -> None:
    assert names(["train=tit_for_tat, python:a.py:f", "collusive="]) == {
        "train": ("tit_for_tat", "python:a.py:f"),
        "collusive": (),
    }


@pytest.mark.parametrize("text", ["much", "nan", "inf", ""])
def test_weights_are_finite_numbers(text: str) -> None:
    with pytest.raises(RequestError, match=f"e={text}"):
        numbers([f"e={text}"])


def test_weights_are_read() -> None:
    assert numbers(["e=1.5", "c=0"]) == {"e": 1.5, "c": 0.0}


def test_overrides_pass_as_they_are_once_their_form_is_right() -> None:
    assert overrides(["sepo.lr=1e-3", "out=runs/a"]) == ("sepo.lr=1e-3", "out=runs/a")
    with pytest.raises(RequestError, match="'quick'"):
        overrides(["quick"])


def test_foreign_text_carries_no_control_sequences() -> None:
    assert printable("a\x1b[31mb\r\u202ec") == "a\\x1b[31mb\\r\\u202ec"
    assert printable("ä α\n\tx") == "ä α\n    x"
    assert one_line(" a\n b\x07 ") == "a b\\x07"
