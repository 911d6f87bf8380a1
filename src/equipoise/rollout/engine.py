"""Plays episodes: all open ones at once, each policy asked once a tick with everything that waits for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from equipoise.errors import PolicyError
from equipoise.policies.base import AsyncPolicy, Policy
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, Played
from equipoise.rollout.running import RunningEpisode
from equipoise.rollout.streaming import play_streaming
from equipoise.types import Decision

__all__ = ["Progress", "play"]

Progress = Callable[[int], None]
"""Called with the number of episodes that have just finished."""


def play(
    requests: Sequence[EpisodeRequest], rule: InvalidRule | None = None, progress: Progress | None = None
) -> list[Played]:
    """Play episodes and return them in the order of the requests.

    With local policies only, all open episodes advance together. As soon as one policy is asynchronous,
    every episode moves on by itself whenever its own answer is there.

    Args:
        requests: The episodes to play.
        rule: What happens to invalid answers (default: one retry, then a uniform legal action).
        progress: Told how many episodes have just finished.

    Raises:
        PolicyError: A strict policy gave a wrong answer.
    """
    running = [RunningEpisode(request, rule or InvalidRule()) for request in requests]
    if any(isinstance(player, AsyncPolicy) for request in requests for player in request.players):
        play_streaming(running, progress)
    else:
        _play_batched(running, progress)
    return [episode.finish() for episode in running]


def _play_batched(running: Sequence[RunningEpisode], progress: Progress | None) -> None:
    opened = list(running)
    while opened:
        for policy, asked in _by_policy(opened):
            choices = policy.act([decision for _, decision in asked])
            if len(choices) != len(asked):
                raise PolicyError(
                    f"policy {policy.name!r} gave {len(choices)} answers to {len(asked)} decisions"
                )
            for (episode, decision), choice in zip(asked, choices, strict=True):
                episode.answer(decision, choice)
        left = [episode for episode in opened if not episode.is_over]
        if progress is not None and len(left) < len(opened):
            progress(len(opened) - len(left))
        opened = left


def _by_policy(
    opened: Sequence[RunningEpisode],
) -> list[tuple[Policy, list[tuple[RunningEpisode, Decision]]]]:
    """Collect what each policy is asked, in a fixed order."""
    found: dict[int, tuple[Policy, list[tuple[RunningEpisode, Decision]]]] = {}
    for episode in opened:
        for decision in episode.pending():
            policy = episode.request.players[decision.seat]
            assert isinstance(policy, Policy)
            found.setdefault(id(policy), (policy, []))[1].append((episode, decision))
    return list(found.values())
