"""Language models on this machine (transformers). Importing this package loads no torch.

``LocalPolicy`` is the policy, ``load_spec`` and ``load_model`` give a model, ``ActionScorer`` scores actions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from equipoise.policies.local.fetch import ModelEntry, available_models, cache_folder, ensure_smollm2
from equipoise.policies.local.loading import LoadedModel, load_model, load_spec
from equipoise.policies.local.question import Question

if TYPE_CHECKING:
    from equipoise.policies.local.policy import LocalPolicy
    from equipoise.policies.local.scoring import ActionScorer

__all__ = [
    "ActionScorer",
    "LoadedModel",
    "LocalPolicy",
    "ModelEntry",
    "Question",
    "available_models",
    "cache_folder",
    "ensure_smollm2",
    "load_model",
    "load_spec",
]

_LAZY = {
    "ActionScorer": "equipoise.policies.local.scoring",
    "LocalPolicy": "equipoise.policies.local.policy",
}


def __getattr__(name: str) -> Any:
    """Import what needs torch when it is asked for."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
