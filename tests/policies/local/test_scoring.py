"""The scorer against what it stands for: a plain full forward pass, one word at a time."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from equipoise.policies.local import ActionScorer, LoadedModel, Question
from equipoise.policies.local.backbone import Row
from equipoise.policies.local.chat import end_of_turn, prompt_ids, word_ids
from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer
from equipoise.policies.local.treecache import TreeCache, takes_trees
from equipoise.prompts.base import MARKER, Prompt

WORDS = [("COOPERATE", "DEFECT"), ("1", "10", "100", "2"), ("CALL", "FOLD"), ("ONLY",)]
QUESTIONS = [
    Question(Prompt(f"Rules of game {game}.\n\n", "Now round " + "1 and " * n + "more."), words)
    for game in ("A", "B")
    for n in range(3)
    for words in WORDS
]


def by_hand(loaded: LoadedModel, question: Question, start: tuple[int, ...] | None = None) -> torch.Tensor:
    """Walk every word token by token, renormalising over the tokens with which some word goes on."""
    start = start or prompt_ids(question.prompt, loaded.tokenizer, prefill=MARKER)
    ends = (end_of_turn(loaded.tokenizer),)
    words = [word_ids(word, loaded.tokenizer) + ends for word in question.words]
    totals = []
    for word in words:
        total = torch.zeros(())
        for i in range(len(word)):
            siblings = sorted({other[i] for other in words if other[:i] == word[:i] and len(other) > i})
            logits = loaded.model(torch.tensor([start + word[:i]])).logits[0, -1]
            total = total + torch.log_softmax(logits[siblings], -1)[siblings.index(word[i])]
        totals.append(total)
    return torch.stack(totals)


@pytest.mark.parametrize("prefix_cache", [True, False])
@pytest.mark.parametrize("max_rows", [1, 64])
def test_equals_a_plain_forward_pass(tiny: LoadedModel, prefix_cache: bool, max_rows: int) -> None:
    scorer = ActionScorer(tiny.model, tiny.tokenizer, prefix_cache=prefix_cache, max_rows=max_rows)
    with torch.no_grad():
        scored = scorer.log_probabilities(QUESTIONS)
        for question, row in zip(QUESTIONS, scored, strict=True):
            assert row.dtype is torch.float32
            torch.testing.assert_close(row, by_hand(tiny, question), rtol=1e-5, atol=1e-5)


def test_gradients_equal_those_of_a_plain_forward_pass() -> None:
    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer)
    loaded = LoadedModel(model, tokenizer, "")
    weights = torch.linspace(-1.0, 1.0, 20)

    def gradients(rows: list[torch.Tensor]) -> list[torch.Tensor]:
        loss = sum((row * weights[: len(row)]).sum() for row in rows)
        model.zero_grad()
        loss.backward()  # type: ignore[union-attr]
        return [p.grad.clone() for p in model.parameters()]

    expected = gradients([by_hand(loaded, q) for q in QUESTIONS])
    for prefix_cache in (True, False):
        scorer = ActionScorer(model, tokenizer, prefix_cache=prefix_cache, max_rows=5)
        found = gradients(scorer.log_probabilities(QUESTIONS, reuse=True))
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_identical_questions_are_computed_once(tiny: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = TreeCache.logits

    def counting(self: TreeCache, rows: list[Row]) -> list[Any] | None:
        seen.append(len(rows))
        return real(self, rows)

    assert takes_trees(ActionScorer(tiny.model, tiny.tokenizer).backbone)
    monkeypatch.setattr(TreeCache, "logits", counting)
    scorer = ActionScorer(tiny.model, tiny.tokenizer)
    scored = scorer.log_probabilities([QUESTIONS[0]] * 5)
    assert seen[-1] == 1
    assert all(row is scored[0] for row in scored)
    ActionScorer(tiny.model, tiny.tokenizer, deduplicate=False).log_probabilities([QUESTIONS[0]] * 5)
    assert seen[-1] == 5


def test_kept_prefixes_change_nothing_and_are_dropped_by_clear() -> None:
    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer)
    scorer = ActionScorer(model, tokenizer)
    with torch.no_grad():
        first = scorer.log_probabilities(QUESTIONS, reuse=True)
        again = scorer.log_probabilities(QUESTIONS, reuse=True)
        assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
        for parameter in model.parameters():
            parameter.mul_(1.1)
        scorer.clear()
        after = scorer.log_probabilities(QUESTIONS, reuse=True)
        fresh = ActionScorer(model, tokenizer).log_probabilities(QUESTIONS)
    assert all(torch.equal(a, b) for a, b in zip(after, fresh, strict=True))
    assert not torch.equal(first[0], after[0])


def test_legal_mass_is_the_unrestricted_probability_of_a_legal_beginning(tiny: LoadedModel) -> None:
    question = QUESTIONS[1]
    ids = prompt_ids(question.prompt, tiny.tokenizer, prefill=MARKER)
    with torch.no_grad():
        whole = torch.softmax(tiny.model(torch.tensor([ids])).logits[0, -1], -1)
    first = {word_ids(word, tiny.tokenizer)[0] for word in question.words}
    mass = ActionScorer(tiny.model, tiny.tokenizer).legal_mass([question, question])
    assert mass == [pytest.approx(float(whole[sorted(first)].sum()), abs=1e-6)] * 2


def test_a_model_with_a_sliding_window_gets_full_rows() -> None:
    from transformers import MistralConfig, MistralForCausalLM

    tokenizer = tiny_tokenizer()
    torch.manual_seed(0)
    config = MistralConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        sliding_window=8,
    )
    loaded = LoadedModel(MistralForCausalLM(config).eval(), tokenizer, "")
    scorer = ActionScorer(loaded.model, tokenizer)
    assert not takes_trees(scorer.backbone)
    with torch.no_grad():
        for question, row in zip(QUESTIONS, scorer.log_probabilities(QUESTIONS), strict=True):
            torch.testing.assert_close(row, by_hand(loaded, question), rtol=1e-5, atol=1e-5)


def test_a_cap_on_logits_is_applied() -> None:
    from transformers import Gemma2Config, Gemma2ForCausalLM

    tokenizer = tiny_tokenizer()
    torch.manual_seed(0)
    config = Gemma2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        initializer_range=0.5,
        final_logit_softcapping=1.0,
    )
    loaded = LoadedModel(Gemma2ForCausalLM(config).eval(), tokenizer, "")
    scorer = ActionScorer(loaded.model, tokenizer)
    with torch.no_grad():
        for question, row in zip(QUESTIONS, scorer.log_probabilities(QUESTIONS), strict=True):
            torch.testing.assert_close(row, by_hand(loaded, question), rtol=1e-5, atol=1e-5)


def test_questions_survive_as_text() -> None:
    question = Question(Prompt('Rules "ä"\n', "now"), ("1", "10"))
    assert Question.from_key(question.key) == question
