"""The strategist of a recipe: loaded for an audit, or with a learner for a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.games.rules import Rules
from equipoise.policies.base import Policy
from equipoise.policies.phrases.advice import advice_of
from equipoise.policies.phrases.adviser import PhraseAdviser, load_phrases
from equipoise.policies.phrases.keys import state_key
from equipoise.policies.phrases.policy import PhraseStrategist
from equipoise.policies.strategist import Adviser
from equipoise.training.config import SepoConfig
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.phrases import PhraseLearner
from equipoise.training.epo.recipe import PHRASES, EpoRecipe, EpoTask
from equipoise.training.learner import Learner

__all__ = ["Strategists"]


@dataclass(frozen=True)
class Strategists:
    """Makes a task's strategists.

    Attributes:
        recipe: The recipe.
        task: The task's part of it.
        quiet: Whether to load models without a word.
    """

    recipe: EpoRecipe
    task: EpoTask
    quiet: bool = True

    @property
    def device(self) -> dict[str, Any]:
        """How language models are loaded."""
        return {"dtype": self.recipe.dtype, "device": self.recipe.device}

    def adviser(self, rules: Rules, weights: Path | None) -> Adviser:
        """Return the strategist as it comes, or with the weights of a run's folder."""
        if self.recipe.model == PHRASES:
            if weights is None:
                return self._phrases(rules, "base", trainable=False)
            return load_phrases(weights, rules, weights.parent.parent.name)
        from equipoise.policies.local.adviser import LocalAdviser

        spec = self.recipe.model if weights is None else f"{self.recipe.model}+{weights}"
        return LocalAdviser.from_spec(
            spec,
            quiet=True,
            temperature=self.recipe.temperature,
            max_new_tokens=self.recipe.max_new_tokens,
            prompt=self.recipe.prompt,
            name=spec if weights is None else weights.parent.parent.name,
            **self.device,
        )

    def learner(
        self,
        rules: Rules,
        actor: Policy,
        name: str,
        config: EpoConfig | SepoConfig,
        warm: Path | None = None,
    ) -> tuple[Learner, str]:
        """Return what a run trains, from a warm start if there is one, and the fingerprint of its start."""
        if self.recipe.model == PHRASES:
            phrases = self._phrases(rules, name)
            policy = PhraseStrategist(phrases, actor, name)
            return PhraseLearner(policy, config.max_grad_norm, config.max_step_kl), phrases.fingerprint
        from equipoise.training.epo.warm_start import local_strategist
        from equipoise.training.tokens import TokenLearner

        strategist = local_strategist(self.recipe, actor, name, config.seed, self.quiet, warm)
        learner = TokenLearner(strategist, config.max_grad_norm, config.pass_tokens, config.max_step_kl)
        return learner, strategist.adviser.fingerprint

    def _phrases(self, rules: Rules, name: str, *, trainable: bool = True) -> PhraseAdviser:
        settings = self.task.phrases
        key, advice = state_key(settings.key, rules), advice_of(rules.name, tuple(settings.advice))
        return PhraseAdviser(rules, key, advice, name=name, trainable=trainable)
