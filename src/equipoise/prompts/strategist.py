"""What a strategist reads: the rules and the situation of the one it advises, and what it said before.

The rules come first, as the player reads them, then what a coach is; the situation comes last, so that what
is the same for all questions is read once. A ``full`` prompt is what the player reads; a ``brief`` one is
short, for small models and small machines: what matters in a few lines, without earlier advice.
"""

from __future__ import annotations

from typing import Literal

from equipoise.prompts.base import Prompt, Renderer, quoted
from equipoise.types import Decision

__all__ = ["Style", "strategist_prompt"]

Style = Literal["full", "brief"]
"""How much a strategist reads."""

TASK = (
    "You are not this player: you are its coach. You see what it sees, and advise it in private. Say in at "
    "most {words} words what it should do or aim for now, and nothing else.\n\n"
)
WORDS = 12
"""Words a strategy is asked to have; SOTOPIA's strategies have about ten (arXiv 2502.12486)."""


BRIEF = "You are the coach of this player. Give it one short piece of advice.\n\n"


def strategist_prompt(
    renderer: Renderer, decision: Decision, words: int = WORDS, style: Style = "full"
) -> Prompt:
    """Return the prompt for a strategy at a decision.

    Args:
        renderer: Words of the game or task.
        decision: What the advised seat is asked; its ``advice`` is what the strategist said before.
        words: How long the strategy is asked to be, in a full prompt.
        style: How much the strategist reads.
    """
    if style == "brief":
        short = renderer.brief(decision)
        return Prompt(short.rules + BRIEF, f"{short.situation}\nAdvice:")
    before = "".join(f"\nYou advised before: {quoted(text)}" for text in decision.advice)
    return Prompt(
        renderer.rules(decision.rules) + TASK.format(words=words),
        f"{renderer.situation(decision)}{before}\nYour advice to the player:",
    )
