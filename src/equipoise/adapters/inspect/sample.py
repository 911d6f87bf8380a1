"""An episode as a sample of a log: messages of the seat under study, events, and scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from equipoise.adapters.inspect.events import Scribe, model_output, move
from equipoise.adapters.inspect.find import Record
from equipoise.adapters.inspect.library import library
from equipoise.adapters.inspect.words import Said, said, speech
from equipoise.adapters.scores import INVALID, episode_scores
from equipoise.files import folder_name
from equipoise.prompts.base import Renderer
from equipoise.rollout.replay import replay
from equipoise.types import Episode, Turn

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.scorer import Score

__all__ = ["Sampler"]


@dataclass
class Sampler:
    """Makes samples of the episodes of one transcript.

    Attributes:
        record: The transcript.
    """

    record: Record
    _renderer: Renderer | None = field(init=False)
    _names: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Find the words of the game."""
        self._renderer = speech(self.record.game.name, self.record.wording)

    def sample(self, episode: Episode) -> EvalSample:
        """Return an episode as a sample.

        Raises:
            RequestError: The episode does not follow from the rules.
        """
        record = self.record
        turns = [
            (asked.turn, said(asked, self._renderer))
            for asked in replay(record.game, episode, record.seed, record.rule)
        ]
        own = [(turn, words) for turn, words in turns if turn.seat == episode.seat]
        name, when = self._name(episode), record.made.isoformat()
        messages = _messages(name, episode, own)
        made: EvalSample = library("log").EvalSample(
            id=name,
            epoch=1,
            input=f"{episode.game}, deal {episode.deal}: seat {episode.seat} against {episode.opponent} "
            f"({episode.pool} pool)",
            target="",
            messages=messages,
            output=model_output(episode.policies[episode.seat], own[-1][1], messages[-1].id or "")
            if own
            else library("model").ModelOutput(model=episode.policies[episode.seat]),
            scores=_scores(record, episode),
            metadata=_metadata(episode),
            events=Scribe(name, record.made).events(episode, turns),
            model_usage=_usage(episode, own),
            started_at=when,
            completed_at=when,
            uuid=name,
            turn_count=len(own),
        )
        return made

    def _name(self, episode: Episode) -> str:
        """Return a name that is unique in the log and harmless in the name of a file."""
        place = f"{episode.pool}-{episode.opponent}-deal{episode.deal}-seat{episode.seat}"
        name = folder_name(place if not episode.rollout else f"{place}-{episode.rollout}")
        self._names[name] += 1
        return name if self._names[name] == 1 else f"{name}-{self._names[name]}"


def _messages(name: str, episode: Episode, own: list[tuple[Turn, Said]]) -> list[ChatMessage]:
    """Return the dialogue of the seat under study, the rules told once."""
    model = library("model")
    rules = own[0][1].rules.strip() if own else ""
    found: list[ChatMessage] = []
    if rules:
        found.append(model.ChatMessageSystem(id=f"{name}/rules", content=rules, source="input"))
    for number, (turn, words) in enumerate(own):
        asked = f"{name}/{number}"
        told = words.situation if words.rules.strip() == rules else words.prompt
        found.append(model.ChatMessageUser(id=asked, content=told, source="input"))
        answer = model_output(episode.policies[episode.seat], words, f"{asked}/answer").message
        answer.metadata = {"round": turn.round, **move(turn)}
        found.append(answer)
    return found


def _scores(record: Record, episode: Episode) -> dict[str, Score]:
    """Return the payoffs and terms of an episode per round, each as a score of its own."""
    info = record.game.info_record
    found = episode_scores(episode, info)
    shown = ["own", "opponent", *info.diagnostics, INVALID]
    shown += [term for term in ("collusion", "externality") if getattr(info, term) is not None]
    score = library("scorer").Score
    scores = {name: score(value=found[name]) for name in shown}
    return {**scores, "lead": score(value=found["opponent"] - found["own"])}


def _metadata(episode: Episode) -> dict[str, Any]:
    return {
        "pool": episode.pool,
        "opponent": episode.opponent,
        "deal": episode.deal,
        "seat": episode.seat,
        "rollout": episode.rollout,
        "split": episode.split,
        "stop": episode.stop.value,
        "policies": list(episode.policies),
        "rounds": len(episode.rounds),
        "chance": dict(episode.chance),
        **({"notes": dict(episode.notes)} if episode.notes else {}),
    }


def _usage(episode: Episode, own: list[tuple[Turn, Said]]) -> dict[str, ModelUsage]:
    read = sum(words.tokens[0] for _, words in own)
    wrote = sum(words.tokens[1] for _, words in own)
    if not read + wrote:
        return {}
    usage = library("model").ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)
    return {episode.policies[episode.seat]: usage}
