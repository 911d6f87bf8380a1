"""What the warm start of a strategist's wording does, counted by the run's own code without a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy
from equipoise.policies.local.question import Question
from equipoise.prompts.phrasings import phrasings
from equipoise.prompts.registry import get_renderer
from equipoise.prompts.strategist import Style, strategist_prompt
from equipoise.training.epo.config import WordingConfig
from equipoise.training.epo.recipe import SFT
from equipoise.training.epo.situations import situations_met
from equipoise.training.plan.work import Work
from equipoise.types import Decision

__all__ = ["wording_works"]


def wording_works(
    name: str,
    rules: Rules,
    actor: AnyPolicy,
    partners: Mapping[str, AnyPolicy],
    settings: WordingConfig,
    style: Style,
    certain: bool,
) -> Iterator[Work]:
    """Yield the stages of a warm start: collecting situations, steps, and losses on what is held out.

    Args:
        name: Name of the task.
        rules: What is played.
        actor: The actor, or who stands in for it.
        partners: Whom it meets, by name.
        settings: Settings of the warm start.
        style: How much the strategist reads.
        certain: Whether nobody is stood in for: situations are then those of the run.

    Raises:
        RequestError: There are no texts of advice for what is played, or none of an intent.
    """
    texts = phrasings(rules.name, settings.intents)
    words = tuple(text for among in texts.values() for text in among)
    told: list[Decision] = []

    def asked(decision: Decision) -> Question:
        told.append(decision)
        return Question(strategist_prompt(get_renderer(rules.name), decision, style=style), words)

    found = situations_met(rules, actor, partners, texts, settings, asked)
    episodes = settings.starts * len(partners) * rules.info_record.seats
    calls = {"trajectories": episodes, "actor_calls": len(told), "situations": len(found)}
    # The texts are drawn and not written: no token is read or written to collect situations.
    yield Work(name, f"{SFT}: situations", "audit", 1, episodes, 0, (), certain=certain, calls=calls)
    kept = math.ceil(settings.validation * len(found))
    step = Work(name, SFT, "sft", settings.steps, 0, 0, (), chunk=1, certain=certain, stops=True)
    step = replace(step, pass_tokens=settings.pass_tokens)
    yield _read(step, found[kept:], settings)
    count = -(-settings.steps // settings.select_every)
    yield _read(replace(step, stage=f"{SFT}: selection", kind="loss", steps=count), found[:kept], settings)


def _read(work: Work, among: Sequence[Question], settings: WordingConfig) -> Work:
    """Return a stage with the situations of one step, each as often as a text is drawn for it."""
    size = min(settings.batch, len(among))
    # Neighbours are of one episode and too much alike.
    picked = tuple(among[:: max(1, len(among) // max(size, 1))][:size])
    asked = tuple(one for one in picked for _ in range(settings.texts))
    return replace(work, questions=picked, asked=asked, decisions=len(asked))
