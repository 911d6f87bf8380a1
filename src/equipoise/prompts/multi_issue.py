"""Words for the negotiation over several items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from equipoise.games.base import Game
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Action, Decision

__all__ = ["MultiIssuePrompts"]


def _numbers(bundle: Iterable[int]) -> str:
    return " ".join(str(number) for number in bundle)


class MultiIssuePrompts(Renderer):
    """Rules, then pool, own values and the past demands with the latest last."""

    game = "multi_issue"

    def rules(self, game: Game) -> str:
        """Return the rules with the valuation in force."""
        o = game.options
        over = "of one book, one hat and one ball" if o.valuation == "unit10" else "of the whole pool"
        return (
            "You and one other player divide a pool of books, hats and balls. Each has private values per "
            f"unit; your values {over} sum to 10, and so do the other's. Each round both demand some of the "
            "pool at the same time. If the pool covers both demands, each gets the worth of its own; if "
            f"not, both get 0. The game lasts {o.rounds} rounds; pool and values stay. Everything is "
            "written as three numbers: books hats balls. Past rounds show your demand, then the other's. "
            f'Answer with one line: "{MARKER}" and then three numbers, as in "{MARKER} 1 0 1".\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return pool, values, the round and the past demands, as in ``2 1 0/1 1 1``."""
        info: Any = decision.info
        pairs = zip(info["own"], info["other"], strict=True)
        past = ", ".join(f"{_numbers(own)}/{_numbers(other)}" for own, other in pairs)
        # Pool and values come first: they stay, and the prompts of an episode share them.
        given = f"Pool: {_numbers(info['pool'])}. Your values: {_numbers(info['values'])}."
        return f"{given} Round {decision.round + 1} of {info['rounds']}. Past: {past or 'none'}"

    def say(self, action: Action) -> str:
        """Return a bundle as three numbers, as in ``2 1 0``."""
        return _numbers(action) if isinstance(action, tuple) else str(action)
