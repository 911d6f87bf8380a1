"""An episode in which one seat is played from outside and the other by a policy."""

from __future__ import annotations

from typing import Any

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.policies.base import Policy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.rollout.deals import Deal
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, seated
from equipoise.rollout.running import RunningEpisode
from equipoise.types import Action, Choice, Decision, Episode, RoundOutcome, Seat

__all__ = ["SeatEpisode", "local_opponent"]


class _Outside(Policy):
    """Stands at the seat that is played from outside."""

    name = "outside"
    strict = False

    def act(self, decisions: Any) -> list[Choice]:
        raise AssertionError("the seat is played from outside")


_OUTSIDE = _Outside()


def local_opponent(opponent: Any, game: Game) -> Policy:
    """Return an opponent by name, by spec or as an object.

    Raises:
        RequestError: There is none, or it answers in its own time.
    """
    if isinstance(opponent, str):
        found = load_opponents([opponent], game)[opponent]
    else:
        found = load_policy(opponent, game)
    if not isinstance(found, Policy):
        raise RequestError(f"opponent {found.name!r} answers in its own time: name one that answers at once")
    return found


class SeatEpisode:
    """Asks the seat that is played from outside, and the policy whenever the other seat is to move."""

    def __init__(
        self,
        game: Game,
        opponent: Policy,
        seat: Seat,
        deal: Deal,
        pool: str = "train",
        rollout: int = 0,
        rule: InvalidRule | None = None,
        name: str | None = None,
    ) -> None:
        """Begin, and go on to the first decision of the seat.

        Args:
            game: The game.
            opponent: The policy on the other seat.
            seat: The seat that is played from outside.
            deal: What chance and the opponent draw.
            pool: The pool the opponent stands for.
            rollout: Number of the episode among those of its deal.
            rule: What happens to invalid answers.
            name: The opponent's name in its pool; None takes the policy's own.
        """
        players = seated(_OUTSIDE, opponent, seat, game.info_record.seats)
        request = EpisodeRequest(game, deal, pool, name or opponent.name, seat, players, rollout)
        self.game, self.seat, self._opponent = game, seat, opponent
        self._running = RunningEpisode(request, rule or InvalidRule())
        self.decision: Decision | None = None
        """What the seat is asked now; None once the episode is over."""
        self._advance()

    @property
    def match(self) -> Match:
        """The match in play."""
        match = self._running.environment
        assert isinstance(match, Match)
        return match

    @property
    def outcomes(self) -> tuple[RoundOutcome, ...]:
        """The outcomes of all finished rounds."""
        return self.match.outcomes

    def act(self, action: Action) -> None:
        """Play a legal action, and go on to the next decision of the seat.

        Raises:
            RequestError: The episode is over, or the action is not legal.
        """
        decision = self._asked()
        if action not in (decision.legal or ()):
            raise RequestError(f"{action!r} is not legal, choose one of {list(decision.legal or ())}")
        self.answer(Choice(action))

    def answer(self, choice: Choice) -> None:
        """Take a valid answer or an invalid one, to which the rule applies, and go on to the next decision.

        Raises:
            RequestError: The episode is over.
        """
        self._running.answer(self._asked(), choice)
        self._advance()

    def forfeit(self) -> None:
        """End the episode at the seat's cost."""
        self._asked()
        self.match.forfeit(self.seat)
        self._running.forfeited = True
        self.decision = None

    def record(self) -> Episode:
        """Return the episode as transcripts keep it."""
        return self._running.finish().episode

    def _asked(self) -> Decision:
        if self.decision is None:
            raise RequestError("the episode is over: begin another one")
        return self.decision

    def _advance(self) -> None:
        self.decision = None
        while not self._running.is_over:
            asked = self._running.pending()
            others = [one for one in asked if one.seat != self.seat]
            if not others:
                (self.decision,) = asked
                return
            for one, choice in zip(others, self._opponent.act(others), strict=True):
                self._running.answer(one, choice)
