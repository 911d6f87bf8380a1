"""From a policy to a strategy that can be valued exactly, where that is possible and cheap enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.tree import InformationKey, Tree
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.base import Game, finite_game
from equipoise.games.rules import Rules
from equipoise.opponents.base import Strategy, Uniform
from equipoise.opponents.recall import TableStrategy
from equipoise.policies.base import AnyPolicy, Policy
from equipoise.policies.wrappers import CombinedPolicy
from equipoise.rollout.deals import DecisionDraws
from equipoise.types import Decision, Probabilities, Seat

__all__ = ["LIMIT", "Placed", "behaviour", "by_seat", "finite_forms", "placements", "tree_decisions"]

LIMIT = 100_000
"""Information states that exact work may have when it is asked for."""


class Placed(NamedTuple):
    """A strategy and the seat it is valued at; a policy's value is the mean over its placements."""

    strategy: Strategy
    seat: Seat


def behaviour(policy: AnyPolicy, game: Rules, exact: bool | None) -> list[Placed] | None:
    """Return the placements a policy is valued at exactly, or None if it must be sampled.

    Args:
        policy: The policy.
        game: The game (its stage game is used where rounds are independent), or a task: it has none.
        exact: True if asked for, None to do it where it is cheap, False to sample.

    Raises:
        RequestError: Exact values were asked for and cannot be had; the message says why.
    """
    if exact is False:
        return None
    found = finite_forms(policy, game, exact)
    return None if found is None else placements(found, finite_game(game).stage())


def finite_forms(policy: AnyPolicy, game: Rules, exact: bool | None) -> list[Strategy] | None:
    """Return a policy in finite-memory form: one strategy, or one a seat if it acts on its seat.

    Args:
        policy: The policy.
        game: The game (its stage game is used where rounds are independent), or a task: it has none.
        exact: True if asked for; None to ask the policy at every state only where that is cheap; False not
            to ask it at all.

    Returns:
        The strategies, or None if there are none.

    Raises:
        RequestError: It was asked for and cannot be had; the message says why.
    """
    if not isinstance(policy, Policy):
        if exact:
            raise RequestError(f"policy {policy.name!r} gives no probabilities: leave out --exact")
        return None
    if not isinstance(game, Game):
        if exact:
            raise RequestError(f"{game.name!r} is a free-text task without exact values: leave out --exact")
        return None
    stage = game.stage()
    if stage.info_record.solution == "none":
        if exact:
            raise RequestError(f"{game.name} is too large for exact values: leave out --exact")
        return None
    known = policy.strategy(stage)
    if known is not None:
        return [known]
    if isinstance(policy, CombinedPolicy):
        parts = [finite_forms(part, game, exact) for part in policy.parts]
        forms = [part for part in parts if part is not None]
        return [policy.combine(row) for row in by_seat(forms)] if len(forms) == len(parts) else None
    if exact is False:
        return None
    limit = LIMIT if exact else policy.exact_states
    if limit == 0 and not exact:
        return None
    try:
        return _tabulate(policy, stage, game.info_record.rounds, limit)
    except NoProbabilitiesError:
        if exact:
            raise
        return None
    except TooLargeError as error:
        if exact:
            raise RequestError(f"{error}: audit it without --exact") from None
        return None


def by_seat(forms: Sequence[Sequence[Strategy]]) -> list[tuple[Strategy, ...]]:
    """Return the forms of several policies side by side: one row, or one a seat if any acts on its seat."""
    count = max(len(form) for form in forms)
    return [tuple(form[seat % len(form)] for form in forms) for seat in range(count)]


def placements(tables: Sequence[Strategy], stage: Game) -> list[Placed]:
    """Return where the strategies of a policy are valued.

    Args:
        tables: One strategy, or one a seat if the policy acts on its seat.
        stage: The stage game.
    """
    info = stage.info_record
    if info.symmetric:
        return [Placed(strategy, 0) for strategy in tables]
    if len(tables) == 1 or info.independent_rounds:
        return [Placed(strategy, seat) for strategy in tables for seat in range(info.seats)]
    return [Placed(strategy, seat) for seat, strategy in enumerate(tables)]


def tree_decisions(tree: Tree, seat: Seat) -> list[Decision]:
    """Return the decisions at all information states of a tree, as if asked at ``seat``."""
    draws = DecisionDraws("tabulate", "tabulate")
    return [
        Decision(
            rules=tree.game,
            episode="tabulate",
            seat=seat,
            round=int(tree.rounds[row]),
            step=int(tree.steps[row]),
            index=int(tree.depths[row]),
            legal=tree.legal[row],
            observation=key[0],
            history=key[1],
            draws=draws,
        )
        for row, key in enumerate(tree.keys)
    ]


def _tabulate(policy: Policy, stage: Game, rounds: int, limit: int) -> list[Strategy]:
    """Ask the policy at every information state; one table, or one a seat if its answers depend on it."""
    info = stage.info_record
    seats = (0,) if info.symmetric else range(info.seats)
    trees = [compile_tree(stage, {"random": Uniform()}, seat, limit) for seat in seats]
    tables = [_ask(policy, trees, seat) for seat in range(info.seats)]
    same = all(table.table == tables[0].table for table in tables)
    if not same and info.independent_rounds and rounds % info.seats:
        raise NoProbabilitiesError(
            f"policy {policy.name!r} acts on its seat, and {rounds} rounds do not give the seats equal "
            "positions: play an even number of rounds, or audit it without --exact"
        )
    return list(tables[:1] if same else tables)


def _ask(policy: Policy, trees: Sequence[Tree], seat: Seat) -> TableStrategy:
    rows: dict[InformationKey, Probabilities] = {}
    for tree in trees:
        decisions = tree_decisions(tree, seat)
        answers = policy.probabilities(decisions)
        if policy.strict and answers != policy.probabilities(decisions):
            raise NoProbabilitiesError(
                f"policy {policy.name!r} answers differently when asked twice: return a mapping of "
                "probabilities instead of drawing by yourself, or audit it without --exact"
            )
        rows.update(zip(tree.keys, answers, strict=True))
    return TableStrategy(policy.name, rows)
