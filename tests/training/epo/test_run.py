"""EPO end to end on a tiny model: rounds, partners, resuming, and an actor that stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.games.registry import make_game
from equipoise.judges.base import NoJudge
from equipoise.judges.rule import RuleJudge
from equipoise.policies.base import Policy
from equipoise.policies.local.adviser import LocalAdviser
from equipoise.policies.local.loading import load_spec
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.local.strategist import LocalStrategist
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.training.config import LoraSettings
from equipoise.training.epo.collect import SELF, Collector
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.run import Epo
from equipoise.training.lora import adapted_policy
from equipoise.training.tokens import TokenLearner

IPD = make_game("ipd", rounds=2)
FAST: dict[str, Any] = {"rounds": 2, "steps": 2, "starts": 2, "rollouts": 2, "lr": 1e-2, "select_starts": 2}


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def learner_of(actor: Policy) -> TokenLearner[LocalStrategist]:
    loaded = adapted_policy("tiny-random", LoraSettings(rank=4), 0, "epo", quiet=True).loaded
    adviser = LocalAdviser(loaded, max_new_tokens=4, name="epo")
    return TokenLearner(LocalStrategist(adviser, actor, "epo"), max_step_kl=1.0)


def run_of(folder: Path, actor: Policy | None = None, scores: Any = None, **settings: Any) -> Epo:
    config = EpoConfig(**{**FAST, **settings})
    judge = NoJudge() if config.judge == "none" else RuleJudge()
    actor = actor or load_policy("coached:random", IPD)  # type: ignore[assignment]
    assert actor is not None
    given = iter(scores or [float(n) for n in range(100)])
    return Epo(
        learner_of(actor),
        Collector(lambda round_: IPD, judge, config),
        load_opponents(["tit_for_tat", "always_cooperate"], IPD),
        lambda policy: next(given),
        {"game": "ipd"},
        folder,
    )


def weights(run: Epo) -> list[bytes]:
    return [p.detach().numpy().tobytes() for p in run.learner.model.parameters() if p.requires_grad]


def rows(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


MODES: dict[str, dict[str, Any]] = {
    "on-policy": {},
    "maxabs": {"advantage": "maxabs", "token_reduction": "mean", "rollouts": 1},
    "self-play": {"self_play": True},
    "offline": {"offline": True, "epochs": 2},
    "outcome only": {"judge": "none", "advantage": "group"},
}


@pytest.mark.parametrize("settings", MODES.values(), ids=MODES)
def test_stopping_anywhere_changes_nothing(
    tmp_path: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_of(tmp_path / "whole", **settings)
    before = weights(whole)
    whole.run()
    assert weights(whole) != before
    folder = tmp_path / "cut"
    # In the middle of the first round and of the second: a score for the start, then one a round.
    for stop, first in ((1, 0), (3, 1)):
        with monkeypatch.context() as patched:
            real = Epo._step

            def cut(self: Epo, step: int, real: Any = real, stop: int = stop) -> dict[str, Any]:
                if step == stop:
                    raise KeyboardInterrupt
                return real(self, step)  # type: ignore[no-any-return]

            patched.setattr(Epo, "_step", cut)
            with pytest.raises(KeyboardInterrupt):
                run_of(folder, scores=[float(n) for n in range(first, 100)], **settings).run()
    again = run_of(folder, scores=[float(n) for n in range(2, 100)], **settings)
    again.run()
    assert weights(again) == weights(whole)
    assert rows(folder) == rows(tmp_path / "whole")


def test_the_actor_does_not_move_and_is_not_trained(tmp_path: Path) -> None:
    actor = LocalPolicy(load_spec("tiny-random"))
    before = [p.detach().clone() for p in actor.loaded.model.parameters()]
    run = run_of(tmp_path, actor=actor)
    strategist = weights(run)
    run.run()
    assert weights(run) != strategist
    assert all(torch.equal(a, b) for a, b in zip(before, actor.loaded.model.parameters(), strict=True))
    assert not any(p.grad is not None for p in actor.loaded.model.parameters())


def test_partners_and_seats_take_turns_and_deals_never_repeat(tmp_path: Path) -> None:
    run = run_of(tmp_path, self_play=True)
    seen: list[tuple[str, int, int]] = []
    for step in range(4):
        met = {**run.partners, SELF: run.policy}
        requests = run.collector.requests(IPD, run.policy, met, step)
        seen += [(r.opponent, r.seat, r.deal.index) for r in requests if r.rollout == 0]
        assert all(r.also == ((1 - r.seat,) if r.opponent == SELF else ()) for r in requests)
    assert len({deal for _, _, deal in seen}) == len(seen) == 8
    assert {name for name, _, _ in seen} == {"tit_for_tat", "always_cooperate", SELF}
    assert {(name, seat) for name, seat, _ in seen if name != SELF} >= {
        ("tit_for_tat", 0),
        ("tit_for_tat", 1),
    }


def test_in_self_play_both_sides_are_trained_with_draws_of_their_own(tmp_path: Path) -> None:
    run = run_of(tmp_path, self_play=True)
    found = run.collector.collect(run.policy, {SELF: run.policy}, 0)
    assert len(found.trajectories) == 2 * 2 * 2
    texts = {one.strategies[0].ids for one in found.trajectories}
    assert len(texts) > 2
    assert all(made.trainable for one in found.trajectories for made in one.strategies)


def test_frozen_copies_stay_as_they_were(tmp_path: Path) -> None:
    run = run_of(tmp_path, self_play=True)
    run.run()
    met = run._met(2)
    assert list(met) == ["tit_for_tat", "always_cooperate", SELF, "round1", "round2"]
    reply = [
        run.collector.collect(met["round1"], {"tit_for_tat": met["tit_for_tat"]}, step) for step in (0, 0)
    ]
    assert reply[0].cases == reply[1].cases
    assert not any(m.trainable for row in reply[0].trajectories for m in row.strategies)
    with torch.no_grad():
        for name, parameter in run.learner.model.named_parameters():
            if "default" in name:
                parameter.zero_()
    run.learner.forget()
    moved = run.collector.collect(met["round1"], {"tit_for_tat": met["tit_for_tat"]}, 0)
    assert moved.cases == reply[0].cases


def test_nothing_rewarded_moves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path, judge="none", outcome_at_end=False, kl=0.0, rounds=1, steps=1)
    before = weights(run)
    run.run()
    assert run.history[0]["rewarded_turns"] == 0.0
    assert weights(run) == before


def test_it_stops_when_rounds_get_no_better_and_keeps_the_best(tmp_path: Path) -> None:
    run = run_of(tmp_path, scores=[0.0, 2.0, 1.0, 1.5, 9.0], rounds=5, steps=1)
    trained = run.run()
    assert (trained.step, trained.score) == (1, 2.0)
    assert len(trained.history) == 3
    assert (tmp_path / "best" / "adapter_model.safetensors").exists()
    flat = run_of(tmp_path / "flat", scores=[0.0, 0.2, 0.4, 0.5, 0.6], rounds=5, steps=1, min_delta=0.3)
    ended = flat.run()
    assert (ended.step, len(ended.history)) == (4, 4)
