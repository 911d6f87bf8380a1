"""The optimiser's state in safetensors, whatever it is spread over.

TRL and transformers keep it with ``torch.save``, which pickles; a folder from elsewhere could then run code
when it is resumed. Here it is tensors by name and nothing else. The learning rate follows from the step, and
every draw is keyed by seed and step, so neither a scheduler nor a random generator has a state to keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

__all__ = ["gather_moments", "load_moments", "trained_parameters"]

KEYS = ("exp_avg", "exp_avg_sq")
"""The moments of Adam."""


def trained_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters that get gradients, by name."""
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def gather_moments(trainer: Any) -> dict[str, torch.Tensor]:
    """Return Adam's moments by name on the main process, nothing elsewhere; every rank must call it."""
    keep = trainer.accelerator.is_main_process
    tensors = {}
    for name, key, value in _moments(trainer):
        if keep:
            tensors[f"{name}|{key}"] = value.detach().cpu().contiguous()
    return tensors


def load_moments(trainer: Any, path: Path, steps: int) -> None:
    """Read Adam's moments back; every rank must call it.

    Args:
        trainer: The trainer, its optimiser prepared.
        path: What :func:`gather_moments` returned, in a file.
        steps: Steps made so far, for the correction of the moments' bias.
    """
    from safetensors.torch import load_file

    tensors = load_file(str(path))
    for name, parameter in trained_parameters(_module(trainer)).items():
        for key in KEYS:
            if f"{name}|{key}" in tensors:
                _put(trainer, parameter, key, tensors[f"{name}|{key}"], steps)


def _module(trainer: Any) -> Any:
    return trainer.accelerator.unwrap_model(trainer.model_wrapped)


def _moments(trainer: Any) -> Iterator[tuple[str, str, torch.Tensor]]:
    """Yield the whole moments; gathering them is a collective operation."""
    for name, parameter in trained_parameters(_module(trainer)).items():
        for key in KEYS:
            if trainer.is_deepspeed_enabled:
                from deepspeed.utils import safe_get_full_optimizer_state

                value = safe_get_full_optimizer_state(parameter, key)
            else:
                value = _inner(trainer.optimizer).state.get(parameter, {}).get(key)
            if value is not None:
                yield name, key, _whole(value)


def _whole(value: torch.Tensor) -> torch.Tensor:
    return value.full_tensor() if hasattr(value, "full_tensor") else value


def _inner(optimizer: Any) -> Any:
    """Return the optimiser inside the one that accelerate has made."""
    return getattr(optimizer, "optimizer", optimizer)


def _put(trainer: Any, parameter: Any, key: str, value: torch.Tensor, steps: int) -> None:
    if trainer.is_deepspeed_enabled:
        from deepspeed.utils import safe_set_full_optimizer_state

        safe_set_full_optimizer_state(parameter, value.to(parameter.device), key)
        return
    state = _inner(trainer.optimizer).state[parameter]
    value = value.to(parameter.device, parameter.dtype)
    if hasattr(parameter, "device_mesh"):
        from torch.distributed.tensor import distribute_tensor

        value = distribute_tensor(value, parameter.device_mesh, parameter.placements)
    state[key] = value
    state.setdefault("step", torch.tensor(float(steps)))
