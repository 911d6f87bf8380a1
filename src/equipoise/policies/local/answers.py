"""Log-probabilities of whole answers, for supervised training."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from equipoise.policies.local.backbone import Row
from equipoise.policies.local.chat import end_of_turn, prompt_ids, word_ids
from equipoise.policies.local.question import Question
from equipoise.policies.local.scoring import ActionScorer
from equipoise.prompts.base import MARKER

__all__ = ["Answer", "answer_log_probabilities"]

Answer = tuple[Question, str]
"""A question with the word that answers it."""


def answer_log_probabilities(
    scorer: ActionScorer, answers: Sequence[Answer], *, prefilled: bool = True
) -> list[torch.Tensor]:
    """Return the log-probability of each answer's tokens and the end of the turn, over the whole vocabulary.

    Differentiable. The prompt's own tokens are not scored.

    Args:
        scorer: The model.
        answers: Questions with their words.
        prefilled: Whether the action marker belongs to the prompt, or to the answer (mode ``free``).
    """
    end = end_of_turn(scorer.tokenizer)
    rows, targets = [], []
    for question, word in answers:
        start, spoken = scorer.prompt_ids(question), word_ids(word, scorer.tokenizer)
        if not prefilled:
            start = prompt_ids(question.prompt, scorer.tokenizer)
            spoken = tuple(scorer.tokenizer(MARKER, add_special_tokens=False)["input_ids"]) + spoken
        completion = (*spoken, end)
        first = len(start) - 1
        positions = tuple(range(first, first + len(completion)))
        # The last token is only predicted, never read.
        rows.append(Row(start + completion[:-1], positions))
        targets.append(completion)
    found = []
    for logits, completion in zip(scorer.logits(rows), targets, strict=True):
        index = torch.tensor(completion, device=logits.device).unsqueeze(1)
        found.append(torch.log_softmax(logits, dim=-1).gather(1, index).sum())
    return found
