"""Data for the supervised warm start: prompts and the teacher's answers, split by episode."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.games.base import Game
from equipoise.games.match import pick
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.registry import load_opponents
from equipoise.policies.scripted import StrategyPolicy
from equipoise.progress import Reporter, silent
from equipoise.prompts.base import MARKER
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.training.teachers import mixture_of
from equipoise.types import Action, Decision

__all__ = ["Example", "make_examples", "write_data"]


@dataclass(frozen=True, slots=True)
class Example:
    """A teacher's answer to a decision.

    Attributes:
        decision: The decision.
        action: What the teacher played.
        episode: Number of the episode; splits never cut through one.
        teacher: Name of the teacher.
        opponent: Name of the opponent.
        held_out: Whether the episode belongs to the validation split.
    """

    decision: Decision
    action: Action
    episode: int
    teacher: str
    opponent: str
    held_out: bool


def make_examples(
    game: Game,
    recipe: str,
    episodes: int,
    seed: int,
    validation: float = 0.1,
    pools: Pools | None = None,
    reporter: Reporter | None = None,
) -> list[Example]:
    """Play teachers against opponents and return every decision of the teachers.

    Args:
        game: The game.
        recipe: The mixture of teachers.
        episodes: Number of episodes.
        seed: Seed of the draws; the deals belong to the sft split.
        validation: Share of the episodes that is held out.
        pools: The pools in force, whose shift pool is kept out.
        reporter: Shows progress.

    Raises:
        RequestError: The recipe does not exist for the game, or meets a held-out opponent.
    """
    mixture = mixture_of(game.name, recipe, pools or default_pools(game.name))
    opponents = load_opponents(mixture.opponents, game)
    teachers = [(StrategyPolicy(strategy), weight) for strategy, weight in mixture.teachers]
    requests, meta = [], []
    for number in range(episodes):
        deal = Deal(seed, Split.SFT, game.info_record.key, number)
        teacher = pick(teachers, keyed_uniform(f"{deal.key}|teacher"))
        name = mixture.opponents[int(keyed_uniform(f"{deal.key}|opponent-name") * len(mixture.opponents))]
        assert isinstance(teacher, StrategyPolicy)
        seat = number % game.info_record.seats
        players = (teacher, opponents[name]) if seat == 0 else (opponents[name], teacher)
        requests.append(EpisodeRequest(game, deal, "sft", name, seat, players))
        held_out = keyed_uniform(f"{deal.key}|validation") < validation
        meta.append((number, teacher.name.removeprefix("scripted:"), name, held_out))
    with (reporter or silent()).task(f"data {game.name}", episodes) as advance:
        played = play(requests, progress=advance)
    examples = []
    for one, (number, teacher_name, name, held_out) in zip(played, meta, strict=True):
        own = [turn for turn in one.episode.turns if turn.seat == one.episode.seat]
        examples += [
            Example(decision, turn.action, number, teacher_name, name, held_out)
            for decision, turn in zip(one.decisions, own, strict=True)
        ]
    return examples


def write_data(
    game: Game, recipe: str, episodes: int, seed: int, out: Path, reporter: Reporter | None = None
) -> dict[str, Any]:
    """Write the data as JSONL in prompt/completion chat form and return what it holds.

    Raises:
        RequestError: See :func:`make_examples`.
    """
    examples = make_examples(game, recipe, episodes, seed, reporter=reporter)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.part")
    with part.open("w", encoding="utf-8") as file:
        for example in examples:
            file.write(json.dumps(_row(example), ensure_ascii=False) + "\n")
    part.replace(out)
    return _card(game, recipe, seed, examples)


def _row(example: Example) -> dict[str, Any]:
    renderer = get_renderer(example.decision.rules.name)
    prompt = renderer.prompt(example.decision)
    answer = f"{MARKER} {renderer.say(example.action)}"
    return {
        "prompt": [{"role": "user", "content": prompt.rules + prompt.situation}],
        "completion": [{"role": "assistant", "content": answer}],
        "game": example.decision.rules.info_record.key,
        "episode": example.episode,
        "teacher": example.teacher,
        "opponent": example.opponent,
        "split": "validation" if example.held_out else "train",
    }


def _card(game: Game, recipe: str, seed: int, examples: Sequence[Example]) -> dict[str, Any]:
    held_out = [e for e in examples if e.held_out]
    return {
        "game": game.info_record.key,
        "recipe": recipe,
        "seed": seed,
        "episodes": len({e.episode for e in examples}),
        "examples": len(examples),
        "validation_examples": len(held_out),
        "teachers": dict(Counter(e.teacher for e in examples)),
        "opponents": dict(Counter(e.opponent for e in examples)),
        "held_out_opponents": list(default_pools(game.name).shift),
    }
