"""Language models among the training opponents: what they scored before a resume leaves no trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import AsyncPolicy, Policy
from equipoise.policies.local.policy import LocalPolicy
from equipoise.policies.wrappers import mixed_policy, noisy_policy
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.sepo import Sepo
from equipoise.training.stages import new_table
from equipoise.training.table import TabularLearner
from equipoise.types import Choice, Decision
from tests.training.adapters import small_decisions

IPD = make_game("ipd", rounds=4)
DECISIONS = tuple(d for d in small_decisions() if d.rules.name == "ipd")


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def trainer(folder: Path) -> Sepo:
    policy = new_table(IPD, 0)
    pools = default_pools("ipd").replace({"train": ["noisy:0.1:tiny-random", "tiny-random"]})
    objective = Objective.of(IPD.info_record, pools)
    config = SepoConfig(steps=4, deals=1, rollouts=2, lr=2.0, kl=0.0, select_every=1, select_episodes=1)
    return Sepo(Arena(IPD, objective, policy, config), TabularLearner(policy), folder)


def test_a_resumed_run_asks_its_opponents_what_an_uninterrupted_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every pass of the model is the same: the same questions in the same batches."""
    asked: list[list[str]] = []
    real = LocalPolicy._score

    def watch(self: LocalPolicy, questions: Any) -> Any:
        missing = [q.key for q in dict.fromkeys(questions) if self.known(q) is None]
        if missing:
            asked.append(missing)
        return real(self, questions)

    monkeypatch.setattr(LocalPolicy, "_score", watch)
    whole = trainer(tmp_path / "whole").run()
    steps = asked[:]
    real_checkpoint = Sepo._checkpoint

    def stop(self: Sepo, step: int) -> None:
        real_checkpoint(self, step)
        if step == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Sepo, "_checkpoint", stop)
        with pytest.raises(KeyboardInterrupt):
            trainer(tmp_path / "cut").run()
    asked.clear()
    again = trainer(tmp_path / "cut").run()
    assert asked
    assert asked == steps[-len(asked) :]
    assert timeless(again.history) == timeless(whole.history)
    name = "checkpoint/logits.json"
    assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def timeless(rows: list[dict[str, Any]]) -> Any:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in json.loads(json.dumps(rows))]


class Late(AsyncPolicy):
    """Answers in its own time."""

    name = fingerprint = "late"

    async def decide(self, decision: Decision) -> Choice:
        return Choice((decision.legal or ("",))[0])


def test_policies_made_of_others_forget_in_all_their_parts() -> None:
    def table(policy: LocalPolicy) -> list[Any]:
        return [policy.known(policy.question(decision)) for decision in DECISIONS]

    inner = LocalPolicy.from_spec("tiny-random", quiet=True)
    wholes = [
        noisy_policy(noisy_policy(inner, 0.1, "a"), 0.1, "b"),
        mixed_policy([inner, noisy_policy(inner, 0.2, "c")], [0.5, 0.5], "d"),
        mixed_policy([inner, Late()], [0.5, 0.5], "e"),
        noisy_policy(mixed_policy([Late(), inner], [0.5, 0.5], "f"), 0.1, "g"),
    ]
    assert [isinstance(whole, Policy) for whole in wholes] == [True, True, False, False]
    for whole in wholes:
        inner.probabilities(DECISIONS)
        assert None not in table(inner)
        whole.forget()
        assert set(table(inner)) == {None}
