"""The ``free`` mode: text from the model, the action read off its last line, failures as data."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.policies.local.chats import Chats
from equipoise.policies.local.families import family_of
from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.sampling import Sampled
from equipoise.policies.local.scoring import ActionScorer
from equipoise.policies.local.writing import Writer
from equipoise.prompts.registry import get_renderer
from equipoise.types import Choice, Decision, Generation, StopReason, Validity

__all__ = ["FreeText"]


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
        chats: Chats,
    ) -> None:
        """Take a model, its scorer (whose token tree reads the prompts), settings, wording and prompts."""
        self.loaded, self.wording, self.max_new_tokens, self.chats = loaded, wording, max_new_tokens, chats
        # A chain of thought inside tags would use up the budget of the answer.
        self._switches = family_of(loaded.model.config).thinking(False)
        self.writer = Writer(loaded, scorer, temperature=temperature, max_rows=max_rows)

    def answer(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Return a choice for each decision, generated in as few batches as ``max_rows`` allows."""
        prompts = [get_renderer(d.rules.name, self.wording).prompt(d) for d in decisions]
        pairs = zip(decisions, prompts, strict=True)
        ids = [self.chats.prompt(*one, switches=self._switches) for one in pairs]
        uniforms = [decision.draws.uniform for decision in decisions]
        written = self.writer.write(ids, uniforms, self.max_new_tokens)
        for decision, prompt, sampled in zip(decisions, ids, written, strict=True):
            self.chats.keep(decision, prompt + sampled.ids)
        return [self._read(*one) for one in zip(decisions, ids, written, strict=True)]

    def _read(self, decision: Decision, prompt: tuple[int, ...], sampled: Sampled) -> Choice:
        """Turn a completion into a choice."""
        text = self.writer.text(sampled.ids)
        mask = (1,) * len(sampled.ids)
        made = Generation("action", prompt, sampled.ids, sampled.logprobs, mask, sampled.stop, text=text)
        action = get_renderer(decision.rules.name, self.wording).parse(text, decision.legal or ())
        if action is not None:
            return Choice(action, generations=(made,))
        if sampled.stop is StopReason.LENGTH:
            detail = f"no action within {self.max_new_tokens} tokens"
            return Choice(None, Validity.TRUNCATED, generations=(made,), detail=detail)
        return Choice(None, Validity.INVALID, generations=(made,), detail="no legal action on the last line")
