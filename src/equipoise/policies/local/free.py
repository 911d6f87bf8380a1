"""The ``free`` mode: text from the model, the action read off its last line, failures as data."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from equipoise.policies.local.chat import end_of_turn, prompt_ids
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.sampling import Sampled, generate
from equipoise.policies.local.scoring import ActionScorer
from equipoise.prompts.registry import get_renderer
from equipoise.types import Choice, Decision, Generation, StopReason, Validity

__all__ = ["FreeText", "stop_ids"]


class FreeText:
    """Answers decisions by generating text."""

    def __init__(
        self,
        loaded: LoadedModel,
        scorer: ActionScorer,
        *,
        temperature: float,
        max_new_tokens: int,
        max_rows: int,
        wording: str,
    ) -> None:
        """Take a model, its scorer (whose token tree reads the prompts), the settings and the wording."""
        self.loaded, self.scorer, self.wording = loaded, scorer, wording
        self.temperature, self.max_new_tokens, self.max_rows = temperature, max_new_tokens, max_rows
        self._stop_ids = stop_ids(loaded)

    def answer(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Return a choice for each decision, generated in as few batches as ``max_rows`` allows."""
        prompts = (get_renderer(d.rules.name, self.wording).prompt(d) for d in decisions)
        ids = [prompt_ids(prompt, self.loaded.tokenizer) for prompt in prompts]
        choices: dict[int, Choice] = {}
        # Prompts of like length are padded together.
        order = sorted(range(len(ids)), key=lambda i: (len(ids[i]), i))
        for start in range(0, len(order), self.max_rows):
            chunk = order[start : start + self.max_rows]
            sampled = self._sample([ids[i] for i in chunk], [decisions[i] for i in chunk])
            for i, s in zip(chunk, sampled, strict=True):
                choices[i] = self._read(decisions[i], ids[i], s)
        return [choices[i] for i in range(len(decisions))]

    def _sample(self, ids: list[tuple[int, ...]], decisions: Sequence[Decision]) -> list[Sampled]:
        with torch.no_grad():
            tree = self.scorer.tree(reuse=True)
            layers = None if tree is None else tree.prefill(ids)
        return generate(
            self.scorer.backbone,
            ids,
            [decision.draws.uniform for decision in decisions],
            stop_ids=self._stop_ids,
            pad=self.loaded.tokenizer.pad_token_id,
            max_new_tokens=self.max_new_tokens,
            temperature=self.temperature,
            layers=layers,
        )

    def _read(self, decision: Decision, prompt: tuple[int, ...], sampled: Sampled) -> Choice:
        """Turn a completion into a choice."""
        text = self.loaded.tokenizer.decode(list(sampled.ids), skip_special_tokens=True)
        mask = (1,) * len(sampled.ids)
        made = Generation("action", prompt, sampled.ids, sampled.logprobs, mask, sampled.stop, text=text)
        action = get_renderer(decision.rules.name, self.wording).parse(text, decision.legal or ())
        if action is not None:
            return Choice(action, generations=(made,))
        if sampled.stop is StopReason.LENGTH:
            detail = f"no action within {self.max_new_tokens} tokens"
            return Choice(None, Validity.TRUNCATED, generations=(made,), detail=detail)
        return Choice(None, Validity.INVALID, generations=(made,), detail="no legal action on the last line")


def stop_ids(loaded: LoadedModel) -> tuple[int, ...]:
    """Return all tokens that end a turn, by template, tokenizer or the model's own settings."""
    own = getattr(getattr(loaded.model, "generation_config", None), "eos_token_id", None)
    listed = own if isinstance(own, list) else [own]
    ends = [end_of_turn(loaded.tokenizer), loaded.tokenizer.eos_token_id, *listed]
    return tuple(dict.fromkeys(token for token in ends if token is not None))
