"""Plays an audit's episodes and keeps their sums: any number of deals in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.auditing.chunks import Chunks
from equipoise.auditing.opponents import Opponents
from equipoise.auditing.panel import Panel, PanelBuilder, panel_key
from equipoise.auditing.statistics.variates import Variates
from equipoise.auditing.tally import Tally
from equipoise.auditing.transcripts.ratings import Ratings
from equipoise.auditing.transcripts.readings import Readings
from equipoise.games.base import finite_game
from equipoise.games.rules import Rules
from equipoise.objective.safety import Objective
from equipoise.policies.base import AnyPolicy
from equipoise.progress import Reporter
from equipoise.rollout.deals import Deal
from equipoise.rollout.requests import EpisodeRequest, seated
from equipoise.tasks.social.task import Social
from equipoise.types import Episode

if TYPE_CHECKING:
    from equipoise.auditing.run import AuditConfig

__all__ = ["Sample", "Sampling"]


@dataclass(frozen=True)
class Sample:
    """What is kept of all episodes.

    Attributes:
        panel: Features by opponent, deal (or block of deals) and seat.
        tally: Actions by information state.
        readings: What else transcripts say.
        ratings: What an evaluator says of dialogues; None without one.
    """

    panel: Panel
    tally: Tally
    readings: Readings
    ratings: Ratings | None = None


@dataclass(frozen=True)
class Sampling:
    """The episodes of one policy in one game, each deal from every seat against every opponent.

    Attributes:
        game: The game.
        objective: The objective, for its pools.
        config: How to audit.
        policy: The policy.
        met: Whom it meets.
    """

    game: Rules
    objective: Objective
    config: AuditConfig
    policy: AnyPolicy
    met: Opponents

    @property
    def panel_key(self) -> str:
        """A hash of what identifies the deals and who is met on them."""
        config = self.config
        return panel_key(
            {
                "game": self.game.info_record.key,
                "options": self.game.options.changed(),
                "seed": config.seed,
                "split": config.split.value,
                "deals": config.episodes,
                "pools": {pool: sorted(names) for pool, names in self.objective.pools},
                "opponents": {name: one.fingerprint for name, one in self.met.players.items()},
            }
        )

    def run(self, name: str, reporter: Reporter) -> Sample:
        """Play what is not yet played, and reduce everything.

        Args:
            name: Name of the policy, to show.
            reporter: Shows progress.
        """
        config, info = self.config, self.game.info_record
        readings = Readings(self.game, config.episodes)
        ratings = None
        if config.evaluator is not None and isinstance(self.game, Social):
            ratings = Ratings(self.game, config.evaluator, readings)
        reduced = _Reduction(
            PanelBuilder(config.episodes),
            Tally(config.episodes),
            readings,
            Variates(finite_game(self.game), self.policy, self.met.players)
            if config.control_variates
            else None,
            ratings,
        )
        total = config.episodes * len(self.met.players) * info.seats
        title = f"audit {info.id}: {name}"
        for episode in self._played.episodes(self._requests, title, total, reporter):
            reduced.add(episode)
        if ratings is not None:
            ratings.finish()
        return Sample(reduced.panel.panel(), reduced.tally, readings, ratings)

    def keeper(self) -> Callable[[], None]:
        """Return a function that puts what the policy has been asked so far on disk, if there is a folder."""
        store = self._played.store()
        if store is None:
            return lambda: None
        return lambda: store.keep_tables(self.policy, self.met.players)

    @property
    def _played(self) -> Chunks:
        subject = {
            "policy": self.policy.name,
            "fingerprint": self.policy.fingerprint,
            "pools": {pool: list(names) for pool, names in self.objective.pools},
            **({"opponents": self.met.fingerprints} if self.met.fingerprints else {}),
        }
        return Chunks(self.game, self.config, subject, self.policy, self.met.players)

    def _requests(self, deals: Sequence[Deal]) -> list[EpisodeRequest]:
        pools = {name: pool for pool, names in reversed(list(self.objective.pools)) for name in names}
        return [
            EpisodeRequest(
                game=self.game,
                deal=deal,
                pool=pools[name],
                opponent=name,
                seat=seat,
                players=seated(self.policy, opponent, seat, self.game.info_record.seats),
            )
            for deal in deals
            for name, opponent in self.met.players.items()
            for seat in range(self.game.info_record.seats)
        ]


@dataclass(frozen=True)
class _Reduction:
    panel: PanelBuilder
    tally: Tally
    readings: Readings
    variates: Variates | None
    ratings: Ratings | None

    def add(self, episode: Episode) -> None:
        self.panel.add(episode, None if self.variates is None else self.variates.correction(episode))
        self.tally.add(episode)
        self.readings.add(episode)
        if self.ratings is not None:
            self.ratings.add(episode)
