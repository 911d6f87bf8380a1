"""An adapter on disk: saved, resumed and loaded as a policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from equipoise.errors import RequestError
from equipoise.policies.local.loading import load_spec
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.config import LoraSettings
from equipoise.training.lora import LocalLearner, adapted_policy
from equipoise.types import Decision
from tests.training.adapters import (
    equal,
    new_batch,
    new_policy,
    small_decisions,
    table,
    weights,
)


@pytest.fixture(scope="module")
def decisions() -> tuple[Decision, ...]:
    return small_decisions()


def test_saved_weights_load_as_a_policy(decisions: tuple[Decision, ...], tmp_path: Path) -> None:
    policy = new_policy()
    learner = LocalLearner(policy)
    learner.update(new_batch(decisions), 1e-2, 0.0, 0.0)
    learner.save_weights(tmp_path / "new" / "adapter")
    folder = tmp_path / "new" / "adapter"
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["adapter_config.json", "adapter_model.safetensors"]
    loaded = LocalPolicy.from_spec(f"tiny-random+{folder}", quiet=True)
    np.testing.assert_allclose(table(loaded, decisions), table(policy, decisions), rtol=1e-6)
    assert not any(p.requires_grad for p in loaded.loaded.model.parameters())
    assert loaded.fingerprint != policy.fingerprint


def test_only_the_trained_adapter_is_saved(decisions: tuple[Decision, ...], tmp_path: Path) -> None:
    LocalLearner(new_policy(seed=3)).save_weights(tmp_path / "first")
    policy = adapted_policy(f"tiny-random+{tmp_path / 'first'}", LoraSettings(rank=4), 0, "x", quiet=True)
    learner = LocalLearner(policy)
    learner.update(new_batch(decisions), 1e-2, 0.1, 0.0)
    learner.save_weights(tmp_path / "second")
    loaded = LocalPolicy.from_spec(f"tiny-random+{tmp_path / 'second'}", quiet=True)
    np.testing.assert_allclose(table(loaded, decisions), table(policy, decisions), rtol=1e-6)
    sizes = [(tmp_path / name / "adapter_model.safetensors").stat().st_size for name in ("first", "second")]
    assert sizes[0] == sizes[1]


def test_the_saved_configuration_is_the_same_in_every_process(tmp_path: Path) -> None:
    LocalLearner(new_policy()).save_weights(tmp_path)
    names = json.loads((tmp_path / "adapter_config.json").read_text(encoding="utf-8"))["target_modules"]
    assert len(names) > 5
    assert names == sorted(names)


@pytest.mark.parametrize("start", ["fresh", "adapter"])
def test_a_resumed_learner_goes_on_bit_for_bit(
    decisions: tuple[Decision, ...], tmp_path: Path, start: str
) -> None:
    spec = "tiny-random"
    if start == "adapter":
        LocalLearner(new_policy(seed=3)).save_weights(tmp_path / "start")
        spec = f"tiny-random+{tmp_path / 'start'}"

    def learner(seed: int) -> LocalLearner:
        policy = adapted_policy(spec, LoraSettings(rank=4), seed, "test", quiet=True)
        return LocalLearner(policy, 0.5, 6, max_step_kl=0.01)

    def step(owner: LocalLearner, number: int) -> dict[str, float]:
        owner.forget()
        asked = decisions[: 6 + 2 * number]
        owner.policy.probabilities(asked)
        return owner.update(new_batch(asked, seed=number), 1e-2 / number, 0.1, 0.05)

    whole = learner(0)
    for number in (1, 2):
        step(whole, number)
    folder = tmp_path / "checkpoint"
    whole.save_weights(folder)
    state = json.loads(json.dumps(whole.save_state(folder)))
    resumed = learner(7)
    resumed.load(folder, state)
    assert resumed.policy.version == whole.policy.version
    assert resumed.optimiser.steps == 2
    for number in (3, 4):
        assert step(whole, number) == step(resumed, number)
    assert equal(weights(whole.policy, "default"), weights(resumed.policy, "default"))
    assert whole.save_state(tmp_path / "checkpoint") == resumed.save_state(tmp_path / "checkpoint")


def test_the_seed_and_the_shape_of_a_fresh_adapter() -> None:
    def fresh(seed: int = 0, **settings: Any) -> dict[str, torch.Tensor]:
        policy = adapted_policy("tiny-random", LoraSettings(**{"rank": 4, **settings}), seed, "x", quiet=True)
        return weights(policy, "default")

    assert equal(fresh(0), fresh(0))
    assert not equal(fresh(0), fresh(1))
    assert {min(w.shape) for w in fresh(rank=2).values()} == {2}
    assert len(fresh()) == 2 * 7 * 2
    few = fresh(targets=["q_proj", "v_proj"])
    assert {name.split(".lora_")[0].rpartition(".")[2] for name in few} == {"q_proj", "v_proj"}


def test_alpha_over_rank_scales_what_the_adapter_does(decisions: tuple[Decision, ...]) -> None:
    bare = load_spec("tiny-random", quiet=True)
    layers = []
    for alpha in (8, 32):
        settings = LoraSettings(rank=4, alpha=alpha)
        policy = adapted_policy("tiny-random", settings, 0, "x", quiet=True)
        with torch.no_grad():
            for name, weight in policy.loaded.model.named_parameters():
                if "lora_B" in name:
                    weight += 0.1
        layers.append(policy.loaded.model.base_model.model.model.layers[0].self_attn.q_proj)
    x = torch.ones(1, 32)
    plain = bare.model.model.layers[0].self_attn.q_proj(x)
    first, second = (layer(x) - plain for layer in layers)
    torch.testing.assert_close(4 * first, second, rtol=1e-4, atol=1e-4)
    assert float(first.detach().abs().max()) > 0.01


def test_targets_that_do_not_exist_are_a_wrong_request() -> None:
    with pytest.raises(RequestError):
        adapted_policy("tiny-random", LoraSettings(targets=["no_such_layer"]), 0, "x", quiet=True)


def test_loading_leaves_the_random_numbers_of_the_user_alone() -> None:
    torch.manual_seed(11)
    before = torch.random.get_rng_state()
    adapted_policy("tiny-random", LoraSettings(rank=4), 0, "x", quiet=True)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_model_folder_may_have_a_plus_sign_in_its_name(tmp_path: Path) -> None:
    loaded = load_spec("tiny-random", quiet=True)
    folder = tmp_path / "model+notes"
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    LocalLearner(new_policy()).save_weights(tmp_path / "adapter")
    spec = f"hf:{folder}+{tmp_path / 'adapter'}"
    assert LocalPolicy.from_spec(spec, quiet=True).loaded.model.peft_config
    policy = adapted_policy(spec, LoraSettings(rank=4), 0, "x", quiet=True)
    assert set(policy.loaded.model.peft_config) == {"default", "reference"}


def test_a_saved_adapter_tells_nothing_of_the_machine(tmp_path: Path) -> None:
    loaded = load_spec("tiny-random", quiet=True)
    folder = tmp_path / "model"
    loaded.model.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    LocalLearner(new_policy(spec=f"hf:{folder}")).save_weights(tmp_path / "adapter")
    text = (tmp_path / "adapter" / "adapter_config.json").read_text(encoding="utf-8")
    assert str(tmp_path) not in text
