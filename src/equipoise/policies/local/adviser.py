"""A language model as a strategist: it writes a short strategy, token by token, and can be trained on it."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.errors import RequestError
from equipoise.policies.local.chat import prompt_ids
from equipoise.policies.local.loading import LoadedModel, load_spec
from equipoise.policies.local.sampling import Sampled, Uniform
from equipoise.policies.local.scoring import ActionScorer
from equipoise.policies.local.writing import Writer
from equipoise.policies.strategist import as_strategy
from equipoise.prompts.registry import get_renderer
from equipoise.prompts.strategist import Manner, strategist_prompt
from equipoise.types import STRATEGIST, Decision, Generation

__all__ = ["LocalAdviser"]


class LocalAdviser:
    """A local language model that proposes strategies.

    Attributes:
        loaded: Model, tokenizer and fingerprint.
        scorer: Its token tree reads the prompts; trainers differentiate through it.
        temperature: Divides the logits.
        version: Training step.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        temperature: float = 1.0,
        max_new_tokens: int = 24,
        name: str | None = None,
        *,
        max_rows: int = 64,
        prompt: Manner = "full",
    ) -> None:
        """Wrap a loaded model.

        Args:
            loaded: The model.
            temperature: Divides the logits; 0 takes the likeliest token.
            max_new_tokens: Budget of a strategy; what is longer is cut and marked so.
            name: How reports name it; the model's spec if None.
            max_rows: Largest batch of the model.
            prompt: How much it reads (see ``prompts.strategist``).

        Raises:
            RequestError: A setting is out of range.
        """
        if temperature < 0.0:
            raise RequestError(f"temperature {temperature:g} is out of range for a strategist")
        self.loaded, self.temperature, self.max_new_tokens = loaded, temperature, max_new_tokens
        self.name, self.version = name or loaded.spec or "local", 0
        dtype = str(loaded.model.dtype).removeprefix("torch.")
        self.fingerprint = f"{loaded.fingerprint}/{dtype}/strategist/{temperature:g}/{max_new_tokens}"
        if prompt != "full":
            # Left out where it is full, so that folders made before there were others still go on.
            self.fingerprint += f"/{prompt}"
        self.prompt: Manner = prompt
        self.scorer = ActionScorer(loaded.model, loaded.tokenizer, max_rows=max_rows)
        self._writer = Writer(loaded, self.scorer, temperature=temperature, max_rows=max_rows)

    @classmethod
    def from_spec(
        cls,
        spec: str,
        dtype: str = "float32",
        device: str = "cpu",
        threads: int | None = None,
        *,
        trainable: bool = False,
        quiet: bool = False,
        **settings: object,
    ) -> LocalAdviser:
        """Load a model by its spec (see ``LocalPolicy.from_spec``)."""
        loaded = load_spec(spec, dtype, device, threads=threads, trainable=trainable, quiet=quiet)
        return cls(loaded, **settings)  # type: ignore[arg-type]

    def advise(self, decisions: Sequence[Decision]) -> list[Generation]:
        """Write a strategy for each decision, in as few batches as ``max_rows`` allows."""
        ids = [self.asked(decision) for decision in decisions]
        found = self._writer.write(ids, [_own(decision) for decision in decisions], self.max_new_tokens)
        return [self._read(read, sampled) for read, sampled in zip(ids, found, strict=True)]

    def asked(self, decision: Decision) -> tuple[int, ...]:
        """Return the tokens that the strategist reads at a decision."""
        prompt = strategist_prompt(get_renderer(decision.rules.name), decision, style=self.prompt)
        return prompt_ids(prompt, self.loaded.tokenizer)

    def clear(self) -> None:
        """Forget what the old weights read; call after every change of weights."""
        self.forget()
        self.version += 1

    def forget(self) -> None:
        """Forget what was read, so that what comes next does not depend on what came before."""
        self.scorer.clear()

    def _read(self, prompt: tuple[int, ...], sampled: Sampled) -> Generation:
        text = self._writer.text(sampled.ids)
        mask = (1,) * len(sampled.ids)
        return Generation(
            STRATEGIST, prompt, sampled.ids, sampled.logprobs, mask, sampled.stop, text=as_strategy(text)
        )


def _own(decision: Decision) -> Uniform:
    """Return the decision's draws under names of the strategist's own; the actor draws from it too."""
    return lambda purpose: decision.draws.uniform(f"{STRATEGIST}/{purpose}")
