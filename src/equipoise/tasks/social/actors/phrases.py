"""The sentences of scripted actors. A test reads every one of them back through the grammar."""

from __future__ import annotations

from equipoise.tasks.social.actors.situation import Situation

__all__ = ["BANK", "pick_phrase"]

BANK: dict[str, tuple[str, ...]] = {
    "propose": (
        "I propose: {deal}.",
        "My offer is this: {deal}.",
        "How about this: {deal}?",
        "Let me suggest the following: {deal}.",
    ),
    "last": ("My final offer: {deal}.", "Time is short, so here is my last offer: {deal}."),
    "accept": ("I accept your offer: {deal}.", "Agreed: {deal}.", "Good, I accept: {deal}."),
    "hello": ("Hello, {other}.", "Good to see you, {other}.", "Thank you for your time, {other}.", "Hello."),
    "firm": (
        "That is not enough for me yet.",
        "I hear you, and still I need more than that.",
        "I have thought about it, and this is what it is worth to me.",
    ),
    "give": (
        "Let us come closer to each other.",
        "I can move a little.",
        "To show good will, I come towards you.",
    ),
    "wait": ("I have nothing to add for now.", "Please think about what I said.", "What do you say to that?"),
    "ask": (
        "What can you tell me about {topic}?",
        "May I ask about {topic}?",
        "I am curious about {topic}: what do you know?",
    ),
    "deflect": (
        "I would rather talk about something else.",
        "Let us leave that aside.",
        "About that there is nothing to say.",
    ),
    "first": (
        "You tell me something first, then we go on.",
        "One thing for another: it is your turn to tell me something.",
    ),
    "prefer": ("What matters most to you?", "Which of these do you care about most?"),
    "care": ("I care most about the {thing}.", "What matters most to me is the {thing}."),
    "bye": ("Thank you, {other}, that was a pleasure.", "Then I wish you a good day, {other}."),
}
"""Sentences by what they do; fields in braces are filled in."""


def pick_phrase(kind: str, situation: Situation, **fields: str) -> str:
    """Return a sentence of a kind, drawn by the decision, filled in."""
    among = BANK[kind]
    drawn = among[min(int(situation.draws.uniform(f"phrase/{kind}") * len(among)), len(among) - 1)]
    return drawn.format(other=situation.other, **fields)
