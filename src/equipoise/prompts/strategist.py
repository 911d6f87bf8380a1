"""What a strategist reads: the rules and the situation of the one it advises, and what it said before.

The rules come first, as the player reads them, then what a coach is; the situation comes last, so that what
is the same for all questions is read once. A ``full`` prompt is what the player reads; a ``brief`` one is
short, for small models and small machines: what matters in a few lines, without earlier advice.
"""

from __future__ import annotations

from typing import Literal

from equipoise.prompts.base import Prompt, Renderer, quoted
from equipoise.types import Decision

__all__ = ["Manner", "Style", "strategist_prompt"]

Style = Literal["full", "brief"]
"""How much a strategist reads."""

Manner = Literal["full", "brief", "think"]
"""The same, and whether it is the player itself that thinks before it acts."""

TASK = (
    "You are not this player: you are its coach. You see what it sees, and advise it in private. Say in at "
    "most {words} words what it should do or aim for now, and nothing else.\n\n"
)
WORDS = 12
"""Words a strategy is asked to have; SOTOPIA's strategies have about ten (arXiv 2502.12486)."""


THINK = (
    "Before this player acts, it thinks. Say in at most {words} words, as this player and to yourself, what "
    "matters now and what to do next, and nothing else.\n\n"
)
"""Reasoning before acting, which stays before the player's eyes, after ReAct (arXiv 2210.03629)."""

BRIEF = "You are the coach of this player. Give it one short piece of advice.\n\n"


def strategist_prompt(
    renderer: Renderer, decision: Decision, words: int = WORDS, style: Manner = "full"
) -> Prompt:
    """Return the prompt for a strategy at a decision.

    Args:
        renderer: Words of the game or task.
        decision: What the advised seat is asked; its ``advice`` is what the strategist said before.
        words: How long the strategy is asked to be, in a full prompt.
        style: How much the strategist reads, or ``think``: the player itself is asked for its thought.
    """
    if style == "brief":
        short = renderer.brief(decision)
        return Prompt(short.rules + BRIEF, f"{short.situation}\nAdvice:")
    task, said, last = _MANNERS[style]
    before = "".join(f"\n{said}: {quoted(text)}" for text in decision.advice)
    return Prompt(
        renderer.rules(decision.rules) + task.format(words=words),
        f"{renderer.situation(decision)}{before}\n{last}:",
    )


_MANNERS = {
    "full": (TASK, "You advised before", "Your advice to the player"),
    "think": (THINK, "You thought before", "Your thought"),
}
