"""A local language model that writes texts for whoever asks: judges, for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from equipoise.judges.language import Written
from equipoise.policies.local.chat import prompt_ids
from equipoise.policies.local.free import stop_ids
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.sampling import Sampled, generate
from equipoise.policies.local.scoring import ActionScorer
from equipoise.prompts.base import Prompt

__all__ = ["LocalWriter"]


class LocalWriter:
    """Generates texts in batches (see ``judges.language.Writer``).

    Attributes:
        loaded: Model, tokenizer and fingerprint.
        scorer: Its token tree reads what prompts have in common once.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        temperature: float = 1.0,
        max_new_tokens: int = 96,
        name: str | None = None,
        *,
        max_rows: int = 64,
    ) -> None:
        """Wrap a loaded model.

        Args:
            loaded: The model.
            temperature: Divides the logits; 0 takes the likeliest token.
            max_new_tokens: Budget of a text.
            name: How reports name it; the model's spec if None.
            max_rows: Largest batch of the model.
        """
        self.loaded, self.temperature, self.max_new_tokens = loaded, temperature, max_new_tokens
        self.name, self.max_rows = name or loaded.spec or "local", max_rows
        dtype = str(loaded.model.dtype).removeprefix("torch.")
        self.fingerprint = f"{loaded.fingerprint}/{dtype}/{temperature:g}/{max_new_tokens}"
        self.scorer = ActionScorer(loaded.model, loaded.tokenizer, max_rows=max_rows)
        self._stop_ids = stop_ids(loaded)

    def write(self, prompts: Sequence[Prompt], draws: Sequence[Callable[[str], float]]) -> list[Written]:
        """Return a text for each prompt."""
        found = self.sample(prompts, draws)
        return [Written(self.read(one), len(ids) + len(one.ids)) for ids, one in found]

    def sample(
        self, prompts: Sequence[Prompt], draws: Sequence[Callable[[str], float]]
    ) -> list[tuple[tuple[int, ...], Sampled]]:
        """Return the tokens of each prompt and what was sampled, in as few batches as ``max_rows`` allows."""
        ids = [prompt_ids(prompt, self.loaded.tokenizer) for prompt in prompts]
        found: dict[int, Sampled] = {}
        # Prompts of like length are padded together.
        order = sorted(range(len(ids)), key=lambda i: (len(ids[i]), i))
        for start in range(0, len(order), self.max_rows):
            chunk = order[start : start + self.max_rows]
            found.update(
                zip(chunk, self._batch([ids[i] for i in chunk], [draws[i] for i in chunk]), strict=True)
            )
        return [(ids[i], found[i]) for i in range(len(ids))]

    def read(self, sampled: Sampled) -> str:
        """Return what was sampled as text."""
        return str(self.loaded.tokenizer.decode(list(sampled.ids), skip_special_tokens=True))

    def _batch(self, ids: list[tuple[int, ...]], draws: Sequence[Callable[[str], float]]) -> list[Sampled]:
        with torch.no_grad():
            tree = self.scorer.tree(reuse=True)
            layers = None if tree is None else tree.prefill(ids)
        return generate(
            self.scorer.backbone,
            ids,
            draws,
            stop_ids=self._stop_ids,
            pad=self.loaded.tokenizer.pad_token_id,
            max_new_tokens=self.max_new_tokens,
            temperature=self.temperature,
            layers=layers,
        )
