"""Models without weights, against the same models with weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from equipoise.errors import RequestError
from equipoise.policies.local.backbone import Backbone
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.config import LoraSettings
from equipoise.training.lora import adapted_policy
from equipoise.training.plan.shape import ModelShape, model_shape
from tests.architectures import MODELS, save
from tests.training.adapters import trainable

LORA = LoraSettings(rank=3, alpha=6)


@pytest.fixture(scope="module", params=sorted(MODELS))
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(str(request.param), tmp_path_factory.mktemp(str(request.param)))


@dataclass(frozen=True)
class Pair:
    """A model without weights, and the same model with weights."""

    shape: ModelShape
    policy: LocalPolicy


def pair(checkpoint: Path, dtype: str) -> Pair:
    policy = adapted_policy(f"hf:{checkpoint}", LORA, 0, "test", quiet=True, dtype=dtype)
    return Pair(model_shape(f"hf:{checkpoint}", LORA, dtype), policy)


@pytest.fixture(scope="module")
def single(checkpoint: Path) -> Pair:
    """Both in single precision; nothing here changes them."""
    return pair(checkpoint, "float32")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_parameters_are_those_of_the_loaded_model(checkpoint: Path, single: Pair, dtype: str) -> None:
    both = single if dtype == "float32" else pair(checkpoint, dtype)
    shape, policy = both.shape, both.policy
    named = dict(policy.loaded.model.named_parameters())
    base = {name: p for name, p in named.items() if "lora_" not in name}
    assert shape.parameters == sum(p.numel() for p in base.values())
    assert shape.weight_bytes == sum(p.numel() * p.element_size() for p in base.values())
    assert shape.trainable == sum(p.numel() for p in trainable(policy))
    assert shape.source == "the model on this machine"


def test_the_cache_is_that_of_the_loaded_model(single: Pair) -> None:
    body = Backbone(single.policy.loaded.model).body

    def held(tokens: int) -> int:
        with torch.no_grad():
            cache = body(input_ids=torch.full((1, tokens), 20), use_cache=True).cache
        found = 0
        for layer in cache.layers:
            if type(layer).__name__ in ("DynamicLayer", "DynamicSlidingWindowLayer"):
                found += sum(t.numel() * t.element_size() for t in (layer.keys, layer.values))
        return found

    # Few enough tokens that no window drops any.
    assert single.shape.cache_bytes == held(9) - held(8)


def test_what_the_way_back_needs_is_what_a_real_pass_keeps(single: Pair) -> None:
    shape = single.shape
    real = ModelShape(single.policy.loaded.model, "test")
    found = _kept(real, 2, 40)
    assert shape.saved_bytes(2, 40) == pytest.approx(found, rel=0.01)
    assert shape.saved_bytes(2, 80) > 1.8 * shape.saved_bytes(2, 40)


def _kept(shape: ModelShape, rows: int, tokens: int) -> int:
    """The same count with data: an ordinary forward pass on the CPU, with the plain kernels."""
    body = Backbone(shape.model).body
    seen = {p.untyped_storage()._cdata for p in shape.model.parameters()}
    kept = []

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in seen:
            seen.add(storage._cdata)
            kept.append(storage)
        return tensor

    plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with plain, torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = body(input_ids=torch.full((rows, tokens), 20), use_cache=False)
    assert output.last_hidden_state.requires_grad
    return sum(storage.nbytes() for storage in kept)


class TestKnownModels:
    """Published sizes: the model pages say 8 billion parameters with embeddings and 4 billion."""

    def test_gemma_4_e4b(self) -> None:
        shape = model_shape("hf:google/gemma-4-E4B-it", LoraSettings(rank=32, alpha=64), "bfloat16")
        assert shape.source == "the published configuration"
        # 7,996,156,490 in the checkpoint, with key and value projections of 18 layers that reuse others'.
        unused = 2 * 2560 * 2 * (15 * 256 + 3 * 512)
        assert shape.parameters + unused == pytest.approx(7_996_156_490, rel=1e-5)
        assert shape.weight_bytes == 2 * shape.parameters
        # 20 sliding and 4 full layers keep keys and values of two heads.
        assert shape.cache_bytes == 2 * 2 * 2 * (20 * 256 + 4 * 512)
        assert shape.shares_prefixes

    def test_qwen_3_5_4b(self) -> None:
        shape = model_shape("hf:Qwen/Qwen3.5-4B", LoraSettings(rank=16), "bfloat16")
        assert shape.parameters == pytest.approx(4.2e9, rel=0.01)
        assert shape.cache_bytes == 2 * 2 * 8 * 4 * 256
        assert not shape.shares_prefixes

    def test_smollm2(self) -> None:
        from equipoise.training.plan.published import PUBLISHED

        numbers = dict(PUBLISHED["HuggingFaceTB/SmolLM2-135M-Instruct"])
        from transformers import AutoConfig, AutoModelForCausalLM

        with torch.device("meta"):
            config = AutoConfig.for_model(numbers.pop("model_type"), **numbers)
            model = AutoModelForCausalLM.from_config(config)
        assert sum(p.numel() for p in model.parameters()) == 134_515_008


class TestUnknownModels:
    def test_the_way_out_is_named(self) -> None:
        with pytest.raises(RequestError, match=r"give its config\.json with --model-config"):
            model_shape("hf:nobody/nothing", LORA, "float32")

    def test_a_configuration_is_enough(self, checkpoint: Path, single: Pair, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text((checkpoint / "config.json").read_text(encoding="utf-8"))
        given = model_shape("hf:nobody/nothing", LORA, "float32", tmp_path)
        assert given.parameters == single.shape.parameters

    def test_what_is_no_configuration(self, tmp_path: Path) -> None:
        with pytest.raises(RequestError, match="holds no configuration"):
            model_shape("hf:nobody/nothing", LORA, "float32", tmp_path)

    def test_layers_that_do_not_exist(self) -> None:
        with pytest.raises(RequestError, match=r"lora\.targets = 'nowhere' do not fit"):
            model_shape("tiny-random", LoraSettings(targets="nowhere"), "float32")
