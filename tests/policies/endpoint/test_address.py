"""Names of models, places of servers, and who needs a key."""

from __future__ import annotations

import pytest

from equipoise.errors import RequestError
from equipoise.policies.endpoint.address import DEFAULT_URL, Address, key_for, parse_address
from equipoise.policies.endpoint.settings import EndpointSettings


@pytest.mark.parametrize(
    ("spec", "model", "url"),
    [
        ("openai:gpt-x", "gpt-x", DEFAULT_URL),
        ("openai:org/model:free@https://host/v1", "org/model:free", "https://host/v1"),
        ("openai:model@001@http://[::1]:80/v1", "model@001", "http://[::1]:80/v1"),
        ("openai:model@001", "model@001", DEFAULT_URL),
    ],
)
def test_names(spec: str, model: str, url: str) -> None:
    assert parse_address(spec) == Address(model, url)


@pytest.mark.parametrize(
    "spec",
    [
        "openai:",
        "openai:@http://h/",
        "openai:m@http://",
        "openai:m@http:///v1",
        "openai:m@http://h:x/",
        "openai:m@http://k:s@h/",
        "openai:m@https://h/?key=s",
    ],
)
def test_wrong_names(spec: str) -> None:
    with pytest.raises(RequestError):
        parse_address(spec)


@pytest.mark.parametrize(
    ("url", "free"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://10.0.0.1/v1", False),
    ],
)
def test_only_servers_on_this_machine_go_without_a_key(
    url: str, free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if free:
        assert key_for(Address("m", url), EndpointSettings()) == ""
    else:
        with pytest.raises(RequestError, match="no OPENAI_API_KEY: set it"):
            key_for(Address("m", url), EndpointSettings())
    monkeypatch.setenv("OPENAI_API_KEY", " k\n")
    assert key_for(Address("m", url), EndpointSettings()) == "k"
