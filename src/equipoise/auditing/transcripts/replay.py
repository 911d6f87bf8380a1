"""What the seat under study was asked in an episode of a game, from the episode's record."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from equipoise.games.base import Game
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, Episode, Turn

__all__ = ["decisions_of"]


def decisions_of(game: Game, episode: Episode) -> Iterator[tuple[Turn, Decision]]:
    """Yield the own turns of an episode with the decisions that they answered, by playing it again.

    Nothing is drawn: chance and actions are the recorded ones. What a forfeit left open is left out.
    """
    state, turns, chance = game.initial_state(), list(episode.turns), iter(episode.chance)
    history: tuple[Hashable, ...] = ()
    draws = DecisionDraws("replay", "replay")
    index = 0
    while not state.is_over:
        if state.chance is not None:
            logged = next(chance, None)
            if logged is None:
                return
            step = state.apply_chance(logged[1])
        else:
            movers = state.players_to_move
            moves, turns = turns[: len(movers)], turns[len(movers) :]
            if len(moves) < len(movers):
                return
            for turn in moves:
                if turn.seat == episode.seat:
                    legal, seen = state.legal_actions(turn.seat), state.observation(turn.seat)
                    yield (
                        turn,
                        Decision(
                            game,
                            episode.id,
                            turn.seat,
                            turn.round,
                            turn.step,
                            index,
                            legal,
                            seen,
                            history,
                            draws,
                        ),
                    )
                    index += 1
            step = state.apply({turn.seat: turn.action for turn in moves})
        if step.outcome is not None and step.signals:
            history = (*history, step.signals[episode.seat])
        state = step.state
