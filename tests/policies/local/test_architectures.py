"""The local policy on every family of the paper, against plain forward passes of the whole model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import GenerationConfig

from equipoise.policies.local import LoadedModel, LocalPolicy, load_model
from equipoise.policies.local.families import family_of
from equipoise.policies.local.policy import Question
from equipoise.policies.local.sampling import generate
from equipoise.types import Decision
from tests.architectures import MODELS, WINDOW, build, save
from tests.policies.local.test_scoring import QUESTIONS, by_hand

KINDS = sorted(MODELS)
SOME = QUESTIONS[:3]
LINEAR = ("qwen3_5", "qwen3_5_text")


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def loaded(kind: str) -> LoadedModel:
    model, tokenizer = build(kind)
    tokenizer.padding_side = "left"
    return LoadedModel(model, tokenizer, "", kind)


def expected(loaded: LoadedModel, question: Question) -> torch.Tensor:
    """What the whole model says, prompt and words encoded as the policy encodes them."""
    scorer = LocalPolicy(loaded).scorer
    with torch.no_grad():
        return by_hand(loaded, question, scorer.prompt_ids(question))


def test_scores_equal_a_plain_forward_pass(loaded: LoadedModel) -> None:
    for prefix_cache in (True, False):
        scorer = LocalPolicy(loaded, prefix_cache=prefix_cache).scorer
        with torch.no_grad():
            found = scorer.log_probabilities(SOME, reuse=True)
        for question, row in zip(SOME, found, strict=True):
            assert len(scorer.prompt_ids(question)) > WINDOW
            torch.testing.assert_close(row, expected(loaded, question), rtol=1e-4, atol=1e-4)


def test_what_prompts_share_is_read_once_or_there_is_a_reason(kind: str, loaded: LoadedModel) -> None:
    scorer = LocalPolicy(loaded).scorer
    tree = scorer.tree(reuse=True)
    if kind in LINEAR:
        assert tree is None
        assert scorer.no_tree is not None
        assert "linear_attention" in scorer.no_tree
        return
    assert scorer.no_tree is None
    with torch.no_grad():
        scorer.log_probabilities(SOME, reuse=True)
    assert scorer.tree(reuse=True) is not None
    assert 0 < len(scorer.tree(reuse=True).tree) < sum(len(scorer.prompt_ids(q)) for q in SOME)  # type: ignore[union-attr]


def test_gradients_equal_those_of_a_plain_forward_pass(kind: str) -> None:
    model, tokenizer = build(kind)
    loaded = LoadedModel(model, tokenizer, "", kind)
    scorer = LocalPolicy(loaded).scorer

    def gradients(rows: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        model.zero_grad()
        sum(row[0] * (i + 1) for i, row in enumerate(rows)).backward()  # type: ignore[union-attr]
        return {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}

    want = gradients([by_hand(loaded, q, scorer.prompt_ids(q)) for q in SOME])
    found = gradients(scorer.log_probabilities(SOME))
    for name, gradient in want.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-3, atol=1e-3 * float(gradient.abs().max()))


def test_generation_draws_from_the_model_s_own_distribution(
    kind: str, loaded: LoadedModel, decisions: list[Decision]
) -> None:
    some = decisions[::11]
    policy = LocalPolicy(loaded, mode="free", max_new_tokens=6)
    together = policy.act(some)
    for choice in together:
        (made,) = choice.generations
        with torch.no_grad():
            logits = loaded.model(torch.tensor([made.prompt_ids + made.ids])).logits[0]
        rows = torch.log_softmax(logits[len(made.prompt_ids) - 1 : -1], -1)
        wanted = [float(row[token]) for row, token in zip(rows, made.ids, strict=True)]
        assert made.logprobs == pytest.approx(wanted, abs=1e-4)
    alone = LocalPolicy(loaded, mode="free", max_new_tokens=6, prefix_cache=False, max_rows=1)
    assert [c.generations[0].ids for c in alone.act(some)] == [c.generations[0].ids for c in together]


def test_generation_settings_of_a_checkpoint_are_set_aside(loaded: LoadedModel) -> None:
    """Penalties and suppressed tokens would make sampling another policy than the one that is trained."""
    backbone = LocalPolicy(loaded).scorer.backbone
    prompts = [tuple(range(20, 60)), tuple(range(30, 55))]

    def sample() -> Any:
        draws = [lambda purpose: 0.3, lambda purpose: 0.6]
        return generate(backbone, prompts, draws, stop_ids=[1], pad=0, max_new_tokens=4)

    plain = sample()
    used = sorted({token for one in plain for token in one.ids})
    before = loaded.model.generation_config
    try:
        strange = GenerationConfig(suppress_tokens=used, top_k=1, min_new_tokens=9, no_repeat_ngram_size=1)
        loaded.model.generation_config = strange
        again = sample()
        assert loaded.model.generation_config is strange
    finally:
        loaded.model.generation_config = before
    assert [one.ids for one in again] == [one.ids for one in plain]
    for one, other in zip(again, plain, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)


def test_a_checkpoint_gives_the_model_that_was_saved(kind: str, tmp_path: Path) -> None:
    """Checkpoints name the multimodal class; what is loaded from them must answer the same."""
    model, _ = build(kind, seed=3)
    loaded = load_model(save(kind, tmp_path, seed=3), quiet=True)
    ids = torch.tensor([list(range(20, 70))])
    with torch.no_grad():
        torch.testing.assert_close(loaded.model(ids).logits, model(ids).logits, rtol=1e-5, atol=1e-5)
    assert loaded.tokenizer.padding_side == "left"
    assert family_of(loaded.model.config) is family_of(model.config)
