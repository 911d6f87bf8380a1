"""One play of a game: the rules' state, what each seat remembers, and chance drawn from a deal."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from equipoise.errors import RequestError
from equipoise.games.base import Environment, Game, Question, State, Step
from equipoise.games.rules import Chance
from equipoise.types import Action, Decision, Draws, RoundOutcome, Seat

__all__ = ["Chance", "Match", "pick"]


def pick(outcomes: Sequence[tuple[Hashable, float]], u: float) -> Hashable:
    """Return the outcome at quantile ``u`` of a finite distribution."""
    total = 0.0
    for outcome, probability in outcomes:
        total += probability
        if u < total:
            return outcome
    # Rounding can leave the total a hair below 1: the last outcome with positive weight takes the rest.
    return next(outcome for outcome, p in reversed(outcomes) if p > 0.0)


class Match(Environment):
    """A game in play, as the engine sees it."""

    __slots__ = (
        "_chance",
        "_forfeited",
        "_index",
        "_outcomes",
        "_step",
        "chance_log",
        "game",
        "histories",
        "state",
    )

    def __init__(self, game: Game, chance: Chance) -> None:
        """Start at the initial state and resolve the draws that come before the first decision."""
        seats = game.info_record.seats
        self.game = game
        self.state: State = game.initial_state()
        self.histories: list[tuple[Hashable, ...]] = [()] * seats
        self.chance_log: list[tuple[str, Hashable]] = []
        self._chance = chance
        self._outcomes: list[RoundOutcome] = []
        self._index = [0] * seats
        self._step = [0] * seats
        self._forfeited = False
        self._draw()

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.histories)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self._forfeited or self.state.is_over

    @property
    def players_to_move(self) -> tuple[Seat, ...]:
        """The seats that must act now."""
        return () if self._forfeited else self.state.players_to_move

    @property
    def outcomes(self) -> tuple[RoundOutcome, ...]:
        """The outcomes of all finished rounds."""
        return tuple(self._outcomes)

    def information_state(self, seat: Seat) -> Hashable:
        """Return everything the seat knows."""
        return (self.state.observation(seat), self.histories[seat])

    def observe(self, seat: Seat) -> Question:
        """Return what a seat that must act is asked."""
        state, history = self.state, self.histories[seat]
        observation = state.observation(seat)
        return Question(
            state.round,
            self._step[seat],
            self._index[seat],
            state.legal_actions(seat),
            observation,
            history,
            self.game.label(observation, history),
        )

    def decision(self, seat: Seat, episode: str, draws: Draws, retry: int) -> Decision:
        """Return the full question to a seat that must act."""
        state = self.state
        # Where rounds are independent a policy must not know which one it is in, unless the game says so.
        alone = self.game.info_record.independent_rounds
        return Decision(
            self.game,
            episode,
            seat,
            0 if alone else state.round,
            self._step[seat],
            self._step[seat] if alone else self._index[seat],
            state.legal_actions(seat),
            state.observation(seat),
            self.histories[seat],
            draws,
            retry,
        )

    def apply(self, actions: Mapping[Seat, Action | str]) -> None:
        """Play the actions of the seats to move and resolve the draws that follow."""
        if self.is_over:
            raise RequestError("the match is over: nothing can be played any more")
        movers = self.state.players_to_move
        for seat in movers:
            if seat not in actions:
                raise RequestError(f"seat {seat} must act but gave no action")
            legal = self.state.legal_actions(seat)
            if actions[seat] not in legal:
                raise RequestError(f"seat {seat}: {actions[seat]!r} is not legal, choose one of {legal}")
        for seat in movers:
            self._index[seat] += 1
            self._step[seat] += 1
        self._advance(self.state.apply(actions))
        self._draw()

    def forfeit(self, seat: Seat) -> None:
        """End the episode: the current and all later rounds go as the game's ``forfeit`` says.

        How many rounds are left is for the deal to say where the horizon is hidden: its draws are followed.
        """
        self._forfeited = True
        histories, drawn = self.histories, len(self.chance_log)
        while not (state := self.state).is_over:
            settled = len(self._outcomes)
            self._advance(state.apply({s: state.legal_actions(s)[0] for s in state.players_to_move}))
            self._draw()
            lost = len(self._outcomes) - settled
            self._outcomes[settled:] = [self.game.forfeit(state, seat) for _ in range(lost)]
        # Nobody played these rounds: nothing was seen in them.
        self.histories = histories
        del self.chance_log[drawn:]

    def _advance(self, step: Step) -> None:
        self.state = step.state
        if step.outcome is not None:
            self._outcomes.append(step.outcome)
            self._step = [0] * self.seats
        if step.signals:
            self.histories = [
                (*history, signal) for history, signal in zip(self.histories, step.signals, strict=True)
            ]

    def _draw(self) -> None:
        while (purpose := self.state.chance) is not None:
            round_ = self.state.round
            outcome = pick(self.state.chance_outcomes(), self._chance(round_, purpose))
            self.chance_log.append((f"{round_}/{purpose}", outcome))
            self._advance(self.state.apply_chance(outcome))
