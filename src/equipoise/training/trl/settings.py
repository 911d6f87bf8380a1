"""Settings of the backend that stands on TRL: the table ``[trl]`` of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from equipoise.training.config import Strict
from equipoise.training.moot import moot_engine

__all__ = ["TrlSettings"]


class TrlSettings(Strict):
    """How TRL's trainers are used; what a run trains on is in its own settings.

    Attributes:
        data: Examples for the warm start as ``equipoise data`` writes them, a file or a folder; left out, the
            warm start plays its teachers itself.
        layout: ``decisions`` makes a row of every answer; ``chat`` makes one row of a conversation (with
            ``history = "chat"``), so that what was said is read once.
        tuning: ``lora`` trains the recipe's adapter, ``full`` all weights.
        bf16: Compute in bfloat16 under autocast; weights and optimiser keep the recipe's ``dtype``.
        gradient_checkpointing: Compute activations again in the backward pass instead of keeping them.
        use_vllm: Let vLLM play instead of transformers.
        vllm_mode: ``colocate`` runs it beside training on the same devices, ``server`` asks one that runs.
        vllm_server_base_url: Address of that server.
        vllm_gpu_memory_utilization: Share of a device's memory that a colocated engine may take.
        vllm_max_model_length: Longest prompt and completion of a colocated engine.
        vllm_enable_sleep_mode: Whether a colocated engine gives its memory back while weights are trained.
    """

    data: str | None = None
    layout: Literal["decisions", "chat"] = "decisions"
    tuning: Literal["lora", "full"] = "lora"
    bf16: bool = False
    gradient_checkpointing: bool = False
    use_vllm: bool = False
    vllm_mode: Literal["colocate", "server"] = "colocate"
    vllm_server_base_url: str | None = None
    vllm_gpu_memory_utilization: float = Field(0.3, gt=0.0, le=1.0)
    vllm_max_model_length: int | None = Field(None, ge=1)
    vllm_enable_sleep_mode: bool = False

    @field_validator("vllm_server_base_url")
    @classmethod
    def _served(cls, url: str | None, given: ValidationInfo) -> str | None:
        if url is not None and given.data.get("vllm_mode") != "server":
            raise ValueError("only a server has an address, use vllm_mode = 'server'")
        return url

    @model_validator(mode="after")
    def _engine(self) -> TrlSettings:
        if (moot := moot_engine(self)) is not None:
            raise ValueError(moot)
        return self

    @property
    def served(self) -> bool:
        """Whether a server plays, which the main process talks to for all."""
        return self.use_vllm and self.vllm_mode == "server"
