"""What looks like a key stays out; what does not stays in."""

from __future__ import annotations

import pytest

from equipoise.report.page.render import asset
from equipoise.report.secrets import HIDDEN, clean, clean_text


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnopqrstuvwx",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "ghp_abcdefghijklmnopqrstuvwxyz0123",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    ],
)
def test_keys_of_known_services_are_hidden_wherever_they_stand(secret: str) -> None:
    assert clean_text(f"use {secret}, then go") == f"use {HIDDEN}, then go"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://me:hush@host/v1", f"http://{HIDDEN}@host/v1"),
        ("https://host/v1?a=1&api_key=hush&b=2", f"https://host/v1?a=1&api_key={HIDDEN}&b=2"),
        ("Authorization: Bearer abcdefghijklmnop", f"Authorization: Bearer {HIDDEN}"),
        ('"http://host?token=hush","next"', f'"http://host?token={HIDDEN}","next"'),
    ],
)
def test_credentials_in_addresses_are_hidden_and_nothing_beside_them(given: str, kept: str) -> None:
    assert clean_text(given) == kept


def test_half_characters_become_a_mark_that_files_can_hold() -> None:
    assert clean_text("a\ud800b").encode() == "a\ufffdb".encode()


def test_settings_are_hidden_by_their_names() -> None:
    given = {"api_key": "x", "Password": "y", "auth_token": "z", "inner": [{"client_secret": ["a"]}]}
    assert clean(given) == {
        "api_key": HIDDEN,
        "Password": HIDDEN,
        "auth_token": HIDDEN,
        "inner": [{"client_secret": HIDDEN}],
    }


def test_what_is_no_key_is_kept() -> None:
    given = {
        "max_new_tokens": 64,
        "max_tokens_total": "1M",
        "api_key_env": "MY_KEY",
        "fingerprint": "b30ec4181653b6d7eb6358a5293889de/float32/choose/1",
        "key": None,
        "policy": "openai:gpt@http://127.0.0.1:8000/v1",
        "text": "the key risk-averse task-oriented token is fine",
    }
    assert clean(given) == given


@pytest.mark.parametrize("name", ["report.css", "report.js", "report.html"])
def test_the_page_itself_is_not_touched(name: str) -> None:
    assert clean_text(asset(name)) == asset(name)
