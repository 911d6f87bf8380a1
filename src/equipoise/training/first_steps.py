"""The first SEPO steps of a recipe, timed: how fast a machine is, and whether a model fits on it.

    python -m equipoise.training.first_steps gemma4-e4b --steps 3

Nothing is kept. Throughput counts tokens as ``equipoise run --dry-run`` does, so that the one can be given to
the other.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, RequestError, unknown
from equipoise.policies.local.families import family_of
from equipoise.policies.local.policy import LocalPolicy
from equipoise.progress import Reporter
from equipoise.rollout.requests import Played
from equipoise.training.arena import Arena
from equipoise.training.batch import sampled_batch
from equipoise.training.config import SepoConfig
from equipoise.training.pipeline import prepare
from equipoise.training.plan.passes import worked
from equipoise.training.plan.tokens import Tokens
from equipoise.training.plan.work import Work
from equipoise.training.recipe import GameRecipe, Recipe, load_recipe
from equipoise.training.samples import decision_samples
from equipoise.training.stages import learner_of, objective_of, opponents_of

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["FirstSteps", "StepTimes", "first_steps", "main"]

DEFAULT = "gemma4-e4b"
"""The recipe that is tried where none is named."""


@dataclass(frozen=True)
class StepTimes:
    """One step.

    Attributes:
        play: Seconds of playing and crediting.
        update: Seconds of the update.
        decisions: Decisions of the policy.
        tokens: Tokens worked through, those with gradients counted as in a dry run.
        peak: Largest memory so far, in bytes: of the GPU, or of the process.
    """

    play: float
    update: float
    decisions: int
    tokens: float
    peak: int

    @property
    def seconds(self) -> float:
        """Seconds of the whole step."""
        return self.play + self.update


@dataclass
class FirstSteps:
    """What was measured.

    Attributes:
        recipe: Name of the recipe.
        model: Its model.
        game: Name of the game.
        device: Where it ran.
        load: Seconds until the first step.
        prefixes: Why prompts are not read together, or None.
        steps: The steps that were made.
    """

    recipe: str
    model: str
    game: str
    device: str
    load: float
    prefixes: str | None
    steps: list[StepTimes] = field(default_factory=list)

    @property
    def tokens_per_second(self) -> float:
        """Tokens a second over all steps but the first, which warms up, if there are others."""
        counted = self.steps[1:] or self.steps
        return sum(step.tokens for step in counted) / sum(step.seconds for step in counted)

    def table(self) -> Table:
        """Return the steps as a table."""
        from rich.table import Table

        found = Table(
            title=f"{self.recipe}: {self.model}, {self.game}, on {self.device}", title_justify="left"
        )
        for heading in (
            "step",
            "decisions",
            "tokens",
            "play",
            "update",
            "step time",
            "tokens/s",
            "peak memory",
        ):
            found.add_column(heading, justify="right")
        for number, step in enumerate(self.steps, start=1):
            found.add_row(
                str(number),
                f"{step.decisions:,}",
                f"{step.tokens:,.0f}",
                f"{step.play:.1f} s",
                f"{step.update:.1f} s",
                f"{step.seconds:.1f} s",
                f"{step.tokens / step.seconds:,.0f}",
                f"{step.peak / 1e9:.2f} GB",
            )
        return found


def first_steps(
    recipe: Recipe, game: str | None = None, steps: int = 3, minutes: float = 10.0, quiet: bool = False
) -> FirstSteps:
    """Make the first steps of a SEPO run, without its warm start, and time them.

    Args:
        recipe: The recipe.
        game: Which of its games; None takes the first.
        steps: Steps to make.
        minutes: No step is begun that would probably end later than this.
        quiet: Show no progress.

    Raises:
        RequestError: The recipe has no such game, trains no language model, or has no SEPO run for it.
    """
    name, one = _game(recipe, game)
    settings = next(iter(one.train.values()))
    if settings.gradient == "exact":
        settings = SepoConfig.model_validate(
            {**settings.model_dump(), "gradient": "sampled", "gates": "auto"}
        )
    began, reporter = time.perf_counter(), Reporter(quiet)
    rules, config = prepare(recipe, name)
    learner, _ = learner_of(recipe, rules, settings, None, "first-steps", reporter)
    policy: Any = learner.policy
    met = opponents_of(recipe, rules, config)
    arena = Arena(rules, objective_of(rules, config), policy, settings, met, config.rule)
    tokens = _tokens(policy)
    device = _device_name(recipe.device)
    load = time.perf_counter() - began
    found = FirstSteps(recipe.name, recipe.model, rules.name, device, load, policy.scorer.no_tree)
    with reporter.task(f"first steps of {recipe.name}", steps) as advance:
        for number in range(steps):
            longest = max((step.seconds for step in found.steps), default=0.0)
            if found.steps and time.perf_counter() - began + longest > 60.0 * minutes:
                break
            found.steps.append(_step(number, arena, learner, tokens))
            advance(1)
    return found


def _step(number: int, arena: Arena, learner: Any, tokens: Tokens) -> StepTimes:
    learner.forget()
    started = time.perf_counter()
    arena.respond(learner.policy, number)
    sampled = arena.sample(learner.policy, number, {})
    is_text = learner.wants == "samples"
    batch = decision_samples(sampled) if is_text else sampled_batch(sampled)
    _wait(arena, learner)
    between = time.perf_counter()
    learner.update(batch, arena.config.lr, arena.config.kl, arena.config.entropy)
    _wait(arena, learner)
    ended = time.perf_counter()
    work = _work(sampled.played, learner.policy, arena.config, is_text)
    total = worked(work, tokens)[0]
    return StepTimes(between - started, ended - between, work.decisions, total, _peak(learner.policy))


def _work(played: Sequence[Played], policy: LocalPolicy, config: SepoConfig, is_text: bool) -> Work:
    """Return what a step has done, as a plan counts it, with texts as long as they were."""
    decisions = [decision for one in played for decision in one.decisions]
    asked = tuple(policy.question(decision) for decision in decisions)
    written = [
        sum(len(made.ids) for made in turn.choice.generations if made.trainable)
        for one in played
        for turn in one.episode.turns
        if turn.seat == one.episode.seat
    ]
    mean = round(sum(written) / max(len(written), 1)) if is_text else 0
    name = decisions[0].rules.name
    work = Work(
        name, "sepo", "sepo", 1, len(played), len(decisions), tuple(dict.fromkeys(asked)), config.rows
    )
    if not is_text:
        return work
    return replace(work, budget=max(1, mean), asked=asked, pass_tokens=config.pass_tokens)


def _tokens(policy: LocalPolicy) -> Tokens:
    family = family_of(policy.loaded.model.config)
    return Tokens(policy.loaded.tokenizer, family, policy.scorer.no_tree is None)


def _game(recipe: Recipe, game: str | None) -> tuple[str, GameRecipe]:
    if recipe.model == "table":
        raise RequestError(f"recipe {recipe.name!r} trains a table: name one with a language model")
    if game is not None and game not in recipe.games:
        raise unknown("game of the recipe", game, recipe.games)
    known: dict[str, GameRecipe] = {}
    for name, one in recipe.games.items():
        joint = {
            run: settings.settings(name) for run, settings in recipe.joint.items() if name in settings.games
        }
        if game in (None, name) and (one.train or joint):
            known[name] = one.model_copy(update={"train": {**one.train, **joint}})
    if not known:
        raise RequestError(f"recipe {recipe.name!r} has no SEPO run in {game or 'any game'}: name another")
    return next(iter(known.items()))


def _wait(arena: Arena, learner: Any) -> None:
    """Wait for the GPU: its work is only queued when a call returns."""
    import torch

    if learner.policy.loaded.model.device.type == "cuda":
        torch.cuda.synchronize()


def _peak(policy: LocalPolicy) -> int:
    import resource

    import torch

    if policy.loaded.model.device.type == "cuda":
        return int(torch.cuda.max_memory_allocated())
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts kilobytes, macOS bytes.
    return size if sys.platform == "darwin" else 1024 * size


def _device_name(device: str) -> str:
    import torch

    if device.startswith("cuda") and torch.cuda.is_available():
        return f"{device} ({torch.cuda.get_device_name()})"
    return device


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    given = _parser().parse_intermixed_args(arguments)
    names = [word for word in given.words if "=" not in word]
    overrides = [word for word in given.words if "=" in word]
    name = names[0] if names else DEFAULT
    for key in ("model", "device", "dtype"):
        if getattr(given, key) is not None:
            overrides.append(f"{key}={getattr(given, key)}")
    from rich.console import Console

    console = Console(highlight=False)
    try:
        if len(names) > 1:
            raise RequestError(f"{names[1]!r} is one recipe too many: write changes as key=value")
        recipe = load_recipe(name, overrides)
        found = first_steps(recipe, given.game, given.steps, given.minutes, given.quiet)
    except EquipoiseError as error:
        Console(stderr=True, highlight=False).print(f"error: {error}", markup=False, soft_wrap=True)
        return error.exit_code
    console.print(found.table())
    console.print(f"loaded in {found.load:.1f} s", markup=False)
    if found.prefixes is not None:
        console.print(f"prompts are read one by one: {found.prefixes}", markup=False, soft_wrap=True)
    speed = f"{found.tokens_per_second:.0f}"
    console.print(f"equipoise run {name} --dry-run --tokens-per-second {speed}", markup=False)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gpu_first_steps", description=__doc__.split("\n")[0])
    parser.add_argument(
        "words",
        nargs="*",
        metavar="RECIPE KEY=VALUE",
        help=f"a recipe (default: {DEFAULT}), and changes to it",
    )
    parser.add_argument("--model", help="another model than the recipe's, e.g. tiny-random")
    parser.add_argument("--device", help="another device than the recipe's, e.g. cpu")
    parser.add_argument("--dtype", help="another number format than the recipe's")
    parser.add_argument("--game", help="which game of the recipe (default: its first)")
    parser.add_argument("--steps", type=int, default=3, help="steps to make (default: %(default)s)")
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="time to stay within (default: %(default)g)"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="show no progress")
    return parser


if __name__ == "__main__":
    sys.exit(main())
