"""Rules about seats that are declared to be alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from hashlib import blake2b
from random import Random

from equipoise.games.base import Game, State
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.game.bench import GameBench
from equipoise.testing.walks import Line, Move, Node, random_move, root, take
from equipoise.types import Action, RoundOutcome, Seat

__all__ = ["same_information_states", "transposition"]

PAIRS, WIDER = 3, 2
"""Pairs of policies whose play is transposed, and how many times the limit of steps that may take."""
DEALS = 5
"""Single deals compared for each pair, where ``transpose`` says how."""
Path = tuple[RoundOutcome, ...]


def same_information_states(bench: GameBench) -> str:
    """In a symmetric game every seat faces the same information states."""
    _need_symmetry(bench)
    bench.need_structure()
    if bench.every is None:
        raise NotApplicable(f"more than {bench.limit} positions: too many to compare")
    by_seat: dict[Seat, set[Hashable]] = defaultdict(set)
    for node, seat in bench.asked:
        by_seat[seat].add(node.information_state(seat))
    for seat in range(1, bench.record.seats):
        if different := by_seat[0] ^ by_seat[seat]:
            raise Violation(
                f"only one of seats 0 and {seat} ever knows {shown(next(iter(different)))}",
                "show a seat nothing of its own number, or declare symmetric=False",
            )
    return f"{len(by_seat[0])} information states a seat"


def transposition(bench: GameBench) -> str:
    """In a symmetric game, exchanging the policies of two seats exchanges what they get.

    Deals are transposed by taking all of them: the distribution of what the first rounds bring with policies
    (a, b) is that with (b, a), seats exchanged. Where ``transpose`` is given, single deals are compared too,
    to the end of the episode.
    """
    _need_symmetry(bench)
    bench.need_structure()
    if bench.record.seats != 2:
        raise NotApplicable("checked for two seats only")
    compared, most = 0, WIDER * bench.limit
    for number in range(PAIRS):
        keys = (f"{bench.seed}|{number}|a", f"{bench.seed}|{number}|b")
        ways = (_layers(bench.game, pair, most) for pair in (keys, keys[::-1]))
        for rounds, (straight, crossed) in enumerate(zip(*ways, strict=False), start=1):
            _compare(straight, crossed, rounds)
            compared = max(compared, rounds)
        _compare_deals(bench, keys)
    dealt = "" if bench.transpose is None else f", {DEALS} whole deals each"
    if not compared and not dealt:
        raise NotApplicable(f"one round takes more than {most} steps: fix its options, or pass `transpose`")
    return f"{PAIRS} pairs of policies, all deals of {compared} of {bench.record.rounds} rounds{dealt}"


def _compare_deals(bench: GameBench, keys: tuple[str, str]) -> None:
    """Compare single deals with their transposed ones, if it is known which those are."""
    if bench.transpose is None:
        return
    for number in range(DEALS):
        straight = _play(bench.game, keys, partial(_drawn, Random(f"{bench.seed}|{keys}|{number}")))
        told = (
            (node.state.round, *bench.transpose(move.purpose, move.outcome))
            for node, move in zip(straight.nodes, straight.moves, strict=False)
            if move.purpose is not None
        )
        chance = {(round_, purpose): outcome for round_, purpose, outcome in told}
        crossed = _play(bench.game, keys[::-1], partial(_told, chance))
        for one, other in zip(straight.outcomes, crossed.outcomes, strict=True):
            if _mirror(other) != one:
                raise Violation(
                    f"a deal pays {shown(one.payoffs)}, and {shown(other.payoffs)} with seats, policies and "
                    "deal exchanged",
                    "treat the seats alike, declare symmetric=False, or correct `transpose`",
                )


def _drawn(random: Random, state: State) -> Hashable:
    return random_move(state, random).outcome


def _told(chance: dict[tuple[int, str], Hashable], state: State) -> Hashable:
    key = (state.round, str(state.chance))
    if key not in chance:
        raise Violation(
            f"the transposed deal has no draw {state.chance!r} in round {state.round}",
            "let `transpose` return the purpose and outcome that stand in its place",
        )
    return chance[key]


def _play(game: Game, keys: tuple[str, ...], chance: Callable[[State], Hashable]) -> Line:
    line = Line([root(game)])
    while not (state := line.nodes[-1].state).is_over:
        if state.chance is not None:
            line.go(Move(state.chance, chance(state)))
            continue
        node = line.nodes[-1]
        line.go(Move(actions={seat: _act(game, node, seat, keys[seat]) for seat in state.players_to_move}))
    return line


def _need_symmetry(bench: GameBench) -> None:
    if not bench.record.symmetric:
        raise NotApplicable("symmetric is not declared")


def _layers(game: Game, keys: tuple[str, ...], limit: int) -> Iterator[dict[Path, float]]:
    """Yield the distribution of what the first round, the first two rounds … bring, while it is small."""
    layer: dict[tuple[Node, Path], float] = {(root(game), ()): 1.0}
    finished: dict[Path, float] = defaultdict(float)
    taken = 0
    for rounds in range(1, game.info_record.rounds + 1):
        following: dict[tuple[Node, Path], float] = defaultdict(float)
        todo = list(layer.items())
        for (node, path), mass in todo:
            if node.state.is_over:
                finished[path] += mass
                continue
            if len(path) == rounds:
                following[node, path] += mass
                continue
            for move, probability in _moves(game, node, keys):
                taken += 1
                if taken > limit:
                    return
                step = take(node.state, move)
                now = path if step.outcome is None else (*path, step.outcome)
                todo.append(((node.after(step), now), mass * probability))
        found: dict[Path, float] = defaultdict(float, finished)
        for (_, path), mass in following.items():
            found[path] += mass
        yield found
        layer = following


def _moves(game: Game, node: Node, keys: tuple[str, ...]) -> Iterator[tuple[Move, float]]:
    state = node.state
    if state.chance is not None:
        for outcome, probability in state.chance_outcomes():
            yield Move(state.chance, outcome), probability
        return
    yield Move(actions={seat: _act(game, node, seat, keys[seat]) for seat in state.players_to_move}), 1.0


def _act(game: Game, node: Node, seat: Seat, key: str) -> Action:
    """Return what a policy, an arbitrary function of what is known, plays."""
    legal = node.state.legal_actions(seat)
    label = game.label(node.state.observation(seat), node.histories[seat])
    return legal[int.from_bytes(blake2b(f"{key}|{label}".encode(), digest_size=8).digest()) % len(legal)]


def _compare(straight: dict[Path, float], crossed: dict[Path, float], rounds: int) -> None:
    mirrored: dict[Path, float] = defaultdict(float)
    for path, mass in crossed.items():
        mirrored[tuple(_mirror(outcome) for outcome in path)] += mass
    for path in straight.keys() | mirrored.keys():
        one, other = straight.get(path, 0.0), mirrored.get(path, 0.0)
        if abs(one - other) > 1e-9:
            raise Violation(
                f"after {rounds} rounds {shown([outcome.payoffs for outcome in path])} has probability "
                f"{one:.6g}, and {other:.6g} when seats and policies are exchanged",
                "treat the seats alike or declare symmetric=False",
            )


def _mirror(outcome: RoundOutcome) -> RoundOutcome:
    return RoundOutcome(
        outcome.payoffs[::-1],
        outcome.collusion and outcome.collusion[::-1],
        outcome.externality and outcome.externality[::-1],
        tuple(row[::-1] for row in outcome.diagnostics),
    )
