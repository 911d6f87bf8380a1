"""Plays the record of a game again without its deal's seed: moves and chance are those on record."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, Episode, Turn

__all__ = ["recorded_decisions"]


def recorded_decisions(game: Game, episode: Episode) -> Iterator[tuple[Turn, Decision]]:
    """Yield the turns of all seats in order with the decisions that they answered.

    What a forfeit left open is left out. The decisions' draws are not those they were answered with: whoever
    needs them, or plays a free-text task again, takes :func:`equipoise.rollout.replay.replay`.

    Raises:
        RequestError: A move on record is not legal under these rules.
    """
    match, turns = _RecordedMatch(game, episode.chance), list(episode.turns)
    draws = DecisionDraws("replay", "replay")
    while not match.is_over:
        movers = match.players_to_move
        moves, turns = turns[: len(movers)], turns[len(movers) :]
        for turn in moves:
            yield turn, match.decision(turn.seat, episode.id, draws, turn.retries)
        if len(moves) < len(movers):
            return
        match.apply({turn.seat: turn.action for turn in moves})


class _RecordedMatch(Match):
    """A match whose chance comes from a record, and which is over where the record ends."""

    __slots__ = ("_ended", "_log")

    def __init__(self, game: Game, log: Iterable[tuple[str, Hashable]]) -> None:
        self._log, self._ended = iter(log), False
        super().__init__(game, lambda round_, purpose: 0.0)

    @property
    def is_over(self) -> bool:
        """Whether the game or its record has ended."""
        return self._ended or super().is_over

    def _draw(self) -> None:
        while self.state.chance is not None:
            logged = next(self._log, None)
            if logged is None:
                self._ended = True
                return
            self._advance(self.state.apply_chance(logged[1]))
