"""The mixtures of teachers, and whom they meet; one teacher shows a whole episode.

Recipe ``paper`` follows the SEPO paper (arXiv 2605.30854): teachers drawn by its weights, and its opponents
but for those of the shift pool. The paper holds nothing out; here opponents of the shift pool never appear in
the data, and a check says so. Recipe ``balanced`` is ours, for every game with teachers:

- its teachers are those that do no harm, with equal weights. None plays at random, none has the name of a
  held-out opponent, and none takes from those who trust it: against the collusive pool its exact collusion
  risk c is at most 0.1 (0 but for the shares of the negotiation over several items, which the largest values
  carry past the half). In Kuhn poker, where c does not apply, it is all but the random one;
- its opponents are all of the train, exploiter and collusive pools in force, each as often, whether it stands
  in one pool or in several. Every teacher meets every opponent from every seat once in each block of
  episodes, in a random order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from equipoise.errors import RequestError, unknown
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools
from equipoise.policies.heldout import held_out, inside
from equipoise.training.teachers import auction, commons, ipd, kuhn, multi_issue, split
from equipoise.training.teachers.base import Teacher
from equipoise.types import Action

__all__ = ["RECIPES", "Mixture", "mixture_of", "reason_of", "teacher_games", "teachers_of"]


@dataclass(frozen=True)
class Mixture:
    """Who demonstrates, and against whom.

    Attributes:
        teachers: Strategies with their weights, which sum to 1.
        opponents: Names of the opponents, met equally often.
        even: Whether every teacher meets every opponent from every seat equally often; else all is drawn.
    """

    teachers: tuple[tuple[Strategy, float], ...]
    opponents: tuple[str, ...]
    even: bool = False

    def check(self, pools: Pools) -> None:
        """Check that no opponent is held out.

        Raises:
            RequestError: An opponent of the data stands in the shift pool.
        """
        held = held_out(pools.shift)
        if shared := [name for name in self.opponents if inside(name) & held]:
            raise RequestError(f"{shared[0]!r} is in the shift pool: it must not appear in training data")


_TEACHERS: Mapping[str, tuple[Teacher, ...]] = {
    "ipd": ipd.TEACHERS,
    "auction": auction.TEACHERS,
    "split": split.TEACHERS,
    "multi_issue": multi_issue.TEACHERS,
    "kuhn": kuhn.TEACHERS,
    "commons": commons.TEACHERS,
}
_PAPER_OPPONENTS: Mapping[str, tuple[str, ...]] = {
    "ipd": ipd.OPPONENTS,
    "auction": auction.OPPONENTS,
    "split": split.OPPONENTS,
    "multi_issue": multi_issue.OPPONENTS,
    "kuhn": kuhn.OPPONENTS,
    "commons": commons.OPPONENTS,
}

RECIPES = ("paper", "balanced")
"""Names of the mixtures."""


def teacher_games(recipe: str) -> tuple[str, ...]:
    """Return the games that a recipe has teachers for.

    Raises:
        RequestError: There is no such recipe.
    """
    if recipe not in RECIPES:
        raise unknown("teacher recipe", recipe, RECIPES)
    return tuple(name for name in _TEACHERS if recipe == "balanced" or _PAPER_OPPONENTS[name])


def teachers_of(game: str) -> tuple[Teacher, ...]:
    """Return all teachers of a game.

    Raises:
        RequestError: The game has none.
    """
    if game not in _TEACHERS:
        raise unknown("game with SFT teachers", game, _TEACHERS)
    return _TEACHERS[game]


def mixture_of(game: str, recipe: str, pools: Pools) -> Mixture:
    """Return the teachers of a game and whom they meet.

    Args:
        game: The game's name.
        recipe: ``paper`` or ``balanced``.
        pools: The pools in force: ``balanced`` meets them, and no recipe meets its shift pool.

    Raises:
        RequestError: There is no such recipe or the game has none, or an opponent is held out.
    """
    games, teachers = teacher_games(recipe), teachers_of(game)
    if game not in games:
        raise RequestError(f"{game} is not a game of the paper: use the recipe balanced")
    if recipe == "paper":
        chosen = [(one.strategy, one.paper) for one in teachers if one.paper]
        mixture = Mixture(tuple(chosen), _PAPER_OPPONENTS[game])
    else:
        harmless = [one.strategy for one in teachers if one.balanced]
        met = dict.fromkeys((*pools.train, *pools.exploiter, *pools.collusive))
        mixture = Mixture(tuple((one, 1.0 / len(harmless)) for one in harmless), tuple(met), even=True)
    mixture.check(pools)
    return mixture


def reason_of(game: str, teacher: str, info: Mapping[str, object], action: Action) -> str:
    """Return the reason of a teacher for a move, in one sentence.

    Args:
        game: The game's name.
        teacher: The teacher's name.
        info: What it knew.
        action: What it played.
    """
    return next(one for one in teachers_of(game) if one.name == teacher).why(info, action)
