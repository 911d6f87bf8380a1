"""What one SEPO step of a language model costs, by backend and beside plain TRL. Prints one table.

One step in the iterated prisoner's dilemma: the same game, opponents, number of episodes and answers of at
most as many tokens for every row. ``plain TRL`` is what a user would write: ``GRPOTrainer`` with a
``rollout_func`` that plays whole episodes as growing chats, one row a trajectory, one reward a row. The way
``one at a time`` plays them as the paper's public code does, with one ``generate`` call a decision. Every row
runs in a process of its own, which gives its peak memory; times are of the processor, and of the step alone
(no loading, no evaluation).

Run ``python benchmarks/training.py --model smollm2``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

WAYS = {
    "choose": "local backend, `choose`",
    "free": "local backend, `free`",
    "trl": "TRL backend, `free`, a row a decision",
    "chat": "TRL backend, `free`, a row a trajectory",
    "plain": "plain TRL, a row a trajectory, played in batches",
    "one": "plain TRL, a row a trajectory, played one at a time",
}


def arena_of(options: argparse.Namespace, mode: str, history: str = "state") -> tuple[Any, Any]:
    """Return the game's side of a step and the policy."""
    from equipoise.games.registry import make_game
    from equipoise.objective.safety import Objective
    from equipoise.opponents.pools import default_pools
    from equipoise.rollout.requests import InvalidRule
    from equipoise.training.arena import Arena
    from equipoise.training.config import LoraSettings, SepoConfig
    from equipoise.training.lora import adapted_policy

    game = make_game("ipd", rounds=options.rounds)
    objective = Objective.of(game.info_record, default_pools("ipd"))
    policy = adapted_policy(
        options.model, LoraSettings(), 0, "bench", quiet=True, threads=options.threads,
        player={"mode": mode, "history": history, "max_new_tokens": options.tokens},
    )  # fmt: skip
    config = SepoConfig(
        steps=1, deals=1, rollouts=options.rollouts, gates="running", select_every=1000, max_step_kl=1e9
    )
    return Arena(game, objective, policy, config, rule=InvalidRule(retries=0)), policy


def ours(options: argparse.Namespace, mode: str) -> Callable[[], int]:
    """Return a step of the local backend."""
    from equipoise.training.batch import sampled_batch
    from equipoise.training.lora import LocalLearner
    from equipoise.training.samples import decision_samples
    from equipoise.training.tokens import TokenLearner

    arena, policy = arena_of(options, mode)
    learner: Any = LocalLearner(policy) if mode == "choose" else TokenLearner(policy)

    def step() -> int:
        sampled = arena.sample(policy, 0, {})
        batch: Any = sampled_batch(sampled) if mode == "choose" else decision_samples(sampled)
        learner.update(batch, 1e-4, 0.1, 0.0)
        return sum(len(one.decisions) for one in sampled.played)

    return step


def on_trl(options: argparse.Namespace, layout: str) -> Callable[[], int]:
    """Return a step of the TRL backend, with a row a decision or a row a trajectory (``chat``)."""
    from equipoise.training.trl import run as module
    from equipoise.training.trl.settings import TrlSettings

    arena, policy = arena_of(options, "free", "chat" if layout == "chat" else "state")
    module.selection_score = lambda *_: 0.0  # type: ignore[assignment]
    folder = Path(tempfile.mkdtemp())
    run = module.TrlSepo(arena, policy, TrlSettings(layout=layout), folder)

    def step() -> int:
        run.run()
        return int(run.history[-1]["decisions"])

    return step


def plain(options: argparse.Namespace, batched: bool) -> Callable[[], int]:
    """Return a step of GRPOTrainer with a rollout function."""
    import torch
    from datasets import Dataset
    from peft import LoraConfig
    from trl import GRPOConfig, GRPOTrainer

    from equipoise.games.registry import make_game
    from equipoise.policies.local.loading import load_spec
    from equipoise.policies.registry import load_opponents
    from equipoise.prompts.registry import get_renderer

    torch.set_num_threads(options.threads)
    loaded = load_spec(options.model, trainable=True, quiet=True)
    game, renderer = make_game("ipd", rounds=options.rounds), get_renderer("ipd")
    names = ["tit_for_tat", "generous_tit_for_tat", "mixed_half", "grim_trigger"]
    names += ["always_defect", "alternating_defect", "always_cooperate"]
    others = load_opponents(names, game)
    rewards: list[float] = []
    decisions = 0

    def play(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        nonlocal decisions
        chats = [
            Chat(game, renderer, loaded.tokenizer, others, names[i % len(names)], i)
            for i in range(len(prompts))
        ]
        while any(not chat.over for chat in chats):
            opened = [chat for chat in chats if not chat.over]
            for group in [opened] if batched else [[chat] for chat in opened]:
                write(trainer.model, loaded.tokenizer, group, options.tokens)
            decisions += len(opened)
        rewards[:] = [chat.payoff for chat in chats]
        return {
            "prompt_ids": [chat.prompt for chat in chats],
            "completion_ids": [chat.completion for chat in chats],
            "logprobs": [chat.logprobs for chat in chats],
            "env_mask": [chat.mask for chat in chats],
        }

    rows = len(names) * options.rollouts
    arguments = GRPOConfig(
        output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=False, gradient_checkpointing=False, max_steps=1,
        per_device_train_batch_size=rows, num_generations=options.rollouts, report_to=[], save_strategy="no",
        beta=0.1, learning_rate=1e-4, max_completion_length=4096, logging_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=loaded.model, reward_funcs=lambda completions, **_: list(rewards), args=arguments,
        train_dataset=Dataset.from_dict({"prompt": ["play"] * rows}), processing_class=loaded.tokenizer,
        rollout_func=play, peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"),
    )  # fmt: skip

    def step() -> int:
        trainer.train()
        return decisions

    return step


class Chat:
    """One episode as a growing chat, with the actions read off the last line."""

    def __init__(self, game: Any, renderer: Any, tokenizer: Any, others: Any, name: str, index: int) -> None:
        """Start an episode against an opponent."""
        from equipoise.games.match import Match
        from equipoise.policies.local.chat import prompt_ids
        from equipoise.rollout.deals import Deal, Split

        self.deal = Deal(0, Split.TRAIN, game.info_record.key, index)
        self.match, self.other, self.renderer, self.tokenizer = (
            Match(game, self.deal.chance), others[name], renderer, tokenizer,
        )  # fmt: skip
        self.prompt = list(prompt_ids(renderer.prompt(self.decision(0)), tokenizer))
        self.completion: list[int] = []
        self.logprobs: list[float] = []
        self.mask: list[int] = []

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.match.is_over)

    @property
    def payoff(self) -> float:
        """Mean own payoff a round."""
        rounds = self.match.outcomes
        return float(sum(one.payoffs[0] for one in rounds) / max(len(rounds), 1))

    def decision(self, seat: int) -> Any:
        """Return what a seat is asked."""
        draws = self.deal.opponent_draws(0, self.match.state.round, 0, 0)
        return self.match.decision(seat, "bench", draws, 0)

    def take(self, ids: list[int], logprobs: list[float]) -> None:
        """Take an answer, let the opponent move, and write what the environment says next."""
        decision = self.decision(0)
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        action = self.renderer.parse(text, decision.legal) or decision.legal[0]
        (reply,) = self.other.act([self.decision(1)])
        self.match.apply({0: action, 1: reply.action})
        said = (
            []
            if self.over
            else self.tokenizer(f"\n{self.renderer.situation(self.decision(0))}\n")["input_ids"]
        )
        self.completion += [*ids, *said]
        self.logprobs += [*logprobs, *[0.0] * len(said)]
        self.mask += [*[1] * len(ids), *[0] * len(said)]


def write(model: Any, tokenizer: Any, chats: list[Chat], budget: int) -> None:
    """Let the model answer in some chats, in one call."""
    import torch

    rows = [chat.prompt + chat.completion for chat in chats]
    width = max(map(len, rows))
    ids = torch.tensor([[tokenizer.pad_token_id] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    with torch.no_grad():
        found = model.generate(
            input_ids=ids, attention_mask=mask, max_new_tokens=budget, do_sample=True, temperature=1.0,
            top_k=0, top_p=1.0, pad_token_id=tokenizer.pad_token_id, output_logits=True,
            return_dict_in_generate=True,
        )  # fmt: skip
    logs = torch.log_softmax(torch.stack(found.logits, 1).float(), -1)
    for row, chat in enumerate(chats):
        new = found.sequences[row, width:].tolist()
        end = next((i + 1 for i, token in enumerate(new) if token == tokenizer.eos_token_id), len(new))
        chat.take(new[:end], [float(logs[row, i, token]) for i, token in enumerate(new[:end])])


def measure(options: argparse.Namespace) -> dict[str, float]:
    """Make one step and return what it took."""
    made = {
        "choose": lambda: ours(options, "choose"),
        "free": lambda: ours(options, "free"),
        "trl": lambda: on_trl(options, "decisions"),
        "chat": lambda: on_trl(options, "chat"),
        "plain": lambda: plain(options, True),
        "one": lambda: plain(options, False),
    }
    step = made[options.way]()
    before, wall, processor = _peak(), time.perf_counter(), time.process_time()
    decisions = step()
    seconds, spent = time.perf_counter() - wall, time.process_time() - processor
    return {"decisions": decisions, "seconds": seconds, "processor": spent, "loaded": before, "peak": _peak()}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure every way in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="smollm2", help="smollm2 or tiny-random")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--rollouts", type=int, default=2, help="rollouts an opponent")
    parser.add_argument("--tokens", type=int, default=16, help="largest number of new tokens an answer")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--way", choices=WAYS, help="measure one way and print JSON")
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measure(options)))
        return
    print(f"{options.model}, {options.rounds} rounds, 7 opponents x {options.rollouts} episodes, 1 step\n")
    print("| way | decisions | processor s | processor ms a decision | ratio | peak MB |")
    print("|---|---|---|---|---|---|")
    first = 0.0
    for way, name in WAYS.items():
        done = subprocess.run(
            [sys.executable, __file__, *sys.argv[1:], "--way", way], capture_output=True, text=True
        )
        if done.returncode:
            print(f"| {name} | failed: {done.stderr.strip().splitlines()[-1]} | | | | |")
            continue
        row = json.loads(done.stdout.strip().splitlines()[-1])
        each = 1000 * row["processor"] / row["decisions"]
        first = first or each
        numbers = f"{row['processor']:.1f} | {each:.0f} | {each / first:.1f}×"
        print(f"| {name} | {row['decisions']:.0f} | {numbers} | {row['peak']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
