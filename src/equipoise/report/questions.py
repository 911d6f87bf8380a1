"""What a policy was asked: rebuilt from the rules, since transcripts hold prompts as tokens only."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.games.base import Game
from equipoise.policies.registry import load_game
from equipoise.prompts.base import PLAIN, Renderer
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.recorded import recorded_decisions
from equipoise.rollout.transcript import episode_from_json
from equipoise.types import Decision, Seat

__all__ = ["Asker"]


class Asker:
    """Puts the decisions of one game into words.

    Attributes:
        rules: The rules in words; empty where the game cannot be loaded or has none.
    """

    def __init__(self, game: str, options: Mapping[str, Any], wording: str | None) -> None:
        """Take the game as a transcript names it, its options, and the wording it was asked in."""
        self.name = game.partition("@")[0]
        self._version = game.partition("@")[2]
        self._options = dict(options)
        self._wording = wording or PLAIN
        self._said: dict[tuple[Seat, Hashable, Hashable], str] = {}

    @cached_property
    def _parts(self) -> tuple[Game, Renderer] | None:
        # A report runs no code that a transcript names.
        if self.name.startswith("python:"):
            return None
        try:
            game = load_game(self.name, self._options)
            same = isinstance(game, Game) and str(game.info_record.version) == self._version
            return (game, get_renderer(self.name, self._wording)) if same and isinstance(game, Game) else None
        except (EquipoiseError, ImportError):
            return None

    @property
    def rules(self) -> str:
        """The rules in words."""
        return "" if self._parts is None else self._parts[1].rules(self._parts[0])

    def ask(self, data: Mapping[str, Any]) -> list[str]:
        """Return what the studied policy was asked, one text a turn; empty where it cannot be said.

        Args:
            data: An episode, as its transcript has it.
        """
        texts = [""] * len(data["turns"])
        if self._parts is None:
            return texts
        game, renderer = self._parts
        try:
            for number, (_, decision) in enumerate(recorded_decisions(game, episode_from_json(data))):
                turn = data["turns"][number]
                if game.label(decision.observation, decision.history) != turn["label"]:
                    # Played by other rules than those at hand: better nothing than something else.
                    return [""] * len(texts)
                if decision.seat == data["seat"]:
                    texts[number] = self._say(renderer, decision)
        except (EquipoiseError, ValueError, KeyError, TypeError, AttributeError, AssertionError, IndexError):
            return [""] * len(texts)
        return texts

    def _say(self, renderer: Renderer, decision: Decision) -> str:
        key = (decision.seat, decision.observation, decision.history)
        if key not in self._said:
            self._said[key] = renderer.situation(decision)
        return self._said[key]
