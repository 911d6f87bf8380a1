"""Where chance fell in an episode: every draw with the distribution it was drawn from, in order."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.games.base import Game, State
from equipoise.types import Action, Episode, Seat, Turn

__all__ = ["Draw", "draws_of"]


@dataclass(frozen=True, slots=True)
class Draw:
    """One random draw of an episode: a move of chance or of a player.

    Attributes:
        key: What was known when it was drawn, coarse enough to come up again in other deals.
        round: The round.
        taken: What was drawn.
        probabilities: What could have been drawn, with probabilities that sum to 1.
    """

    key: Hashable
    round: int
    taken: Hashable
    probabilities: Mapping[Any, float]


def draws_of(game: Game, episode: Episode, seats: frozenset[Seat]) -> Iterator[Draw]:
    """Yield the draws of an episode by playing its record again.

    A player's draw is keyed by round, its observation and the joint action of the round before; a draw of
    chance by round, purpose and what chance has drawn in the round so far. Where rounds are independent
    their number does not count, but for who moves first. Players are told apart as the policy under study
    and the others.

    Args:
        game: The game that was played.
        episode: The episode.
        seats: Seats whose recorded probabilities are those that their moves were drawn from. Whether a seat
            is among them must not depend on what it drew.
    """
    info = game.info_record
    state, turns, chance = game.initial_state(), list(episode.turns), iter(episode.chance)
    alone = info.independent_rounds
    last: tuple[Action, ...] = ()
    now: tuple[Action, ...] = ()
    drawn: tuple[Hashable, ...] = ()
    while not state.is_over:
        number = state.round
        if state.chance is not None:
            logged = next(chance, None)
            if logged is None:
                # A forfeit: nothing more was drawn.
                return
            outcome, outcomes = logged[1], state.chance_outcomes()
            # What is dealt to the policy is another thing than what is dealt to the others.
            key = ("chance", number % info.seats if alone else number, state.chance, episode.seat, drawn)
            yield Draw(key, number, outcome, dict(outcomes))
            drawn, step = (*drawn, outcome), state.apply_chance(outcome)
        else:
            movers = state.players_to_move
            moves, turns = turns[: len(movers)], turns[len(movers) :]
            if len(moves) < len(movers):
                return
            place = (0, ()) if alone else (number, last)
            yield from (_move(state, one, episode.seat, place) for one in moves if _known(one, seats))
            # The policy's own action first, so that both seats share their keys.
            now = (*now, *(one.action for one in sorted(moves, key=lambda one: one.seat != episode.seat)))
            step = state.apply({one.seat: one.action for one in moves})
        if step.outcome is not None:
            last, now, drawn = now, (), ()
        state = step.state


def _move(state: State, turn: Turn, own: Seat, place: Hashable) -> Draw:
    who = "own" if turn.seat == own else "other"
    key = (who, place, turn.step, state.observation(turn.seat))
    probabilities = turn.choice.probabilities
    assert probabilities is not None
    return Draw(key, state.round, turn.action, probabilities)


def _known(turn: Turn, seats: frozenset[Seat]) -> bool:
    return turn.seat in seats and turn.choice.probabilities is not None
