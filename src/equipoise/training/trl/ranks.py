"""The processes of one training run, started together by ``accelerate launch`` or ``torchrun``.

Each plays a share of a step's episodes, whole groups of them; then all know all episodes, credit them the
same way, and take the same share of the rows. So gates, scale and baselines are those of one process, and
ranks differ in work only. Episodes travel as the lines of a transcript; the group of processes is trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.games.rules import Rules
from equipoise.rollout.requests import EpisodeRequest, Played
from equipoise.rollout.transcript import episode_from_json, episode_to_json
from equipoise.types import Decision, Episode

__all__ = ["Ranks", "share"]


@dataclass(frozen=True, slots=True)
class Ranks:
    """This process among all.

    Attributes:
        index: Which one it is; 0 is the main one, which alone writes files.
        count: How many there are.
        cpu: Whether they compute on CPUs.
    """

    index: int = 0
    count: int = 1
    cpu: bool = True

    @classmethod
    def here(cls, device: str = "cpu") -> Ranks:
        """Read from the environment what the launcher has set."""
        return cls(int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")), device == "cpu")

    @property
    def main(self) -> bool:
        """Whether this is the process that writes files and talks."""
        return self.index == 0

    def device(self, wanted: str) -> str:
        """Return the device of this process: with several, each has the one of its own number."""
        if self.count == 1 or self.cpu or ":" in wanted:
            return wanted
        return f"{wanted}:{os.environ.get('LOCAL_RANK', '0')}"

    def wait(self) -> None:
        """Wait until all are here."""
        if self.count > 1:
            self._state().wait_for_everyone()

    def gather(self, mine: list[Any]) -> list[Any]:
        """Return the lists of all processes as one, in their order."""
        if self.count == 1:
            return mine
        from accelerate.utils import gather_object

        self._state()
        return list(gather_object(mine))

    def broadcast(self, value: Any) -> Any:
        """Return the main process's value."""
        return self.gather([value])[0]

    def exchange(self, played: Sequence[Played], asked: Sequence[EpisodeRequest]) -> list[Played]:
        """Return the episodes of all processes in the order in which they were asked for."""
        if self.count == 1:
            return list(played)
        lines = self.gather([json.dumps(episode_to_json(one.episode)) for one in played])
        found = {episode.id: episode for episode in map(episode_from_json, map(json.loads, lines))}
        return [Played(found[one.id], _decisions(found[one.id], one.game)) for one in asked]

    def _state(self) -> Any:
        from accelerate import PartialState

        return PartialState(cpu=self.cpu)


def share(asked: Sequence[EpisodeRequest], ranks: Ranks) -> list[EpisodeRequest]:
    """Return the episodes that this process plays: every so many-th group, whole."""
    numbers: dict[object, int] = {}
    mine = []
    for one in asked:
        group = (one.pool, one.opponent, one.seat, one.deal.index)
        if numbers.setdefault(group, len(numbers)) % ranks.count == ranks.index:
            mine.append(one)
    return mine


class _Over:
    """The randomness of a decision that has been taken."""

    def uniform(self, purpose: str) -> float:
        raise RuntimeError("an episode that was played elsewhere is not played again")

    once = uniform


def _decisions(episode: Episode, game: Rules) -> tuple[Decision, ...]:
    """Return what crediting needs to know of an episode's decisions: which one of the episode each is."""
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    return tuple(
        Decision(game, episode.id, turn.seat, turn.round, turn.step, index, None, None, (), _Over())
        for index, turn in enumerate(own)
    )
