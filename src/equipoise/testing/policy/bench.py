"""What the rules about a policy are checked on: decisions of random episodes, and its answers to them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from random import Random
from typing import Any

from equipoise.errors import NoProbabilitiesError, PolicyError
from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.policies.base import AnyPolicy, AsyncPolicy, check_distribution
from equipoise.policies.python import FunctionPolicy
from equipoise.rollout.deals import Deal, DecisionDraws, Split
from equipoise.testing.findings import NotApplicable, Violation, shown
from equipoise.testing.policy.asking import ask
from equipoise.testing.walks import playable
from equipoise.types import Action, Choice, Decision, Probabilities, Validity

__all__ = ["STRUCTURE", "PolicyBench", "decisions_of"]

STRUCTURE: dict[str, str] = {
    "raises-nothing": "an answer is given to every decision, and nothing is raised",
    "answers-in-time": "an asynchronous policy answers within the limit",
    "one-answer-each": "there is one answer a decision",
    "speaks": "an answer is a Choice that names an action, or says why there is none",
    "own-decision": "an answer is to the decision that was asked",
    "legal": "the action is legal; for policies that are not strict, what is not is counted",
}
"""The rules checked while asking, with what each says."""


class PolicyBench:
    """A policy, decisions, and its answers.

    Attributes:
        policy: The policy.
        game: The game.
        decisions: What it is asked: distinct questions of random episodes, at every seat.
        choices: Its answers, one a decision; empty if asking broke a rule.
        broken: What broke while asking, by rule.
        invalid: Answers without a legal action, where that is allowed.
    """

    def __init__(
        self, policy: AnyPolicy, game: Game, walks: int, most: int, seed: int, timeout: float
    ) -> None:
        """Play ``walks`` random episodes and ask at most ``most`` of their decisions.

        Raises:
            RequestError: The game cannot be played.
        """
        self.policy, self.game, self.seed, self.timeout = policy, game, seed, timeout
        with playable(game):
            self.decisions = decisions_of(game, walks, seed)[:most]
        self.broken: dict[str, str] = {}
        self.choices: list[Choice] = []
        self.invalid = 0
        # What the questions were like before the policy has seen any of them.
        self.before = [snapshot(decision) for decision in self.decisions]
        self._guarded(self._ask_all)

    @property
    def extent(self) -> str:
        """What was looked at, in words."""
        return f"{len(self.decisions)} decisions"

    @property
    def tolerance(self) -> float:
        """By how much probabilities may differ between batches: models sum in other orders."""
        return 1e-9 if self.policy.strict else 1e-3

    def ask(self, decisions: Sequence[Decision]) -> list[Choice]:
        """Return the policy's answers."""
        return ask(self.policy, decisions, self.timeout)

    def probabilities(self, decisions: Sequence[Decision]) -> list[Probabilities]:
        """Return the policy's distributions.

        Raises:
            NotApplicable: It has none to give, or could not be asked.
        """
        self.need_structure()
        if isinstance(self.policy, AsyncPolicy):
            raise NotApplicable("an asynchronous policy gives no probabilities")
        try:
            return self.policy.probabilities(list(decisions))
        except NoProbabilitiesError:
            raise NotApplicable("the policy gives no probabilities") from None

    def need_structure(self) -> None:
        """Skip the rule being checked if the policy could not be asked.

        Raises:
            NotApplicable: It could not.
        """
        if self.broken:
            raise NotApplicable(f"not checked, as {next(iter(self.broken))!r} is broken")

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Violation as violation:
            self.broken[violation.rule or "raises-nothing"] = str(violation)
        except Exception as error:
            message = " ".join(str(error).split())
            self.broken["raises-nothing"] = (
                f"it raised {type(error).__name__}: {message}; answer every decision, with "
                "Choice(None, Validity.INVALID) where there is no answer"
            )

    def _ask_all(self) -> None:
        if isinstance(self.policy, FunctionPolicy):
            # The wrapper turns every wrong answer into the same error: the function itself says which it is.
            for decision in self.decisions:
                self._judge_function(decision, self.policy.function(decision))
        choices = self.ask(self.decisions)
        for decision, choice in zip(self.decisions, choices, strict=True):
            self._judge(decision, choice)
        self.choices = choices

    def _judge_function(self, decision: Decision, answer: Any) -> None:
        if not isinstance(answer, Mapping):
            self._judge(decision, Choice(answer))
            return
        try:
            check_distribution(answer, decision.legal or (), "it")
        except PolicyError as error:
            raise Violation(
                f"at {_label(decision)!r} {error}",
                "give legal actions probabilities with sum 1",
                "distribution",
            ) from None

    def _judge(self, decision: Decision, choice: Any) -> None:
        where = f"at {_label(decision)!r}"
        if not isinstance(choice, Choice):
            raise Violation(f"{where} the answer is {shown(choice)}", "return a Choice", "speaks")
        valid = choice.validity is Validity.VALID
        if valid and choice.action is None:
            raise Violation(
                f"{where} the answer is silent",
                "name an action, or say Validity.INVALID or REFUSAL",
                "speaks",
            )
        if valid and _is_legal(choice.action, decision):
            return
        elsewhere = [other for other in self.decisions if _is_legal(choice.action, other)]
        if valid and elsewhere:
            raise Violation(
                f"{where} the answer is {shown(choice.action)}, legal at {_label(elsewhere[0])!r}",
                "answer decisions in the order they are asked",
                "own-decision",
            )
        if self.policy.strict:
            raise Violation(
                f"{where} the answer is {shown(choice.action)} ({choice.validity})",
                f"choose among {shown(decision.legal)}, or set strict=False if wrong answers are data",
                "legal",
            )
        self.invalid += 1


def decisions_of(game: Game, walks: int, seed: int) -> list[Decision]:
    """Return the distinct questions of random episodes, as the engine would ask them."""
    found: dict[Hashable, Decision] = {}
    for number in range(walks):
        random = Random(f"{seed}|{number}")
        deal = Deal(seed, Split.REPORT, game.info_record.key, number)
        match = Match(game, deal.chance)
        while not match.is_over:
            actions: dict[int, Action | str] = {}
            for seat in match.players_to_move:
                asked = match.observe(seat)
                draws = DecisionDraws.of_policy(seed, f"{deal.key}|check", seat, asked.index, 0)
                decision = match.decision(seat, f"check/{number}", draws, 0)
                found.setdefault((seat, decision.information_state), decision)
                actions[seat] = random.choice(decision.legal or ("",))
            match.apply(actions)
    return list(found.values())


def snapshot(decision: Decision) -> str:
    """Return all that a decision holds, to notice a change."""
    parts = (decision.episode, decision.seat, decision.round, decision.step, decision.index, decision.retry)
    return repr((parts, decision.legal, decision.observation, decision.history, decision.draws))


def _label(decision: Decision) -> str:
    return decision.rules.label(decision.observation, decision.history)


def _is_legal(action: Any, decision: Decision) -> bool:
    legal = decision.legal or ()
    return any(type(action) is type(known) and action == known for known in legal)
