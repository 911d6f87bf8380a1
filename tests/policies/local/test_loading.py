from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from equipoise.errors import RequestError
from equipoise.policies.local import LoadedModel, LocalPolicy, load_model, load_spec
from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer
from equipoise.types import Decision


@pytest.fixture(scope="module")
def folder(tiny: LoadedModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tiny"
    tiny.model.save_pretrained(path)
    tiny.tokenizer.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from peft import LoraConfig, get_peft_model

    path = tmp_path_factory.mktemp("adapters") / "lora"
    torch.manual_seed(1)
    config = LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    get_peft_model(tiny_model(tiny_tokenizer()), config).save_pretrained(path)
    return path


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_the_tiny_model_is_the_same_every_time(tiny: LoadedModel) -> None:
    again = load_spec("tiny-random")
    assert again.fingerprint == tiny.fingerprint
    assert again.tokenizer.get_vocab() == tiny.tokenizer.get_vocab()
    other = tiny_model(again.tokenizer, seed=1)
    assert not torch.equal(other.get_input_embeddings().weight, tiny.model.get_input_embeddings().weight)


def test_making_the_tiny_model_leaves_the_random_state_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    load_spec("tiny-random")
    assert torch.equal(torch.rand(3), expected)


def test_a_folder_gives_the_same_model(tiny: LoadedModel, folder: Path, decisions: list[Decision]) -> None:
    loaded = load_spec(f"hf:{folder}", quiet=True)
    assert loaded.spec == f"hf:{folder}"
    assert loaded.tokenizer.padding_side == "left"
    assert not loaded.model.training
    assert LocalPolicy(loaded).probabilities(decisions) == LocalPolicy(tiny).probabilities(decisions)


def test_the_fingerprint_follows_the_content_and_not_the_place(
    folder: Path, tmp_path: Path, adapter: Path
) -> None:
    moved = shutil.copytree(folder, tmp_path / "moved")
    first = load_model(folder).fingerprint
    assert load_model(moved).fingerprint == first
    assert load_model(folder, adapter).fingerprint != first
    config = json.loads((moved / "config.json").read_text())
    (moved / "config.json").write_text(json.dumps(config | {"rms_norm_eps": 0.1}))
    assert load_model(moved).fingerprint != first


def test_an_adapter_changes_the_policy(adapter: Path, folder: Path, decisions: list[Decision]) -> None:
    plain = LocalPolicy.from_spec("tiny-random").probabilities(decisions[:1])
    adapted = LocalPolicy.from_spec(f"tiny-random+{adapter}")
    assert adapted.name == f"tiny-random+{adapter}"
    found = adapted.probabilities(decisions[:1])
    assert found != plain
    other = LocalPolicy.from_spec(f"hf:{folder}+{adapter}").probabilities(decisions[:1])
    assert other[0] == pytest.approx(found[0], abs=1e-6)
    adapted.clear()
    with adapted.loaded.model.disable_adapter():
        assert adapted.probabilities(decisions[:1])[0] == pytest.approx(plain[0], abs=1e-6)


def test_an_adapter_speaks_in_free_mode(adapter: Path, decisions: list[Decision]) -> None:
    policies = [
        LocalPolicy.from_spec(spec, mode="free", max_new_tokens=6)
        for spec in ("tiny-random", f"tiny-random+{adapter}")
    ]
    plain, adapted = ([c.generations[0].ids for c in policy.act(decisions)] for policy in policies)
    assert plain != adapted
    with policies[1].loaded.model.disable_adapter():
        policies[1].clear()
        assert [c.generations[0].ids for c in policies[1].act(decisions)] == plain


def test_gradients_reach_the_adapter_through_the_shared_prefix(
    adapter: Path, decisions: list[Decision]
) -> None:
    policy = LocalPolicy.from_spec(f"tiny-random+{adapter}", trainable=True)
    questions = [policy.question(decision) for decision in decisions]
    found = []
    for prefix_cache in (True, False):
        policy.scorer.prefix_cache = prefix_cache
        policy.loaded.model.zero_grad()
        torch.stack([row[0] for row in policy.scorer.log_probabilities(questions)]).mean().backward()
        found.append({n: p.grad for n, p in policy.loaded.model.named_parameters() if p.requires_grad})
    assert found[0]
    assert all("lora" in name for name in found[0])
    torch.testing.assert_close(found[0], found[1], rtol=1e-4, atol=1e-5)


def test_a_folder_whose_name_holds_a_plus_sign_is_taken_as_it_is(folder: Path, tmp_path: Path) -> None:
    path = shutil.copytree(folder, tmp_path / "a+b")
    assert load_spec(f"hf:{path}").fingerprint == load_model(folder).fingerprint


def test_threads_and_dtype_are_settings() -> None:
    loaded = load_spec("tiny-random", dtype="bfloat16", threads=2)
    assert torch.get_num_threads() == 2
    assert loaded.model.dtype is torch.bfloat16
    with pytest.raises(RequestError, match="unknown dtype 'int8': choose one of float32"):
        load_spec("tiny-random", dtype="int8")


def test_pickled_weights_are_refused(folder: Path, tmp_path: Path) -> None:
    path = shutil.copytree(folder, tmp_path / "pickled")
    (path / "model.safetensors").rename(path / "pytorch_model.bin")
    with pytest.raises(RequestError, match="cannot be loaded"):
        load_model(path)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hf:./nowhere", "there is no model folder './nowhere'"),
        ("hf:/nowhere/at/all", "there is no model folder"),
        ("hf:{here}", "it has no config.json"),
        ("tiny-random+nowhere", "'nowhere' is no adapter folder: it has no adapter_config.json"),
        ("smollm3", "unknown local model 'smollm3': choose smollm2, tiny-random or hf:"),
        ("hf:", "unknown local model"),
    ],
)
def test_what_does_not_exist_is_named_in_one_line(spec: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load_spec(spec.format(here=tmp_path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_adapter_for_another_model_is_an_error(adapter: Path, folder: Path, tmp_path: Path) -> None:
    wrong = shutil.copytree(adapter, tmp_path / "wrong")
    config = json.loads((wrong / "adapter_config.json").read_text())
    (wrong / "adapter_config.json").write_text(json.dumps(config | {"r": 3}))
    with pytest.raises(RequestError, match="does not fit"):
        load_model(folder, wrong)
