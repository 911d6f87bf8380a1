"""Words of others, before they are kept or shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from equipoise.policies.endpoint.words import one_line, redact, writable


def test_one_line_without_the_secret() -> None:
    assert one_line("a\n  b sk-123456\x0bc", "sk-123456") == "a b *** c"
    assert len(one_line("x" * 1000)) == 300


def test_a_word_that_is_no_secret_stays() -> None:
    assert redact("the list is EMPTY", "EMPTY") == "the list is EMPTY"
    assert redact("text", "") == "text"


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_what_is_writable_can_be_written_and_is_left_alone(text: str) -> None:
    found = writable(text)
    assert found.encode() == writable(found).encode()
    assert len(found) == len(text)


def test_half_a_pair() -> None:
    assert writable("a\ud800b") == "a?b"
    assert writable("naïve 😀") == "naïve 😀"
