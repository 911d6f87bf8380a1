"""Agents behind a URL: one POST a decision, wrong answers as data."""

from __future__ import annotations

import pytest

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.endpoint.server import LONGEST_ANSWER
from equipoise.types import Validity
from tests.policies.endpoint.asking import ask, decision, one, policy
from tests.policies.endpoint.server import Say, serve

DEFECT = Say({"action": "DEFECT"})


@pytest.mark.parametrize("form", ["{}/act", "http:{}/act"])
def test_one_post_a_decision(form: str) -> None:
    with serve(usual=lambda asked: DEFECT) as server:
        found = ask(policy(form.format(server.url)), [decision(number=n) for n in range(5)])
    assert [choice.action for choice in found] == ["DEFECT"] * 5
    assert len(server.asked) == 5


def test_no_key_is_sent_unless_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-yours")
    monkeypatch.setenv("AGENT_KEY", "mine")
    with serve(usual=lambda asked: DEFECT) as server:
        one(policy(server.url))
        one(policy(server.url, api_key_env="AGENT_KEY"))
    assert "Authorization" not in server.headers[0]
    assert server.headers[1]["Authorization"] == "Bearer mine"
    with pytest.raises(RequestError, match="no MISSING_KEY"):
        policy(server.url, api_key_env="MISSING_KEY")


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        (Say({"action": "BETRAY"}), "'BETRAY' is not legal"),
        (Say(b"DEFECT"), "the answer is no JSON"),
        (Say({"error": "bug"}, 500), "status 500"),
        (Say({"error": "bug"}, 400), "status 400"),
        (Say({}, 302, {"Location": "http://127.0.0.1:9/"}), "status 302"),
        (Say(b" " * (LONGEST_ANSWER + 1)), "is longer than"),
    ],
    ids=["illegal", "text", "500", "400", "moved", "long"],
)
def test_wrong_answers_are_data(said: Say, detail: str) -> None:
    with serve(usual=lambda asked: said) as server:
        choice = one(policy(server.url))
    assert choice.validity is Validity.INVALID
    assert detail in choice.detail
    assert len(server.asked) == 1


def test_a_slow_agent_is_a_timeout() -> None:
    with serve(usual=lambda asked: Say(DEFECT.body, wait=3.0)) as server:
        choice = one(policy(server.url, timeout=0.5, tries=1))
    assert choice.validity is Validity.TIMEOUT


@pytest.mark.parametrize("trouble", [Say({}, 429), Say({}, 503), Say(DEFECT.body, cut=True)])
def test_what_passes_is_asked_again(trouble: Say) -> None:
    with serve([trouble], usual=lambda asked: DEFECT) as server:
        assert one(policy(server.url)).action == "DEFECT"
    assert server.asked[0] == server.asked[1]


def test_nobody_there_stops_the_work() -> None:
    with serve() as server:
        url = server.url
    with pytest.raises(EquipoiseError, match=r"does not answer \(.+\), tried 3 times"):
        one(policy(url))


@pytest.mark.parametrize("status", [401, 404, 405])
def test_a_wrong_place_is_a_wrong_request(status: int) -> None:
    with (
        serve(usual=lambda asked: Say({}, status)) as server,
        pytest.raises(RequestError, match=f"status {status}"),
    ):
        one(policy(server.url))


@pytest.mark.parametrize(
    "spec", ["http:", "http:ftp://host/", "http://", "http://host:port/", "http:host/path"]
)
def test_what_is_no_url(spec: str) -> None:
    with pytest.raises(RequestError, match="is no URL"):
        policy(spec)


@pytest.mark.parametrize(
    "spec", ["http://me:secret@host/", "http://host/?token=secret", "http://host/#secret"]
)
def test_urls_that_may_hold_secrets_are_refused_without_repeating_them(spec: str) -> None:
    with pytest.raises(RequestError, match="more than a place") as caught:
        policy(spec)
    assert "secret" not in str(caught.value)


def test_an_agent_that_repeats_the_key_does_not_spread_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_KEY", "a-long-secret")
    with serve(usual=lambda asked: Say({"text": "a-long-secret\nDEFECT"})) as server:
        choice = one(policy(server.url, api_key_env="AGENT_KEY"))
    assert choice.generations[0].text == "***\nDEFECT"
