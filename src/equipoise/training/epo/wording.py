"""The warm start of a strategist: it is taught the form of advice, not which advice to give.

Every example pairs a situation with a text whose intent was drawn uniformly, whatever the situation: what the
strategist learns is how advice sounds, and to give each kind equally often. Which advice pays is left to EPO.
The situations are those that the advised side comes into when it is told texts so drawn, on deals of the sft
split; nothing of how the episodes end is looked at, and weights are selected by their loss alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from equipoise.errors import EquipoiseError
from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy
from equipoise.policies.local.chat import end_of_turn
from equipoise.policies.local.strategist import LocalStrategist
from equipoise.progress import Reporter
from equipoise.prompts.phrasings import phrasings
from equipoise.training.epo.config import WordingConfig
from equipoise.training.epo.situations import Texts, drawn_text, situations_met
from equipoise.training.samples import DecisionSample
from equipoise.training.supervised import Evaluation, Supervised
from equipoise.training.tokens import completions, passes, token_logprobs
from equipoise.types import STRATEGIST

__all__ = ["Wording", "situations"]

Pair = tuple[tuple[int, ...], str]
"""What is read, and the text to be written."""


@dataclass(frozen=True)
class _Shares:
    """Situations to learn from and those that are held out."""

    training: list[tuple[int, ...]]
    held_out: list[tuple[int, ...]]


class Wording(Supervised):
    """One supervised run on texts of advice."""

    policy: LocalStrategist
    config: WordingConfig

    def __init__(
        self,
        rules: Rules,
        policy: LocalStrategist,
        partners: Mapping[str, AnyPolicy],
        config: WordingConfig,
        folder: Path | None = None,
        reporter: Reporter | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare a run.

        Args:
            rules: What is played.
            policy: The strategist, with a trainable adapter, and its actor.
            partners: Whom the advised side meets, by name.
            config: Settings.
            folder: Where checkpoints and metrics go; None keeps nothing.
            reporter: Shows progress.
            origin: What else identifies the run.

        Raises:
            RequestError: There are no texts for what is played, or none of an intent.
        """
        self.rules, self.partners = rules, dict(partners)
        self.texts = phrasings(rules.name, config.intents)
        request = {
            "task": rules.info_record.key,
            "options": rules.options.changed(),
            "partners": list(partners),
            "actor": [policy.actor.name, policy.actor.fingerprint],
            "texts": {intent: list(texts) for intent, texts in self.texts.items()},
            "config": config.model_dump(mode="json"),
            "origin": dict(origin or {}),
        }
        self._shares = _Shares([], [])
        super().__init__(f"sft {rules.name}", policy, config, request, folder, reporter)

    def prepare(self) -> None:
        """Collect situations (see ``Supervised``)."""
        found = situations(self.rules, self.policy, self.partners, self.texts, self.config)
        kept = math.ceil(self.config.validation * len(found))
        order = np.random.Generator(np.random.Philox([self.config.seed, 29])).permutation(len(found))
        mixed = [found[i] for i in order]
        self._shares = _Shares(mixed[kept:], mixed[:kept])
        if not self._shares.training:
            raise EquipoiseError("no situation is left to train on: raise starts or lower validation")

    def learn(self, step: int, share: float = 1.0) -> tuple[float, dict[str, Any]]:
        """Accumulate the gradient of the mean loss of a batch (see ``Supervised``)."""
        generator = np.random.Generator(np.random.Philox([self.config.seed, 31, step]))
        return self._loss(self._pairs(self._shares.training, generator), True, share), {}

    def evaluate(self) -> Evaluation:
        """Return the loss on situations that are held out; the lower, the better the score."""
        generator = np.random.Generator(np.random.Philox([self.config.seed, 37]))
        loss = self._loss(self._pairs(self._shares.held_out, generator), False)
        return Evaluation(-loss, loss, None)

    def _pairs(self, among: Sequence[tuple[int, ...]], generator: np.random.Generator) -> list[Pair]:
        """Draw situations, and for each of them texts; intent and situation are independent."""
        picked = generator.choice(len(among), size=min(self.config.batch, len(among)), replace=False)
        return [
            (among[i], drawn_text(self.texts, generator.random(), generator.random()))
            for i in picked
            for _ in range(self.config.texts)
        ]

    def _loss(self, pairs: Sequence[Pair], backward: bool, share: float = 1.0) -> float:
        """Return the mean loss of texts; accumulate its gradient times ``share`` where asked."""
        rows, total = completions([self._sample(*pair) for pair in pairs]), 0.0
        for chunk in passes(rows, self.config.pass_tokens):
            with torch.set_grad_enabled(backward):
                logits = self.policy.scorer.logits([one.row for one in chunk])
                part = torch.zeros((), device=self.policy.loaded.model.device)
                for one, scores in zip(chunk, logits, strict=True):
                    logs, _ = token_logprobs(scores, one, self.policy.temperature)
                    part = part - one.count * logs.sum() / len(pairs)
            if backward:
                (share * part).backward()
            total += float(part.detach())
        return total

    def _sample(self, read: tuple[int, ...], text: str) -> DecisionSample:
        """Return the text as if it had been sampled."""
        tokenizer = self.policy.loaded.tokenizer
        ids = (*tokenizer(text, add_special_tokens=False)["input_ids"], end_of_turn(tokenizer))
        size = len(ids)
        return DecisionSample(
            read, ids, (0.0,) * size, (1,) * size, (None,) * size, 1.0, ("sft", ""), 1, "", 0, STRATEGIST
        )


def situations(
    rules: Rules,
    policy: LocalStrategist,
    partners: Mapping[str, AnyPolicy],
    texts: Texts,
    config: WordingConfig,
) -> list[tuple[int, ...]]:
    """Return what the strategist reads where the actor is told texts drawn at random, each once.

    Args:
        rules: What is played.
        policy: The strategist and its actor.
        partners: Whom they meet, by name.
        texts: Texts by intent.
        config: Settings.
    """
    asked = policy.adviser.asked
    return sorted(situations_met(rules, policy.actor, partners, texts, config, asked))
