"""A game between seats that are all played from outside: what both kinds of PettingZoo environment share.

An action that is not legal forfeits the episode at its seat's cost, as ``Game.forfeit`` says: masks tell what
is legal, so this is a mistake of the learner, and never mended in silence.
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from equipoise.adapters.layout import LABEL, layout_of
from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Deal, DecisionDraws, Split
from equipoise.types import RoundOutcome, Seat

__all__ = ["AGENTS", "Seeds", "Table", "Viewer"]

AGENTS = ("player_0", "player_1")
"""The agents, by seat."""

_PRINTABLE = "".join(map(chr, range(32, 127))) + "\n\t"
_LONGEST = 65_536


class Seeds:
    """Which deal follows a reset: deal 0 of a given seed, then the next ones of the same seed."""

    def __init__(self, game: Game) -> None:
        """Start without a seed; the first reset without one takes it from the operating system."""
        self._key = game.info_record.key
        self._seed: int | None = None
        self._index = 0

    def next(self, seed: int | None) -> Deal:
        """Return the deal of a reset."""
        if seed is not None or self._seed is None:
            self._seed, self._index = secrets.randbits(32) if seed is None else int(seed), 0
        else:
            self._index += 1
        return Deal(self._seed, Split.TRAIN, self._key, self._index)


class Viewer:
    """What a seat of a game is shown, and the spaces of it.

    An observation is a mapping of ``observation`` (see ``layout``), ``action_mask`` (int8, one entry an
    action, all 0 for a seat that is not to move) and, where asked for, ``text`` (the prompt of a language
    model, ASCII with other signs escaped; empty for a seat that is not to move).
    """

    def __init__(self, game: Game, text: bool) -> None:
        """Take the game and whether to show words."""
        self.game, self.layout = game, layout_of(game)
        self._renderer = get_renderer(game.name) if text else None

    def action_space(self) -> spaces.Space[Any]:
        """Return the numbers of all actions."""
        return spaces.Discrete(len(self.layout.actions))

    def observation_space(self) -> spaces.Space[Any]:
        """Return the space of observations."""
        size, count = self.layout.size, len(self.layout.actions)
        box = spaces.Box(0.0, 1.0, (size,), np.float32)
        if not self.layout.fields:
            box = spaces.Box(0, 255, (LABEL,), np.uint8)
        parts = {"observation": box, "action_mask": spaces.Box(0, 1, (count,), np.int8)}
        if self._renderer is not None:
            words = spaces.Text(_LONGEST, min_length=0, charset=_PRINTABLE)
            return spaces.Dict({**parts, "text": words})
        return spaces.Dict(parts)

    def look(self, match: Match, seat: Seat, seen: Hashable) -> dict[str, Any]:
        """Return what a seat of a match is shown.

        Args:
            match: The match.
            seat: The seat.
            seen: What it saw last, for when the match is over.
        """
        moves = not match.is_over and seat in match.players_to_move
        if not match.is_over:
            seen = match.state.observation(seat)
        legal = match.state.legal_actions(seat) if moves else ()
        shown: dict[str, Any] = {
            "observation": self.layout.observation(self.game, seat, seen, match.histories[seat]),
            "action_mask": self.layout.mask(legal),
        }
        if self._renderer is not None:
            shown["text"] = self._words(match, seat) if moves else ""
        return shown

    def _words(self, match: Match, seat: Seat) -> str:
        assert self._renderer is not None
        prompt = self._renderer.prompt(match.decision(seat, "", DecisionDraws("", ""), 0))
        words = prompt.rules + prompt.situation
        return "".join(sign if sign in _PRINTABLE else _escaped(sign) for sign in words)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


class Table:
    """One episode after the other."""

    def __init__(self, game: Game, text: bool) -> None:
        """Take the game and whether to show words."""
        self.game, self.view = game, Viewer(game, text)
        self._seeds = Seeds(game)
        self._seen: dict[Seat, Hashable] = {}

    def deal(self, seed: int | None) -> None:
        """Begin an episode."""
        self.match = Match(self.game, self._seeds.next(seed).chance)
        self._remember()

    def observe(self, seat: Seat) -> dict[str, Any]:
        """Return what a seat is shown; after the end what it saw last and all it learned."""
        return self.view.look(self.match, seat, self._seen[seat])

    def play(self, numbers: Mapping[Seat, int]) -> tuple[RoundOutcome, ...]:
        """Let the seats to move act and return the rounds that ended: on a forfeit all that were left."""
        before, layout = len(self.match.outcomes), self.view.layout
        chosen = {seat: layout.action(number) for seat, number in numbers.items()}
        wrong = [seat for seat, one in chosen.items() if one not in self.match.state.legal_actions(seat)]
        if wrong:
            self.match.forfeit(wrong[0])
        else:
            self.match.apply(chosen)
        self._remember()
        return self.match.outcomes[before:]

    def _remember(self) -> None:
        if not self.match.is_over:
            self._seen = {seat: self.match.state.observation(seat) for seat in range(self.match.seats)}
