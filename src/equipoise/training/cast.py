"""Who is met in training, and when: pools of a run's own, curricula, the learner itself, and its past.

Scores and audits are always against the fixed pools of the recipe; what is here changes the training
objective only. Opponents that are the learner's own make take positions that move with it:

- ``self`` is the current policy at the other seats. The derivative is taken with the other side held fixed,
  as against any opponent; since seats alternate from deal to deal, the policy is trained at all of them.
  Against itself a policy has no lead, averaged over seats, so it cannot be an exploiter of its own.
- ``past@STEP`` is a copy of the policy as it was after STEP updates (see ``league``).

Pools stay multisets, whose members count equally: a copy with weight 2 stands in its pool twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from equipoise.auditing.exact.compile import TooLargeError, compile_tree
from equipoise.auditing.exact.tree import Tree
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.rules import Rules
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Strategy, Uniform
from equipoise.opponents.pools import Pools
from equipoise.policies.base import Policy
from equipoise.policies.heldout import check_held_out
from equipoise.training.config import SepoConfig
from equipoise.training.exact_gradient import Book

__all__ = ["SELF", "Cast", "everyone"]

SELF = "self"
"""Name of the current policy among its own opponents."""


class Cast:
    """The opponents of one game at each step of a run.

    Attributes:
        fixed: The pools that scores are against.
        stage: Which stage of the curriculum is in force, from 1; 0 where there is none, or after the last.
        past: Frozen copies of the policy by name, oldest first.
    """

    def __init__(self, game: Rules, objective: Objective, config: SepoConfig) -> None:
        """Check the pools of a run and begin with those of its first step.

        Args:
            game: The game or task.
            objective: The objective over the fixed pools, the held-out one among them.
            config: Settings of the run.

        Raises:
            RequestError: A pool names an opponent that is held out, or one that cannot stand in it.
        """
        self.game, self.config, self.fixed = game, config, objective.pools
        self.past: dict[str, Policy] = {}
        whole = _pools(self.fixed, config.pools)
        self._stages: list[tuple[int | None, Pools]] = [
            *((stage.until, _pools(whole, stage.pools)) for stage in config.curriculum),
            (None, whole),
        ]
        self._moving = config.league is not None or any(pools != self.fixed for _, pools in self._stages)
        self._check()
        self._trees: dict[str, list[Tree]] = {}
        self._everywhere: Book | None = None
        self.stage, self._now = 0, whole
        self.begin(0)

    def begin(self, step: int) -> None:
        """Put the pools of a step in force."""
        for number, (until, pools) in enumerate(self._stages, start=1):
            if until is None or step < until:
                self._now = pools
                self.stage = 0 if until is None else number
                return

    def log(self, row: dict[str, Any]) -> None:
        """Write into a row of metrics who is met, where that changes."""
        if self.config.curriculum:
            row["stage"] = self.stage
        if self.config.league is not None:
            row["past"] = list(self.past)

    def enter(self, past: Mapping[str, Policy]) -> set[str]:
        """Take the copies that are met from now on; return the names of those that are met no more."""
        gone = set(self.past) - set(past)
        for name in gone:
            self._trees.pop(name, None)
        self.past = dict(past)
        return gone

    def players(self, policy: Policy) -> dict[str, Policy]:
        """Return the opponents that are the learner's own, by name."""
        return {SELF: policy, **self.past}

    def objective(self, base: Objective) -> Objective:
        """Return the objective with the pools in force.

        Args:
            base: The objective over the fixed pools, possibly with responders after their exploiters.
        """
        return self._with(base, self._now)

    def objectives(self, base: Objective) -> list[Objective]:
        """Return the objective of every stage, and of what follows the last one (see :meth:`objective`)."""
        return [self._with(base, pools) for _, pools in self._stages]

    def _with(self, base: Objective, now: Pools) -> Objective:
        if not self._moving:
            return base
        responders = base.pools.exploiter[len(self.fixed.exploiter) :]
        pools = self._with_past(replace(now, shift=()))
        own = () if self.config.exploiters == "none" else pools.exploiter
        pools = replace(pools, exploiter=(*own, *responders))
        has_collusion = self.game.info_record.collusion is not None and bool(pools.collusive)
        return replace(base, pools=pools, has_collusion=has_collusion)

    def book(
        self,
        base: Book | None,
        objective: Objective,
        policy: Policy,
        forms: Mapping[str, Strategy] | None,
    ) -> Book | None:
        """Return tables that cover the objective in force, or None where there are none.

        Args:
            base: Those of the fixed pools and the responders.
            objective: The objective in force.
            policy: The current policy.
            forms: The fixed and scheduled opponents in finite-memory form.
        """
        if base is None or not self._moving:
            return base
        known = {name for tree in base.trees for name in tree.opponents}
        seats = sorted({tree.seat for tree in base.trees})
        more: list[Tree] = []
        for name in dict.fromkeys(name for _, name in objective.streams):
            if name == SELF:
                more += self._compiled(self._form(SELF, policy), seats)
            elif name not in known:
                if name not in self._trees:
                    own = self.past.get(name)
                    form = self._form(name, own) if own is not None else (forms or {})[name]
                    self._trees[name] = self._compiled(form, seats, name)
                more += self._trees[name]
        return Book([*base.trees, *more]) if more else base

    def check_exact(self, policy: Policy) -> bool:
        """Tell whether the learner's own kind can be tabulated at every information state."""
        if not self._moving:
            return True
        if not isinstance(self.game, Game):
            return False
        stage = self.game.stage()
        seats = (0,) if stage.info_record.symmetric else range(stage.info_record.seats)
        try:
            trees = [compile_tree(stage, {"random": Uniform()}, s, policy.exact_states) for s in seats]
        except TooLargeError:
            return False
        if sum(len(tree.keys) for tree in trees) > policy.exact_states:
            return False
        self._everywhere = Book(trees)
        return True

    def _form(self, name: str, policy: Policy) -> Strategy:
        assert self._everywhere is not None
        return self._everywhere.strategy(name, self._everywhere.tabulate(policy))

    def _compiled(self, strategy: Strategy, seats: Sequence[int], name: str = SELF) -> list[Tree]:
        assert isinstance(self.game, Game)
        stage = self.game.stage()
        return [compile_tree(stage, {name: strategy}, seat) for seat in seats]

    def _with_past(self, pools: Pools) -> Pools:
        league = self.config.league
        if league is None or not self.past:
            return pools
        copies = [name for name in self.past for _ in range(league.weight)]
        return replace(pools, **{league.pool: (*getattr(pools, league.pool), *copies)})

    def _check(self) -> None:
        exploiters = {pools.exploiter for _, pools in self._stages}
        league = self.config.league
        if any(SELF in names for names in exploiters):
            raise RequestError(
                f"{SELF!r} is among the exploiters: a policy has no lead over itself, put it into pools.train"
            )
        changes = exploiters != {self.fixed.exploiter} or (league is not None and league.pool == "exploiter")
        if changes and self.config.penalised != "opponent_advantage":
            raise RequestError(
                f"penalised = {self.config.penalised!r} says itself who exploits: leave the exploiters alone"
            )
        if league is not None and league.pool == "collusive" and self.game.info_record.collusion is None:
            raise RequestError(f"league.pool = 'collusive': {self.game.name} has no collusion, use 'train'")


def everyone(pools: Pools, config: SepoConfig) -> Pools:
    """Return the pools with all opponents that a run names, so that they can be loaded.

    Who stands in no fixed pool is put into ``train``.
    """
    changes = [config.pools, *(stage.pools for stage in config.curriculum)]
    named = [names for change in changes for names in change.values()]
    known = {name for _, names in pools for name in names}
    others = dict.fromkeys(name for names in named for name in names if name != SELF and name not in known)
    return replace(pools, train=(*pools.train, *others))


def _pools(pools: Pools, changes: Mapping[str, Sequence[str]]) -> Pools:
    if "shift" in changes:
        raise RequestError("pools.shift of a run: what is held out is the game's, set it there")
    changed = pools.replace(changes)
    check_held_out(changed)
    return changed
