"""What was said at a turn: the prompt as it was rendered, and the answer as it was given."""

from __future__ import annotations

from dataclasses import dataclass, replace

from equipoise.errors import RequestError
from equipoise.policies.endpoint.partial import PARTIAL
from equipoise.prompts.base import PLAIN, Renderer
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.replay import Asked
from equipoise.types import STRATEGIST, StopReason, Validity

__all__ = ["Said", "said", "speech"]

THOUGHT = "thought"

_STOPS = {StopReason.LENGTH: "max_tokens"}


@dataclass(frozen=True)
class Said:
    """A question and its answer.

    Attributes:
        rules: The part of the prompt that is the same at every decision; empty where a game has no words.
        situation: The rest of it.
        thought: What a model wrote before its answer; empty if it wrote nothing.
        answer: The answer: a model's own text, or the word for the action of a policy that does not write.
        advice: What a strategist told the seat at this turn.
        written: Whether a language model gave the answer.
        stop: Why its text ended, in Inspect's words.
        tokens: Tokens of all prompts and all completions, as far as they were kept.
    """

    rules: str
    situation: str
    thought: str
    answer: str
    advice: tuple[str, ...]
    written: bool
    stop: str
    tokens: tuple[int, int]

    @property
    def prompt(self) -> str:
        """The whole prompt, one message as policies send it."""
        return self.rules + self.situation


def speech(game: str, wording: str = PLAIN) -> Renderer | None:
    """Return the words of a game; None if it has none."""
    try:
        return get_renderer(game, wording)
    except RequestError:
        return None


def said(asked: Asked, renderer: Renderer | None) -> Said:
    """Return what was said at a turn.

    Prompts are rendered anew: one message a decision, without a model's chat template, and without what a
    growing chat would repeat.
    """
    turn, decision = asked
    made = [one for one in turn.choice.generations if one.role != PARTIAL]
    texts = {role: "".join(one.text for one in made if one.role == role) for role in (THOUGHT, "action")}
    advice = tuple(one.text for one in made if one.role == STRATEGIST)
    rules, situation = "", turn.label
    if renderer is not None:
        prompt = renderer.prompt(replace(decision, advice=(*decision.advice, *advice)))
        rules, situation = prompt.rules, prompt.situation
    written = any(one.role == "action" for one in made)
    word = str(turn.action) if renderer is None else renderer.say(turn.action)
    failed = "" if turn.choice.validity is not Validity.VALID else word
    return Said(
        rules,
        situation,
        texts[THOUGHT],
        texts["action"] or failed,
        advice,
        written,
        "stop" if not made else _STOPS.get(made[-1].stop, "stop"),
        (sum(len(one.prompt_ids) for one in made), sum(len(one.ids) for one in made)),
    )
