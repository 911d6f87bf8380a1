"""Playthroughs: one episode of a game as text, which replays byte for byte.

Kept as golden files they show in review what a change of the rules changes. The first lines say how to play
the same again; ``python -m equipoise.testing.golden FILE ...`` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from equipoise.errors import RequestError
from equipoise.games.base import Game, Step, finite_game
from equipoise.games.match import pick
from equipoise.policies.registry import load_game
from equipoise.rollout.deals import Deal, Split, keyed_uniform
from equipoise.testing.walks import Move, Node, root, take
from equipoise.types import RoundOutcome, Seat

__all__ = ["playthrough", "replay"]

FORMAT = "equipoise playthrough 1"
MOST = 12
"""Legal actions and chance outcomes that are spelled out; of more, the first, the last and the number."""


def playthrough(game: Game, seed: int = 0) -> str:
    """Return an episode as text: chance with its probabilities, decisions, actions, outcomes and signals.

    Chance is that of the first report deal of the seed; actions are drawn uniformly, keyed by the seed.

    Args:
        game: The game, with its options.
        seed: Seed of deal and actions.
    """
    return "\n".join([*_head(game, seed), *_episode(game, seed)]) + "\n"


def replay(text: str, game: type[Game] | None = None) -> str:
    """Return the playthrough that the first lines of another ask for.

    Args:
        text: The other playthrough.
        game: The class of its game, where the name alone does not tell (a game of your own).

    Raises:
        RequestError: They are not those of a playthrough.
    """
    lines = text.splitlines()
    try:
        if lines[0] != FORMAT:
            raise ValueError(lines[0])
        named = dict(line.split(" ", 1) for line in lines[1:4])
        options, seed = json.loads(named["options"]), int(named["seed"])
        name = named["game"].rpartition("@")[0]
    except (IndexError, KeyError, ValueError):
        raise RequestError(
            f"this is no playthrough: its first lines must be {FORMAT!r}, game, options and seed"
        ) from None
    rules = finite_game(load_game(name, options)) if game is None else game.create(**options)
    return playthrough(rules, seed)


def _head(game: Game, seed: int) -> Iterator[str]:
    record = game.info_record
    yield FORMAT
    yield f"game {record.key}"
    yield f"options {json.dumps(game.options.changed(), sort_keys=True)}"
    yield f"seed {seed}"
    yield f"rounds {record.rounds}, seats {record.seats}, {record.dynamics}, {record.information} information"


def _episode(game: Game, seed: int) -> Iterator[str]:
    deal = Deal(seed, Split.REPORT, game.info_record.key, 0)
    node, asked, told = root(game), 0, -1
    totals = [0.0] * game.info_record.seats
    while not node.state.is_over:
        state = node.state
        if state.round > told:
            told = state.round
            yield f"\nround {told}"
        if state.chance is not None:
            outcomes = state.chance_outcomes()
            drawn = pick(outcomes, deal.chance(state.round, state.chance))
            yield f"  chance {state.chance}: {_listed([f'{o} {p:.6g}' for o, p in outcomes])}"
            yield f"    -> {drawn}"
            move = Move(state.chance, drawn)
        else:
            actions = {}
            for seat in state.players_to_move:
                legal = state.legal_actions(seat)
                u = keyed_uniform(f"{deal.key}|playthrough|{seat}|{asked}")
                actions[seat] = legal[int(u * len(legal))]
                yield from _decision(game, node, seat)
                yield f"    -> {actions[seat]}"
            asked += 1
            move = Move(actions=actions)
        step = take(state, move)
        yield from _consequence(game, step)
        if step.outcome is not None:
            totals = [a + b for a, b in zip(totals, step.outcome.payoffs, strict=True)]
        node = node.after(step)
    yield f"\nover: totals {_numbers(totals)}"


def _decision(game: Game, node: Node, seat: Seat) -> Iterator[str]:
    observation, history = node.state.observation(seat), node.histories[seat]
    yield f"  seat {seat} at {game.label(observation, history)!r}"
    yield f"    info {dict(game.info(seat, observation, history))}"
    yield f"    legal {_listed([str(action) for action in node.state.legal_actions(seat)])}"


def _consequence(game: Game, step: Step) -> Iterator[str]:
    outcome = step.outcome
    if outcome is not None:
        yield f"  payoffs {_numbers(outcome.payoffs)}"
        yield from _terms(game, outcome)
    for seat, signal in enumerate(step.signals):
        yield f"  seat {seat} learns {signal!r}"


def _terms(game: Game, outcome: RoundOutcome) -> Iterator[str]:
    for name, term in (("collusion", outcome.collusion), ("externality", outcome.externality)):
        yield f"  {name} {'n/a' if term is None else _numbers(term)}"
    for name, row in zip(game.info_record.diagnostics, outcome.diagnostics, strict=True):
        yield f"  {name} {_numbers(row)}"


def _numbers(values: Sequence[float]) -> str:
    # Ten digits: the same on every machine, and far more than a change of the rules leaves alone.
    return ", ".join(f"{value:.10g}" for value in values)


def _listed(words: Sequence[str]) -> str:
    if len(words) <= MOST:
        return ", ".join(words)
    return f"{', '.join(words[:MOST])} … {words[-1]} ({len(words)} in all)"
