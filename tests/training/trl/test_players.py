"""Text of an engine beside the trainer, in place of the model's own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.local.sampling import Sampled
from equipoise.policies.local.writing import Writer
from equipoise.prompts.base import MARKER
from equipoise.rollout.engine import play
from equipoise.training.trl.arguments import check, grpo_config
from equipoise.training.trl.players import EngineWriter, vllm_sampler
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.rollouts import Rollouts
from equipoise.training.trl.settings import TrlSettings
from equipoise.types import StopReason
from tests.training.trl.runs import arena_of, config_of, policy_of


class Engine:
    """Stands for TRL's ``VLLMGeneration``: draws with the weights it was given, and goes on past the end."""

    repetition_penalty, temperature, top_p, top_k, min_p, logprobs = 1.0, 1.0, 1.0, 0, None, 0
    generation_kwargs: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, policy: Any, mode: str = "colocate") -> None:
        self.mode, self.max_completion_length = mode, policy.budget
        self.writer = Writer(policy.loaded, policy.scorer, temperature=1.0, max_rows=64)
        self.asked: list[list[list[int]]] = []
        self.vllm_client = SimpleNamespace(generate=self._served)

    def generate(self, prompts: Any, images: Any, num_generations: int) -> tuple[Any, Any, Any, Any]:
        assert (images, num_generations) == (None, 1)
        ids, logs = self._draw(prompts)
        return prompts, ids, logs, None

    def _served(self, prompts: Any, n: int, max_tokens: int, **given: Any) -> dict[str, Any]:
        assert (n, max_tokens) == (1, self.max_completion_length)
        assert given["top_p"] == 1.0
        assert given["min_p"] == 0.0
        ids, logs = self._draw(prompts)
        return {"prompt_ids": prompts, "completion_ids": ids, "logprobs": logs}

    def _draw(self, prompts: Any) -> tuple[list[list[int]], list[list[list[float]]]]:
        self.asked.append(prompts)
        uniforms = [lambda purpose, i=i: (0.137 * (i + 1 + len(purpose))) % 1.0 for i in range(len(prompts))]
        found = self.writer.write([tuple(p) for p in prompts], uniforms, self.max_completion_length)
        return [list(one.ids) for one in found], [[[x] for x in one.logprobs] for one in found]


@pytest.mark.parametrize("engine", ["colocate", "server"])
@pytest.mark.parametrize("mode", ["free", "think"])
def test_an_engine_plays_what_the_policy_asks_and_says_how_likely_it_was(mode: str, engine: str) -> None:
    policy = policy_of(mode)
    made = Engine(policy, engine)
    policy.write_with(EngineWriter(policy, vllm_sampler(made)))
    arena = arena_of(policy, config_of())
    played = play(arena.requests(policy, 0), arena.rule)
    role = "action" if mode == "free" else "thought"
    generations = [
        one
        for episode in played
        for turn in episode.episode.turns
        if turn.seat == episode.episode.seat
        for one in turn.choice.generations
        if one.role == role
    ]
    asked = [tuple(prompt) for batch in made.asked for prompt in batch]
    assert {one.prompt_ids for one in generations} == set(asked)
    for one in generations[:4]:
        ids = torch.tensor([one.prompt_ids + one.ids])
        with torch.no_grad():
            logits = policy.loaded.model(input_ids=ids).logits[0].double()
        rows = torch.log_softmax(logits[len(one.prompt_ids) - 1 : -1], dim=-1)
        wanted = rows.gather(1, torch.tensor(one.ids).unsqueeze(1)).squeeze(1)
        assert one.logprobs == pytest.approx(wanted.tolist(), abs=1e-4)


def written(policy: Any, ids: tuple[int, ...], budget: int = 50, end: str = "") -> Sampled:
    logs = tuple(-0.1 * i for i in range(len(ids)))
    writer = EngineWriter(policy, lambda prompts: [(ids, logs) for _ in prompts])
    return writer.write([(1, 2)], [lambda purpose: 0.5], budget, end)[0]


def test_what_an_engine_writes_past_the_end_is_thrown_away() -> None:
    policy = policy_of("think")
    tokenizer = policy.loaded.tokenizer
    before = tuple(tokenizer(f"Well. {MARKER}", add_special_tokens=False)["input_ids"])
    after = tuple(tokenizer(" COOPERATE and so on", add_special_tokens=False)["input_ids"])
    found = written(policy, before + after, end=MARKER)
    assert found.ids == before
    assert len(found.logprobs) == len(before)
    assert found.stop is StopReason.FINISHED
    end = tokenizer.eos_token_id
    assert written(policy, (5, end, 6)).ids == (5, end)
    cut = written(policy, (5, 6, 7), budget=2)
    assert (cut.ids, cut.stop) == ((5, 6), StopReason.LENGTH)


def test_a_token_without_a_probability_is_not_taken_for_one_with() -> None:
    engine = SimpleNamespace(mode="colocate", generate=lambda **_: (None, [[3, 4]], [[[-1.0], [None]]], None))
    tokens, logs = vllm_sampler(engine)([(1,)])[0]
    assert tokens == (3, 4)
    assert logs[0] == -1.0
    assert logs[1] != logs[1]
    assert vllm_sampler(engine)([]) == []


def test_a_server_is_asked_by_the_main_process_for_all() -> None:
    policy = policy_of("free")
    arena = arena_of(policy, config_of())
    asked = arena.requests(policy, 0)
    for index, count in ((0, len(asked)), (1, 0)):
        rollouts = Rollouts(arena, policy, Ranks(index, 2), "decisions", main_plays=True)
        assert len(rollouts._mine(asked)) == count
        shared = Rollouts(arena, policy, Ranks(index, 2), "decisions", main_plays=False)
        assert 0 < len(shared._mine(asked)) < len(asked)


def test_a_policy_that_writes_nothing_needs_no_engine() -> None:
    with pytest.raises(RequestError, match="use_vllm = true"):
        check(config_of(), TrlSettings(use_vllm=True), policy_of("choose"))


def test_a_server_plays_for_one_process_and_no_library() -> None:
    settings = TrlSettings(use_vllm=True, vllm_mode="server")
    with pytest.raises(RequestError, match="library_response"):
        check(config_of(exploiters="pool+library_response"), settings, policy_of("free"))


def test_a_policy_without_generations_cannot_be_trained_on_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    import equipoise.training.trl.rollouts as module

    policy = policy_of("choose")
    monkeypatch.setattr(module, "decision_samples", lambda step: [])
    rollouts = Rollouts(arena_of(policy, config_of()), policy, Ranks(), "decisions", main_plays=False)
    with pytest.raises(EquipoiseError, match="no generations"):
        rollouts(0)


def test_the_engine_s_settings_are_trl_s_own(tmp_path: Any) -> None:
    given: dict[str, Any] = {"device": "cpu", "temperature": 0.8, "max_tokens": 9, "stop_ids": (4, 5)}
    settings = TrlSettings(
        use_vllm=True,
        vllm_gpu_memory_utilization=0.5,
        vllm_max_model_length=512,
        vllm_enable_sleep_mode=True,
        bf16=True,
        gradient_checkpointing=True,
    )
    args = grpo_config(config_of(rows=7), settings, tmp_path, **given)
    assert (args.use_vllm, args.vllm_mode) == (True, "colocate")
    assert (args.vllm_gpu_memory_utilization, args.vllm_max_model_length) == (0.5, 512)
    assert args.vllm_enable_sleep_mode
    assert args.generation_kwargs == {"stop_token_ids": [4, 5]}
    assert (args.bf16, args.gradient_checkpointing) == (True, True)
    assert (args.temperature, args.max_completion_length) == (0.8, 9)
    assert args.per_device_train_batch_size == 8
    server = TrlSettings(use_vllm=True, vllm_mode="server", vllm_server_base_url="http://localhost:1")
    asked = grpo_config(config_of(), server, tmp_path, **given)
    assert (asked.vllm_mode, asked.vllm_server_base_url) == ("server", "http://localhost:1")
    plain = grpo_config(config_of(), TrlSettings(), tmp_path, **given)
    assert (plain.use_vllm, plain.bf16, plain.gradient_checkpointing) == (False, False, False)
    assert plain.generation_kwargs is None
