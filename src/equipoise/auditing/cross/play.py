"""Cross-play: every policy against every policy and itself, and what would be left by equilibrium.

Row and column are played in all ordered pairs on the same deals, from both seats: the row sits at the
policy's seat of an audit, the column at the opponent's, whose draws the deal fixes. Pairs of which both
sides have a finite-memory form are valued exactly instead, as audits do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from equipoise.auditing.behaviour import by_seat, finite_forms
from equipoise.auditing.chunks import Chunks
from equipoise.auditing.cross.cells import Cell
from equipoise.auditing.cross.result import CrossResult, Matrix
from equipoise.auditing.cross.stability import policy_equilibrium
from equipoise.auditing.exact.compile import TooLargeError
from equipoise.auditing.exact.product import expected_features
from equipoise.auditing.panel import Panel
from equipoise.auditing.run import ASKED, UNASKED, AuditConfig
from equipoise.auditing.statistics.intervals import Range, mean_estimate
from equipoise.errors import RequestError
from equipoise.games.base import Game, GameInfo
from equipoise.games.rules import Rules
from equipoise.objective.features import OPPONENT, OWN
from equipoise.opponents.base import Strategy
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.progress import Reporter, silent
from equipoise.rollout.deals import Deal
from equipoise.rollout.requests import EpisodeRequest
from equipoise.tasks.base import Task
from equipoise.types import Episode, Estimate, Seat

__all__ = ["cross_game", "meetings", "name_policies"]

SLACK = 1e-9

Pair = tuple[str, str]
"""Names of the row and the column policy."""


def name_policies(policies: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return policies by the name that results give them: their own, or that in ``NAME=POLICY``.

    Raises:
        RequestError: There are fewer than two, or two share a name.
    """
    if isinstance(policies, Mapping):
        named = dict(policies)
    else:
        named = {}
        for given in [policies] if isinstance(policies, str) else policies:
            name, spec = _named(given)
            if name in named:
                raise RequestError(f"policy {name!r} is named twice: name each once")
            named[name] = spec
    if len(named) < 2:
        raise RequestError(f"cross-play of {', '.join(named) or 'nobody'}: name at least two policies")
    return named


def _named(given: Any) -> tuple[str, Any]:
    if not isinstance(given, str):
        return str(getattr(given, "name", None) or given.__name__), given
    name, sign, spec = given.partition("=")
    # A sign within a policy's own name comes after a colon, a path or a bracket.
    if sign and spec and name.replace("_", "").replace("-", "").isalnum():
        return name, spec
    return given, given


def cross_game(
    game: Rules,
    players: Mapping[str, AnyPolicy],
    config: AuditConfig | None = None,
    reporter: Reporter | None = None,
) -> CrossResult:
    """Let policies play each other.

    Args:
        game: The game or task, of two seats.
        players: The policies by name.
        config: How to do it; pools and weights are not used.
        reporter: Shows progress.

    Raises:
        RequestError: The game has not two seats, or exact values were asked for and cannot be had.
    """
    info = game.info_record
    if info.seats != 2:
        raise RequestError(f"{game.name} has {info.seats} seats: cross-play is for two")
    cross = _Cross(game, info, players, config or AuditConfig(), reporter or silent())
    return cross.run()


def meetings(
    rows: Sequence[Strategy], columns: Sequence[Strategy], stage: Game
) -> list[tuple[Strategy, Strategy, Seat]]:
    """Return (row's strategy, column's strategy, row's seat) whose values are averaged.

    Args:
        rows: The row policy's strategy, or one a seat.
        columns: The column policy's strategy, or one a seat.
        stage: The stage game.
    """
    info = stage.info_record
    sides = by_seat([rows, columns])
    if len(sides) == 1:
        ((row, column),) = sides
        return [(row, column, seat) for seat in ((0,) if info.symmetric else range(info.seats))]
    pairs = [(sides[seat][0], sides[1 - seat][1], seat) for seat in range(2)]
    if info.symmetric:
        return [(row, column, 0) for row, column, _ in pairs]
    if info.independent_rounds:
        # Both positions come up from either seat.
        return [(row, column, position) for row, column, _ in pairs for position in range(2)]
    return pairs


@dataclass(frozen=True)
class _Cross:
    game: Rules
    info: GameInfo
    players: Mapping[str, AnyPolicy]
    config: AuditConfig
    reporter: Reporter

    def run(self) -> CrossResult:
        names = list(self.players)
        pairs = [(row, column) for row in names for column in names]
        cells = self._exact()
        left = [pair for pair in pairs if pair not in cells]
        panels = self._sample(left) if left else {}
        for row, column in left:
            cells[row, column] = self._cell(panels[row], column)
        found, note = policy_equilibrium(
            self.info, names, cells, self.config.level, self.config.seed, self.reporter
        )
        return CrossResult(
            game=self.info.id,
            version=self.info.version,
            policies=tuple(names),
            matrices=self._matrices(cells),
            invalid_rate={name: self._invalid(name, panels.get(name)) for name in names},
            equilibrium=found,
            note=note,
            settings=self._settings(len(pairs) - len(left), len(left)),
        )

    def _cell(self, panel: Panel, column: str) -> Cell:
        means, both = panel.by_deal(column), None
        if isinstance(self.game, Task):
            least = self.info.payoff_bounds[0] + SLACK
            # One round an episode: its features are the two scores.
            won = panel.features[column][:, :, [OWN, OPPONENT]] > least
            both = np.asarray(won.all(axis=2).mean(axis=1))
        return Cell(means[:, OWN], means[:, OPPONENT], self.info.seats * len(means), both)

    def _matrices(self, cells: Mapping[Pair, Cell]) -> dict[str, Matrix]:
        info, level, names = self.info, self.config.level, list(self.players)

        def matrix(estimate: Callable[[Cell, bool], Estimate]) -> Matrix:
            return {row: {col: estimate(cells[row, col], row == col) for col in names} for row in names}

        found = {
            "payoff": matrix(lambda cell, itself: cell.payoff(info, level)),
            "welfare": matrix(lambda cell, itself: cell.welfare(info, level)),
            "exploitability": matrix(lambda cell, itself: cell.lead(info, level, itself)),
        }
        if isinstance(self.game, Task):
            found["mutual"] = matrix(lambda cell, itself: cell.mutual(level))
        return found

    def _invalid(self, name: str, panel: Panel | None) -> Estimate:
        player = self.players[name]
        if panel is None or (isinstance(player, Policy) and player.always_legal):
            return Estimate.exact(0.0)
        by_deal = np.mean([rates.mean(axis=1) for rates in panel.invalid.values()], axis=0)
        episodes = self.info.seats * by_deal.size * len(panel.invalid)
        return mean_estimate(by_deal, Range(0.0, 1.0), self.config.level, episodes)

    def _settings(self, exact: int, sampled: int) -> dict[str, Any]:
        config = self.config
        method = "exact" if not sampled else "sample" if not exact else "exact and sample"
        return {
            "method": method,
            "episodes": config.episodes if sampled else 0,
            "seed": config.seed,
            "split": config.split.value,
            "level": config.level,
            **({"covers": "evaluation noise of these policies, each cell by itself"} if sampled else {}),
            "options": self.game.options.changed(),
            "fingerprints": {name: player.fingerprint for name, player in self.players.items()},
            "equipoise": version("equipoise"),
        }

    def _exact(self) -> dict[Pair, Cell]:
        """Return the cells of all pairs that can be valued exactly; both orders come from one."""
        exact = self.config.exact
        if exact is False:
            return {}
        forms = {name: finite_forms(player, self.game, exact) for name, player in self.players.items()}
        known = {name: form for name, form in forms.items() if form is not None}
        cells: dict[Pair, Cell] = {}
        if not isinstance(self.game, Game):
            return cells
        stage = self.game.stage()
        with self.reporter.task(f"cross {self.info.id}: exact values", len(known) ** 2) as advance:
            for row, column in combinations_with_replacement(known, 2):
                try:
                    cell = _value(stage, known[row], known[column], ASKED if exact else UNASKED)
                    cells[row, column], cells[column, row] = cell, cell.turned()
                except TooLargeError:
                    if exact:
                        raise RequestError(
                            f"{self.game.name} is too large for exact values: leave out --exact"
                        ) from None
                advance(1 if row == column else 2)
        return cells

    def _sample(self, pairs: Sequence[Pair]) -> dict[str, Panel]:
        """Play the pairs; return a panel a row policy."""
        subject = {
            "policies": {name: player.fingerprint for name, player in self.players.items()},
            "pairs": [list(pair) for pair in pairs],
        }
        played = Chunks(self.game, self.config, subject, None, self.players)
        title = f"cross {self.info.id}: {len(self.players)} policies"
        total = self.config.episodes * len(pairs) * self.info.seats
        rows: dict[str, list[Episode]] = {}
        for episode in played.episodes(partial(self._requests, pairs), title, total, self.reporter):
            rows.setdefault(episode.pool, []).append(episode)
        return {row: Panel.of(episodes) for row, episodes in rows.items()}

    def _requests(self, pairs: Sequence[Pair], deals: Sequence[Deal]) -> list[EpisodeRequest]:
        """Return the episodes of some deals; the row's name stands where an audit has the pool's."""
        return [
            EpisodeRequest(self.game, deal, row, column, seat, self._seated(row, column, seat))
            for deal in deals
            for row, column in pairs
            for seat in range(self.info.seats)
        ]

    def _seated(self, row: str, column: str, seat: Seat) -> tuple[AnyPolicy, ...]:
        both = (self.players[row], self.players[column])
        return both if seat == 0 else both[::-1]


def _value(stage: Game, rows: Sequence[Strategy], columns: Sequence[Strategy], limit: int) -> Cell:
    """Return the exact cell of two policies in finite-memory form.

    Raises:
        TooLargeError: It takes more than ``limit`` steps.
    """
    values = [
        expected_features(stage, row, column, seat, limit)
        for row, column, seat in meetings(rows, columns, stage)
    ]
    means = np.mean(values, axis=0)
    return Cell.exact(float(means[OWN]), float(means[OPPONENT]))
