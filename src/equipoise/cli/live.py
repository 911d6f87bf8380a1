"""A person's game at the terminal: every round's result is told as soon as it is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from equipoise.cli.episode import score
from equipoise.cli.failures import Interrupted
from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.base import Environment, Game
from equipoise.games.match import Match
from equipoise.games.rules import Rules
from equipoise.policies.human import HumanPolicy
from equipoise.policies.registry import load_opponents
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Action, Episode, Seat

__all__ = ["LeftError", "play_live"]

Tell = Callable[[str], None]


class LeftError(EquipoiseError):
    """The person ended the input before the game was over."""


class TellingMatch(Match):
    """A match that tells what a round brought when it is over."""

    __slots__ = ("_me", "_tell", "_told", "_totals")

    def __init__(self, game: Game, deal: Deal, me: Seat, tell: Tell) -> None:
        """Take the game, its deal, the seat that is told, and how to tell it."""
        self._me, self._tell = me, tell
        self._told = 0
        self._totals = [0.0] * game.info_record.seats
        super().__init__(game, deal.chance)

    def apply(self, actions: Mapping[Seat, Action | str]) -> None:
        """Play the actions, and tell the result of a round they end."""
        super().apply(actions)
        for outcome in self.outcomes[self._told :]:
            self._told += 1
            self._totals = [a + b for a, b in zip(self._totals, outcome.payoffs, strict=True)]
            mine = f"you get {score([outcome.payoffs[self._me]])}"
            both = f"payoffs {score(outcome.payoffs)}, totals {score(self._totals)}"
            self._tell(f"Round {self._told}: {mine} ({both}; you are seat {self._me}).\n")


def play_live(
    game: Rules,
    opponent: str,
    seat: Seat,
    deal: int,
    seed: int,
    rule: InvalidRule | None,
    tell: Tell = print,
    settings: Mapping[str, Any] | None = None,
) -> Episode:
    """Let a person play one episode.

    Args:
        game: The rules.
        opponent: Name of the opponent.
        seat: Where the person sits.
        deal: Index of the deal.
        seed: Seed of the deal.
        rule: What happens to answers that name no action.
        tell: Shows text.
        settings: Settings of a language model as the opponent.

    Raises:
        LeftError: The input ended before the game did.
        RequestError: The seat or the opponent does not exist.
    """
    seats = game.info_record.seats
    if not 0 <= seat < seats:
        raise RequestError(f"seat = {seat}: {game.name} has seats 0 to {seats - 1}")
    other = load_opponents([opponent], game, **(settings or {}))[opponent]
    person = HumanPolicy(show=tell)
    started: list[Environment] = []

    def start(drawn: Deal) -> Environment:
        # A task's turns tell of themselves: every one is in the next situation.
        if isinstance(game, Game):
            started.append(TellingMatch(game, drawn, seat, tell))
        else:
            started.append(game.start(drawn.index, drawn.chance))
        return started[-1]

    request = EpisodeRequest(
        game=game,
        deal=Deal(seed, Split.REPORT, game.info_record.key, deal),
        pool="play",
        opponent=opponent,
        seat=seat,
        players=(person, other) if seat == 0 else (other, person),
        environment=start,
    )
    tell(f"{game.info_record.title}: {game.info_record.summary}\n")
    try:
        return play([request], rule)[0].episode
    except (EOFError, KeyboardInterrupt) as end:
        left = f"you left the game after {len(started[0].outcomes)} of {game.info_record.rounds} rounds"
        raise (LeftError(left) if isinstance(end, EOFError) else Interrupted(left)) from None
