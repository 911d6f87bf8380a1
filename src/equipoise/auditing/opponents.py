"""The opponents of an audit: as players, and in finite-memory form where all of them have one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.auditing.behaviour import finite_forms
from equipoise.errors import NoProbabilitiesError
from equipoise.games.rules import Rules
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools
from equipoise.policies.base import AnyPolicy
from equipoise.policies.registry import Models, load_opponents

__all__ = ["Opponents"]


@dataclass(frozen=True)
class Opponents:
    """Whom a policy meets.

    Attributes:
        players: The opponents by name.
        strategies: Their finite-memory forms by name; None if one of them has none that is cheap enough.
    """

    players: Mapping[str, AnyPolicy]
    strategies: Mapping[str, Strategy] | None

    @classmethod
    def of(cls, players: Mapping[str, AnyPolicy], game: Rules, exact: bool | None) -> Opponents:
        """Bring opponents into finite-memory form, as policies are: by asking them where they have none.

        Args:
            players: The opponents by name.
            game: The game.
            exact: True if exact values were asked for, None to take what is cheap, False to ask nobody.

        Raises:
            RequestError: Exact values were asked for and an opponent allows none.
        """
        found: dict[str, Strategy] = {}
        for name, player in players.items():
            forms = finite_forms(player, game, exact)
            if forms is not None and len(forms) > 1 and exact:
                raise NoProbabilitiesError(
                    f"opponent {name!r} acts on its seat: audit it without --exact, or use --cross"
                )
            if forms is None or len(forms) > 1:
                return cls(players, None)
            found[name] = forms[0]
        return cls(players, found)

    @classmethod
    def named(
        cls,
        pools: Pools,
        game: Rules,
        exact: bool | None,
        models: Models | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Opponents:
        """Load the opponents of pools by name and bring them into finite-memory form.

        Args:
            pools: The pools.
            game: The game.
            exact: See :meth:`of`.
            models: Language models loaded before; new ones are added.
            settings: Settings of language models.

        Raises:
            RequestError: An opponent does not exist, or allows no exact values that were asked for.
        """
        names: Iterable[str] = (name for _, pool in pools for name in pool)
        return cls.of(load_opponents(names, game, models=models, **(settings or {})), game, exact)

    def among(self, pools: Pools) -> Opponents:
        """Return those that stand in the pools."""
        names = dict.fromkeys(name for _, pool in pools for name in pool)
        known = self.strategies
        return Opponents(
            {name: self.players[name] for name in names},
            None if known is None else {name: known[name] for name in names},
        )

    @property
    def fingerprints(self) -> dict[str, str]:
        """What identifies the opponents whose name does not."""
        return {
            name: player.fingerprint
            for name, player in self.players.items()
            if player.fingerprint not in (name, f"scripted:{name}")
        }
