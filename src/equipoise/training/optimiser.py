"""AdamW over the trainable weights, with clipping, and a state kept as safetensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

__all__ = ["Optimiser"]


class Optimiser:
    """Adam without weight decay over all weights that get gradients.

    Attributes:
        steps: Steps made so far.
    """

    def __init__(self, model: Any, max_grad_norm: float) -> None:
        """Take the model and the norm gradients are scaled down to."""
        self.max_grad_norm = max_grad_norm
        self.steps = 0
        self._named = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self._adam = torch.optim.AdamW(list(self._named.values()), lr=1e-4, weight_decay=0.0)

    def keep(self) -> list[torch.Tensor]:
        """Return a copy of the weights, for :meth:`shrink`."""
        return [parameter.detach().clone() for parameter in self._named.values()]

    def shrink(self, kept: list[torch.Tensor], factor: float) -> None:
        """Take back part of the last step: move the weights to ``kept + factor · (weights − kept)``."""
        with torch.no_grad():
            for parameter, before in zip(self._named.values(), kept, strict=True):
                parameter.copy_(before + factor * (parameter - before))

    def step(self, lr: float) -> float | None:
        """Make a step and drop the gradients; return their norm, or None if they are not finite."""
        for group in self._adam.param_groups:
            group["lr"] = lr
        norm = torch.nn.utils.clip_grad_norm_(list(self._named.values()), self.max_grad_norm)
        finite = bool(torch.isfinite(norm))
        if finite:
            self._adam.step()
            self.steps += 1
        self._adam.zero_grad(set_to_none=True)
        return float(norm) if finite else None

    def save(self, path: Path) -> None:
        """Write the moments."""
        from safetensors.torch import save_file

        tensors = {}
        for name, parameter in self._named.items():
            for key, value in self._adam.state.get(parameter, {}).items():
                if key != "step":
                    tensors[f"{name}|{key}"] = value.detach().cpu().contiguous()
        save_file(tensors, str(path))

    def load(self, path: Path, steps: int) -> None:
        """Read the moments back."""
        from safetensors.torch import load_file

        tensors = load_file(str(path))
        self.steps = steps
        for name, parameter in self._named.items():
            keys = ("exp_avg", "exp_avg_sq")
            if f"{name}|{keys[0]}" not in tensors:
                continue
            state: dict[str, Any] = {k: tensors[f"{name}|{k}"].to(parameter.device) for k in keys}
            state["step"] = torch.tensor(float(steps))
            self._adam.state[parameter] = state
