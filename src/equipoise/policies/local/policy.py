"""A language model of transformers as a policy.

``choose`` scores the legal words (see ``scoring``): exact probabilities, never illegal, and a table keeps
what was scored, so that decisions the model cannot tell apart cost one forward pass. ``think`` writes a
thought first and then chooses (see ``think``). ``free`` generates text and reads the action off its last line
(see ``free``), the setting of the papers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import RequestError
from equipoise.policies.base import Policy, draw
from equipoise.policies.local.chats import Chats
from equipoise.policies.local.chosen import action_generation
from equipoise.policies.local.free import FreeText
from equipoise.policies.local.loading import LoadedModel, load_spec
from equipoise.policies.local.question import Question
from equipoise.policies.local.scoring import ActionScorer
from equipoise.policies.local.think import ThinkText
from equipoise.policies.local.writing import Writer
from equipoise.policies.worded import in_words
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.types import Choice, Decision, Probabilities

__all__ = ["MODES", "LocalPolicy"]

MODES = ("choose", "think", "free")
"""How a local model may decide."""

HISTORIES = ("state", "chat")
"""What its prompts may be made of."""


class LocalPolicy(Policy):
    """A local language model at a seat.

    Attributes:
        loaded: Model, tokenizer and fingerprint.
        mode: ``choose``, ``think`` or ``free``.
        wording: The way its game is put to it, among those of the game's panel.
        scorer: Scores actions; trainers differentiate through it.
    """

    strict = False
    exact_states = 64
    deals = 40
    always_legal = True

    def __init__(
        self,
        loaded: LoadedModel,
        mode: str = "choose",
        temperature: float = 1.0,
        max_new_tokens: int = 32,
        name: str | None = None,
        *,
        deduplicate: bool = True,
        prefix_cache: bool = True,
        max_rows: int = 64,
        wording: str = PLAIN,
        thought_tokens: int = 64,
        history: str = "state",
    ) -> None:
        """Wrap a loaded model.

        Args:
            loaded: The model.
            mode: ``choose``, ``think`` or ``free``.
            temperature: Divides the log-probabilities of actions (``choose``, above 0) or the logits of
                tokens (``think`` and ``free``, 0 takes the likeliest).
            max_new_tokens: Budget of a generation in ``free`` mode.
            name: How reports name the policy; the model's spec if None.
            deduplicate: Whether a question is scored once and kept. Turn off only to measure its use.
            prefix_cache: Whether what prompts have in common is read once.
            max_rows: Largest batch of the model.
            wording: How the game is put (see ``prompts.registry.wordings``).
            thought_tokens: Budget of a thought in ``think`` mode.
            history: ``state`` builds every prompt anew from what the seat knows; ``chat`` goes on with the
                conversation of the episode (``think`` and ``free``; see ``chats``).

        Raises:
            RequestError: A setting is out of range.
        """
        if mode not in MODES:
            raise RequestError(f"unknown mode {mode!r}: choose one of {', '.join(MODES)}")
        if temperature < 0.0 or (temperature == 0.0 and mode == "choose"):
            raise RequestError(f"temperature {temperature:g} is out of range for mode {mode!r}")
        if history not in HISTORIES:
            raise RequestError(f"unknown history {history!r}: choose one of {', '.join(HISTORIES)}")
        if history == "chat" and mode == "choose":
            raise RequestError("history 'chat': mode 'choose' writes nothing, use mode 'think' or 'free'")
        if min(max_new_tokens, thought_tokens) < 1:
            raise RequestError(f"a budget of {min(max_new_tokens, thought_tokens)} tokens: give at least 1")
        self.loaded, self.mode, self.wording = loaded, mode, wording
        self.base_name = name or loaded.spec or "local"
        self.name = self.base_name if wording == PLAIN else in_words(self.base_name, wording)
        dtype = str(loaded.model.dtype).removeprefix("torch.")
        self.fingerprint = f"{loaded.fingerprint}/{dtype}/{mode}/{temperature:g}"
        if mode != "choose":
            self.fingerprint += f"/{max_new_tokens if mode == 'free' else thought_tokens}"
            self.exact_states, self.always_legal = 0, mode == "think"
        if history != "state":
            self.fingerprint += f"/{history}"
        if wording != PLAIN:
            # Left out where it is plain, so that folders made before there were others still go on.
            self.fingerprint += f"/{wording}"
        self.temperature, self.deduplicate = temperature, deduplicate
        self.scorer = ActionScorer(
            loaded.model,
            loaded.tokenizer,
            prefix_cache=prefix_cache,
            deduplicate=deduplicate,
            max_rows=max_rows,
        )
        self._table: dict[Question, tuple[float, ...]] = {}
        self.history = history
        self._chats = Chats(loaded.tokenizer, grows=history == "chat")
        self._free = FreeText(
            loaded,
            self.scorer,
            temperature=temperature,
            max_new_tokens=max_new_tokens,
            max_rows=max_rows,
            wording=wording,
            chats=self._chats,
        )
        self._think = ThinkText(
            loaded,
            self.scorer,
            temperature=temperature,
            thought_tokens=thought_tokens,
            max_rows=max_rows,
            chats=self._chats,
        )

    @property
    def budget(self) -> int:
        """Largest number of tokens of one text that it writes."""
        return self._free.max_new_tokens if self.mode == "free" else self._think.thought_tokens

    def write_with(self, writer: Writer) -> None:
        """Let something else write its text, e.g. an engine that has the same weights."""
        self._free.writer = self._think.writer = writer

    @classmethod
    def from_spec(
        cls,
        spec: str,
        mode: str = "choose",
        dtype: str = "float32",
        device: str = "cpu",
        threads: int | None = None,
        *,
        trainable: bool = False,
        quiet: bool = False,
        **settings: Any,
    ) -> LocalPolicy:
        """Load ``smollm2``, ``tiny-random`` or ``hf:PATH_OR_ID``, each with ``+ADAPTER``.

        Args:
            spec: What to load.
            mode: ``choose``, ``think`` or ``free``.
            dtype: ``float32``, ``bfloat16`` or ``float16``.
            device: A torch device.
            threads: CPU threads of torch; None leaves them as they are.
            trainable: Whether the adapter's weights get gradients.
            quiet: Show no progress.
            settings: Further settings of the constructor.

        Raises:
            RequestError: The spec or a setting is wrong.
        """
        loaded = load_spec(spec, dtype, device, threads=threads, trainable=trainable, quiet=quiet)
        return cls(loaded, mode, **settings)

    def in_wording(self, wording: str) -> LocalPolicy:
        """Return the same model asked in another wording, with tables of its own."""
        free, scorer = self._free, self.scorer
        other = LocalPolicy(
            self.loaded,
            self.mode,
            self.temperature,
            free.max_new_tokens,
            self.base_name,
            deduplicate=self.deduplicate,
            prefix_cache=scorer.prefix_cache,
            max_rows=free.writer.max_rows,
            wording=wording,
            thought_tokens=self._think.thought_tokens,
            history=self.history,
        )
        other.version = self.version
        return other

    def frozen(self, folder: Path, name: str) -> Policy:
        """Return the same model with the adapter of a folder in place of the one that is trained."""
        from equipoise.policies.local.copies import AdapterCopy

        return AdapterCopy(self, folder, name)

    def question(self, decision: Decision) -> Question:
        """Return what the model is asked at a decision.

        Raises:
            RequestError: The decision has no finite set of legal actions, or its game no words (no such
                wording among them).
        """
        if decision.legal is None:
            raise RequestError("a free-text decision has no legal actions to choose from: use mode 'free'")
        renderer = get_renderer(decision.rules.name, self.wording)
        return Question(renderer.prompt(decision), tuple(renderer.say(a) for a in decision.legal))

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the distribution over legal actions at every decision."""
        if self.mode != "choose":
            return super().probabilities(decisions)
        scored = self._score([self.question(decision) for decision in decisions])
        return [dict(zip(d.legal or (), p, strict=True)) for d, p in zip(decisions, scored, strict=True)]

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Answer every decision; all that is not yet known is computed in one batch."""
        if self.mode == "choose":
            return self._choose(decisions)
        if self.mode == "think":
            return self._think.answer(decisions, [self.question(decision) for decision in decisions])
        return self._free.answer(decisions)

    def known(self, question: Question) -> tuple[float, ...] | None:
        """Return the probabilities in the table, as they were acted on; None if never asked."""
        return self._table.get(question)

    def clear(self) -> None:
        """Forget what the old weights said; call after every change of weights or adapters."""
        self.forget()
        self.version += 1

    def forget(self) -> None:
        """Forget what was scored, so that what comes next does not depend on what came before."""
        self._table.clear()
        self._chats.clear()
        self.scorer.clear()

    def state_dict(self) -> dict[str, Any]:
        """Return the scored table, ready for JSON (floats survive it bit for bit).

        Forgets keys and values of earlier questions, which are not part of the state: a run that goes on
        from here and one that is resumed from here then compute the same bits.
        """
        self._chats.clear()
        self.scorer.clear()
        return {"version": self.version, "table": {q.key: list(p) for q, p in self._table.items()}}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned; the weights are the caller's business."""
        self.clear()
        self.version = int(state["version"])
        self._table.update({Question.from_key(k): tuple(p) for k, p in state["table"].items()})

    def _score(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        if self.deduplicate:
            missing = [q for q in dict.fromkeys(questions) if q not in self._table]
        else:
            missing = list(questions)
        scored: list[tuple[float, ...]] = []
        if missing:
            with torch.no_grad():
                found = self.scorer.log_probabilities(missing, reuse=self.deduplicate)
            scored = [_softmax(row.tolist(), self.temperature) for row in found]
        if not self.deduplicate:
            return scored
        self._table.update(zip(missing, scored, strict=True))
        return [self._table[question] for question in questions]

    def _choose(self, decisions: Sequence[Decision]) -> list[Choice]:
        questions = [self.question(decision) for decision in decisions]
        choices: list[Choice] = []
        for decision, question, row in zip(decisions, questions, self._score(questions), strict=True):
            legal = decision.legal or ()
            probabilities = dict(zip(legal, row, strict=True))
            action = draw(probabilities, decision)
            number, trie = legal.index(action), self.scorer.trie(question.words)
            made = action_generation(trie, self.scorer.prompt_ids(question), question.words, row, number)
            choices.append(Choice(action, probabilities=probabilities, generations=(made,)))
        return choices


def _softmax(logs: Sequence[float], temperature: float) -> tuple[float, ...]:
    """Return probabilities in double precision, so that they sum to 1 well enough to draw from."""
    top = max(logs)
    weights = [math.exp((value - top) / temperature) for value in logs]
    total = math.fsum(weights)
    return tuple(weight / total for weight in weights)
