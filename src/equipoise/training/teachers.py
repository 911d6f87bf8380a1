"""Teachers for the supervised warm start: scripted strategies with weights, and whom they meet.

Recipe ``paper`` follows the mixtures of the SEPO paper (arXiv 2605.30854). One strategy is drawn an episode.
The paper holds nothing out; here opponents of the shift pool never appear in the data, and a check says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from equipoise.errors import RequestError, unknown
from equipoise.opponents.kuhn import Rates
from equipoise.opponents.pools import Pools
from equipoise.opponents.registry import get_strategy

__all__ = ["RECIPES", "Mixture", "mixture_of"]

from equipoise.opponents.base import Strategy


@dataclass(frozen=True)
class Mixture:
    """Who demonstrates, and against whom.

    Attributes:
        teachers: Strategies with their weights, which sum to 1.
        opponents: Names of the opponents, met equally often.
    """

    teachers: tuple[tuple[Strategy, float], ...]
    opponents: tuple[str, ...]

    def check(self, pools: Pools) -> None:
        """Check that no opponent is held out.

        Raises:
            RequestError: An opponent of the data stands in the shift pool.
        """
        if shared := [name for name in self.opponents if name in pools.shift]:
            raise RequestError(f"{shared[0]!r} is in the shift pool: it must not appear in training data")


_THIRD = 1.0 / 3.0
_KUHN: Mapping[str, Strategy] = {
    teacher.name: teacher
    for teacher in (
        Rates(
            "nash_like",
            open=(_THIRD, 0.0, 1.0),
            second=(_THIRD, 0.0, 1.0),
            call_first=(0.0, _THIRD, 1.0),
            call_second=(0.0, _THIRD, 1.0),
            source="SEPO paper: Nash-like, the queen called with 1/3 in both positions",
        ),
        Rates(
            "tight_value",
            open=(0.0, 0.0, 1.0),
            second=(0.0, 0.0, 1.0),
            call_first=(0.0, 0.0, 1.0),
            call_second=(0.0, 0.0, 1.0),
            source="SEPO paper: bets and calls for value only, with the king",
        ),
        Rates(
            "pot_control",
            open=(0.2, 0.0, 1.0),
            second=(0.2, 0.0, 1.0),
            call_first=(0.0, 0.0, 1.0),
            call_second=(0.0, 0.0, 1.0),
            source="SEPO paper: the jack bluffs with 0.2, only the king calls",
        ),
        Rates(
            "passive_queen",
            open=(_THIRD, 0.0, 1.0),
            second=(_THIRD, 0.0, 1.0),
            call_first=(0.0, 0.0, 1.0),
            call_second=(0.0, 0.0, 1.0),
            source="SEPO paper: the queen always passes",
        ),
    )
}

_WEIGHTS: dict[str, dict[str, float]] = {
    "ipd": {
        "tit_for_tat": 0.33,
        "always_defect": 0.27,
        "grim_trigger": 0.22,
        "always_cooperate": 0.05,
        "generous_tit_for_tat": 0.05,
        "random": 0.08,
    },
    "kuhn": {
        "nash_like": 0.45,
        "tight_value": 0.25,
        "pot_control": 0.20,
        "random": 0.08,
        "passive_queen": 0.02,
    },
}

_OPPONENTS: dict[str, tuple[str, ...]] = {
    "ipd": ("always_cooperate", "always_defect", "tit_for_tat", "generous_tit_for_tat", "grim_trigger"),
    "kuhn": ("nash", "tight_passive", "loose_aggressive", "always_bet"),
}

RECIPES = ("paper",)
"""Names of the mixtures."""


def mixture_of(game: str, recipe: str, pools: Pools) -> Mixture:
    """Return the teachers of a game.

    Raises:
        RequestError: There is no such recipe or the game has none, or an opponent is held out.
    """
    if recipe not in RECIPES:
        raise unknown("teacher recipe", recipe, RECIPES)
    if game not in _WEIGHTS:
        raise unknown("game with SFT teachers", game, _WEIGHTS)
    teachers = tuple(
        (_KUHN[name] if game == "kuhn" and name in _KUHN else get_strategy(game, name), weight)
        for name, weight in _WEIGHTS[game].items()
    )
    mixture = Mixture(teachers, _OPPONENTS[game])
    mixture.check(pools)
    return mixture
