"""What the rules about a game are checked on: random lines, and all positions where there are few."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property, partial
from random import Random
from typing import NamedTuple

from equipoise.games.base import Game, GameInfo, Step
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.game.structure import check_node, check_step
from equipoise.testing.walks import Line, Node, every_node, moves, random_move, root, take
from equipoise.types import Action, Seat

__all__ = ["Asked", "GameBench", "Transpose"]

STEPS_PER_ROUND = 1000
"""Moves a round may take before an episode counts as one that does not end."""


Transpose = Callable[[str, Hashable], tuple[str, Hashable]]
"""Maps purpose and outcome of a draw to those of the deal in which two seats are exchanged."""


class Asked(NamedTuple):
    """A seat that is to move at a node."""

    node: Node
    seat: Seat

    @property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions."""
        return self.node.state.legal_actions(self.seat)


class GameBench:
    """Lines and positions of one game, walked once with their structure checked on the way.

    Attributes:
        game: The game.
        seed: Seed of the random lines.
        transpose: How a deal is transposed, if that is known.
        lines: Lines, each to its end or to where a rule broke.
        broken: What broke on the way, by rule.
        before: What every node of every line was like when it was first reached.
    """

    def __init__(
        self, game: Game, walks: int, seed: int, limit: int, transpose: Transpose | None = None
    ) -> None:
        """Walk ``walks`` random lines, and all positions if there are at most ``limit``."""
        self.game, self.seed, self.limit, self.transpose = game, seed, limit, transpose
        self.broken: dict[str, str] = {}
        self.lines: list[Line] = []
        self.before: list[list[str]] = []
        for number in range(walks):
            if self.broken:
                break
            self._guarded(partial(self._walk, Random(f"{seed}|{number}")))
        self.every: list[Node] | None = None
        if not self.broken:
            self._guarded(self._enumerate)

    @cached_property
    def record(self) -> GameInfo:
        """The game's declaration."""
        return self.game.info_record

    @property
    def nodes(self) -> list[Node]:
        """All positions if there are few, else those on the lines."""
        self.need_structure()
        return self.every if self.every is not None else [node for line in self.lines for node in line.nodes]

    @cached_property
    def asked(self) -> list[Asked]:
        """Every seat that is to move at a position."""
        return [Asked(node, seat) for node in self.nodes for seat in node.state.players_to_move]

    def steps(self) -> Iterator[tuple[Node, Step]]:
        """Yield every step from every position, or along every line."""
        self.need_structure()
        if self.every is not None:
            for node in self.every:
                for move in moves(node.state):
                    yield node, take(node.state, move)
            return
        for line in self.lines:
            yield from zip(line.nodes, line.steps, strict=False)

    def need_structure(self) -> None:
        """Skip the rule being checked if the game could not be walked.

        Raises:
            NotApplicable: It could not.
        """
        if self.broken:
            raise NotApplicable(f"not checked, as {next(iter(self.broken))!r} is broken")

    @property
    def extent(self) -> str:
        """What was looked at, in words."""
        if self.every is not None:
            return f"all {len(self.every)} positions"
        return f"{sum(len(line.nodes) for line in self.lines)} positions on {len(self.lines)} random lines"

    def _guarded(self, work: Callable[[], None]) -> None:
        """Run a walk; keep what breaks, the first of each rule."""
        try:
            work()
        except Violation as violation:
            self.broken.setdefault(violation.rule or "runs", str(violation))
        except Exception as error:
            message = " ".join(str(error).split())
            self.broken.setdefault(
                "runs", f"{type(error).__name__}: {message}; every legal move must be playable"
            )

    def _walk(self, random: Random) -> None:
        line = Line([root(self.game)])
        seen: list[str] = []
        self.lines.append(line)
        self.before.append(seen)
        drawn: set[tuple[int, str]] = set()
        for _ in range(STEPS_PER_ROUND * self.record.rounds):
            state = line.nodes[-1].state
            check_node(self.record, state)
            seen.append(fingerprint(line.nodes[-1]))
            if state.is_over:
                return
            if state.chance is not None:
                _check_purpose(drawn, state.round, state.chance)
            before = state.round
            move = random_move(state, random)
            step = take(state, move)
            check_step(self.record, before, state, step)
            line.follow(move, step)
        raise Violation(
            f"an episode is not over after {len(line.moves)} moves of {self.record.rounds} declared rounds",
            "let is_over become true after the last round",
            "ends",
        )

    def _enumerate(self) -> None:
        found = every_node(self.game, self.limit)
        for node in found or ():
            check_node(self.record, node.state)
            for move in moves(node.state):
                check_step(self.record, node.state.round, node.state, take(node.state, move))
        self.every = found


def fingerprint(node: Node) -> str:
    """Return what can be seen of a position, to notice that it changed."""
    state = node.state
    kind = (state.round, state.is_over, state.chance, state.players_to_move)
    seen = [(state.observation(seat), state.legal_actions(seat)) for seat in state.players_to_move]
    return repr((hash(state), repr(state), kind, seen))


def _check_purpose(drawn: set[tuple[int, str]], round_: int, purpose: str) -> None:
    if (round_, purpose) in drawn:
        raise Violation(
            f"round {round_} draws {shown(purpose)} twice",
            "give every draw of a round a purpose of its own, or both get the same random number",
            "draw-purposes",
        )
    drawn.add((round_, purpose))
