"""An open episode: asks, takes answers, applies the rule for invalid ones, keeps the record.

Both engines drive these; they differ only in when they ask.
"""

from __future__ import annotations

from dataclasses import replace

from equipoise.errors import PolicyError
from equipoise.games.base import Environment, Question
from equipoise.games.match import Match
from equipoise.rollout.deals import DecisionDraws
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, Played
from equipoise.types import (
    STRATEGIST,
    Action,
    Choice,
    Decision,
    Episode,
    Seat,
    StopReason,
    Turn,
    Validity,
)

__all__ = ["RunningEpisode"]


class RunningEpisode:
    """The state of one open episode."""

    __slots__ = (
        "_advice",
        "_answers",
        "_asked",
        "_decisions",
        "_id",
        "_pending",
        "_retries",
        "_turns",
        "environment",
        "forfeited",
        "request",
        "rule",
    )

    def __init__(self, request: EpisodeRequest, rule: InvalidRule) -> None:
        """Start the episode."""
        self.request = request
        self.rule = rule
        self._id = request.id
        self.environment: Environment = request.start()
        self.forfeited = False
        self._turns: list[Turn] = []
        self._pending: dict[Seat, Turn] = {}
        self._decisions: list[Decision] = []
        self._answers: dict[Seat, Action] = {}
        self._asked: dict[Seat, Question] = {}
        self._retries: dict[Seat, int] = {}
        self._advice: dict[Seat, tuple[str, ...]] = {}

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to ask."""
        return self.forfeited or self.environment.is_over

    def pending(self) -> list[Decision]:
        """Return the decisions that still need an answer before the episode can go on."""
        if self.is_over:
            return []
        return [self._decision(s) for s in self.environment.players_to_move if s not in self._answers]

    def answer(self, decision: Decision, choice: Choice) -> None:
        """Take an answer; move on once every seat to move has given one."""
        if self.forfeited:
            return
        seat = decision.seat
        choice = self._judge(decision, choice)
        if choice.validity is not Validity.VALID and decision.retry < self.rule.retries:
            self._retries[seat] = decision.retry + 1
            return
        self._record(decision, choice)
        if self.forfeited:
            return
        movers = self.environment.players_to_move
        if all(s in self._answers for s in movers):
            self._flush()
            self.environment.apply({s: self._answers[s] for s in movers})
            self._answers, self._retries = {}, {}

    def finish(self) -> Played:
        """Return the finished episode."""
        request = self.request
        chance: tuple[tuple[str, object], ...] = ()
        if isinstance(self.environment, Match):
            chance = tuple(self.environment.chance_log)
        policy = request.players[request.seat]
        episode = Episode(
            id=request.id,
            game=request.game.info_record.key,
            options=request.game.options.changed(),
            pool=request.pool,
            opponent=request.opponent,
            seat=request.seat,
            deal=request.deal.index,
            split=request.deal.split.value,
            rollout=request.rollout,
            policies=tuple(player.name for player in request.players),
            turns=tuple(self._turns),
            rounds=self.environment.outcomes,
            stop=StopReason.FORFEIT if self.forfeited else StopReason.FINISHED,
            policy_version=policy.version,
            chance=chance,
            notes=self.environment.notes,
        )
        return Played(episode, tuple(self._decisions))

    def _decision(self, seat: Seat) -> Decision:
        request, retry = self.request, self._retries.get(seat, 0)
        question = self._asked[seat] = self.environment.observe(seat)
        if seat == request.seat or seat in request.also:
            seed = request.deal.seed
            owner = f"{request.deal.key}|{self._id}"
            draws = DecisionDraws.of_policy(seed, owner, seat, question.index, retry)
        else:
            rank = (seat - request.seat - 1) % self.environment.seats
            draws = request.deal.opponent_draws(rank, question.round, question.step, retry)
        decision = self.environment.decision(seat, self._id, draws, retry)
        told = self._advice.get(seat)
        return replace(decision, advice=told) if told else decision

    def _judge(self, decision: Decision, choice: Choice) -> Choice:
        """Check an answer that claims to be valid against the rules."""
        legal = decision.legal
        if choice.validity is not Validity.VALID or legal is None or choice.action in legal:
            return choice
        policy = self.request.players[decision.seat]
        problem = f"{choice.action!r} is not legal, choose one of {list(legal)}"
        if policy.strict:
            raise PolicyError(f"policy {policy.name!r}: {problem}")
        return Choice(None, Validity.INVALID, generations=choice.generations, detail=problem)

    def _record(self, decision: Decision, choice: Choice) -> None:
        valid = choice.validity is Validity.VALID
        action = choice.action if valid else self._fallback(decision)
        assert action is not None
        asked = self._asked[decision.seat]
        turn = Turn(decision.seat, asked.round, asked.step, asked.label, action, choice, decision.retry)
        self._pending[decision.seat] = turn
        told = tuple(made.text for made in choice.generations if made.role == STRATEGIST)
        if told:
            self._advice[decision.seat] = (*decision.advice, *told)
        if decision.seat == self.request.seat:
            self._decisions.append(decision)
        self._answers[decision.seat] = action
        if not valid and self.rule.then == "forfeit":
            self._flush()
            self.environment.forfeit(decision.seat)
            self.forfeited = True

    def _flush(self) -> None:
        """Keep the turns of a decision point, in the order of seats whatever order they came in."""
        self._turns += [self._pending[seat] for seat in sorted(self._pending)]
        self._pending = {}

    def _fallback(self, decision: Decision) -> Action:
        legal = decision.legal or ("",)
        if self.rule.fallback is not None and self.rule.fallback in legal:
            return self.rule.fallback
        return legal[int(decision.draws.uniform("fallback") * len(legal))]
