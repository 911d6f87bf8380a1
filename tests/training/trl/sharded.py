"""Run by two processes: a model whose weights are spread over both plays, trains, and is put together again.

Prints OK on each process if all holds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from safetensors.torch import save_file
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from equipoise.policies.local.loading import LoadedModel
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.tiny import tiny_model, tiny_tokenizer
from equipoise.rollout.engine import play
from equipoise.training.trl.state import gather_moments, load_moments
from equipoise.training.trl.weights import unsharded
from tests.training.trl.runs import arena_of, config_of


def trainer_of(model: Any, optimizer: Any, rank: int) -> Any:
    accelerator = SimpleNamespace(
        unwrap_model=lambda wrapped: wrapped, is_main_process=rank == 0, device=torch.device("cpu")
    )
    return SimpleNamespace(
        model_wrapped=model, optimizer=optimizer, accelerator=accelerator, is_deepspeed_enabled=False
    )


def answers(model: Any, mode: str, groups: int) -> list[Any]:
    policy = LocalPolicy(LoadedModel(model, tiny_tokenizer(), ""), mode, max_new_tokens=5, thought_tokens=4)
    arena = arena_of(policy, config_of())
    return [one.episode.turns for one in play(arena.requests(policy, 0)[: 2 * groups], arena.rule)]


def step(model: Any, optimizer: Any) -> None:
    ids = torch.arange(3, 19).reshape(2, 8)
    model(input_ids=ids, labels=ids).loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def adam(model: Any) -> torch.optim.Optimizer:
    return torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)


def whole(value: Any) -> torch.Tensor:
    found: torch.Tensor = value.full_tensor() if isinstance(value, DTensor) else value
    return found.detach()


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    plain, model = tiny_model(tiny_tokenizer()), tiny_model(tiny_tokenizer())
    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizers = adam(plain), adam(model)
    trainer = trainer_of(model, optimizers[1], rank)
    for number in range(2):
        for mode in ("choose", "free", "think"):
            # One process has twice as much to play: they would wait for each other forever if they had to.
            groups = 1 + rank
            with unsharded(trainer):
                found = answers(model, mode, groups)
            assert found == answers(plain, mode, groups), (number, mode)
        assert all(isinstance(p, DTensor) for p in model.parameters())
        step(plain, optimizers[0])
        step(model, optimizers[1])
        for (name, one), other in zip(model.named_parameters(), plain.parameters(), strict=True):
            assert torch.allclose(whole(one), other, atol=1e-5), name
        with torch.no_grad():
            for one, other in zip(model.parameters(), plain.parameters(), strict=True):
                other.copy_(whole(one))
    moments = gather_moments(trainer)
    assert bool(moments) == (rank == 0)
    path = folder / "optimiser.safetensors"
    if rank == 0:
        for name, parameter in plain.named_parameters():
            wanted = optimizers[0].state[parameter]["exp_avg"]
            assert torch.allclose(moments[f"{name}|exp_avg"], wanted, atol=1e-5), name
        save_file(moments, str(path))
    dist.barrier()
    fresh = adam(model)
    load_moments(trainer_of(model, fresh, rank), path, 2)
    for parameter in model.parameters():
        before, after = optimizers[1].state[parameter], fresh.state[parameter]
        assert isinstance(after["exp_avg"], DTensor)
        assert after["step"] == before["step"] == 2
        for key in ("exp_avg", "exp_avg_sq"):
            assert torch.equal(after[key].to_local(), before[key].to_local())
    step(model, fresh)
    sys.stdout.write("OK\n")
    sys.stdout.flush()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
