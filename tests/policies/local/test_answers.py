from __future__ import annotations

import torch

from equipoise.policies.local import ActionScorer, LoadedModel, Question
from equipoise.policies.local.answers import answer_log_probabilities
from equipoise.policies.local.chat import end_of_turn, prompt_ids, word_ids
from equipoise.prompts.base import Prompt

QUESTIONS = [Question(Prompt("The rules.\n\n", f"Round {n}."), ("COOPERATE", "DEFECT")) for n in range(3)]


def test_an_answer_is_its_tokens_and_the_end_of_the_turn(tiny: LoadedModel) -> None:
    answers = [(question, word) for question in QUESTIONS for word in question.words]
    scorer = ActionScorer(tiny.model, tiny.tokenizer)
    with torch.no_grad():
        for (question, word), found in zip(answers, answer_log_probabilities(scorer, answers), strict=True):
            start = scorer.prompt_ids(question)
            completion = (*word_ids(word, tiny.tokenizer), end_of_turn(tiny.tokenizer))
            logits = tiny.model(torch.tensor([start + completion])).logits[0, len(start) - 1 : -1]
            rows = torch.log_softmax(logits, -1)
            expected = sum(rows[i, token] for i, token in enumerate(completion))
            torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    assert answer_log_probabilities(scorer, []) == []


def test_an_answer_that_is_not_prefilled_begins_with_the_marker(tiny: LoadedModel) -> None:
    question = QUESTIONS[0]
    scorer = ActionScorer(tiny.model, tiny.tokenizer)
    start = prompt_ids(question.prompt, tiny.tokenizer)
    line = tuple(tiny.tokenizer("Action: DEFECT", add_special_tokens=False)["input_ids"])
    completion = (*line, end_of_turn(tiny.tokenizer))
    with torch.no_grad():
        (found,) = answer_log_probabilities(scorer, [(question, "DEFECT")], prefilled=False)
        logits = tiny.model(torch.tensor([start + completion])).logits[0, len(start) - 1 : -1]
    rows = torch.log_softmax(logits, -1)
    expected = sum(rows[i, token] for i, token in enumerate(completion))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
