"""Weights out of a trainer, whatever they are spread over, as the policy is later loaded from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import EquipoiseError
from equipoise.training.lora import load_adapter, save_adapter

__all__ = ["gather_weights", "load_weights", "no_bars", "unsharded", "write_weights"]


def gather_weights(trainer: Any) -> Mapping[str, Any] | None:
    """Return the whole weights on the main process, None elsewhere; every rank must call it."""
    state: Mapping[str, Any] = trainer.accelerator.get_state_dict(trainer.model_wrapped)
    return state if trainer.accelerator.is_main_process else None


def write_weights(model: Any, tokenizer: Any, weights: Mapping[str, Any], folder: Path) -> None:
    """Write an adapter, or a whole model with its tokenizer.

    Args:
        model: The model that was trained.
        tokenizer: Its tokenizer.
        weights: What :func:`gather_weights` returned.
        folder: Where to.
    """
    if hasattr(model, "peft_config"):
        save_adapter(model, folder, weights)
        return
    # Where the model came from is nobody's business; training goes on with it as it was.
    path, model.config._name_or_path = model.config._name_or_path, ""
    try:
        with no_bars():
            model.save_pretrained(str(folder), state_dict=dict(weights), safe_serialization=True)
    finally:
        model.config._name_or_path = path
    tokenizer.save_pretrained(str(folder))


def load_weights(model: Any, folder: Path) -> None:
    """Read weights back into a model of the same shape.

    Raises:
        EquipoiseError: They do not fit.
    """
    if hasattr(model, "peft_config"):
        load_adapter(model, folder)
        return
    from safetensors.torch import load_file

    state: dict[str, Any] = {}
    for file in sorted(folder.glob("model*.safetensors")):
        state.update(load_file(str(file)))
    # Tied weights are kept once: what is missing is the same tensor under another name.
    missing, unexpected = model.load_state_dict(state, strict=False)
    tied = set(
        getattr(model, "all_tied_weights_keys", None) or getattr(model, "_tied_weights_keys", None) or ()
    )
    lost = [name for name in missing if name not in tied]
    if lost or unexpected:
        name = [*lost, *unexpected][0]
        raise EquipoiseError(
            f"{str(folder)!r} does not fit the model ({name}): restore the folder, or start anew in another"
        )


@contextmanager
def no_bars() -> Iterator[None]:
    """Keep libraries from drawing progress bars of their own for the time of the block."""
    import datasets
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled(), datasets.are_progress_bars_disabled()
    logging.disable_progress_bar()
    datasets.disable_progress_bars()
    try:
        yield
    finally:
        if shown[0]:
            logging.enable_progress_bar()
        if not shown[1]:
            datasets.enable_progress_bars()


@contextmanager
def unsharded(trainer: Any) -> Iterator[None]:
    """Hold the whole weights on every rank for the time of the block, so that ranks can play apart.

    Sharded layers otherwise fetch their weights together at every pass, and ranks whose episodes have
    different lengths would wait for each other forever.
    """
    wrapped = trainer.model_wrapped
    if trainer.is_deepspeed_enabled:
        from trl.models.utils import unwrap_model_for_generation

        with unwrap_model_for_generation(wrapped, trainer.accelerator):
            yield
        return
    from torch.distributed.fsdp import FSDPModule

    layers = [module for module in wrapped.modules() if isinstance(module, FSDPModule)]
    if layers:
        # Layers learn which module they belong to from a pass through the whole; policies call parts of it.
        with torch.no_grad():
            wrapped(input_ids=torch.zeros((1, 1), dtype=torch.long, device=trainer.accelerator.device))
    for layer in layers:
        layer.set_reshard_after_forward(False, recurse=False)
        layer.unshard()
    try:
        yield
    finally:
        for layer in layers:
            layer.set_reshard_after_forward(True, recurse=False)
            layer.reshard()
