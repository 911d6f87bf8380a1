"""The optimiser is AdamW without weight decay, clips, and survives saving to the last bit."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import nn

from equipoise.training.optimiser import Optimiser

FREE = 1e9
"""A norm that nothing is clipped at."""


class Model(nn.Module):
    """Two trainable weights and a frozen one."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.a = nn.Parameter(torch.randn(3, 4, generator=generator))
        self.b = nn.Parameter(torch.randn(5, generator=generator))
        self.frozen = nn.Parameter(torch.randn(2, generator=generator), requires_grad=False)

    def set_gradients(self, step: int, scale: float = 1.0) -> None:
        generator = torch.Generator().manual_seed(100 + step)
        for weight in (self.a, self.b):
            weight.grad = scale * torch.randn(weight.shape, generator=generator)

    def values(self) -> list[torch.Tensor]:
        return [weight.detach().clone() for weight in (self.a, self.b, self.frozen)]


def same(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


def test_a_step_is_adam_written_out_by_hand() -> None:
    model = Model()
    optimiser = Optimiser(model, FREE)
    weight = model.a.detach().double().clone()
    first, second = torch.zeros_like(weight), torch.zeros_like(weight)
    for step, lr in enumerate([0.1, 0.01, 0.3], start=1):
        model.set_gradients(step)
        assert model.a.grad is not None
        gradient = model.a.grad.double().clone()
        optimiser.step(lr)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weight -= lr * (first / (1 - 0.9**step)) / ((second / (1 - 0.999**step)).sqrt() + 1e-8)
        torch.testing.assert_close(model.a.detach().double(), weight, rtol=1e-5, atol=1e-6)


def test_steps_equal_those_of_torch_without_weight_decay() -> None:
    model, other = Model(), Model()
    optimiser = Optimiser(model, FREE)
    reference = torch.optim.AdamW([other.a, other.b], lr=1.0, weight_decay=0.0)
    for step, lr in enumerate([0.1, 0.02, 0.5, 0.003]):
        model.set_gradients(step)
        other.set_gradients(step)
        optimiser.step(lr)
        reference.param_groups[0]["lr"] = lr
        reference.step()
        assert same(model.values(), other.values())
    assert optimiser.steps == 4


def test_a_weight_without_gradient_stays() -> None:
    # Weight decay would shrink it.
    model = Model()
    optimiser = Optimiser(model, FREE)
    before = model.values()
    model.a.grad, model.b.grad = torch.zeros_like(model.a), torch.zeros_like(model.b)
    assert optimiser.step(10.0) == 0.0
    assert same(model.values(), before)


def test_what_is_frozen_is_left_alone() -> None:
    model = Model()
    optimiser = Optimiser(model, FREE)
    before = model.frozen.detach().clone()
    model.set_gradients(0)
    model.frozen.grad = torch.ones(2)
    optimiser.step(1.0)
    assert torch.equal(model.frozen, before)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_gradients_are_clipped_to_their_common_norm(scale: float) -> None:
    limit = 2.0
    model, other = Model(), Model()
    clipped, free = Optimiser(model, limit), Optimiser(other, FREE)
    for step in range(3):
        # Sizes that differ from step to step, so that Adam does not hide the factor.
        size = scale * 3.0**step
        model.set_gradients(step, size)
        other.set_gradients(step, size)
        norm = math.sqrt(sum(float((w.grad**2).sum()) for w in (other.a, other.b) if w.grad is not None))
        if norm > limit:
            for weight in (other.a, other.b):
                assert weight.grad is not None
                weight.grad *= limit / norm
        assert clipped.step(0.1) == pytest.approx(norm, rel=1e-5)
        free.step(0.1)
        for mine, theirs in zip(model.values(), other.values(), strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-6)


def test_clipping_changes_the_step() -> None:
    model, other = Model(), Model()
    clipped, free = Optimiser(model, 0.5), Optimiser(other, FREE)
    for step in range(2):
        model.set_gradients(step, 10.0**step)
        other.set_gradients(step, 10.0**step)
        clipped.step(0.1)
        free.step(0.1)
    assert not same(model.values(), other.values())


def test_gradients_are_dropped_after_a_step() -> None:
    model = Model()
    optimiser = Optimiser(model, FREE)
    model.set_gradients(0)
    optimiser.step(0.1)
    assert model.a.grad is None
    assert model.b.grad is None


@pytest.mark.parametrize("factors", [(1.0,), (0.5,), (0.5, 0.5, 0.5), (0.0,)])
def test_part_of_a_step_can_be_taken_back(tmp_path: Path, factors: tuple[float, ...]) -> None:
    model, other = Model(), Model()
    optimiser, reference = Optimiser(model, FREE), Optimiser(other, FREE)
    before = model.values()
    kept = optimiser.keep()
    for one, owner in ((optimiser, model), (reference, other)):
        owner.set_gradients(0)
        one.step(0.1)
    for factor in factors:
        optimiser.shrink(kept, factor)
    share = math.prod(factors)
    for found, whole, old in zip(model.values(), other.values(), before, strict=True):
        torch.testing.assert_close(found, old + share * (whole - old), rtol=1e-6, atol=1e-7)
    assert same(kept, before[:2])
    # The moments know nothing of it.
    files = tmp_path / "a", tmp_path / "b"
    for one, file in zip((optimiser, reference), files, strict=True):
        one.save(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert optimiser.steps == reference.steps


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_gradient_that_is_not_finite_changes_nothing(wrong: float) -> None:
    model, other = Model(), Model()
    optimiser, reference = Optimiser(model, 1.0), Optimiser(other, 1.0)
    for one, owner in ((optimiser, model), (reference, other)):
        owner.set_gradients(0)
        one.step(0.1)
    model.set_gradients(1)
    assert model.b.grad is not None
    model.b.grad[2] = wrong
    before = model.values()
    assert optimiser.step(0.1) is None
    assert same(model.values(), before)
    assert optimiser.steps == 1
    assert model.a.grad is None
    # Nor are the moments touched: what follows is as if nothing had happened.
    for one, owner in ((optimiser, model), (reference, other)):
        owner.set_gradients(2)
        one.step(0.1)
    assert same(model.values(), other.values())


def test_what_is_saved_and_loaded_goes_on_bit_for_bit(tmp_path: Path) -> None:
    model = Model()
    optimiser = Optimiser(model, 1.0)
    for step in range(3):
        model.set_gradients(step)
        optimiser.step(0.05)
    file = tmp_path / "optimiser.safetensors"
    optimiser.save(file)

    other = Model(seed=1)
    other.load_state_dict(model.state_dict())
    resumed, forgetful = Optimiser(other, 1.0), Optimiser(fresh := Model(seed=1), 1.0)
    fresh.load_state_dict(model.state_dict())
    resumed.load(file, optimiser.steps)
    assert resumed.steps == 3
    for step in range(3, 6):
        for one, owner in ((optimiser, model), (resumed, other), (forgetful, fresh)):
            owner.set_gradients(step)
            one.step(0.02)
    assert same(model.values(), other.values())
    assert not same(model.values(), fresh.values())
    again = tmp_path / "again.safetensors"
    optimiser.save(file)
    resumed.save(again)
    assert file.read_bytes() == again.read_bytes()


def test_an_optimiser_that_made_no_step_can_be_saved(tmp_path: Path) -> None:
    file = tmp_path / "optimiser.safetensors"
    Optimiser(Model(), 1.0).save(file)
    model, other = Model(), Model()
    loaded, fresh = Optimiser(model, 1.0), Optimiser(other, 1.0)
    loaded.load(file, 0)
    for one, owner in ((loaded, model), (fresh, other)):
        owner.set_gradients(0)
        one.step(0.1)
    assert same(model.values(), other.values())
