"""The shape of a model without its weights: parameters, adapter, cache and what a backward pass keeps.

The model is built on torch's ``meta`` device, where tensors have sizes and no data, by the same classes and
with the same adapter that a run would use. So parameters are counted, not estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import RequestError
from equipoise.policies.local.backbone import Backbone
from equipoise.policies.local.families import family_of
from equipoise.training.config import LoraSettings
from equipoise.training.export.card import public_name
from equipoise.training.plan.published import PUBLISHED

__all__ = ["ModelShape", "model_shape"]


@dataclass(frozen=True)
class ModelShape:
    """A model with its adapter, all sizes and no weights.

    Attributes:
        model: The model on the ``meta`` device, wrapped by PEFT.
        source: Where its configuration comes from.
    """

    model: Any
    source: str

    @cached_property
    def parameters(self) -> int:
        """Parameters of the model without its adapter."""
        return sum(p.numel() for name, p in self.model.named_parameters() if "lora_" not in name)

    @cached_property
    def trainable(self) -> int:
        """Parameters of the adapter."""
        return sum(p.numel() for p in self.model.parameters() if p.requires_grad)

    @cached_property
    def weight_bytes(self) -> int:
        """Bytes of the model's weights without the adapter's."""
        named = self.model.named_parameters()
        return sum(p.numel() * p.element_size() for name, p in named if "lora_" not in name)

    @property
    def shares_prefixes(self) -> bool:
        """Whether the kinds of its layers let what prompts have in common be read once."""
        return all("linear" not in kind for kind in self._kinds)

    @cached_property
    def cache_bytes(self) -> int:
        """Bytes of keys and values of one token."""
        found = 0
        for module in self._body.modules():
            for name in ("k_proj", "v_proj"):
                found += int(getattr(getattr(module, name, None), "out_features", 0))
        return found * int(self.model.dtype.itemsize)

    @cached_property
    def state_bytes(self) -> int:
        """Bytes of the running states of linear attention of one sequence, however long it is."""
        config = Backbone(self.model).config
        layers = list(getattr(config, "layer_types", None) or ()).count("linear_attention")
        if not layers:
            return 0
        keys = config.linear_num_key_heads * config.linear_key_head_dim
        values = config.linear_num_value_heads * config.linear_value_head_dim
        recurrent = values * config.linear_key_head_dim
        convolved = (2 * keys + values) * config.linear_conv_kernel_dim
        return int(layers * (recurrent + convolved) * self.model.dtype.itemsize)

    @property
    def vocabulary(self) -> int:
        """Number of tokens that it may write."""
        return int(Backbone(self.model).head.weight.shape[0])

    def saved_bytes(self, rows: int, tokens: int) -> int:
        """Return the bytes that a pass with gradients keeps for the way back, by making one without data.

        Counted for the plain kernels; fused ones keep less.
        """
        body, dtype = self._body, self.model.dtype
        ids = torch.zeros((rows, tokens), dtype=torch.long, device="meta")
        mask = torch.zeros((rows, 1, tokens, tokens), dtype=dtype, device="meta")
        kinds = self._kinds
        masks = {kind: None if "linear" in kind else mask for kind in kinds} if len(kinds) > 1 else mask
        seen = {p.untyped_storage()._cdata for p in self.model.parameters()}
        kept: list[Any] = []

        def keep(tensor: Any) -> Any:
            storage = tensor.untyped_storage()
            if storage._cdata not in seen:
                seen.add(storage._cdata)
                kept.append(storage)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            body(input_ids=ids, attention_mask=masks, use_cache=False)
        return sum(storage.nbytes() for storage in kept)

    @cached_property
    def _body(self) -> Any:
        return Backbone(self.model).body

    @cached_property
    def _kinds(self) -> set[str]:
        return set(getattr(Backbone(self.model).config, "layer_types", None) or ["full_attention"])


def model_shape(spec: str, lora: LoraSettings, dtype: str, config: Path | None = None) -> ModelShape:
    """Return the shape of the model that a recipe names.

    Args:
        spec: The recipe's model.
        lora: Its adapter.
        dtype: Number format of its weights.
        config: A folder or file with its ``config.json``; None looks on this machine, then in the table
            of published configurations.

    Raises:
        RequestError: Nothing says what the model looks like, or the adapter does not fit.
    """
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    found, source = _configuration(spec, config)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(found, dtype=getattr(torch, dtype)).eval()
    targets = family_of(model.config).lora_targets(lora.targets)
    shape = LoraConfig(r=lora.rank, lora_alpha=lora.alpha, target_modules=targets, task_type="CAUSAL_LM")
    try:
        adapted = get_peft_model(model, shape, low_cpu_mem_usage=True)
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise RequestError(f"lora.targets = {lora.targets!r} do not fit {spec!r}: {reason}") from None
    return ModelShape(adapted, source)


def _configuration(spec: str, given: Path | None) -> tuple[Any, str]:
    from transformers import AutoConfig

    if given is not None:
        return _read(AutoConfig, str(given), given), f"{given}"
    if spec == "tiny-random":
        from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer

        return tiny_model(tiny_tokenizer()).config, "made in memory"
    name = public_name(spec)
    for place in _places(spec):
        try:
            return AutoConfig.from_pretrained(place, local_files_only=True), "the model on this machine"
        except (OSError, ValueError):
            continue
    if name is None or name not in PUBLISHED:
        raise RequestError(
            f"{spec!r} is not on this machine and its configuration is not known: "
            "give its config.json with --model-config"
        )
    numbers = dict(PUBLISHED[name])
    return AutoConfig.for_model(numbers.pop("model_type"), **numbers), "the published configuration"


def _places(spec: str) -> list[str]:
    if spec != "smollm2":
        return [spec.removeprefix("hf:")]
    from equipoise.policies.local.fetch import available_models

    return [str(one.path) for one in available_models() if one.name == spec and one.cached]


def _read(auto: Any, name: str, place: Path) -> Any:
    try:
        return auto.from_pretrained(place, local_files_only=True)
    except (OSError, ValueError):
        raise RequestError(
            f"--model-config {name!r} holds no configuration that transformers knows"
        ) from None
