"""What differs between model families, as one table: thinking, adapters, token types, shared prefixes.

The rest of the package asks :func:`family_of` and has no names of models in it. A family that is not in the
table gets what suits most models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["FAMILIES", "Family", "family_of"]

_ATTENTION = "q_proj k_proj v_proj o_proj"
_MLP = "gate_proj up_proj down_proj"
_DELTA = "in_proj_qkv in_proj_z in_proj_b in_proj_a out_proj"


@dataclass(frozen=True, slots=True)
class Family:
    """Facts about the models of one family.

    Attributes:
        name: What it is called.
        types: ``model_type`` of its configurations, those of multimodal wrappers included.
        lora: The layers that ``all-linear`` stands for; empty leaves it to PEFT. Given where a checkpoint
            brings encoders of images or sound, which text never reaches.
        switch: Argument of the chat template that says whether a chain of thought is wanted; None where
            there is none.
        thought: How a native chain of thought opens and closes; what the chat template writes itself is left
            out of the opening. None where thoughts are plain text of the answer.
        token_types: Argument that says which tokens are text (0), for releases of transformers that demand
            it of multimodal wrappers; None where there is none.
    """

    name: str
    types: tuple[str, ...] = ()
    lora: tuple[str, ...] = ()
    switch: str | None = None
    thought: tuple[str, str] | None = None
    token_types: str | None = None

    def thinking(self, wanted: bool) -> dict[str, bool]:
        """Return the arguments of the chat template that ask for a chain of thought, or for none."""
        return {} if self.switch is None else {self.switch: wanted}

    def lora_targets(self, targets: str | list[str]) -> str | list[str]:
        """Return the target modules for PEFT: a pattern over the language model's layers, or as asked.

        Only ``all-linear`` is replaced; names that a recipe gives itself are its own business.
        """
        if targets != "all-linear" or not self.lora:
            return targets
        return rf"(?:.*\.)?(?:language_model|model)\.layers\.\d+\.\w+\.(?:{'|'.join(self.lora)})"


FAMILIES: tuple[Family, ...] = (
    Family(
        "gemma4",
        ("gemma4", "gemma4_text"),
        lora=tuple(f"{_ATTENTION} {_MLP}".split()),
        switch="enable_thinking",
        thought=("<|channel>thought\n", "<channel|>"),
        token_types="mm_token_type_ids",
    ),
    Family(
        "gemma3",
        ("gemma3", "gemma3_text"),
        lora=tuple(f"{_ATTENTION} {_MLP}".split()),
        token_types="token_type_ids",
    ),
    Family(
        "qwen3.5",
        ("qwen3_5", "qwen3_5_text"),
        lora=tuple(f"{_ATTENTION} {_MLP} {_DELTA}".split()),
        switch="enable_thinking",
        thought=("", "</think>"),
        token_types="mm_token_type_ids",
    ),
    Family("qwen3", ("qwen3",), switch="enable_thinking", thought=("<think>\n", "</think>")),
)

_OTHER = Family("other")


def family_of(config: Any) -> Family:
    """Return the family of a model's configuration."""
    kind = getattr(config, "model_type", None)
    return next((family for family in FAMILIES if kind in family.types), _OTHER)
