"""Policies that speak."""

from __future__ import annotations

from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.social.task import Social
from equipoise.types import Decision, Validity


def echo(decision: Decision) -> str:
    lines = decision.info["lines"]
    return f"turn {len(lines)}"  # type: ignore[arg-type]


def test_an_actor_answers_every_decision() -> None:
    task = Social.create(only=["last-carburettor"])
    policy = ActorPolicy(echo, "echo", "one")
    deal = Deal(0, Split.REPORT, "social@1", 0)
    (played,) = play([EpisodeRequest(task, deal, "train", "echo", 0, (policy, policy))])
    assert [turn.action for turn in played.episode.turns] == [f"turn {k}" for k in range(10)]
    assert all(turn.choice.validity is Validity.VALID for turn in played.episode.turns)
    assert played.episode.notes["ended"] == "turns"


def test_it_has_a_fingerprint() -> None:
    assert ActorPolicy(echo, "echo").fingerprint == "echo"
    assert ActorPolicy(echo, "echo", "v2").fingerprint == "v2"
