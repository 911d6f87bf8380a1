"""One request to audit: several games, a policy and perhaps a baseline, or a policy in all wordings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.auditing.compare import differences
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.result import AuditResult, GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.spreads import Spread, spreads
from equipoise.auditing.statistics.intervals import interval_named
from equipoise.auditing.wordings import audit_wordings, check_worded, panel_of
from equipoise.errors import RequestError
from equipoise.files import folder_name
from equipoise.games.rules import Rules
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import AnyPolicy
from equipoise.policies.registry import is_local, load_policy
from equipoise.progress import Reporter

__all__ = ["Loader", "Session"]


class Loader:
    """Loads policies; a language model is loaded once, whatever the number of games and of its roles."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        """Take the settings of language models."""
        self.settings = settings
        self.models: dict[str, AnyPolicy] = {}

    def load(self, spec: Any, game: Rules) -> AnyPolicy:
        """Return the policy a name stands for."""
        return load_policy(spec, game, models=self.models, **self.settings)

    def opponents(self, game: Rules, config: AuditConfig) -> Opponents:
        """Return whom a policy meets."""
        pools = config.pools or default_pools(game.name)
        return Opponents.named(pools, game, config.exact, self.models, self.settings)


@dataclass(frozen=True)
class Session:
    """Games, each with how to audit in it.

    Attributes:
        games: The games with their configurations; ``out`` is the folder of the whole request.
        loader: Loads policies.
        reporter: Shows progress.
        own_deals: Whether every policy is played on as many deals as it asks for by default.
    """

    games: Sequence[tuple[Rules, AuditConfig]]
    loader: Loader
    reporter: Reporter
    own_deals: bool = False

    def audit(self, policies: Mapping[str, Any]) -> AuditResult:
        """Audit a policy in every game, and a baseline on the same deals if there is one.

        Args:
            policies: By role, ``policy`` and perhaps ``baseline``.
        """
        results: list[GameResult] = []
        pairs: list[tuple[GameResult, GameResult]] = []
        for game, config in self.games:
            loaded = {role: self.loader.load(spec, game) for role, spec in policies.items()}
            here = self._deals(config, loaded.values())
            met = self.loader.opponents(game, config)
            found = [
                audit_game(game, player, _within(here, game, role), self.reporter, opponents=met)
                for role, player in loaded.items()
            ]
            results += found
            if len(found) == 2:
                pairs.append((found[0], found[1]))
        config = self.games[0][1]
        return AuditResult(
            results, differences(pairs, config.level, interval=interval_named(config.interval))
        )

    def audit_panel(self, policy: Any) -> AuditResult:
        """Audit a language model in every wording of every game, and report how far they lie apart."""
        results: list[GameResult] = []
        extremes: list[Spread] = []
        for game, config in self.games:
            player = self.loader.load(policy, game)
            here = _within(self._deals(config, [player]), game)
            worded = audit_wordings(game, player, here, self.reporter)
            results += worded.values()
            extremes += spreads(worded, config.level)
        return AuditResult(results, spreads=tuple(extremes))

    def check_panel(self, policies: Mapping[str, Any]) -> None:
        """Check, before anything is loaded, that a panel is all that was asked for, and that there is one.

        Raises:
            RequestError: There is a baseline or a single wording too, or there are no other words.
        """
        if "baseline" in policies:
            raise RequestError("a panel compares a policy with itself in other words: leave out the baseline")
        if (wording := self.loader.settings.get("wording")) is not None:
            raise RequestError(f"wording {wording!r}: a panel has all wordings, leave one of the two")
        for game, _ in self.games:
            panel_of(game)
        if not is_local(policies["policy"]):
            check_worded(self.loader.load(policies["policy"], self.games[0][0]))

    def _deals(self, config: AuditConfig, players: Iterable[AnyPolicy]) -> AuditConfig:
        return replace(config, episodes=min(p.deals for p in players)) if self.own_deals else config


def _within(config: AuditConfig, game: Rules, *inner: str) -> AuditConfig:
    """Return the configuration with the part of the request's folder that belongs to a game."""
    if config.out is None:
        return config
    return replace(config, out=config.out.joinpath(folder_name(game.info_record.id), *inner))
