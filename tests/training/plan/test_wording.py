"""The warm start of a strategist in a plan, against what the warm start itself collects."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.base import Policy
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.strategist import LocalStrategist
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.prompts.phrasings import phrasings
from equipoise.training.epo.config import WordingConfig
from equipoise.training.epo.wording import situations
from equipoise.training.plan.plan import Plan, StagePlan, plan_recipe

RECIPE = """
method = "epo"
name = "mine"
model = "tiny-random"
seed = 3
prompt = "brief"
max_new_tokens = 4

[audit]
episodes = 2

[tasks.ipd]
options = {rounds = 3}
actor = "coached:random"
pools.train = ["tit_for_tat", "always_defect"]

[tasks.ipd.sft]
starts = 2
steps = 7
select_every = 3
batch = 2
texts = 5
seed = 1
"""


def planned(folder: Path, *overrides: str) -> Plan:
    file = folder / "mine.toml"
    file.write_text(RECIPE, encoding="utf-8")
    return plan_recipe(str(file), overrides)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return planned(tmp_path_factory.mktemp("plan"))


def stage(plan: Plan, name: str) -> StagePlan:
    return next(one for one in plan.stages if one.stage == name)


def values(one: StagePlan, *names: str) -> list[float | None]:
    return [one.figures[name].value for name in names]


def collected() -> int:
    """Return how many situations the run's own code finds."""
    rules = make_game("ipd", rounds=3)
    actor = load_policy("coached:random", rules)
    assert isinstance(actor, Policy)
    adviser = LocalAdviser.from_spec("tiny-random", quiet=True, max_new_tokens=4, prompt="brief")
    partners = load_opponents(["tit_for_tat", "always_defect"], rules)
    config = WordingConfig(starts=2, seed=1 + 3)
    return len(situations(rules, LocalStrategist(adviser, actor, "sft"), partners, phrasings("ipd"), config))


def test_situations_are_those_that_the_run_collects(plan: Plan) -> None:
    found = stage(plan, "sft: situations")
    # Two deals, two partners, two seats, three rounds.
    assert values(found, "trajectories", "actor_calls", "situations") == [8, 24, collected()]
    assert found.figures["situations"].exact
    # Texts are drawn: the strategist neither reads nor writes here.
    assert values(found, "all_tokens", "prompts") == [0, 0]


def test_a_step_reads_each_situation_with_every_text_drawn_for_it(plan: Plan) -> None:
    step = stage(plan, "sft")
    assert values(step, "steps", "decisions", "prompts") == [7, 2 * 5, 2]
    assert not step.figures["steps"].exact
    answers, read = values(step, "answer_tokens", "prompt_tokens")
    assert answers is not None
    assert read is not None
    total = step.figures["all_tokens"].value
    assert total is not None
    # Read once with gradients, which counts three times: at least both prompts and all texts, at most every
    # text with a prompt of its own.
    assert 3 * answers <= total / 7 <= 3 * (5 * read + answers) * (1 + 1e-9)


def test_losses_on_held_out_situations_are_read_once(plan: Plan) -> None:
    step, loss = stage(plan, "sft"), stage(plan, "sft: selection")
    kept = min(2, math.ceil(0.2 * collected()))
    assert values(loss, "steps", "decisions") == [3, kept * 5]
    each, trained = loss.figures["all_tokens"].value, step.figures["all_tokens"].value
    assert each is not None
    assert trained is not None
    assert 0 < each / 3 < trained / 7


def test_the_warm_start_comes_before_the_runs_and_is_audited(plan: Plan) -> None:
    assert [one.stage for one in plan.stages] == [
        "audit base", "sft: situations", "sft", "sft: selection", "audit sft",
    ]  # fmt: skip


def test_longer_passes_need_more_memory(tmp_path: Path) -> None:
    few, many = (
        planned(tmp_path, f"tasks.ipd.sft.pass_tokens={size}").memory["activations"].value
        for size in (1, 100_000)
    )
    assert few is not None
    assert many is not None
    assert few < many


def test_situations_are_estimates_where_a_model_is_stood_in_for(tmp_path: Path) -> None:
    found = stage(planned(tmp_path, "tasks.ipd.actor=smollm2"), "sft: situations")
    assert not found.figures["situations"].exact


def test_an_unknown_intent_is_refused_as_in_the_run(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown intent of ipd"):
        planned(tmp_path, 'tasks.ipd.sft.intents=["nothing"]')
