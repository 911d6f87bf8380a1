"""Runs on TRL: what they leave behind, and that an interruption changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.errors import EquipoiseError, RequestError
from equipoise.policies.local.policy import LocalPolicy
from equipoise.training.trl.arguments import passes
from equipoise.training.trl.run import TrlSepo
from equipoise.training.trl.settings import TrlSettings
from tests.training.trl.runs import arena_of, config_of, policy_of, run_of


def files(folder: Path) -> dict[str, bytes]:
    """Return what a run leaves behind, without the seconds it took."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "tensorboard" not in path.parts:
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    rows = [json.loads(line) for line in found.pop("metrics.jsonl").splitlines()]
    found["metrics"] = json.dumps([{k: v for k, v in row.items() if k != "seconds"} for row in rows]).encode()
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> TrlSepo:
    """A run of three steps that nothing interrupted."""
    run = run_of(tmp_path_factory.mktemp("runs") / "whole", "free", **WHOLE)
    run.run()
    return run


WHOLE: dict[str, Any] = {"steps": 3, "lr": 1e-3, "lr_decay": 1.0}


def interrupted(run: TrlSepo, at: int) -> None:
    """Train until a step is to be played, and stop there."""

    def stop(step: int) -> Any:
        if step == at:
            raise KeyboardInterrupt
        return TrlSepo.play(run, step)

    run.trainer.play = stop
    with pytest.raises(KeyboardInterrupt):
        run.run()


def test_a_run_goes_on_from_its_last_step_to_the_same_bytes(whole: TrlSepo, tmp_path: Path) -> None:
    interrupted(run_of(tmp_path / "run", "free", **WHOLE), 2)
    again = run_of(tmp_path / "run", "free", **WHOLE)
    assert again.start == 2
    done = again.run()
    assert (done.step, done.score) == (whole.best.step, whole.best.score)
    assert files(tmp_path / "run") == files(whole.folder)
    assert files(whole.folder)["credited.jsonl"].count(b'"advantage"') >= 3


def test_a_run_that_is_done_trains_no_more(whole: TrlSepo) -> None:
    before = files(whole.folder)
    done = run_of(whole.folder, "free", **WHOLE).run()
    assert (done.step, done.score) == (whole.best.step, whole.best.score)
    assert len(done.history) == 3
    assert files(whole.folder) == before


def test_nothing_that_is_left_behind_is_a_pickle(whole: TrlSepo) -> None:
    kinds = {Path(name).suffix for name in files(whole.folder) if name != "metrics"}
    assert kinds == {".json", ".jsonl", ".safetensors"}


def test_what_sampler_and_trainer_compute_is_the_same_to_rounding(whole: TrlSepo) -> None:
    assert all(0.0 <= row["sampler_gap"] <= row["sampler_gap_max"] < 1e-4 for row in whole.history)
    assert [row["trained"] for row in whole.history] == [row["rows"] for row in whole.history]


def test_metrics_say_what_the_step_was(whole: TrlSepo) -> None:
    lines = (whole.folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == whole.history
    assert [row["step"] for row in whole.history] == [1, 2, 3]
    assert [row["lr"] for row in whole.history] == pytest.approx([1e-3, 1e-3 / 2, 1e-3 / 3])
    assert {"loss", "grad_norm", "kl", "entropy", "episodes", "invalid_rate"} <= set(whole.history[0])
    for row in whole.history:
        assert row["kl"] == pytest.approx(row["token_kl"] * row["tokens"] / row["trained"])
    assert ["select_score" in row for row in whole.history] == [False, True, True]


def test_the_best_weights_are_those_the_score_was_of(tmp_path: Path) -> None:
    policy = policy_of("choose")
    run = run_of(tmp_path / "run", policy=policy, steps=2, select_every=1, lr=0.02)
    done = run.run()
    assert done.step > 0
    loaded = LocalPolicy.from_spec(f"tiny-random+{tmp_path / 'run' / 'best'}", "choose", quiet=True)
    from equipoise.training.selection import selection_score

    assert selection_score(run.arena, loaded) == pytest.approx(done.score, abs=1e-6)


def test_all_weights_are_trained_and_saved_where_wanted(tmp_path: Path) -> None:
    base = LocalPolicy.from_spec("tiny-random", "free", max_new_tokens=6, quiet=True)
    base.loaded.model.save_pretrained(tmp_path / "model")
    base.loaded.tokenizer.save_pretrained(tmp_path / "model")
    spec, settings = f"hf:{tmp_path / 'model'}", TrlSettings(tuning="full")

    def policy() -> LocalPolicy:
        return LocalPolicy.from_spec(spec, "free", max_new_tokens=6, quiet=True)

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    changed = {"settings": settings, "steps": 2, "lr_decay": 1.0}
    run_of(whole, policy=policy(), **changed).run()
    interrupted(run_of(broken, policy=policy(), **changed), 1)
    run_of(broken, policy=policy(), **changed).run()
    assert files(broken) == files(whole)
    trained = LocalPolicy.from_spec(f"hf:{whole / 'checkpoint'}", quiet=True).loaded.model
    moved = [
        name
        for (name, one), (_, other) in zip(
            trained.named_parameters(), base.loaded.model.named_parameters(), strict=True
        )
        if not torch.equal(one, other)
    ]
    assert len(moved) == len(list(trained.named_parameters()))
    assert str(tmp_path).encode() not in files(whole)["checkpoint/config.json"]


def test_a_sampler_with_other_weights_stops_the_run_before_it_learns_from_it(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "free", lr=1.0)
    other = policy_of("free", seed=1)
    with torch.no_grad():
        for name, parameter in other.loaded.model.named_parameters():
            if "lora_B" in name:
                parameter.add_(0.3)
    run.rollouts.policy = other
    before = {n: p.detach().clone() for n, p in run.policy.loaded.model.named_parameters()}
    with pytest.raises(EquipoiseError, match="max_sampler_gap"):
        run.run()
    assert all(torch.equal(p, before[n]) for n, p in run.policy.loaded.model.named_parameters())


def test_prompts_that_are_built_anew_cannot_be_one_chat(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="layout = 'decisions'"):
        run_of(tmp_path / "run", "free", settings=TrlSettings(layout="chat"))


@pytest.mark.parametrize("mode", ["free", "think"])
def test_a_conversation_in_one_row_is_the_update_of_its_answers_apart(mode: str, tmp_path: Path) -> None:
    runs = {}
    for layout in ("decisions", "chat"):
        policy = policy_of(mode, history="chat")
        settings = TrlSettings(layout=layout)  # type: ignore[arg-type]
        runs[layout] = run_of(tmp_path / layout, policy=policy, settings=settings, steps=1, entropy=0.01)
        runs[layout].run()
    apart, one = (runs[layout].history[0] for layout in ("decisions", "chat"))
    assert one["rows"] == one["episodes"]
    assert apart["rows"] == 2 * one["rows"] * (1 if mode == "free" else 2)
    assert one["trained"] == apart["trained"]
    assert one["tokens"] == apart["tokens"]
    for name in ("loss", "grad_norm", "token_entropy"):
        assert one[name] == pytest.approx(apart[name], rel=1e-3, abs=1e-5), name
    assert one["sampler_gap_max"] < 1e-4


@pytest.mark.parametrize(
    ("changed", "mode", "settings", "message"),
    [
        ({"gradient": "exact"}, "choose", TrlSettings(), "gradient = 'exact'"),
        ({"gradient": "all_actions"}, "choose", TrlSettings(), "gradient = 'all_actions'"),
        ({"league": {"every": 1}}, "choose", TrlSettings(), "league"),
        ({}, "free", TrlSettings(tuning="full"), "tuning = 'full'"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    changed: dict[str, Any], mode: str, settings: TrlSettings, message: str, tmp_path: Path
) -> None:
    with pytest.raises(RequestError, match=message):
        run_of(tmp_path / "run", mode, settings=settings, **changed)


@pytest.mark.parametrize(("mode", "temperature"), [("free", 0.0), ("choose", 0.5)])
def test_temperatures_that_cannot_be_trained_at_are_refused(
    mode: str, temperature: float, tmp_path: Path
) -> None:
    policy = LocalPolicy(policy_of(mode).loaded, mode, temperature)
    with pytest.raises(RequestError, match="temperature"):
        run_of(tmp_path / "run", policy=policy)


def test_a_reference_that_lies_in_no_folder_is_refused(tmp_path: Path) -> None:
    policy = LocalPolicy.from_spec("tiny-random", "free", quiet=True)
    with pytest.raises(RequestError, match=r"kl = 0\.1 with tuning = 'full'"):
        run_of(tmp_path / "run", policy=policy, settings=TrlSettings(tuning="full"))


@pytest.mark.parametrize(
    ("rows", "ranks", "layout"), [(4, 1, "decisions"), (4, 2, "decisions"), (4, 1, "chat")]
)
def test_passes_hold_as_many_rows_as_they_may(rows: int, ranks: int, layout: str) -> None:
    policy = policy_of("choose")
    config = config_of(rows=rows, deals=3, rollouts=2)
    # Three streams of three deals and two rollouts, two decisions each.
    count = 3 * 3 * 2 * (2 if layout == "decisions" else 1)
    assert passes(arena_of(policy, config), layout, ranks) == -(-count // (ranks * rows))


def test_passes_are_counted_for_the_stage_with_the_most_opponents() -> None:
    policy = policy_of("choose")
    stages = [
        {"until": 1, "exploiter": [], "collusive": []},
        {"until": 2, "train": ["mixed_half", "grim_trigger", "tit_for_tat"]},
    ]

    def asked(**settings: Any) -> int:
        # Two decisions of two rollouts an opponent, four rows a pass: as many passes as opponents.
        return passes(arena_of(policy, config_of(rows=4, **settings)), "decisions", 1)

    assert asked() == 3
    assert asked(curriculum=stages[:1]) == 3
    assert asked(curriculum=stages) == 5
    league = "pool+best_response+league"
    assert asked(exploiters=league, league_size=4, gates="exact") == 3 + 1 + 4


def test_an_update_in_many_passes_is_the_update_in_one(tmp_path: Path) -> None:
    runs = {rows: run_of(tmp_path / str(rows), "choose", steps=1, rows=rows) for rows in (3, 64)}
    weights = {}
    for rows, run in runs.items():
        run.run()
        weights[rows] = {n: p for n, p in run.policy.loaded.model.named_parameters() if p.requires_grad}
    assert runs[3].trainer.args.gradient_accumulation_steps == 4
    assert runs[64].trainer.args.gradient_accumulation_steps == 1
    assert runs[3].history[0]["loss"] == pytest.approx(runs[64].history[0]["loss"], abs=1e-5)
    for name, parameter in weights[3].items():
        assert torch.allclose(parameter, weights[64][name], atol=1e-5), name


def test_a_run_that_gets_no_better_stops_and_stays_stopped(tmp_path: Path) -> None:
    changed = {"steps": 9, "select_every": 1, "patience": 2, "min_delta": 0.1, "lr": 1e-9}
    done = run_of(tmp_path / "run", "choose", **changed).run()
    # The first score is that of the weights training starts from, and next to nothing moves.
    assert len(done.history) == 2
    assert done.history[-1]["stopped"]
    again = run_of(tmp_path / "run", "choose", **changed).run()
    assert (again.step, len(again.history)) == (done.step, 2)


def test_a_policy_can_play_itself(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "free", steps=1, pools={"train": ["self"]})
    run.run()
    assert run.history[0]["sampler_gap"] < 1e-4
    assert run.history[0]["episodes"] == 3 * 2


def test_frozen_copies_are_our_own_learner_s(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="league"):
        run_of(tmp_path / "run", "free", league={"every": 1})


def test_the_policy_plays_itself_and_stages_of_a_curriculum(tmp_path: Path) -> None:
    stages = [{"until": 1, "train": ["self"], "exploiter": []}]
    run = run_of(tmp_path / "run", "free", steps=2, curriculum=stages)
    rows = run.run().history
    assert [row["stage"] for row in rows] == [1, 0]
    assert rows[0]["episodes"] < rows[1]["episodes"]
    assert all(row["grad_norm"] >= 0.0 for row in rows)
