"""Examples for the supervised warm start: teachers are played, and every one of their decisions is kept.

Episodes are numbered; teacher, opponent and split of an episode follow from its number and the seed, and its
deal belongs to the split ``sft`` of deals. So more episodes change nothing in the first ones, and no episode
is in two splits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.match import pick
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.base import AnyPolicy
from equipoise.policies.registry import load_opponents
from equipoise.policies.scripted import StrategyPolicy
from equipoise.progress import Reporter, silent
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.rollout.engine import Progress, play
from equipoise.rollout.requests import EpisodeRequest
from equipoise.training.teachers import mixture_of
from equipoise.types import Action, Decision

__all__ = ["SPLITS", "Demonstrations", "Example", "Shares", "make_examples"]

SPLITS = ("train", "validation", "test")
_Cast = tuple[StrategyPolicy, str, int]
"""A teacher, the name of the opponent it meets, and its own seat."""
CHUNK = 512
"""Episodes played at once; bounds memory, changes nothing."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Which share of the episodes is kept from training; the rest is the split ``train``.

    Attributes:
        validation: Share of the split ``validation``.
        test: Share of the split ``test``.
    """

    validation: float = 0.1
    test: float = 0.0

    def __post_init__(self) -> None:
        """Check the shares.

        Raises:
            RequestError: One is negative or no number, or nothing is left to train on.
        """
        for name, share in (("validation", self.validation), ("test", self.test)):
            if not 0.0 <= share < 1.0:
                raise RequestError(f"{name} = {share!r}: a share is at least 0 and less than 1")
        if self.validation + self.test >= 1.0:
            raise RequestError(
                f"validation = {self.validation!r} and test = {self.test!r} leave nothing to train on"
            )

    def split(self, u: float) -> str:
        """Return the split at a quantile: validation comes first, test last."""
        if u < self.validation:
            return "validation"
        return "test" if u >= 1.0 - self.test else "train"


@dataclass(frozen=True, slots=True)
class Example:
    """A teacher's answer to a decision.

    Attributes:
        decision: The decision.
        action: What the teacher played.
        episode: Number of the episode, which is that of its deal.
        teacher: Name of the teacher.
        opponent: Name of the opponent.
        split: ``train``, ``validation`` or ``test``; splits never cut through an episode.
    """

    decision: Decision
    action: Action
    episode: int
    teacher: str
    opponent: str
    split: str

    @property
    def held_out(self) -> bool:
        """Whether it is kept from training."""
        return self.split != "train"


class Demonstrations:
    """The numbered episodes of a mixture of teachers."""

    def __init__(
        self,
        game: Game,
        recipe: str,
        seed: int,
        shares: Shares | None = None,
        pools: Pools | None = None,
        players: Mapping[str, AnyPolicy] | None = None,
    ) -> None:
        """Load teachers and opponents.

        Args:
            game: The game.
            recipe: The mixture of teachers.
            seed: Seed of the draws.
            shares: What is kept from training (default: a tenth for validation).
            pools: The pools in force, whose shift pool is kept out; by default the game's own.
            players: Opponents that are loaded already, by name.

        Raises:
            RequestError: The recipe does not exist for the game, or meets a held-out opponent.
        """
        self.game, self.seed = game, seed
        self.shares = shares or Shares()
        self.pools = pools or default_pools(game.name)
        self.mixture = mixture_of(game.name, recipe, self.pools)
        self._teachers = [(StrategyPolicy(strategy), weight) for strategy, weight in self.mixture.teachers]
        names, known = self.mixture.opponents, players or {}
        loaded = load_opponents([name for name in names if name not in known], game)
        self._opponents = {name: known[name] if name in known else loaded[name] for name in names}
        self._block: tuple[int, list[_Cast]] = (-1, [])

    def deal(self, number: int) -> Deal:
        """Return the deal of an episode."""
        return Deal(self.seed, Split.SFT, self.game.info_record.key, number)

    def play(self, numbers: Sequence[int], progress: Progress | None = None) -> list[Example]:
        """Play episodes and return every decision of their teachers, in order."""
        asked = [self._request(number) for number in numbers]
        examples: list[Example] = []
        for (_, teacher), one in zip(
            asked, play([request for request, _ in asked], progress=progress), strict=True
        ):
            number, opponent = one.episode.deal, one.episode.opponent
            split = self.shares.split(keyed_uniform(f"{self.deal(number).key}|validation"))
            own = [turn for turn in one.episode.turns if turn.seat == one.episode.seat]
            examples += [
                Example(decision, turn.action, number, teacher, opponent, split)
                for decision, turn in zip(one.decisions, own, strict=True)
            ]
        return examples

    def first_episodes(self, count: int, reporter: Reporter | None = None) -> Iterator[Example]:
        """Yield the examples of the first ``count`` episodes."""
        with (reporter or silent()).task(f"data {self.game.name}", count) as advance:
            for start in range(0, count, CHUNK):
                yield from self.play(range(start, min(start + CHUNK, count)), advance)

    def first_examples(self, count: int, reporter: Reporter | None = None) -> Iterator[Example]:
        """Yield the first ``count`` examples; the last episode may be cut short."""
        # Where rounds have several decisions, or an early end, an episode is not as long as its rounds.
        length, start, left = self.game.info_record.rounds, 0, count
        with (reporter or silent()).task(f"data {self.game.name}", count) as advance:
            while left > 0:
                end = start + min(CHUNK, math.ceil(left / length))
                found = self.play(range(start, end))[:left]
                advance(len(found))
                yield from found
                start, left = end, left - len(found)

    def _request(self, number: int) -> tuple[EpisodeRequest, str]:
        """Return an episode to play and the name of its teacher."""
        deal = self.deal(number)
        teacher, name, seat = self._dealt(number) if self.mixture.even else self._drawn(number)
        players = [self._opponents[name]] * self.game.info_record.seats
        players[seat] = teacher
        request = EpisodeRequest(self.game, deal, "sft", name, seat, tuple(players))
        return request, teacher.name.removeprefix("scripted:")

    def _drawn(self, number: int) -> _Cast:
        """Return who plays an episode where that is drawn; seats alternate."""
        key, names = self.deal(number).key, self.mixture.opponents
        teacher = pick(self._teachers, keyed_uniform(f"{key}|teacher"))
        assert isinstance(teacher, StrategyPolicy)
        name = names[int(keyed_uniform(f"{key}|opponent-name") * len(names))]
        return teacher, name, number % self.game.info_record.seats

    def _dealt(self, number: int) -> _Cast:
        """Return who plays an episode where all combinations come once in each block, in a random order."""
        seats = range(self.game.info_record.seats)
        casts = list(product([teacher for teacher, _ in self._teachers], self.mixture.opponents, seats))
        block, place = divmod(number, len(casts))
        if block != self._block[0]:
            key = f"{self.seed}|{Split.SFT.value}|{self.game.info_record.key}|block|{block}"
            order = sorted(range(len(casts)), key=lambda i: keyed_uniform(f"{key}|{i}"))
            self._block = block, [casts[i] for i in order]
        return self._block[1][place]


def make_examples(
    game: Game,
    recipe: str,
    episodes: int,
    seed: int,
    validation: float = 0.1,
    pools: Pools | None = None,
    reporter: Reporter | None = None,
    players: Mapping[str, AnyPolicy] | None = None,
) -> list[Example]:
    """Play teachers against opponents and return every decision of the teachers.

    Args:
        game: The game.
        recipe: The mixture of teachers.
        episodes: Number of episodes.
        seed: Seed of the draws; the deals belong to the sft split.
        validation: Share of the episodes that is held out.
        pools: The pools in force, whose shift pool is kept out.
        reporter: Shows progress.
        players: Opponents that are loaded already, by name.

    Raises:
        RequestError: The recipe does not exist for the game, or meets a held-out opponent.
    """
    demonstrations = Demonstrations(game, recipe, seed, Shares(validation), pools, players)
    return list(demonstrations.first_episodes(episodes, reporter))
