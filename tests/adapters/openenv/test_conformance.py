"""OpenEnv's own checks: the probe of a running server, its graders of an episode, a package's manifest.

The graders are meant for a container; here they are given an episode of a server on the loopback interface.
"""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.adapters.openenv.tasks import set_tasks
from tests.adapters.openenv.serving import needs_openenv, serve
from tests.docs.blocks import ROOT

pytestmark = needs_openenv

PACKAGE = ROOT / "examples" / "openenv"
GAMES = ["ipd", "auction", "split", "multi_issue", "kuhn", "commons"]


@pytest.mark.parametrize("game", GAMES)
def test_the_probe_of_a_running_server_passes(game: str) -> None:
    from openenv.cli._validation import validate_running_environment

    with serve(game) as url:
        report = validate_running_environment(url, timeout_s=30.0)
    assert report["passed"], report
    assert len(report["criteria"]) == 6
    assert all(one["passed"] for one in report["criteria"])


@pytest.mark.parametrize("game", GAMES)
def test_the_graders_of_a_recorded_episode_pass(game: str) -> None:
    from openenv.validation.graders.runtime import basic
    from openenv.validation.runtime.collector import collect_runtime_evidence
    from openenv.validation.runtime.contracts import RuntimePlan

    # One answer is no action; every other step is played by the fallback or as it is said.
    actions: list[dict[str, Any]] = [{"text": word} for word in ("hm", "5", "PASS", "LOW", "COOPERATE")] * 12
    task = {"seed": 3, "episode_id": "mine"}
    plan = RuntimePlan.model_validate({"plan_schema_version": "1", "reset": task, "actions": actions})
    with serve(game) as url:
        found = collect_runtime_evidence(url, plan, episode_timeout_s=60.0)
        again = collect_runtime_evidence(url, plan, episode_timeout_s=60.0)
    assert found.failure_reason is None
    assert len(found.exchanges) > 4
    # The same seed and answers are the same bytes.
    assert found == again
    record = set_tasks(game).game.info_record
    low, high = (record.rounds * bound for bound in record.payoff_bounds)
    manifest = SimpleNamespace(reward=SimpleNamespace(range=(min(low, 0.0), high)))
    subject = SimpleNamespace(runtime_evidence=found, manifest=manifest)
    for grader in (basic.RewardWellFormedGrader, basic.ObservationSchemaGrader, basic.StateContractGrader):
        result = grader().run(subject)
        assert result.status.value == "pass", (result.check_id, result.evidence)


def test_the_example_package_is_valid_and_serves_the_tasks_it_declares() -> None:
    from openenv.validation import Level, Verdict, run_validation
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser

    report = run_validation(PACKAGE, max_level=Level.STATIC, skip_build=True)
    assert report.verdict is Verdict.PASS, report.results
    assert [one.check_id for one in report.results] == ["static.manifest"]
    manifest = OpenEnvYamlParser().parse(PACKAGE)
    tasks = set_tasks("ipd")
    declared = manifest.capabilities.declared_task_count
    assert declared == {split: tasks.count(split) for split in declared}
    record = tasks.game.info_record
    # A forfeit pays all rounds at once.
    assert manifest.reward.range == tuple(record.rounds * bound for bound in record.payoff_bounds)
    spec = importlib.util.spec_from_file_location("server_app", PACKAGE / "server" / "app.py")
    assert spec is not None
    assert spec.loader is not None
    served = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(served)
    assert "/reset" in served.app.openapi()["paths"]
