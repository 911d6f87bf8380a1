"""Advice by game and task, from which a strategist without a language model chooses.

Each piece means one thing to the scripted actors (``policies.phrasebook``, ``tasks.*.advice``), and reads as
a language model would be told it too.
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.errors import RequestError

__all__ = ["ADVICE", "advice_of"]

ADVICE: Mapping[str, tuple[str, ...]] = {
    "ipd": (
        "Cooperate with them.",
        "Defect this time.",
        "Mirror what they did last.",
        "Cooperate until they betray you.",
    ),
    "split": (
        "Split it evenly.",
        "Take what they left.",
        "Play hardball.",
        "Come down a little.",
        "Be modest.",
        "Demand 6.",
        "Demand 7.",
    ),
    "multi_issue": (
        "Split everything evenly.",
        "Take what they left.",
        "Play hardball.",
        "Insist on what you value most.",
        "Ask for two thirds.",
        "Be modest.",
        "Take everything.",
    ),
    "social": (
        "Hold firm and ask for more.",
        "Give a little ground.",
        "Accept the offer on the table.",
        "Ask what they need.",
        "Share something you know.",
        "Keep your secret to yourself.",
        "Trade what matters less to you.",
        "Walk away.",
    ),
}
"""The pieces of advice that ship with the package."""


def advice_of(game: str, own: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the advice of a game or task, or one's own.

    Raises:
        RequestError: There is none, or a piece is empty or there twice.
    """
    found = own or ADVICE.get(game, ())
    if not found:
        raise RequestError(
            f"no advice ships with the package for {game!r}: list your own, "
            f"tasks.{game}.phrases.advice = [...]"
        )
    for piece in found:
        if not piece.strip() or found.count(piece) > 1:
            raise RequestError(f"advice {piece!r} is empty or there twice: leave it out")
    if len(found) < 2:
        raise RequestError(f"advice {found[0]!r} is the only piece: a strategist chooses among two or more")
    return found
