"""Weights and moments out of a trainer, and back into one."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import datasets
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers.utils import logging

from equipoise.errors import EquipoiseError
from equipoise.policies.local.tiny import tiny_tokenizer
from equipoise.training.trl.state import gather_moments, load_moments, trained_parameters
from equipoise.training.trl.weights import load_weights, no_bars, unsharded, write_weights
from tests.training.trl.cases import adapted, tiny


@pytest.mark.parametrize("whole", [True, False])
def test_weights_come_back_as_they_were(whole: bool, tmp_path: Path) -> None:
    model, other = (tiny(), tiny(seed=1)) if whole else (adapted(tiny()), adapted(tiny()))
    if not whole:
        with torch.no_grad():
            for parameter in trained_parameters(other).values():
                parameter.zero_()
    write_weights(model, tiny_tokenizer(), model.state_dict(), tmp_path)
    load_weights(other, tmp_path)
    for (name, one), two in zip(model.named_parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two), name


def test_where_a_model_came_from_is_kept_by_the_model_and_not_in_its_files(tmp_path: Path) -> None:
    model = tiny()
    model.config._name_or_path = "/some/where"
    write_weights(model, tiny_tokenizer(), model.state_dict(), tmp_path)
    assert model.config._name_or_path == "/some/where"
    assert all(b"/some/where" not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("change", ["lost", "strange"])
def test_weights_that_do_not_fit_are_refused(change: str, tmp_path: Path) -> None:
    model = tiny()
    write_weights(model, tiny_tokenizer(), model.state_dict(), tmp_path)
    file = tmp_path / "model.safetensors"
    state = load_file(str(file))
    name = "model.norm.weight"
    if change == "lost":
        del state[name]
    else:
        name = "model.strange.weight"
        state[name] = torch.ones(2)
    save_file(state, str(file))
    with pytest.raises(EquipoiseError, match=name.replace(".", r"\.")):
        load_weights(model, tmp_path)


def test_bars_of_libraries_are_off_for_a_while_only() -> None:
    before = logging.is_progress_bar_enabled(), datasets.are_progress_bars_disabled()
    with no_bars():
        assert not logging.is_progress_bar_enabled()
        assert datasets.are_progress_bars_disabled()
    assert (logging.is_progress_bar_enabled(), datasets.are_progress_bars_disabled()) == before


def trainer_of(model: Any, *, deepspeed: bool = False, main: bool = True) -> Any:
    optimizer = torch.optim.AdamW(trained_parameters(model).values(), lr=1e-2)
    accelerator = SimpleNamespace(
        unwrap_model=lambda wrapped: wrapped, is_main_process=main, device=torch.device("cpu")
    )
    return SimpleNamespace(
        model_wrapped=model,
        optimizer=SimpleNamespace(optimizer=optimizer),
        accelerator=accelerator,
        is_deepspeed_enabled=deepspeed,
    )


def step(trainer: Any) -> None:
    ids = torch.arange(3, 19).reshape(2, 8)
    trainer.model_wrapped(input_ids=ids, labels=ids).loss.backward()
    trainer.optimizer.optimizer.step()
    trainer.optimizer.optimizer.zero_grad()


def test_an_optimiser_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    one = trainer_of(adapted(tiny()))
    step(one)
    step(one)
    save_file(gather_moments(one), str(tmp_path / "moments"))
    two = trainer_of(adapted(tiny()))
    two.model_wrapped.load_state_dict(one.model_wrapped.state_dict())
    load_moments(two, tmp_path / "moments", 2)
    step(one)
    step(two)
    for (name, a), b in zip(
        one.model_wrapped.named_parameters(), two.model_wrapped.parameters(), strict=True
    ):
        assert torch.equal(a, b), name


def test_only_the_main_process_holds_the_moments() -> None:
    trainer = trainer_of(adapted(tiny()), main=False)
    step(trainer)
    assert gather_moments(trainer) == {}


def test_deepspeed_is_asked_for_its_own_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DeepSpeed is not installed here: its two functions have stand-ins with their signatures."""
    kept: dict[tuple[int, str], torch.Tensor] = {}
    utils = ModuleType("deepspeed.utils")

    def get(param: torch.Tensor, optim_state_key: str) -> torch.Tensor:
        return kept.setdefault((id(param), optim_state_key), torch.randn(param.shape))

    def put(param: torch.Tensor, value: torch.Tensor, optim_state_key: str) -> None:
        kept[id(param), optim_state_key] = value

    utils.safe_get_full_optimizer_state = get  # type: ignore[attr-defined]
    utils.safe_set_full_optimizer_state = put  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "deepspeed", ModuleType("deepspeed"))
    monkeypatch.setitem(sys.modules, "deepspeed.utils", utils)
    trainer = trainer_of(adapted(tiny()), deepspeed=True)
    moments = gather_moments(trainer)
    assert len(moments) == 2 * len(trained_parameters(trainer.model_wrapped))
    save_file(moments, str(tmp_path / "moments"))
    before = dict(kept)
    kept.clear()
    load_moments(trainer, tmp_path / "moments", 1)
    assert set(kept) == set(before)
    assert all(torch.equal(kept[key], value) for key, value in before.items())


def test_a_model_on_one_device_is_whole_already() -> None:
    trainer = trainer_of(tiny())
    with unsharded(trainer):
        found = trainer.model_wrapped(input_ids=torch.tensor([[3, 4]])).logits
    assert found.shape[:2] == (1, 2)
