"""Log-probabilities of tokens that were drawn among some tokens only."""

from __future__ import annotations

import math

import pytest
import torch

from equipoise.training.trl.loss import token_logprobs


def test_probabilities_are_renormalised_over_the_tokens_a_token_was_drawn_among() -> None:
    # By hand: e^1 / (e^1 + e^2) and, over all four, e^0 / (e^0 + e^1 + e^2 + e^3).
    logits = torch.tensor([[[0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0]]])
    ids = torch.tensor([[1, 0]])
    allowed = torch.tensor([[[1, 2, -1], [-1, -1, -1]]])
    logs, entropies = token_logprobs(logits, ids, allowed)
    everything = sum(math.exp(x) for x in range(4))
    assert logs.tolist()[0] == pytest.approx([1 - math.log(math.e + math.e**2), -math.log(everything)])
    p = math.e / (math.e + math.e**2)
    q = [math.exp(x) / everything for x in range(4)]
    spread = -sum(x * math.log(x) for x in q)
    assert entropies.tolist()[0] == pytest.approx([-p * math.log(p) - (1 - p) * math.log(1 - p), spread])


def test_all_tokens_named_is_the_whole_vocabulary() -> None:
    logits = torch.randn(2, 3, 5)
    ids = torch.tensor([[0, 1, 2], [3, 4, 0]])
    named = torch.arange(5).expand(2, 3, 5)
    free = torch.full((2, 3, 1), -1)
    for one, other in zip(token_logprobs(logits, ids, named), token_logprobs(logits, ids, free), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_gradients_are_finite_and_stay_within_what_was_allowed() -> None:
    logits = torch.randn(1, 2, 6, requires_grad=True)
    allowed = torch.tensor([[[2, 4, -1], [-1, -1, -1]]])
    logs, entropies = token_logprobs(logits, torch.tensor([[2, 3]]), allowed)
    (logs.sum() + entropies.sum()).backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    assert logits.grad[0, 0, [0, 1, 3, 5]].tolist() == [0.0] * 4
    assert (logits.grad[0, 1] != 0.0).all()


def test_a_single_token_that_was_allowed_is_certain() -> None:
    logs, entropies = token_logprobs(torch.randn(1, 1, 4), torch.tensor([[3]]), torch.tensor([[[3, -1]]]))
    assert logs.item() == pytest.approx(0.0, abs=1e-6)
    assert entropies.item() == pytest.approx(0.0, abs=1e-6)
