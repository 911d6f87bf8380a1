"""The embedded model itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from equipoise.policies.local import LoadedModel, LocalPolicy, load_spec
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, Validity

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def smollm2() -> LoadedModel:
    return load_spec("smollm2", threads=1, quiet=True)


def test_scores_equal_a_plain_forward_pass(smollm2: LoadedModel, decisions: list[Decision]) -> None:
    policy = LocalPolicy(smollm2)
    some = decisions[:6] + decisions[-6:]
    questions = [policy.question(decision) for decision in some]
    with torch.no_grad():
        scored = policy.scorer.log_probabilities(questions)
        for question, row in zip(questions, scored, strict=True):
            ids = policy.scorer.prompt_ids(question)
            trie = policy.scorer.trie(question.words)
            # All words of these games differ in their first token.
            (branch,) = trie.branches
            logits = smollm2.model(torch.tensor([ids])).logits[0, -1, list(branch.children)]
            torch.testing.assert_close(row, torch.log_softmax(logits, -1), rtol=1e-5, atol=2e-5)


def test_the_prefilled_marker_makes_legal_words_likely(
    smollm2: LoadedModel, decisions: list[Decision]
) -> None:
    policy = LocalPolicy(smollm2)
    masses = policy.scorer.legal_mass([policy.question(decision) for decision in decisions[:4]])
    assert min(masses) > 0.3


def test_draws_of_tokens_do_not_depend_on_the_batch(smollm2: LoadedModel, decisions: list[Decision]) -> None:
    policy = LocalPolicy(smollm2, mode="free", max_new_tokens=6)
    many = [
        replace(decision, draws=DecisionDraws.of_policy(0, f"{i}", 0, 0, 0))
        for i, decision in enumerate(decisions[:4])
    ]
    together = [choice.generations[0].ids for choice in policy.act(many)]
    alone = [policy.act([decision])[0].generations[0].ids for decision in many]
    assert together == alone


def test_free_text_is_readable_and_counted(smollm2: LoadedModel, decisions: list[Decision]) -> None:
    (choice,) = LocalPolicy(smollm2, mode="free", max_new_tokens=12).act(decisions[:1])
    assert choice.generations[0].text.isprintable() or "\n" in choice.generations[0].text
    assert choice.validity in (Validity.VALID, Validity.INVALID, Validity.TRUNCATED)
