"""Whole audits of endpoints: interrupted and resumed, by name from the command line, and without secrets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import equipoise
from equipoise.errors import EquipoiseError, RequestError
from tests.cli.conftest import Run, run  # noqa: F401
from tests.policies.endpoint.server import Say, Server, by_seed, chat, serve

KEY = "sk-secret-0123456789abcdef"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def audit(server: Server, out: Path | None, **settings: Any) -> Any:
    endpoint = {"retry_wait": 0.001, "tries": 2, **settings.pop("endpoint", {})}
    return equipoise.audit(
        "ipd",
        settings.pop("policy", f"openai:m@{server.url}/v1"),
        episodes=settings.pop("episodes", 18),
        pools={"train": ["tit_for_tat"], "exploiter": [], "collusive": [], "shift": []},
        options={"rounds": 2},
        out=out,
        endpoint=endpoint,
        **settings,
    )


def transcript(out: Path) -> list[dict[str, Any]]:
    """Return the episodes without the server's address, which differs between two runs of it."""
    (file,) = out.rglob("transcript.jsonl")
    _, *episodes = [json.loads(line) for line in file.read_text().splitlines()]
    for episode in episodes:
        episode["policies"] = ["agent" if "openai" in name else name for name in episode["policies"]]
    return episodes


def test_a_server_that_is_killed_in_the_middle_costs_no_episode(tmp_path: Path) -> None:
    concurrency = 4
    wanted = {"concurrency": concurrency}
    with serve() as server:
        whole = audit(server, tmp_path / "whole", endpoint=wanted)
        total = len(server.asked)
    with serve() as server:
        # Beyond the first block of 16 deals, so that both kept blocks and kept answers are put to use.
        answered = server.dies_after = total * 19 // 20
        with pytest.raises(EquipoiseError, match=r"does not answer .* goes on where it stopped") as caught:
            audit(server, tmp_path / "cut", endpoint=wanted)
        assert caught.value.exit_code == 1
        before, server.dies_after = len(server.asked), None
        resumed = audit(server, tmp_path / "cut", endpoint=wanted)
        again = len(server.asked) - before
    # What was answered is not asked again, but for what was on its way when the work stopped.
    assert total - answered <= again <= total - answered + concurrency - 1
    assert transcript(tmp_path / "cut") == transcript(tmp_path / "whole")
    ids = [episode["id"] for episode in transcript(tmp_path / "cut")]
    assert len(ids) == len(set(ids)) == 36
    assert resumed.results[0].metrics == whole.results[0].metrics


def test_a_cap_stops_an_audit_and_a_higher_one_lets_it_go_on(tmp_path: Path) -> None:
    with serve() as server:
        whole = audit(server, None, episodes=4)
        total = len(server.asked)
        low, high = ({"max_tokens_total": 12 * (total + more), "concurrency": 1} for more in (-5, 1))
        with pytest.raises(EquipoiseError, match="raise --max-tokens-total"):
            audit(server, tmp_path / "out", endpoint=low, episodes=4)
        result = audit(server, tmp_path / "out", endpoint=high, episodes=4)
        assert len(server.asked) == 2 * total
    assert result.results[0].metrics == whole.results[0].metrics


@pytest.mark.parametrize("kind", ["tokens", "cost"])
def test_a_cap_is_passed_by_at_most_one_request_an_open_connection(kind: str, tmp_path: Path) -> None:
    concurrency, cap = 4, 30
    prices = tmp_path / "prices.toml"
    prices.write_text("[m]\ninput = 1000\noutput = 1000\n")
    # A question takes 12 tokens, and costs 0.012.
    wanted = (
        {"max_tokens_total": 12 * cap}
        if kind == "tokens"
        else {"max_cost": 0.012 * cap - 1e-9, "prices": str(prices)}
    )
    with serve() as server:
        for _ in range(2):
            with pytest.raises(EquipoiseError, match=f"raise --max-{kind}") as caught:
                audit(server, tmp_path / "out", endpoint={**wanted, "concurrency": concurrency})
            assert caught.value.exit_code == 1
            # Repeating the command asks for nothing more.
            assert cap <= len(server.asked) <= cap + concurrency - 1


def test_policy_and_baseline_share_one_cap() -> None:
    with serve() as server:
        # 4 deals, 2 seats and 2 rounds make 16 questions to each, of 12 tokens; the cap falls to the second.
        wanted = {"max_tokens_total": 240, "concurrency": 1}
        with pytest.raises(EquipoiseError, match="the cap is 240"):
            audit(server, None, baseline=f"openai:other@{server.url}/v1", endpoint=wanted, episodes=4)
    assert [sent["model"] for sent in server.asked] == ["m"] * 16 + ["other"] * 4


def test_failures_are_counted() -> None:
    def sometimes(asked: Any) -> Say:
        return chat("I'm sorry, I can't.") if asked["seed"] % 2 else by_seed(asked)

    with serve(usual=sometimes) as server:
        rate = audit(server, None).results[0].metrics["invalid_rate"]
    # Half of the answers are refusals, and a refusal is asked once more: a quarter is left.
    assert rate is not None
    assert rate.low < 0.25 < rate.high


def test_a_panel_of_wordings(tmp_path: Path) -> None:
    with serve() as server:
        result = audit(server, tmp_path, panel=True, episodes=1)
        prompts = {sent["messages"][0]["content"][:60] for sent in server.asked}
    assert len(result.results) == 8
    assert len(prompts) > 4


def test_no_file_and_no_stream_holds_the_key(
    tmp_path: Path,
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)

    def telltale(asked: Any) -> Say:
        return chat(f"your key is {KEY}\nDEFECT")

    with serve(usual=telltale) as server:
        arguments = ("audit", "ipd", "-p", f"openai:m@{server.url}/v1", "-n", "1", "-o", "rounds=2")
        done = run(*arguments, "--api-key-env", "SOME_KEY", "--out", tmp_path / "o", "--json", tmp_path / "j")
        assert done.code == 0, done.err
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"answers.jsonl", "transcript.jsonl", "audit.json", "j"} <= {file.name for file in files}
    for file in files:
        assert KEY not in file.read_text(), file
    assert KEY not in done.out + done.err


class TestCommandLine:
    def test_flags_reach_the_endpoint(self, tmp_path: Path, run: Run) -> None:  # noqa: F811
        (tmp_path / "prices.toml").write_text("[m]\ninput = 1\noutput = 1\n")
        with serve(usual=lambda asked: Say({}, 500)) as server:
            caps = ("--max-cost", "1", "--prices", tmp_path / "prices.toml", "--max-tokens-total", "1000")
            more = ("--concurrency", "1", "--timeout", "5", "--tries", "1", "--top-logprobs", "3")
            done = run("audit", "ipd", "-p", f"openai:m@{server.url}/v1", *caps, *more)
        assert done.code == 1
        assert "tried once" in done.error
        assert server.most_open == 1
        assert server.asked[0]["top_logprobs"] == 3

    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (("-p", "openai:"), "names no model"),
            (("-p", "openai:m@localhost:1"), "must begin with http"),
            (("-p", "openai:m"), "no OPENAI_API_KEY"),
            (("-p", "openai:m@http://127.0.0.1:9/v1", "--mode", "choose"), "mode 'choose'"),
            (("-p", "openai:m@http://127.0.0.1:9/v1", "--history", "chat"), "history 'chat'"),
            (("-p", "openai:m@http://127.0.0.1:9/v1", "--exact"), "leave out --exact"),
            (("-p", "openai:m@http://127.0.0.1:9/v1", "--wording", "fromal"), "did you mean 'formal'"),
            (("-p", "openai:m@http://127.0.0.1:9/v1", "--max-cost", "1"), "--prices"),
            (("-p", "openai:m@http://127.0.0.1:9/v1", "--timeout", "0"), "timeout"),
            (("-p", "opnai:m"), "did you mean 'openai'"),
            (("-p", "command:no-such-program"), "no program 'no-such-program'"),
            (("-p", "http://me:pw@host/"), "more than a place"),
        ],
    )
    def test_wrong_requests(self, arguments: tuple[str, ...], named: str, run: Run) -> None:  # noqa: F811
        done = run("audit", "ipd", *arguments)
        assert (done.code, named in done.error) == (2, True), done.err

    def test_without_the_extra(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
        monkeypatch.setattr("equipoise.policies.endpoint.loading.find_spec", lambda name: None)
        for policy, package in (
            ("openai:m@http://127.0.0.1:9/v1", "openai"),
            ("http://127.0.0.1:9/", "httpx"),
        ):
            done = run("audit", "ipd", "-p", policy)
            assert done.code == 2
            assert f"needs {package}, which is not installed: pip install 'equipoise[api]'" in done.error

    def test_play(self, run: Run) -> None:  # noqa: F811
        with serve() as server:
            done = run(
                "play", "ipd", "-p", f"openai:m@{server.url}/v1", "--opponent", "tit_for_tat", "--tries", "1"
            )
        assert done.code == 0, done.err
        assert server.asked


def test_unknown_settings_name_the_nearest() -> None:
    with pytest.raises(RequestError, match="'max_costs': did you mean 'max_cost'"):
        equipoise.audit("ipd", "scripted:tit_for_tat", endpoint={"max_costs": 1.0})


def test_an_agent_behind_a_url_that_is_killed_costs_no_episode_either(tmp_path: Path) -> None:
    def tit_for_tat(asked: Any) -> Say:
        return Say({"action": (["COOPERATE", *asked["info"]["other"]])[-1]})

    with serve(usual=tit_for_tat) as server:
        whole = audit(server, tmp_path / "whole", policy=server.url)
        server.dies_after = 2 * len(server.asked) - 4
        with pytest.raises(EquipoiseError, match="goes on where it stopped"):
            audit(server, tmp_path / "cut", policy=server.url)
        server.dies_after = None
        resumed = audit(server, tmp_path / "cut", policy=server.url)
    assert transcript(tmp_path / "cut") == transcript(tmp_path / "whole")
    assert resumed.results[0].metrics == whole.results[0].metrics


@pytest.mark.parametrize(
    "form", ["noisy:0.1:{}", "mixture:scripted:random+{}", "strategist:python:{}:advise>{}"]
)
def test_endpoints_are_parts_of_other_policies_and_are_closed_with_them(form: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def advise(decision):\n    return 'be kind'\n")
    with serve() as server:
        inner = f"openai:m@{server.url}/v1"
        name = form.format(file, inner) if "strategist" in form else form.format(inner)
        result = audit(server, None, policy=name, episodes=2)
        assert server.asked
    assert result.results[0].policy == name


def test_torch_is_not_needed(tmp_path: Path) -> None:
    without = "import sys; sys.modules.update(torch=None, transformers=None, trl=None, datasets=None)\n"
    start = f"{without}from equipoise.cli import main; sys.exit(main())"
    with serve() as server:
        arguments = (
            "audit",
            "ipd",
            "-p",
            f"openai:m@{server.url}/v1",
            "-n",
            "1",
            "-o",
            "rounds=1",
            "--json",
            "-",
        )
        done = subprocess.run(
            [sys.executable, "-c", start, *arguments], capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["settings"]["method"] == "sample"


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
def test_an_interrupted_audit_leaves_no_program_behind(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import os, sys, time\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
        "for line in sys.stdin: time.sleep(600)\n"
    )
    start = "import sys; from equipoise.cli import main; sys.exit(main())"
    policy = f"command:{sys.executable} {agent}"
    arguments = [sys.executable, "-c", start, "audit", "ipd", "-p", policy, "--out", str(tmp_path / "out")]
    with subprocess.Popen(
        arguments,
        stderr=subprocess.PIPE,
        text=True,
        # What starts the tests in the background makes them, and so this, ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as audit:
        pid = _wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        audit.send_signal(signal.SIGINT)
        _, said = audit.communicate(timeout=60)
    assert audit.returncode == 130
    assert said.strip() == "interrupted: the same command goes on where it stopped"
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def _wait_for(found: Callable[[], Any]) -> Any:
    for _ in range(600):
        if value := found():
            return value
        time.sleep(0.05)
    raise TimeoutError
