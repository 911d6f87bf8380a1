"""The warm start through TRL: the loss of the answers, and what a run leaves behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.local.backbone import Backbone, Row
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.registry import load_game
from equipoise.training.config import SftConfig
from equipoise.training.data import Shares, make_examples
from equipoise.training.dataset import DataRequest, write_file, write_folder
from equipoise.training.sft import batch_of
from equipoise.training.supervised import rate_at
from equipoise.training.trl.examples import Examples, read_examples, rows_of
from equipoise.training.trl.ranks import Ranks
from equipoise.training.trl.settings import TrlSettings
from equipoise.training.trl.sft import TrlSft, largest_divisor
from tests.training.trl.runs import POOLS, policy_of


def game_of() -> Game:
    return load_game("ipd", {"rounds": 2})


def examples_of(game: Game) -> Examples:
    return rows_of(make_examples(game, "paper", 20, 0, 0.2))


def run_of(
    folder: Path,
    policy: LocalPolicy | None = None,
    ranks: Ranks | None = None,
    settings: TrlSettings | None = None,
    **changed: Any,
) -> TrlSft:
    game = game_of()
    pools = default_pools("ipd").replace(POOLS)
    config = SftConfig(
        **{"steps": 2, "batch": 4, "lr": 1e-3, "select_every": 2, "select_episodes": 1, **changed}
    )
    return TrlSft(
        game,
        Objective.of(game.info_record, pools, game.info_record.weights),
        policy or policy_of("choose"),
        config,
        settings or TrlSettings(),
        examples_of(game),
        folder,
        ranks,
    )


def likelihood(policy: LocalPolicy, rows: list[dict[str, Any]]) -> float:
    """Return the mean negative log-likelihood of the answers' tokens, by our own forward pass."""
    tokenizer = policy.loaded.tokenizer
    total, count = 0.0, 0
    for row in rows:
        opened = tokenizer.apply_chat_template(row["prompt"], add_generation_prompt=True, tokenize=False)
        whole = tokenizer.apply_chat_template(row["prompt"] + row["completion"], tokenize=False)
        assert whole.startswith(opened)
        start = tokenizer(opened, add_special_tokens=False)["input_ids"]
        ids = tokenizer(whole, add_special_tokens=False)["input_ids"]
        assert ids[: len(start)] == start
        positions = tuple(range(len(start) - 1, len(ids) - 1))
        logits = Backbone(policy.loaded.model).logits([Row(tuple(ids), positions)])[0].double()
        targets = torch.tensor(ids[len(start) :]).unsqueeze(1)
        total -= float(torch.log_softmax(logits, dim=-1).gather(1, targets).sum())
        count += len(targets)
    return total / count


@pytest.mark.parametrize("rows", [2, 32])
def test_the_first_loss_is_our_own_likelihood_of_the_answers(rows: int, tmp_path: Path) -> None:
    policy = policy_of("choose")
    training = examples_of(game_of())[0]
    picked = [training[i] for i in batch_of(0, len(training), 4, 0)]
    assert len({row["completion"][0]["content"] for row in picked}) > 1
    with torch.no_grad():
        wanted = likelihood(policy, picked)
    run = run_of(tmp_path / "run", policy, rows=rows)
    run.run()
    assert run.history[0]["loss"] == pytest.approx(wanted, rel=1e-4)
    assert run.trainer.args.gradient_accumulation_steps == (2 if rows == 2 else 1)


def files(folder: Path) -> dict[str, bytes]:
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "tensorboard" not in path.parts
    }
    rows = [json.loads(line) for line in found.pop("metrics.jsonl").splitlines()]
    found["metrics"] = json.dumps([{k: v for k, v in row.items() if k != "seconds"} for row in rows]).encode()
    return found


def test_a_run_goes_on_from_its_last_step_to_the_same_bytes(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    done = run_of(whole, steps=3, select_every=1).run()
    first = run_of(broken, steps=3, select_every=1)
    advance = first.end_step

    def stop(logs: Any) -> None:
        advance(logs)
        if first.trainer.state.global_step == 2:
            raise KeyboardInterrupt

    first.end_step = stop  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        first.run()
    again = run_of(broken, steps=3, select_every=1)
    assert again.start == 2
    found = again.run()
    assert (found.step, found.score) == (done.step, done.score)
    assert files(broken) == files(whole)
    assert {Path(name).suffix for name in files(whole) if name != "metrics"} == {".json", ".safetensors"}


def test_the_rate_is_that_of_our_own_warm_start(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", steps=3, warmup=1, select_every=3)
    run.run()
    config = run.config
    assert [row["lr"] for row in run.history] == pytest.approx([rate_at(step, config) for step in range(3)])


def test_training_ends_where_the_selection_does_not_get_better(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", steps=9, select_every=1, patience=2, lr=1e-9)
    done = run.run()
    # Rates that change nothing: the first score is never beaten.
    assert done.step == 1
    assert len(run.history) == 3
    again = run_of(tmp_path / "run", steps=9, select_every=1, patience=2, lr=1e-9)
    assert len(again.run().history) == 3


def test_all_weights_move_where_all_are_trained(tmp_path: Path) -> None:
    policy = LocalPolicy.from_spec("tiny-random", quiet=True)
    before = {n: p.detach().clone() for n, p in policy.loaded.model.named_parameters()}
    run_of(tmp_path / "run", policy, settings=TrlSettings(tuning="full"), steps=1, select_every=1).run()
    assert all(not torch.equal(p, before[n]) for n, p in policy.loaded.model.named_parameters())
    best = LocalPolicy.from_spec(f"hf:{tmp_path / 'run' / 'best'}", quiet=True).loaded.model
    for name, parameter in best.named_parameters():
        assert torch.equal(parameter, policy.loaded.model.get_parameter(name)), name


def test_a_batch_that_does_not_divide_among_processes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="batch = 4 does not divide among 3"):
        run_of(tmp_path / "run", ranks=Ranks(0, 3), steps=1)


def test_passes_are_equally_large() -> None:
    assert [largest_divisor(12, limit) for limit in (1, 5, 7, 50)] == [1, 4, 6, 12]


@pytest.mark.parametrize("form", ["file", "jsonl", "datasets"])
def test_what_equipoise_data_writes_is_read_back(form: str, tmp_path: Path) -> None:
    game = game_of()
    request = DataRequest("paper", episodes=20, shares=Shares(0.2, 0.4))
    path = tmp_path / ("data.jsonl" if form == "file" else "data")
    if form == "file":
        write_file(game, request, path)
    else:
        write_folder([game, load_game("kuhn", {})], request, path, form)  # type: ignore[arg-type]
    training, validation = read_examples(path, "ipd@1")
    made = make_examples(game, "paper", 20, 0, 0.2)
    assert len(validation) == sum(example.split == "validation" for example in made)
    assert 0 < len(training) < len(made) - len(validation)
    assert all(set(row) == {"prompt", "completion"} for row in training)
    wanted = rows_of(made)[1]
    assert sorted(map(json.dumps, validation)) == sorted(map(json.dumps, wanted))


@pytest.mark.parametrize("content", ["no json", '{"prompt": []}', "[]", None])
def test_what_holds_no_examples_is_refused(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(RequestError, match=r"data\.jsonl"):
        read_examples(path, "ipd@1")


def test_data_of_another_game_are_refused(tmp_path: Path) -> None:
    write_file(game_of(), DataRequest("paper", episodes=4), tmp_path / "data.jsonl")
    with pytest.raises(RequestError, match="no examples of kuhn@1"):
        read_examples(tmp_path / "data.jsonl", "kuhn@1")
