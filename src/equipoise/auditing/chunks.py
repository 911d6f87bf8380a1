"""Plays many deals chunk by chunk, keeps what is finished on disk, and goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.auditing.store import AuditStore
from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy
from equipoise.progress import Reporter
from equipoise.rollout.deals import Deal
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.types import Episode

if TYPE_CHECKING:
    from equipoise.auditing.run import AuditConfig

__all__ = ["Chunks"]


@dataclass(frozen=True)
class Chunks:
    """The deals of one audit or of one cross-play.

    Attributes:
        game: The game.
        config: How to audit; ``out`` is where finished chunks are kept.
        subject: What is played, as JSON: with game, deals and rule it tells folders apart.
        policy: The policy under study; None if there is none.
        players: All other policies by name.
    """

    game: Rules
    config: AuditConfig
    subject: Mapping[str, Any]
    policy: AnyPolicy | None
    players: Mapping[str, AnyPolicy]

    def episodes(
        self,
        requests: Callable[[Sequence[Deal]], list[EpisodeRequest]],
        title: str,
        total: int,
        reporter: Reporter,
    ) -> Iterator[Episode]:
        """Yield the episodes of all deals, those on disk first.

        Args:
            requests: What is played on a chunk of deals.
            title: What progress is called.
            total: Number of episodes.
            reporter: Shows progress.
        """
        config, store = self.config, self.store()
        with reporter.task(title, total) as advance:
            if store is not None:
                for episode in store.read():
                    advance(1)
                    yield episode
            for deals in self._chunks(0 if store is None else store.chunks):
                fresh = [one.episode for one in play(requests(deals), config.rule, advance)]
                if store is not None:
                    store.finish_chunk(fresh, self.policy, self.players)
                yield from fresh

    def store(self) -> AuditStore | None:
        """Open the folder and give all policies the tables kept there; None without a folder."""
        if self.config.out is None:
            return None
        store = AuditStore(self.config.out, self._request())
        store.load_table(self.policy, self.players)
        return store

    def _chunks(self, done: int) -> Iterator[list[Deal]]:
        """Yield the deals of every chunk that is not done."""
        config, key = self.config, self.game.info_record.key
        for start in range(done * config.chunk, config.episodes, config.chunk):
            block = range(start, min(start + config.chunk, config.episodes))
            yield [Deal(config.seed, config.split, key, index) for index in block]

    def _request(self) -> dict[str, Any]:
        config = self.config
        return {
            "game": self.game.info_record.key,
            "options": self.game.options.changed(),
            **self.subject,
            "episodes": config.episodes,
            "seed": config.seed,
            "split": config.split.value,
            "chunk": config.chunk,
            "invalid": [config.rule.retries, config.rule.then, config.rule.fallback],
        }
