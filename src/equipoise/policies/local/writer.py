"""A local language model that writes texts for whoever asks: judges, for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from equipoise.judges.asking import Written
from equipoise.policies.local.chat import prompt_ids
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.scoring import ActionScorer
from equipoise.policies.local.writing import Writer
from equipoise.prompts.base import Prompt

__all__ = ["LocalWriter"]


class LocalWriter:
    """Writes texts in batches (see ``judges.asking.Writer``).

    Attributes:
        loaded: Model, tokenizer and fingerprint.
        max_new_tokens: Budget of a text.
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
        self.loaded, self.max_new_tokens = loaded, max_new_tokens
        self.name = name or loaded.spec or "local"
        dtype = str(loaded.model.dtype).removeprefix("torch.")
        self.fingerprint = f"{loaded.fingerprint}/{dtype}/{temperature:g}/{max_new_tokens}"
        scorer = ActionScorer(loaded.model, loaded.tokenizer, max_rows=max_rows)
        self._writer = Writer(loaded, scorer, temperature=temperature, max_rows=max_rows)

    def write(self, prompts: Sequence[Prompt], draws: Sequence[Callable[[str], float]]) -> list[Written]:
        """Return a text for each prompt."""
        ids = [prompt_ids(prompt, self.loaded.tokenizer) for prompt in prompts]
        found = self._writer.write(ids, draws, self.max_new_tokens)
        return [
            Written(self._writer.text(one.ids), len(read) + len(one.ids))
            for read, one in zip(ids, found, strict=True)
        ]
