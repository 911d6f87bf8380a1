"""Tokens of a plan, against what models computed."""

from __future__ import annotations

import pytest
import torch

from equipoise.games.registry import make_game
from equipoise.policies.local import LoadedModel, LocalPolicy
from equipoise.policies.local.backbone import Backbone, Row
from equipoise.policies.local.families import family_of
from equipoise.policies.local.question import Question
from equipoise.training.plan.figures import Figure
from equipoise.training.plan.tokens import CHARACTERS, TEMPLATE, Tokens, question_of, tokenizer_at_hand
from equipoise.training.sample_decisions import sample_decisions
from tests.architectures import build

QUESTIONS = [question_of(d) for name in ("ipd", "split") for d in sample_decisions(make_game(name), 6)]


def policy_and_tokens(kind: str) -> tuple[LocalPolicy, Tokens]:
    model, tokenizer = build(kind)
    policy = LocalPolicy(LoadedModel(model, tokenizer, "", kind))
    return policy, Tokens(tokenizer, family_of(model.config), policy.scorer.no_tree is None)


@pytest.mark.parametrize("kind", ["llama", "gemma4"])
def test_what_is_read_once_is_the_tree_that_was_computed(kind: str) -> None:
    policy, tokens = policy_and_tokens(kind)
    with torch.no_grad():
        policy.scorer.log_probabilities(QUESTIONS, reuse=True)
    tree = policy.scorer.tree(reuse=True)
    assert tree is not None
    assert tokens.read(QUESTIONS) == len(tree.tree)
    assert tokens.read_in_chunks(QUESTIONS, 5) > tokens.read(QUESTIONS)
    assert tokens.read_in_chunks(QUESTIONS, len(QUESTIONS)) == tokens.read(QUESTIONS)


def test_linear_attention_reads_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    policy, tokens = policy_and_tokens("qwen3_5")
    seen: list[int] = []
    real = Backbone.logits

    def counting(self: Backbone, rows: list[Row]) -> list[torch.Tensor]:
        seen.extend(len(row.ids) for row in rows)
        return real(self, rows)

    policy.scorer.tree(reuse=True)
    monkeypatch.setattr(Backbone, "logits", counting)
    with torch.no_grad():
        policy.scorer.log_probabilities(QUESTIONS)
    assert tokens.read(QUESTIONS) == sum(seen)
    prompts = sum(len(policy.scorer.prompt_ids(question)) for question in QUESTIONS)
    assert tokens.read(QUESTIONS, words=False) == prompts == sum(map(tokens.prompt, QUESTIONS))


def test_questions_are_those_of_the_policy() -> None:
    policy, tokens = policy_and_tokens("gemma3")
    for decision in sample_decisions(make_game("kuhn"), 4):
        question = question_of(decision)
        assert question == policy.question(decision)
        assert tokens.prompt(question) == len(policy.scorer.prompt_ids(question))


def test_without_a_tokenizer_characters_are_divided() -> None:
    tokens = Tokens(None, family_of(None), shares=True)
    question = QUESTIONS[0]
    text = question.prompt.rules + question.prompt.situation + "Action:"
    assert tokens.prompt(question) == TEMPLATE + len(text) / CHARACTERS
    assert not tokens.exact
    assert "no tokenizer at hand" in tokens.how
    # Of two words that begin differently, neither way leads past the first branch.
    assert tokens.read([question]) == pytest.approx(tokens.prompt(question) + 1 / CHARACTERS, abs=1.0)
    short = Question(question.prompt, ("A", "B"))
    assert tokens.answer(short) == 1.0


def test_tokenizers_are_taken_from_this_machine_only() -> None:
    assert tokenizer_at_hand("tiny-random") is not None
    assert tokenizer_at_hand("hf:nobody/nothing") is None


@pytest.mark.parametrize(
    ("value", "unit", "exact", "shown"),
    [
        (None, "seconds", False, "n/a"),
        (1234.0, "count", True, "1,234"),
        (1234.0, "tokens", False, "~1,234"),
        (15.88e9, "bytes", False, "~15.88 GB"),
        (131_580, "bytes", True, "131.58 kB"),
        (2.5e6, "bytes", True, "2.50 MB"),
        (7, "bytes", True, "7 B"),
        (42.0, "seconds", False, "~42.0 s"),
        (600.0, "seconds", False, "~10 min"),
        (36000.0, "seconds", False, "~10.0 h"),
    ],
)
def test_figures_show_their_unit_and_whether_they_are_estimates(
    value: float | None, unit: str, exact: bool, shown: str
) -> None:
    figure = Figure(value, unit, exact, "how")
    assert str(figure) == shown
    assert figure.to_json() == {"value": value, "unit": unit, "exact": exact, "how": "how"}
