"""Plays the record of an episode again, to know what each decision was asked with.

A transcript keeps answers, not prompts: what a seat knew follows from the rules, the deal and the moves. A
record that does not lead to its own payoffs was made under other rules, and is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.policies.base import Policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.rollout.running import RunningEpisode
from equipoise.types import Choice, Decision, Episode, StopReason, Turn, Validity

__all__ = ["Asked", "replay"]


class Asked(NamedTuple):
    """A turn with the question behind it, as the last of its tries was asked."""

    turn: Turn
    decision: Decision


def replay(game: Rules, episode: Episode, seed: int, rule: InvalidRule | None = None) -> list[Asked]:
    """Return all turns of an episode with their decisions, in order.

    Args:
        game: The rules it was played under.
        episode: The record.
        seed: Seed of its deal.
        rule: What happened to invalid answers.

    Raises:
        RequestError: These rules and this deal do not lead to the record.
    """
    split = Split(episode.split)
    request = EpisodeRequest(
        game=game,
        deal=Deal(seed, split, game.info_record.key, episode.deal),
        pool=episode.pool,
        opponent=episode.opponent,
        seat=episode.seat,
        players=tuple(_Absent(name, episode.policy_version) for name in episode.policies),
        rollout=episode.rollout,
    )
    running = RunningEpisode(request, rule or InvalidRule())
    asked: list[Asked] = []
    turns = list(episode.turns)
    while pending := running.pending():
        here, turns = turns[: len(pending)], turns[len(pending) :]
        if not here or {turn.seat for turn in here} - {decision.seat for decision in pending}:
            raise _foreign(game, episode)
        for turn in here:
            asked += _answer(running, turn)
    made = running.finish().episode
    # What other seats said at the point of a forfeit may not have been waited for.
    same = made.stop is StopReason.FORFEIT or made.turns == episode.turns
    if turns or not same or (made.rounds, made.stop) != (episode.rounds, episode.stop):
        raise _foreign(game, episode)
    return asked


def _answer(running: RunningEpisode, turn: Turn) -> list[Asked]:
    """Ask a seat as often as it was asked, and give the answer on record to the last question."""
    for retry in range(turn.retries + 1):
        decision = next((one for one in running.pending() if one.seat == turn.seat), None)
        if decision is None:
            break
        if retry == turn.retries:
            running.answer(decision, turn.choice)
            return [Asked(turn, decision)]
        running.answer(decision, Choice(None, Validity.INVALID))
    return []


def _foreign(game: Rules, episode: Episode) -> RequestError:
    return RequestError(
        f"episode {episode.id!r} does not follow from the rules of {game.info_record.key}: it was made by "
        "another version, or with another seed"
    )


@dataclass
class _Absent(Policy):
    """Stands for a player whose answers are on record."""

    name: str
    version: int = 0
    strict: bool = False

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Never called: nobody is asked again."""
        raise NotImplementedError
