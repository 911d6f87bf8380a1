"""Audits of dialogues with an evaluator behind an endpoint that answers well, badly, and with ill intent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import equipoise
from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.writers import load_writer
from equipoise.prompts.base import Prompt
from equipoise.tasks.social.dimensions import RANGES
from tests.cli.conftest import Run, run  # noqa: F401
from tests.judges.test_rating import said
from tests.policies.endpoint.server import Asked, Say, Server, chat, serve

POOLS = {"train": ["sensible", "tough"], "exploiter": [], "collusive": [], "shift": []}


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def audit(server: Server, out: Path | None = None, **settings: Any) -> Any:
    endpoint = {"retry_wait": 0.001, "tries": 2, **settings.pop("endpoint", {})}
    return equipoise.audit(
        "social",
        "scripted:weak",
        episodes=settings.pop("episodes", 4),
        options={"families": ["price"], "turns": 6},
        pools=POOLS,
        evaluator=f"openai:m@{server.url}/v1",
        out=out,
        endpoint=endpoint,
        **settings,
    ).results[0]


def by_figures(asked: Asked) -> Say:
    """Rate by something that differs between dialogues and is the same when asked again."""
    text = asked["messages"][0]["content"]
    return chat(said(goal=len(text) % 11, material=len(text) % 11 - 5), usage=(100, 20))


BAD = (
    chat(""), chat(None), chat("I'd rather not."), chat('{"goal": 9}'), chat(said(goal=11)),
    chat(said(secret=5)), chat(f"He says {said(goal=10)}, but I say {said(goal=1)}."), chat("{" * 4000),
    Say(b"no json"), Say({"choices": []}), Say({"choices": [{}]}), chat(said(), finish="content_filter"),
)  # fmt: skip


def test_ratings_stand_beside_the_rules_with_how_far_they_agree() -> None:
    with serve(usual=by_figures) as server:
        found = audit(server)
    rated, agreement = found.readings["rated"], found.readings["agreement"]
    assert {*RANGES, "overall", "unrated"} == set(rated)
    assert (rated["believability"].value, rated["unrated"].value) == (8.0, 0.0)
    assert (rated["goal"].n, rated["goal"].clusters) == (16, 4)
    # The rules know three of the seven here, and what they say is still there. All secrets were kept, and
    # the evaluator says of all that they were not: that is no agreement beyond chance, and no correlation.
    assert set(found.readings["dimensions"]) == {"goal", "material", "secret"}
    assert {name.partition("_")[0] for name in agreement} == {"goal", "material", "secret"}
    assert agreement["secret_kappa"].value == 0.0
    assert "secret_correlation" not in agreement
    account = found.settings["evaluator"]
    assert (account["replies"], account["failed"]) == (account["ratings"], 0)
    assert account["tokens"] == 120 * account["ratings"] == 120 * len(server.asked)


def test_an_evaluator_that_repeats_the_rules_agrees_wholly(monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.judges import evaluator as judges
    from equipoise.prompts.base import Prompt as Asked
    from equipoise.tasks.social.dimensions import RuleEvaluator

    def prompt(dialogue: Any, seat: int) -> Asked:
        rule = RuleEvaluator().evaluate([dialogue])[0][seat]
        return Asked("", said(goal=rule.goal, material=rule.material))

    monkeypatch.setattr(judges, "evaluator_prompt", prompt)
    with serve(usual=lambda asked: chat(asked["messages"][0]["content"])) as server:
        found = audit(server)
    for name in ("goal_correlation", "goal_kappa", "material_correlation", "material_kappa"):
        assert found.readings["agreement"][name].value == pytest.approx(1.0)
    for name in ("goal", "material"):
        assert found.readings["rated"][name].value == pytest.approx(found.readings["dimensions"][name].value)


def test_no_reply_stops_an_audit_and_all_are_counted() -> None:
    turn = iter(range(10**6))
    with serve(usual=lambda asked: BAD[next(turn) % len(BAD)]) as server:
        found = audit(server, endpoint={"concurrency": 1})
    account = found.settings["evaluator"]
    assert account["replies"] == len(server.asked)
    assert (
        account["unread"] + account["out_of_range"] + account["ratings"] - account["failed"]
        == (account["replies"])
    )
    assert account["out_of_range"] > 0
    assert account["unread"] > 0
    # A filtered completion with a text that can be read is a rating; nothing else here is one.
    assert account["failed"] > 0
    assert found.readings["rated"]["unrated"].value > 0.0
    assert found.metrics["utility"] == audit_alone().metrics["utility"]


def audit_alone() -> Any:
    return equipoise.audit(
        "social", "scripted:weak", episodes=4, options={"families": ["price"], "turns": 6}, pools=POOLS
    ).results[0]


def test_nothing_readable_leaves_the_dimensions_out_and_says_so() -> None:
    with serve(usual=lambda asked: chat("no")) as server:
        found = audit(server, episodes=2)
    assert set(found.readings["rated"]) == {"unrated"}
    assert found.readings["rated"]["unrated"].value == 1.0
    assert "agreement" not in found.readings


def test_what_was_paid_for_is_not_asked_again(tmp_path: Path) -> None:
    with serve(usual=by_figures) as server:
        server.dies_after = 5
        with pytest.raises(EquipoiseError, match="does not answer"):
            audit(server, tmp_path / "a", endpoint={"concurrency": 1})
        server.dies_after = None
        before = len(server.asked)
        found = audit(server, tmp_path / "a")
        total = len(server.asked) - before + 5
        assert found.settings["evaluator"]["replies"] == total
        bytes_then = (tmp_path / "a" / "audit.json").read_bytes()
        audit(server, tmp_path / "a")
        assert len(server.asked) == before + total - 5
        audit(server, tmp_path / "b")
    assert (tmp_path / "a" / "audit.json").read_bytes() == bytes_then
    assert (tmp_path / "b" / "audit.json").read_bytes() == bytes_then


def test_ratings_count_against_the_caps() -> None:
    with serve(usual=by_figures) as server, pytest.raises(EquipoiseError, match="the cap is 300"):
        audit(server, endpoint={"concurrency": 1, "max_tokens_total": 300})


def test_the_command_takes_it(run: Run) -> None:  # noqa: F811
    with serve(usual=by_figures) as server:
        done = run(
            *("audit", "social", "-p", "scripted:weak", "-n", "2", "--option", "turns=4"),
            *("--evaluator", f"openai:m@{server.url}/v1", "--json", "-"),
        )
        assert (done.code, done.err) == (0, "")
        (result,) = done.json["results"]
        assert result["readings"]["rated"]["goal"]["n"] > 0
        shown = run(
            *("audit", "social", "-p", "scripted:weak", "-n", "2", "--option", "turns=4"),
            *("--evaluator", f"openai:m@{server.url}/v1"),
        )
    assert "rated" in shown.out
    for arguments, message in (
        (("audit", "ipd", "-p", "scripted:random", "--evaluator", "tiny-random"), "'ipd' has none"),
        (("audit", "social", "-p", "scripted:weak", "--evaluator", "scripted:weak"), "writes no texts"),
        (("audit", "social", "--cross", "weak", "tough", "--evaluator", "x"), "it takes no --evaluator"),
    ):
        refused = run(*arguments)
        assert refused.code == 2
        assert message in refused.err


def test_a_writer_is_a_local_model_or_an_endpoint() -> None:
    with serve([chat("one"), Say(b"no json")], usual=lambda asked: chat("two", usage=None)) as server:
        writer = load_writer(
            f"openai:m@{server.url}/v1", {"endpoint": {"tries": 1, "concurrency": 1}}, budget=9
        )
        found = writer.write([Prompt("r", str(n)) for n in range(3)], [lambda purpose: 0.5] * 3)
    assert [one.text for one in found] == ["one", "", "two"]
    assert [one.tokens for one in found] == [12, 0, 0]
    assert [(a["max_tokens"], a["messages"][0]["content"]) for a in server.asked[:2]] == [
        (9, "r0"),
        (9, "r1"),
    ]
    with pytest.raises(RequestError, match="'human' writes no texts"):
        load_writer("human")


def test_a_kept_rating_is_plain_json(tmp_path: Path) -> None:
    with serve(usual=by_figures) as server:
        audit(server, tmp_path / "a", episodes=1)
    rows = [
        json.loads(row) for row in (tmp_path / "a" / "ratings" / "ratings.jsonl").read_text().splitlines()
    ]
    assert all({*RANGES} == set(row["dimensions"]) and row["attempts"] == 1 for row in rows)
