"""Small warm starts, their losses written out, and the gradients of their steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import equipoise.training.sft as sft
from equipoise.auditing.run import AuditConfig
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.local.policy import LocalPolicy
from equipoise.prompts.registry import get_renderer
from equipoise.training.config import LoraSettings, SftConfig
from equipoise.training.data import Example
from equipoise.training.lora import adapted_policy
from equipoise.training.sft import Sft
from equipoise.types import Estimate

IPD, KUHN = make_game("ipd", rounds=2), make_game("kuhn")
SMALL: dict[str, Any] = {
    "episodes": 24,
    "validation": 0.25,
    "steps": 4,
    "batch": 16,
    "lr": 5e-3,
    "warmup": 0,
    "select_every": 2,
    "select_episodes": 2,
    "patience": 9,
}


def new_sft(game: Game = IPD, folder: Path | None = None, **settings: Any) -> Sft:
    policy = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "sft", quiet=True)
    objective = Objective.of(game.info_record, default_pools(game.name))
    return Sft(game, objective, policy, SftConfig(**{**SMALL, **settings}), folder)


def training(one: Sft) -> list[Example]:
    return [example for example in one.examples if not example.held_out]


def validation(one: Sft) -> list[Example]:
    return [example for example in one.examples if example.held_out]


def losses(policy: LocalPolicy, examples: Sequence[Example]) -> list[torch.Tensor]:
    """Each example's loss from a plain pass of the model over the whole chat, one text at a time."""
    tokenizer, model = policy.loaded.tokenizer, policy.loaded.model
    found: dict[Any, torch.Tensor] = {}
    result = []
    for example in examples:
        renderer = get_renderer(example.decision.rules.name)
        prompt = renderer.prompt(example.decision)
        content, word = prompt.rules + prompt.situation, renderer.say(example.action)
        if (content, word) not in found:
            before = f"<|start|>user\n{content}<|end|>\n<|start|>assistant\nAction:"
            whole = tokenizer(f"{before} {word}<|end|>", add_special_tokens=False)["input_ids"]
            start = len(tokenizer(before, add_special_tokens=False)["input_ids"])
            assert tokenizer.decode(whole[start:]) == f" {word}<|end|>"
            logs = torch.log_softmax(model(torch.tensor([whole])).logits[0, :-1].float(), dim=-1)
            picked = logs.gather(1, torch.tensor(whole[1:]).unsqueeze(1)).squeeze(1)
            found[content, word] = -picked[start - 1 :].sum()
        result.append(found[content, word])
    return result


def mean_loss(policy: LocalPolicy, examples: Sequence[Example]) -> torch.Tensor:
    return torch.stack(losses(policy, examples)).mean()


def weights(policy: LocalPolicy) -> list[torch.Tensor]:
    return [p.detach().clone() for p in policy.loaded.model.parameters() if p.requires_grad]


def stir(policy: LocalPolicy) -> None:
    """Give a fresh adapter something to do; half of its gradient is 0 as long as it is the identity."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in policy.loaded.model.parameters():
            if p.requires_grad:
                p += 0.03 * torch.randn(p.shape, generator=generator)
    policy.clear()


def catch_gradients(one: Sft) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []

    def keep(lr: float) -> float:
        owned = [p for p in one.policy.loaded.model.parameters() if p.requires_grad]
        found.append(torch.cat([p.grad.flatten().clone() for p in owned if p.grad is not None]))
        for p in owned:
            p.grad = None
        return 0.0

    one.optimiser.step = keep  # type: ignore[method-assign]
    return found


def scripted(
    monkeypatch: pytest.MonkeyPatch,
    scores: Sequence[float],
    checks: Sequence[float],
    watch: Callable[[LocalPolicy], None] = lambda policy: None,
) -> None:
    """Let the selection score and the validation loss be what a test says, evaluation by evaluation."""
    left, checked = list(scores), list(checks)
    real = Sft._loss

    def audit(game: Game, policy: LocalPolicy, config: AuditConfig, **given: Any) -> Any:
        watch(policy)
        return SimpleNamespace(metrics={"safety": Estimate.exact(left.pop(0))})

    def loss(self: Sft, answers: Any, backward: bool, share: float = 1.0) -> float:
        return real(self, answers, backward, share) if backward else checked.pop(0)

    monkeypatch.setattr(sft, "audit_game", audit)
    monkeypatch.setattr(Sft, "_loss", loss)
