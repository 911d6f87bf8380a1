"""Plays an audit's episodes chunk by chunk and keeps their sums: any number of deals in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.auditing.opponents import Opponents
from equipoise.auditing.panel import Panel, PanelBuilder, panel_key
from equipoise.auditing.statistics.variates import Variates
from equipoise.auditing.store import AuditStore
from equipoise.auditing.tally import Tally
from equipoise.games.base import Game
from equipoise.objective.safety import Objective
from equipoise.policies.base import AnyPolicy
from equipoise.progress import Reporter
from equipoise.rollout.deals import Deal
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
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
    """

    panel: Panel
    tally: Tally


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

    game: Game
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
        store = None
        if config.out is not None:
            store = AuditStore(config.out, self._request())
            store.load_table(self.policy, self.met.players)
        reduced = _Reduction(
            PanelBuilder(config.episodes),
            Tally(config.episodes),
            Variates(self.game, self.policy, self.met.players) if config.control_variates else None,
        )
        total = config.episodes * len(self.met.players) * info.seats
        with reporter.task(f"audit {info.id}: {name}", total) as advance:
            if store is not None:
                for episode in store.read():
                    reduced.add(episode)
                    advance(1)
            for block in self._chunks(0 if store is None else store.chunks):
                played = play(self._requests(block), config.rule, advance)
                fresh = [one.episode for one in played]
                if store is not None:
                    store.finish_chunk(fresh, self.policy, self.met.players)
                for episode in fresh:
                    reduced.add(episode)
        return Sample(reduced.panel.panel(), reduced.tally)

    def keeper(self) -> Callable[[], None]:
        """Return a function that puts what the policy has been asked so far on disk, if there is a folder."""
        if self.config.out is None:
            return lambda: None
        store = AuditStore(self.config.out, self._request())
        store.load_table(self.policy, self.met.players)
        return lambda: store.keep_tables(self.policy, self.met.players)

    def _chunks(self, done: int) -> Iterator[range]:
        """Yield the deals of every chunk that is not done."""
        config = self.config
        for start in range(done * config.chunk, config.episodes, config.chunk):
            yield range(start, min(start + config.chunk, config.episodes))

    def _requests(self, block: range) -> list[EpisodeRequest]:
        config, info = self.config, self.game.info_record
        pools = {name: pool for pool, names in reversed(list(self.objective.pools)) for name in names}
        return [
            EpisodeRequest(
                game=self.game,
                deal=Deal(config.seed, config.split, info.key, index),
                pool=pools[name],
                opponent=name,
                seat=seat,
                players=(self.policy, opponent) if seat == 0 else (opponent, self.policy),
            )
            for index in block
            for name, opponent in self.met.players.items()
            for seat in range(info.seats)
        ]

    def _request(self) -> dict[str, Any]:
        config = self.config
        return {
            "game": self.game.info_record.key,
            "options": self.game.options.changed(),
            "policy": self.policy.name,
            "fingerprint": self.policy.fingerprint,
            "pools": {pool: list(names) for pool, names in self.objective.pools},
            "episodes": config.episodes,
            "seed": config.seed,
            "split": config.split.value,
            "chunk": config.chunk,
            "invalid": [config.rule.retries, config.rule.then, config.rule.fallback],
            **({"opponents": self.met.fingerprints} if self.met.fingerprints else {}),
        }


@dataclass(frozen=True)
class _Reduction:
    panel: PanelBuilder
    tally: Tally
    variates: Variates | None

    def add(self, episode: Episode) -> None:
        self.panel.add(episode, None if self.variates is None else self.variates.correction(episode))
        self.tally.add(episode)
