"""The first steps of a recipe, timed; here on tiny models and the CPU."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.policies.local.question import Question
from equipoise.training import first_steps as module
from equipoise.training.first_steps import FirstSteps, StepTimes, first_steps, main
from equipoise.training.pipeline import prepare
from equipoise.training.plan.passes import worked
from equipoise.training.plan.tokens import Tokens, question_of
from equipoise.training.plan.work import Work, work_of
from equipoise.training.recipe import load_recipe
from tests.helpers import every_decision
from tests.training.recipes import SMALL, TABLE, write

TINY = ["model=tiny-random", "device=cpu", "dtype=float32", "threads=1", "lora.rank=2"]
SHORT = ["games.split.options.rounds=2", "games.split.train.sepo.rollouts=2"]
BUDGETS = {"choose": [], "free": ["max_new_tokens=6"], "think": ["thought_tokens=5"]}


@pytest.mark.parametrize("mode", ["choose", "free", "think"])
def test_steps_of_a_4b_recipe_on_a_tiny_model(mode: str) -> None:
    recipe = load_recipe("gemma4-e4b", [*TINY, *SHORT, *BUDGETS[mode], f"mode={mode}", "temperature=1"])
    found = first_steps(recipe, "split", steps=2, quiet=True)
    assert (found.recipe, found.model, found.game) == ("gemma4-e4b", "tiny-random", "split")
    assert len(found.steps) == 2
    for step in found.steps:
        # Seven streams of two rollouts and two rounds.
        assert step.decisions == 28
        assert min(step.play, step.update, step.peak) > 0
        assert step.seconds == step.play + step.update
    assert found.tokens_per_second == pytest.approx(found.steps[1].tokens / found.steps[1].seconds)
    assert found.prefixes is None


@pytest.mark.parametrize("mode", ["choose", "free"])
def test_tokens_are_counted_as_a_dry_run_counts_them(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Work] = []

    def counting(work: Work, tokens: Tokens) -> tuple[float, str]:
        seen.append(work)
        return worked(work, tokens)

    monkeypatch.setattr(module, "worked", counting)
    recipe = load_recipe("gemma4-e4b", [*TINY, *SHORT, *BUDGETS[mode], f"mode={mode}", "temperature=1"])
    first_steps(recipe, "split", steps=1, quiet=True)
    (work,) = seen
    one = recipe.games["split"]
    rules, config = prepare(recipe, "split")
    planned = {w.stage: w for w in work_of(rules, one, config, 0, table=False, budget=6 * (mode == "free"))}
    plan = planned["sepo"]
    for key in ("kind", "episodes", "decisions", "chunk", "pass_tokens"):
        assert getattr(work, key) == getattr(plan, key), key
    assert set(work.questions) <= set(all_questions(rules))
    # Texts may end before their budget.
    assert (0 < work.budget <= plan.budget) if mode == "free" else (work.budget == plan.budget == 0)
    assert len(work.asked) == len(plan.asked)


def all_questions(rules: Game) -> list[Question]:
    """Everything that can be asked in two rounds of splitting: the demands of the first, and no demands."""
    return [question_of(decision) for decision in every_decision(rules)]


def test_no_step_is_begun_that_would_end_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def step(number: int, *rest: Any) -> StepTimes:
        made.append(number)
        return StepTimes(50.0, 60.0, 1, 1.0, 1)

    monkeypatch.setattr(module, "_step", step)
    recipe = load_recipe("gemma4-e4b", [*TINY, *SHORT, *BUDGETS["free"]])
    assert len(first_steps(recipe, "split", steps=9, minutes=1.0, quiet=True).steps) == 1
    assert len(first_steps(recipe, "split", steps=9, minutes=60.0, quiet=True).steps) == 9


def test_the_first_step_warms_up() -> None:
    found = FirstSteps("r", "m", "g", "cpu", 0.0, None, [StepTimes(9.0, 1.0, 1, 10.0, 1)])
    assert found.tokens_per_second == 1.0
    found.steps.append(StepTimes(1.0, 1.0, 1, 10.0, 1))
    assert found.tokens_per_second == 5.0


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = write(tmp_path, SMALL)
    assert main([recipe, "--steps", "1", "-q", "games.ipd.train.sepo.rollouts=2"]) == 0
    out = capsys.readouterr().out
    assert "small: tiny-random, ipd, on cpu" in out
    assert "tokens/s" in out
    # A long path is wrapped, wherever it may be.
    wanted = f"equipoise run {recipe} --dry-run --tokens-per-second"
    assert "".join(wanted.split()) in "".join(out.split())


def test_what_cannot_be_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small, table = load_recipe(write(tmp_path, SMALL)), write(tmp_path, TABLE, "table")
    with pytest.raises(RequestError, match="unknown game of the recipe 'ipdd': did you mean 'ipd'"):
        first_steps(small, "ipdd")
    with pytest.raises(RequestError, match="trains a table"):
        first_steps(load_recipe(table))
    bare = write(tmp_path, 'name = "b"\nmodel = "tiny-random"\n[games.ipd]\n', "bare")
    assert main([bare, "-q"]) == 2
    assert "has no SEPO run in any game" in capsys.readouterr().err
    assert main([bare, bare]) == 2
    assert "one recipe too many" in capsys.readouterr().err.replace("\n", " ")


def test_the_script_can_be_started() -> None:
    script = Path(__file__).parents[2] / "scripts" / "gpu_first_steps"
    assert script.stat().st_mode & stat.S_IXUSR
    assert "equipoise.training.first_steps" in script.read_text(encoding="utf-8")
