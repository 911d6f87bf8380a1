"""Policies made of policies: a mixture drawn once an episode, and slips of the hand.

They play any policy, language models and endpoints included. Where all parts have a finite-memory form, so
has the whole, and it is valued exactly; otherwise their parts can be tabulated one by one (``combine``).
A part that answers in its own time makes the whole do so.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.match import pick
from equipoise.opponents.base import Strategy
from equipoise.opponents.combinators import Mixture, Noisy, check_rate, shares, with_slips
from equipoise.policies.base import AnyPolicy, AsyncPolicy, Policy
from equipoise.types import Action, Choice, Decision, Probabilities

__all__ = ["CombinedPolicy", "MixedPolicy", "NoisyPolicy", "mixed_policy", "noisy_policy"]


class CombinedPolicy(Policy):
    """A policy made of local ones.

    Attributes:
        parts: The policies it is made of.
        depth: How many combinations are nested in it; keeps their draws apart.
    """

    parts: tuple[Policy, ...]
    depth: int

    def _take(self, parts: Sequence[Policy], name: str, how: str) -> None:
        self.parts, self.name, self.depth = tuple(parts), name, _depth(parts)
        self.fingerprint = _fingerprint(parts, how)
        self.exact_states = min(part.exact_states for part in parts)
        self.strict = all(part.strict for part in parts)
        self.always_legal = all(part.always_legal for part in parts)

    @abstractmethod
    def combine(self, strategies: Sequence[Strategy]) -> Strategy:
        """Return the whole from the finite-memory forms of its parts."""

    def strategy(self, game: Game) -> Strategy | None:
        """Return the finite-memory form, if all parts have one."""
        found = [part.strategy(game) for part in self.parts]
        known = [strategy for strategy in found if strategy is not None]
        return self.combine(known) if len(known) == len(found) else None

    def forget(self) -> None:
        """Let all parts drop what they have cached."""
        for part in self.parts:
            part.forget()

    def state_dict(self) -> dict[str, Any]:
        """Return the scored tables of all parts, told apart by the part's number."""
        tables = [part.state_dict().get("table", {}) for part in self.parts]
        table = {f"{number}|{key}": row for number, one in enumerate(tables) for key, row in one.items()}
        return {"version": self.version, "table": table} if table else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        tables: dict[int, dict[str, Any]] = {}
        for key, row in state["table"].items():
            number, _, inner = key.partition("|")
            tables.setdefault(int(number), {})[inner] = row
        for number, table in tables.items():
            part = self.parts[number]
            part.load_state_dict({"version": part.version, "table": table})


class MixedPolicy(CombinedPolicy):
    """One of several policies, drawn once an episode."""

    def __init__(self, parts: Sequence[tuple[Policy, float]], name: str) -> None:
        """Take the policies with their probabilities, and the name reports use.

        Raises:
            RequestError: A probability is not positive, or they do not sum to 1 (within 1e-6).
        """
        self.weights = shares([weight for _, weight in parts])
        self._take([part for part, _ in parts], name, f"mixture {self.weights}")

    def combine(self, strategies: Sequence[Strategy]) -> Strategy:
        """Return the mixture of the parts' strategies."""
        return Mixture(list(zip(strategies, self.weights, strict=True)), self.name)

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Let the part that was drawn for the episode answer."""
        drawn = [_component(decision, self.weights, self.depth) for decision in decisions]
        found: dict[int, Choice] = {}
        for number, part in enumerate(self.parts):
            rows = [row for row, one in enumerate(drawn) if one == number]
            if rows:
                found.update(zip(rows, part.act([decisions[row] for row in rows]), strict=True))
        return [found[row] for row in range(len(decisions))]


class NoisyPolicy(CombinedPolicy):
    """A policy whose every action is replaced, with a fixed probability, by a uniform legal one."""

    def __init__(self, policy: Policy, rate: float, name: str) -> None:
        """Take the policy, the probability of a slip, and the name reports use.

        Raises:
            RequestError: ``rate`` is no probability.
        """
        self.rate = check_rate(rate)
        self._take([policy], name, f"noisy {rate!r}")

    def combine(self, strategies: Sequence[Strategy]) -> Strategy:
        """Return the strategy with slips."""
        return Noisy(strategies[0], self.rate, self.name)

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Draw the slips; let the policy answer where there is none."""
        slips = [_slip(decision, self.rate, self.depth) for decision in decisions]
        asked = [d for d, slip in zip(decisions, slips, strict=True) if slip is None]
        answers = iter(self.parts[0].act(asked) if asked else [])
        return [
            _slipped(next(answers), d, self.rate) if s is None else s
            for d, s in zip(decisions, slips, strict=True)
        ]

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the policy's distributions mixed with the uniform one."""
        rows = self.parts[0].probabilities(decisions)
        return [with_slips(row, d.legal or (), self.rate) for row, d in zip(rows, decisions, strict=True)]


class _AsyncCombined(AsyncPolicy):
    """Combines policies of which some answer in their own time."""

    def __init__(self, parts: Sequence[AnyPolicy], name: str, how: str) -> None:
        self.parts, self.name, self.depth = tuple(parts), name, _depth(parts)
        self.fingerprint = _fingerprint(parts, how)
        self.strict = all(part.strict for part in parts)
        self.limit = min(part.limit for part in parts if isinstance(part, AsyncPolicy))

    def forget(self) -> None:
        for part in self.parts:
            part.forget()

    async def close(self) -> None:
        for part in self.parts:
            if isinstance(part, AsyncPolicy):
                await part.close()

    async def _ask(self, part: AnyPolicy, decision: Decision) -> Choice:
        return await part.decide(decision) if isinstance(part, AsyncPolicy) else part.act([decision])[0]


class _AsyncMixed(_AsyncCombined):
    def __init__(self, parts: Sequence[AnyPolicy], weights: Sequence[float], name: str) -> None:
        self.weights = shares(weights)
        super().__init__(parts, name, f"mixture {self.weights}")

    async def decide(self, decision: Decision) -> Choice:
        return await self._ask(self.parts[_component(decision, self.weights, self.depth)], decision)


class _AsyncNoisy(_AsyncCombined):
    def __init__(self, policy: AnyPolicy, rate: float, name: str) -> None:
        self.rate = check_rate(rate)
        super().__init__([policy], name, f"noisy {rate!r}")

    async def decide(self, decision: Decision) -> Choice:
        slip = _slip(decision, self.rate, self.depth)
        return (
            _slipped(await self._ask(self.parts[0], decision), decision, self.rate) if slip is None else slip
        )


def mixed_policy(parts: Sequence[AnyPolicy], weights: Sequence[float], name: str) -> AnyPolicy:
    """Return the policy that is one of the parts, drawn once an episode.

    Raises:
        RequestError: The weights are no distribution.
    """
    local = [part for part in parts if isinstance(part, Policy)]
    if len(local) == len(parts):
        return MixedPolicy(list(zip(local, weights, strict=True)), name)
    return _AsyncMixed(parts, weights, name)


def noisy_policy(policy: AnyPolicy, rate: float, name: str) -> AnyPolicy:
    """Return the policy with slips of probability ``rate``.

    Raises:
        RequestError: ``rate`` is no probability.
    """
    return NoisyPolicy(policy, rate, name) if isinstance(policy, Policy) else _AsyncNoisy(policy, rate, name)


def _component(decision: Decision, weights: Sequence[float], depth: int) -> int:
    u = decision.draws.once(f"component/{depth}")
    return pick(list(enumerate(weights)), u)  # type: ignore[return-value]


def _slip(decision: Decision, rate: float, depth: int) -> Choice | None:
    """Return the action that is played in place of the policy's, or None.

    Raises:
        RequestError: There is no finite set of actions to slip to.
    """
    if decision.legal is None:
        raise RequestError("noisy: needs a game with a finite set of actions")
    if decision.draws.uniform(f"slip/{depth}") >= rate:
        return None
    legal: tuple[Action, ...] = decision.legal
    return Choice(legal[int(decision.draws.uniform(f"slip/{depth}/action") * len(legal))])


def _slipped(choice: Choice, decision: Decision, rate: float) -> Choice:
    """Return an answer with the distribution that the executed action has."""
    if choice.probabilities is None:
        return choice
    return replace(choice, probabilities=with_slips(choice.probabilities, decision.legal or (), rate))


def _depth(parts: Sequence[AnyPolicy]) -> int:
    nested = (part.depth for part in parts if isinstance(part, CombinedPolicy | _AsyncCombined))
    return 1 + max(nested, default=0)


def _fingerprint(parts: Sequence[AnyPolicy], how: str) -> str:
    whole = "\n".join([how, *(part.fingerprint for part in parts)])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
