"""TRL's trainer makes the step that SEPO's definition asks for."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.training.trl.rows import chat_rows, decision_rows
from equipoise.training.trl.trainer import StepRows
from tests.training.trl.cases import (
    EPISODES,
    adapted,
    first_update,
    plain_loss,
    samples,
    scored,
    tiny,
    trainer,
    with_logprobs,
)


def same(found: dict[str, torch.Tensor], model: Any) -> None:
    """Check gradients against those that backward has left in a model."""
    wanted = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    assert {name.replace(".default", "") for name in found} == {n.replace(".default", "") for n in wanted}
    for name, gradient in wanted.items():
        largest = gradient.abs().max()
        assert torch.allclose(found[name], gradient, rtol=2e-3, atol=2e-4 * float(largest)), name


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("tuning", ["lora", "full"])
def test_loss_and_gradient_are_those_of_plain_torch(tuning: str, passes: int, tmp_path: Path) -> None:
    model = adapted(tiny()) if tuning == "lora" else tiny()
    batch, plain = samples(model), copy.deepcopy(model)
    loss, gradients = first_update(trainer(model, batch, tmp_path, passes=passes, entropy=0.2))
    wanted = plain_loss(plain, batch, entropy=0.2)
    wanted.backward()
    assert loss == pytest.approx(float(wanted), rel=1e-4)
    same(gradients, plain)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_the_sampler_s_temperature_is_the_trainer_s(temperature: float, tmp_path: Path) -> None:
    model = adapted(tiny())
    batch, plain = samples(model, temperature), copy.deepcopy(model)
    made = trainer(model, batch, tmp_path, temperature=temperature)
    loss, gradients = first_update(made)
    wanted = plain_loss(plain, batch, temperature=temperature)
    wanted.backward()
    assert loss == pytest.approx(float(wanted), rel=1e-4)
    same(gradients, plain)


def test_the_penalty_is_k3_to_the_adapter_s_start_averaged_over_generations(tmp_path: Path) -> None:
    model, plain, start = adapted(tiny()), adapted(tiny()), adapted(tiny())
    made = trainer(model, samples(model), tmp_path, kl=0.3)
    for one in (model, plain):
        with torch.no_grad():
            for name, parameter in one.named_parameters():
                if ".default." in name:
                    parameter.mul_(1.5)
    batch = samples(plain)
    made.play = lambda step: StepRows(decision_rows(batch), len(batch))
    loss, gradients = first_update(made)
    wanted = plain_loss(plain, batch, start, kl=0.3)
    wanted.backward()
    assert abs(float(wanted) - float(plain_loss(plain, batch))) > 1e-3
    assert loss == pytest.approx(float(wanted), rel=1e-4)
    same(gradients, plain)


def test_the_reference_of_full_tuning_is_the_model_in_its_folder(tmp_path: Path) -> None:
    tiny().save_pretrained(tmp_path / "model")
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    start = copy.deepcopy(model).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.05)
    plain = copy.deepcopy(model)
    batch = samples(plain)
    loss, gradients = first_update(trainer(model, batch, tmp_path, kl=0.3))
    wanted = plain_loss(plain, batch, start, kl=0.3)
    wanted.backward()
    assert loss == pytest.approx(float(wanted), rel=1e-3)
    same(gradients, plain)


def test_samples_of_another_policy_are_weighed_by_their_ratio(tmp_path: Path) -> None:
    model = adapted(tiny())
    batch = samples(model)
    # Within the clipping range of TRL, 1 ± 0.2.
    moved = [replace(one, sampled_logprobs=tuple(x - 0.1 for x in one.sampled_logprobs)) for one in batch]
    plain = copy.deepcopy(model)
    loss, _ = first_update(trainer(model, moved, tmp_path, max_sampler_gap=1.0))
    assert loss == pytest.approx(float(plain_loss(plain, moved)), rel=1e-4)
    assert loss == pytest.approx(float(plain_loss(plain, batch)) * float(torch.tensor(0.1).exp()), rel=1e-4)


def chat(model: Any) -> list[Any]:
    """Return the samples of two episodes whose prompts grow, and one of a single decision."""
    first = samples(model, constrained=False)
    grown = []
    for i, one in enumerate(first[:4]):
        episode, place = f"episode {i // 2}", i % 2
        before = grown[-1].prompt_ids + grown[-1].completion_ids if place else ()
        stream = first[i // 2].stream
        one = replace(
            one,
            prompt_ids=before + one.prompt_ids,
            episode=episode,
            index=place,
            stream=stream,
            episodes_of_stream=EPISODES[stream],
        )
        grown.append(with_logprobs(one, scored(model, one)[0].tolist()))
    return [*grown, first[4]]


def test_one_row_an_episode_is_the_same_step_as_one_row_a_decision(tmp_path: Path) -> None:
    model = adapted(tiny())
    batch = chat(model)
    plain = copy.deepcopy(model)
    rows = chat_rows(batch)
    assert len(rows) == 3
    made = trainer(model, batch, tmp_path, rows=StepRows(rows, len(batch), per_token=True))
    loss, gradients = first_update(made)
    wanted = plain_loss(plain, batch)
    wanted.backward()
    assert loss == pytest.approx(float(wanted), rel=1e-4)
    same(gradients, plain)


def test_only_the_adapter_that_is_trained_moves(tmp_path: Path) -> None:
    model = adapted(tiny())
    made = trainer(model, samples(model), tmp_path, kl=0.1)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    _, gradients = first_update(made)
    assert gradients
    assert all(".default." in name for name in gradients)
    moved = {name for name, p in model.named_parameters() if not torch.equal(p, before[name])}
    assert moved == set(gradients)


def test_the_rate_falls_with_the_step(tmp_path: Path) -> None:
    model = adapted(tiny())
    made = trainer(model, samples(model), tmp_path, steps=3, lr=1e-4, lr_decay=0.5, max_sampler_gap=100.0)
    made.train()
    rates = [row["learning_rate"] for row in made.state.log_history if "learning_rate" in row]
    assert rates == pytest.approx([1e-4, 1e-4 / 1.5, 1e-4 / 2.0])
