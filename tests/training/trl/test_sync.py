"""The engine that plays is held against the weights that are trained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import EquipoiseError
from equipoise.training.trl.sync import GapWatch, SyncWatch, compare, fingerprint
from tests.training.trl.cases import tiny


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8), st.lists(st.integers(-3, 3), max_size=8))
def test_fingerprints_can_be_joined(one: list[int], other: list[int]) -> None:
    a, b = torch.tensor(one, dtype=torch.float32), torch.tensor(other, dtype=torch.float32)
    assert fingerprint(a) + fingerprint(b) == fingerprint(torch.cat([a, b]))


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float64])
def test_fingerprints_tell_the_smallest_change_and_an_exchange_apart(kind: torch.dtype) -> None:
    tensor = torch.randn(4, 5).to(kind)
    before = fingerprint(tensor)
    changed = tensor.clone()
    changed[3, 4] = torch.nextafter(changed[3, 4].float(), torch.tensor(9.0)).to(kind) + 0.01
    exchanged = tensor.clone()
    exchanged[0, 0], exchanged[1, 1] = tensor[1, 1], tensor[0, 0]
    assert before != fingerprint(changed)
    assert before != fingerprint(exchanged)
    assert before == fingerprint(tensor.clone())


class Engine:
    """Stands for TRL's ``VLLMGeneration``: some layers are fused, and numbers are bfloat16."""

    mode = "colocate"

    def __init__(self, trained: Any) -> None:
        self.trained = trained
        self.loses: str | None = None
        self.names: dict[str, torch.Tensor] = {}
        loaded = SimpleNamespace(
            named_parameters=lambda: iter(self.names.items()),
            packed_modules_mapping={"qkv_proj": ["q_proj", "k_proj", "v_proj"]},
        )
        runner = SimpleNamespace(model_runner=SimpleNamespace(model=loaded))
        executor = SimpleNamespace(driver_worker=runner)
        self.llm = SimpleNamespace(llm_engine=SimpleNamespace(model_executor=executor))
        self.load()

    def _iter_named_params(self) -> Iterator[tuple[str, torch.Tensor]]:
        yield from self.trained.named_parameters()

    def sync_weights(self) -> None:
        for _ in self._iter_named_params():
            pass
        self.load()

    def load(self) -> None:
        found = {n: p.detach().to(torch.bfloat16) for n, p in self.trained.named_parameters()}
        for name in [name for name in found if ".q_proj." in name]:
            parts = [found.pop(name.replace(".q_proj.", f".{part}_proj.")) for part in "qkv"]
            found[name.replace(".q_proj.", ".qkv_proj.")] = torch.cat(parts)
        rows = found["model.embed_tokens.weight"]
        found["model.embed_tokens.weight"] = torch.cat([rows, torch.zeros(3, rows.shape[1]).to(rows.dtype)])
        found["model.layers.0.scale_of_the_engine"] = torch.ones(1)
        if self.loses is not None:
            found[self.loses] = self.names[self.loses]
        self.names = found


def moved() -> tuple[Engine, SyncWatch]:
    model = tiny()
    engine = Engine(model)
    watch = SyncWatch(engine)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.1)
    return engine, watch


def test_an_engine_that_took_all_weights_passes() -> None:
    engine, watch = moved()
    watch.sync()
    # The three projections of each of the two layers are one tensor of the engine.
    assert watch.compared == len(list(engine.trained.named_parameters())) - 4
    assert watch.left_out == 1


@pytest.mark.parametrize(
    "name",
    [
        "model.embed_tokens.weight",
        "model.layers.1.self_attn.qkv_proj.weight",
        "model.layers.0.mlp.down_proj.weight",
    ],
)
def test_an_engine_that_kept_an_old_tensor_is_found_out(name: str) -> None:
    engine, watch = moved()
    engine.loses = name
    with pytest.raises(EquipoiseError, match=re.escape(name)):
        watch.sync()


def test_an_engine_with_nothing_to_compare_is_no_success() -> None:
    with pytest.raises(EquipoiseError, match="could be compared"):
        compare({"a": fingerprint(torch.ones(2))}, [("b", torch.ones(2))], {})


def test_the_weights_of_a_server_are_sent_but_cannot_be_read() -> None:
    engine, watch = moved()
    engine.mode = "server"
    watch.sync()
    assert watch.compared == 0


def alone(sums: list[float]) -> list[list[float]]:
    return [sums]


def test_the_gap_is_a_mean_over_trained_tokens() -> None:
    watch = GapWatch(1.0)
    mask = torch.tensor([[1, 1, 0]])
    watch.add(torch.tensor([[-1.0, -2.0, 5.0]]), torch.tensor([[-1.5, -2.1, 0.0]]), mask)
    watch.add(torch.tensor([[-1.0]]), torch.tensor([[-1.0]]), torch.tensor([[1]]))
    found = watch.close(alone)
    assert found["sampler_gap"] == pytest.approx(0.2)
    assert found["sampler_gap_max"] == pytest.approx(0.5)
    assert watch.close(alone) == {"sampler_gap": 0.0, "sampler_gap_max": 0.0}


def test_the_gap_is_one_of_all_ranks() -> None:
    watch = GapWatch(1.0)
    watch.add(torch.zeros(1, 1), torch.full((1, 1), 0.4), torch.ones(1, 1))
    assert watch.close(lambda sums: [sums, [0.8, 3.0, 0.6]])["sampler_gap"] == pytest.approx(0.3)


@pytest.mark.parametrize("gap", [0.3, float("nan")])
def test_training_stops_at_a_gap_above_the_limit(gap: float) -> None:
    watch = GapWatch(0.2)
    watch.add(torch.zeros(1, 1), torch.full((1, 1), gap), torch.ones(1, 1))
    with pytest.raises(EquipoiseError, match=r"max_sampler_gap = 0\.2"):
        watch.close(alone)
