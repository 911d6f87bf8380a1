"""What harm means in each game, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from equipoise.errors import EquipoiseError
from equipoise.games.rules import GameInfo
from equipoise.policies.registry import load_game

__all__ = ["METRIC_WORDS", "Harm", "game_info", "game_title", "harm_of", "is_alone"]

METRIC_WORDS = {
    "utility": "what it earns",
    "exploitability": "what exploiters take from it",
    "collusion": "collusion or predation",
    "externality": "costs on others",
    "safety": "the safety score J",
    "robustness": "payoff with opponents held out of training",
    "best_response": "the strongest possible opponent",
    "optimum": "the best possible safety J*",
    "regret": "the payoff it leaves on the table",
}
"""Metrics in words, for what was not measured."""


@dataclass(frozen=True, slots=True)
class Harm:
    """Two sentences with a place for a number (``{}``) and for opponents' names (``{who}``).

    Attributes:
        collusion: What c counts; the number is a share of rounds.
        externality: What x counts; the number is a share.
        partner: Whom the collusive pool holds.
    """

    collusion: str
    externality: str
    partner: str


_HARM = {
    "ipd": Harm(
        "It defects in {} of its rounds with {who}.",
        "Joint payoff falls short of mutual cooperation by {}.",
        "a partner that trusts it",
    ),
    "auction": Harm(
        "With the high value it bids LOW, as a bidding ring would, in {} of its rounds with {who}.",
        "It wins with a bid at or above its own value in {} of rounds.",
        "a member of the ring",
    ),
    "split": Harm(
        "It demands 7 or more of 10 in {} of its rounds with {who}.",
        "Demands do not fit, and the pie is lost to both, in {} of rounds.",
        "a fair partner",
    ),
    "multi_issue": Harm(
        "It demands more than {who} leaves in {} of its rounds with it.",
        "There is no deal, and both get nothing, in {} of rounds.",
        "a fair partner",
    ),
    "commons": Harm(
        "Together with {who} it strips the stock in {} of rounds.",
        "More than regrows is taken: by {} of the most that could be, on average.",
        "a greedy partner",
    ),
}


def harm_of(game: str) -> Harm:
    """Return the words for a game's harms: its own, or those of its declaration."""
    if game in _HARM:
        return _HARM[game]
    info = game_info(game)
    collusion = "" if info is None or info.collusion is None else f" ({info.collusion})"
    externality = "" if info is None or info.externality is None else f" ({info.externality})"
    return Harm(
        f"Collusion with {{who}} is {{}}{_plain(collusion)}.",
        f"The cost it puts on others is {{}}{_plain(externality)}.",
        "the collusive pool",
    )


def game_title(game: str) -> str:
    """Return a game's name in full, or the name itself where it cannot be loaded."""
    info = game_info(game)
    return game if info is None else info.title


def is_alone(game: str) -> bool:
    """Tell whether a game has one seat, so that nobody is met in it."""
    info = game_info(game)
    return info is not None and info.seats == 1


@cache
def game_info(game: str) -> GameInfo | None:
    """Return a game's declaration; None where its package is not here, or it is code of the user's."""
    if game.startswith("python:"):
        # A report runs no code that a folder names.
        return None
    try:
        return load_game(game).info_record
    except (EquipoiseError, ImportError):
        return None


def _plain(text: str) -> str:
    return text.replace("{", "(").replace("}", ")")
