"""Lets a language model go on from prompts, in as few batches as allowed (``free`` and ``think``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from equipoise.policies.local.chat import end_of_turn
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.sampling import Sampled, Uniform, generate
from equipoise.policies.local.scoring import ActionScorer

__all__ = ["Writer", "stop_ids"]


class Writer:
    """Samples completions.

    Attributes:
        loaded: Model and tokenizer.
        scorer: Its token tree reads the prompts.
        temperature: Divides the logits; 0 takes the likeliest token.
        max_rows: Largest batch.
        stop_ids: Tokens that end a turn.
    """

    def __init__(
        self, loaded: LoadedModel, scorer: ActionScorer, *, temperature: float, max_rows: int
    ) -> None:
        """Take a model, its scorer and the settings."""
        self.loaded, self.scorer = loaded, scorer
        self.temperature, self.max_rows = temperature, max_rows
        self.stop_ids = stop_ids(loaded)

    def write(
        self, prompts: Sequence[tuple[int, ...]], uniforms: Sequence[Uniform], budget: int, end: str = ""
    ) -> list[Sampled]:
        """Return a completion for each prompt.

        Args:
            prompts: Token ids to continue.
            uniforms: For each prompt its source of draws.
            budget: Largest number of new tokens.
            end: Text that ends a completion besides the end of the turn, wherever in a token it ends.
        """
        found: dict[int, Sampled] = {}
        # Prompts of like length are padded together.
        order = sorted(range(len(prompts)), key=lambda i: (len(prompts[i]), i))
        for start in range(0, len(order), self.max_rows):
            chunk = order[start : start + self.max_rows]
            ids = [prompts[i] for i in chunk]
            with torch.no_grad():
                tree = self.scorer.tree(reuse=True)
                layers = None if tree is None else tree.prefill(ids)
            sampled = generate(
                self.scorer.backbone,
                ids,
                [uniforms[i] for i in chunk],
                stop_ids=self.stop_ids,
                pad=self.loaded.tokenizer.pad_token_id,
                max_new_tokens=budget,
                temperature=self.temperature,
                layers=layers,
                ended=self._says(end) if end else None,
            )
            found.update(zip(chunk, sampled, strict=True))
        return [found[i] for i in range(len(prompts))]

    def text(self, ids: Sequence[int]) -> str:
        """Return what tokens say, without those that are no text."""
        return str(self.loaded.tokenizer.decode(list(ids), skip_special_tokens=True))

    def _says(self, end: str) -> Callable[[Sequence[int]], bool]:
        """Return the test whether the last token completes a text.

        Every token adds a character of it or stands for none at all, so a few of the last ones are enough.
        """
        window = 2 * len(end) + 2

        def says(ids: Sequence[int]) -> bool:
            return end in str(self.loaded.tokenizer.decode(list(ids[-window:])))

        return says


def stop_ids(loaded: LoadedModel) -> tuple[int, ...]:
    """Return all tokens that end a turn, by template, tokenizer or the model's own settings."""
    own = getattr(getattr(loaded.model, "generation_config", None), "eos_token_id", None)
    listed = own if isinstance(own, list) else [own]
    ends = [end_of_turn(loaded.tokenizer), loaded.tokenizer.eos_token_id, *listed]
    return tuple(dict.fromkeys(token for token in ends if token is not None))
