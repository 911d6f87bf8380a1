"""Games as tasks of Inspect: its numbers are those of an audit of the same strategy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import equipoise
from equipoise.errors import RequestError
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.transcript import episode_from_json
from equipoise.types import Choice, Decision, Validity
from tests.adapters.inspect.needs import needs_inspect
from tests.rollout.players import Answers

pytestmark = needs_inspect

TERMS = ("utility", "exploitability", "collusion", "externality", "safety", "robustness", "welfare", "nra")


def tit_for_tat(prompt: str) -> str:
    past = prompt.rsplit("Past: ", 1)[1]
    return "Action: COOPERATE" if past == "none" or past.endswith("C") else "Action: DEFECT"


def evaluate(build: Callable[[], Any], answer: Callable[[str], str], folder: Path, **settings: Any) -> Any:
    """Run a task on a model that answers what a function says, offline."""
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def reply(messages: Any, *_: Any) -> Any:
        output = ModelOutput.from_content("mockllm", answer(messages[-1].text))
        # Otherwise tokens are counted, which takes a download.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = run(build(), model=model, log_dir=str(folder), display="none", **settings)
    assert log.status == "success", log.error
    return log


def metrics(log: Any) -> dict[str, float]:
    (score,) = log.results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


def task(game: str, **settings: Any) -> Callable[[], Any]:
    from equipoise.adapters.inspect.tasks import TASKS

    return lambda: TASKS[game](**settings)


def check(found: dict[str, float], result: Any, names: tuple[str, ...]) -> None:
    for name in names:
        estimate = result.metrics[name]
        if estimate is None:
            assert name not in found
            continue
        assert found[name] == estimate.value
        ends = (found.get(f"{name}_low"), found.get(f"{name}_high"))
        assert ends == (estimate.low, estimate.high)


def test_terms_and_intervals_are_those_of_an_audit(tmp_path: Path) -> None:
    log = evaluate(task("ipd", deals=3, seed=4), tit_for_tat, tmp_path)
    audit = equipoise.audit("ipd", "scripted:tit_for_tat", exact=False, episodes=3, seed=4)["ipd"]
    found = metrics(log)
    check(found, audit, (*TERMS, "best_response", "security", "cooperation_rate"))
    assert (found["deals"], found["invalid_rate"]) == (3, 0)
    assert (len(log.samples), log.eval.task_version, log.eval.dataset.name) == (66, 1, "ipd@1")
    sample = log.samples[0]
    paid = [row["payoffs"][sample.metadata["seat"]] for row in sample.store["equipoise_episode"]["rounds"]]
    assert sample.scores["episode"].value["own"] == pytest.approx(sum(paid) / 8)
    assert [message.role for message in sample.messages] == ["user", "assistant"] * 8


def test_terms_that_a_game_does_not_have_are_left_out(tmp_path: Path) -> None:
    pools = {"train": ["nash"], "exploiter": ["always_bet"], "shift": ["random"]}

    def bold(prompt: str) -> str:
        return "Action: CALL" if "CALL or FOLD" in prompt else "Action: BET"

    log = evaluate(task("kuhn", deals=4, pools=pools, level=0.9), bold, tmp_path)
    audit = equipoise.audit("kuhn", "scripted:always_bet", exact=False, episodes=4, pools=pools, level=0.9)[
        "kuhn"
    ]
    check(metrics(log), audit, TERMS)
    assert not {"collusion", "externality"} & set(log.samples[0].scores["episode"].value)


@pytest.mark.parametrize("then", ["fallback", "forfeit"])
def test_invalid_answers_are_dealt_with_as_in_an_audit(then: Any, tmp_path: Path) -> None:
    pools = {"train": ["mixed_half"], "exploiter": ["always_defect"], "collusive": [], "shift": []}
    settings = {"deals": 2, "retries": 2, "on_invalid": then, "pools": pools, "options": {"rounds": 3}}

    def hopeful(prompt: str) -> str:
        return "I had rather not say." if "Round 2" in prompt else "Action: COOPERATE"

    def same(decision: Decision) -> Choice:
        if decision.round == 1:
            return Choice(None, Validity.INVALID)
        return Choice("COOPERATE")

    log = evaluate(task("ipd", **settings), hopeful, tmp_path)
    audit = equipoise.audit(
        "ipd", Answers(same), episodes=2, pools=pools, options={"rounds": 3}, rule=InvalidRule(2, then)
    )["ipd"]
    check(metrics(log), audit, ("utility", "exploitability", "externality", "safety", "invalid_rate"))
    # Three tries in the second round; a forfeit leaves no third.
    answers = sum(message.role == "assistant" for message in log.samples[0].messages)
    assert answers == (5 if then == "fallback" else 4)


def test_epochs_are_rollouts_of_the_same_deals(tmp_path: Path) -> None:
    pools = {"train": ["mixed_half"], "exploiter": ["always_defect"], "collusive": [], "shift": []}
    log = evaluate(task("ipd", deals=2, pools=pools), tit_for_tat, tmp_path, epochs=2)
    once = evaluate(task("ipd", deals=2, pools=pools), tit_for_tat, tmp_path)
    assert len(log.samples) == 2 * len(once.samples) == 16
    # Opponents' coins belong to the deal, and this model has none: means and clusters are the same.
    assert metrics(log) == pytest.approx(metrics(once))
    episodes = [episode_from_json(sample.store["equipoise_episode"]) for sample in log.samples]
    assert {episode.rollout for episode in episodes} == {0, 1}


def test_seeds_differ_by_decision_and_rollout(tmp_path: Path) -> None:
    pools = {"train": ["random"], "exploiter": [], "collusive": [], "shift": []}
    log = evaluate(task("ipd", deals=1, pools=pools), tit_for_tat, tmp_path, epochs=2)
    calls = [event for sample in log.samples for event in sample.events if event.event == "model"]
    seeds = [call.config.seed for call in calls]
    assert len(set(seeds)) == len(seeds) == 2 * 2 * 8
    again = evaluate(task("ipd", deals=1, pools=pools), tit_for_tat, tmp_path, epochs=2)
    assert sorted(seeds) == sorted(
        event.config.seed for sample in again.samples for event in sample.events if event.event == "model"
    )


def test_dialogues_are_tasks_too(tmp_path: Path) -> None:
    log = evaluate(task("social", deals=1), lambda prompt: "I agree.", tmp_path, limit=2)
    assert all(sample.store["equipoise_episode"]["notes"]["scenario"] for sample in log.samples)


def test_a_limit_counts_whole_deals_only(tmp_path: Path) -> None:
    found = metrics(evaluate(task("ipd", deals=3), tit_for_tat, tmp_path, limit=50))
    audit = equipoise.audit("ipd", "scripted:tit_for_tat", exact=False, episodes=2)["ipd"]
    assert found["deals"] == 2
    check(found, audit, TERMS)
    assert metrics(evaluate(task("ipd", deals=1), tit_for_tat, tmp_path, limit=3)) == {"deals": 0}


def test_what_does_not_exist_is_said_when_the_task_is_made() -> None:
    for settings, said in (
        ({"deals": 0}, "at least 1 deal"),
        ({"pools": {"train": ["tit_for_tatt"]}}, "did you mean 'tit_for_tat'"),
        ({"options": {"roundz": 3}}, "did you mean 'rounds'"),
        ({"wording": "plainer"}, "did you mean 'plain'"),
        ({"weights": {"y": 1.0}}, "weight"),
    ):
        with pytest.raises(RequestError, match=said):
            task("ipd", **settings)()


def test_inspect_finds_the_tasks_by_name(tmp_path: Path) -> None:
    code = (
        "import inspect_ai.model._model as m\n"
        "async def count(self, text): return 1\n"
        "m.ModelAPI.count_text_tokens = count\n"
        "from inspect_ai._cli.main import main\n"
        "main()\n"
    )
    pools = "pools={train: [random], exploiter: [random], collusive: [], shift: []}"
    arguments = ["eval", "equipoise/ipd", "--model", "mockllm/model", "-T", "deals=1", "-T", pools]
    environment = {**os.environ, "INSPECT_LOG_DIR": str(tmp_path), "INSPECT_DISPLAY": "none"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    from inspect_ai.log import list_eval_logs, read_eval_log

    (info,) = list_eval_logs(str(tmp_path))
    log = read_eval_log(info)
    assert (log.status, log.eval.task) == ("success", "equipoise/ipd")
    # What the mock says names no action.
    assert metrics(log)["invalid_rate"] == 1.0
    assert log.plan.steps[0].params["game"] == "ipd"
