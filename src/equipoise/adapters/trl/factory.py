"""What all rollouts of a training share, and the rows they are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.adapters.seats import SeatEpisode, local_opponent
from equipoise.adapters.trl.environment import GameEnvironment
from equipoise.adapters.trl.gates import EpisodeGates
from equipoise.errors import RequestError, unknown
from equipoise.games.base import Game, finite_game
from equipoise.objective.features import OPPONENT, OWN, REWARD_FEATURES, features
from equipoise.objective.safety import Objective, Stream
from equipoise.opponents.pools import default_pools
from equipoise.policies.registry import load_game
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Deal, Split
from equipoise.types import Seat

__all__ = ["Environments", "environments"]

_ANSWER = (
    "You do not write that line: you call the tool `play` with the action, again and again until you are "
    "told that the game is over.\n\n"
)


def environments(
    game: str | Game,
    *,
    pools: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    retries: int = 1,
    wording: str = PLAIN,
    **options: Any,
) -> Environments:
    """Return a factory of environments for ``GRPOTrainer(environment_factory=...)``.

    Args:
        game: A game or its name.
        pools: Opponents by pool, replacing the game's own.
        weights: Penalty weights ``e``, ``c``, ``x``, replacing the game's own.
        seed: Seed of the deals.
        retries: How often a decision is asked again after an answer that names no legal action; then the rest
            of the game is forfeited.
        wording: Which of the game's wordings the model is told.
        options: Options of the game.

    Raises:
        RequestError: Something asked for does not exist, or an opponent answers in its own time.
    """
    rules = finite_game(load_game(game, options)) if isinstance(game, str) else game
    chosen = default_pools(rules.name).replace(pools or {})
    record = rules.info_record
    objective = Objective.of(record, chosen, record.weights.replace(weights or {}))
    return Environments(rules, objective, seed, retries, wording)


class Environments:
    """Makes an environment a call; counts as one training's memory of how far exploiters lead.

    Attributes:
        game: The game.
        objective: The objective whose rewards are paid.
        renderer: The words the model is told.
        retries: How often a decision is asked again.
        gates: The running gates of the exploiters, of this process.
    """

    def __init__(self, game: Game, objective: Objective, seed: int, retries: int, wording: str) -> None:
        """Load the opponents of all streams; see :func:`environments`."""
        self.game, self.objective, self.retries = game, objective, retries
        self.renderer = get_renderer(game.name, wording)
        self.gates = EpisodeGates()
        self._seed = seed
        self._opponents = {name: local_opponent(name, game) for _, name in objective.streams}

    def __call__(self) -> GameEnvironment:
        """Return an environment for one rollout at a time."""
        return GameEnvironment(self)

    def rows(self, deals: int, first: int = 0) -> list[dict[str, Any]]:
        """Return the rows of a dataset: every stream on every deal, from every seat.

        Args:
            deals: How many deals.
            first: Number of the first.
        """
        prompt = [{"role": "user", "content": self.renderer.rules(self.game) + _ANSWER}]
        return [
            {"prompt": prompt, "pool": pool, "opponent": opponent, "seat": seat, "deal": deal}
            for deal in range(first, first + deals)
            for pool, opponent in self.objective.streams
            for seat in range(self.game.info_record.seats)
        ]

    def begin(self, pool: str, opponent: str, seat: Seat, deal: int) -> SeatEpisode:
        """Return an episode at its first decision.

        Raises:
            RequestError: There is no such stream or seat.
        """
        if (pool, opponent) not in self.objective.streams:
            raise unknown("stream", f"{pool}/{opponent}", (f"{p}/{o}" for p, o in self.objective.streams))
        if seat not in range(self.game.info_record.seats):
            raise RequestError(f"seat {seat}: {self.game.name} has the seats 0 and 1")
        drawn = Deal(self._seed, Split.TRAIN, self.game.info_record.key, deal)
        return SeatEpisode(self.game, self._opponents[opponent], seat, drawn, pool)

    def reward(self, stream: Stream, deal: int, episode: SeatEpisode) -> float:
        """Return an episode's part of J, times the number of streams.

        The mean over the rows of a dataset, each stream as often as the others, then estimates J up to the
        hinge, which the gate stands for. An exploiter's gap is taken into the running mean afterwards.
        """
        pool, name = stream
        mean = np.mean([features(o, episode.seat)[:REWARD_FEATURES] for o in episode.outcomes], axis=0)
        shut = dict.fromkeys(self.objective.exploiters, 0.0)
        if pool == "exploiter":
            shut[name] = self.gates.gate(name, deal)
            self.gates.add(name, episode.seat, deal, float(mean[OPPONENT] - mean[OWN]))
        parts = self.objective.coefficients(shut)[stream].values()
        worth = sum(float(part @ mean) for part in parts)
        return len(self.objective.streams) * worth
