"""An episode as Inspect's transcript: a span a round, in it calls of models, moves and payoffs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from equipoise.adapters.inspect.library import library
from equipoise.adapters.inspect.words import Said
from equipoise.types import Episode, RoundOutcome, Turn, Validity

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.model import ModelOutput

__all__ = ["Scribe", "model_output", "move"]


@dataclass
class Scribe:
    """Writes the events of one sample; identifiers are numbers, so that equal episodes give equal events.

    Attributes:
        sample: Identifier of the sample.
        when: The time that all events bear: a transcript does not keep times.
    """

    sample: str
    when: datetime
    _count: int = field(default=0)

    def events(self, episode: Episode, turns: Sequence[tuple[Turn, Said]]) -> list[Event]:
        """Return the events of an episode, round by round."""
        found: list[Event] = []
        for number in range(1 + max((turn.round for turn, _ in turns), default=-1)):
            here = [(turn, said) for turn, said in turns if turn.round == number]
            outcome = episode.rounds[number] if number < len(episode.rounds) else None
            found += self._round(episode, number, here, outcome)
        return found

    def _round(
        self,
        episode: Episode,
        number: int,
        turns: Sequence[tuple[Turn, Said]],
        outcome: RoundOutcome | None,
    ) -> Iterator[Event]:
        event, span = library("event"), f"{self.sample}/round-{number + 1}"
        yield event.SpanBeginEvent(id=span, name=f"round {number + 1}", type="round", **self._base(span))
        for turn, said in turns:
            own = turn.seat == episode.seat
            for text in said.advice:
                yield self._info(span, "advice", {"seat": turn.seat, "text": text})
            if said.written:
                yield self._call(span, episode, turn, said, own)
            yield self._info(span, "move" if own else "opponent", move(turn))
        if outcome is not None:
            yield self._info(span, "payoffs", _payoffs(outcome, episode.seat))
        yield event.SpanEndEvent(id=span, **self._base(span))

    def _call(self, span: str, episode: Episode, turn: Turn, said: Said, own: bool) -> Event:
        model = library("model")
        question = model.ChatMessageUser(id=f"{span}/{turn.seat}.{turn.step}", content=said.prompt)
        made: Event = library("event").ModelEvent(
            model=episode.policies[turn.seat],
            role=None if own else "opponent",
            input=[question],
            tools=[],
            tool_choice="none",
            config=model.GenerateConfig(),
            output=model_output(episode.policies[turn.seat], said, f"{question.id}/answer"),
            retries=turn.retries or None,
            **self._base(span),
        )
        return made

    def _info(self, span: str, source: str, data: Mapping[str, Any]) -> Event:
        made: Event = library("event").InfoEvent(source=source, data=dict(data), **self._base(span))
        return made

    def _base(self, span: str) -> dict[str, Any]:
        self._count += 1
        return {
            "uuid": f"{self.sample}/{self._count}",
            "span_id": span,
            "timestamp": self.when,
            "working_start": 0.0,
        }


def model_output(name: str, said: Said, identifier: str) -> ModelOutput:
    """Return an answer as the output of a model: its thought as reasoning, then its text."""
    model = library("model")
    content: Any = said.answer
    if said.thought:
        content = [model.ContentReasoning(reasoning=said.thought), model.ContentText(text=said.answer)]
    message = model.ChatMessageAssistant(id=identifier, content=content, model=name, source="generate")
    read, wrote = said.tokens
    usage = model.ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)
    made: ModelOutput = model.ModelOutput(
        model=name,
        choices=[model.ChatCompletionChoice(message=message, stop_reason=said.stop)],
        usage=usage if read or wrote else None,
    )
    return made


def move(turn: Turn) -> dict[str, Any]:
    """Return what was played at a turn, and what became of the answer, as plain data."""
    choice = turn.choice
    data: dict[str, Any] = {
        "seat": turn.seat,
        "step": turn.step,
        "knew": turn.label,
        "action": turn.action,
        "validity": choice.validity.value,
    }
    if choice.validity is not Validity.VALID:
        data |= {"retries": turn.retries, "why": choice.detail}
    if choice.probabilities is not None:
        data["probabilities"] = {str(action): p for action, p in choice.probabilities.items()}
    return data


def _payoffs(outcome: RoundOutcome, seat: int) -> dict[str, Any]:
    data: dict[str, Any] = {"payoffs": list(outcome.payoffs)}
    if outcome.collusion is not None:
        data["collusion"] = outcome.collusion[seat]
    if outcome.externality is not None:
        data["externality"] = outcome.externality[seat]
    return data
