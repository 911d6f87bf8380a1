"""Words for Kuhn poker."""

from __future__ import annotations

from typing import Any

from equipoise.games.kuhn import BET, CALL, CARDS, FOLD, PASS, Hand
from equipoise.prompts.panels.kuhn import PANEL
from equipoise.prompts.wording import Fields, WordedRenderer

__all__ = ["KuhnPrompts"]


class KuhnPrompts(WordedRenderer):
    """Rules, then card and bets of the hand.

    Fields: ``PASS``, ``BET``, ``CALL``, ``FOLD``, ``J``, ``Q`` and ``K`` are the words for actions and
    cards; ``memory`` and ``hand`` are parts, empty unless hands are remembered; ``bets`` is the part named by
    the bets so far (``bets``, ``bets p``, ``bets b``, ``bets pb``). A past hand has ``card``, ``place`` (the
    part ``opened`` or ``answered``), ``moves`` (the words, or the parts named by the actions) and ``shown``
    (the part ``shown`` or ``hidden``).
    """

    game = "kuhn"
    panel = PANEL

    def terms(self, options: Any) -> Fields:
        """Return the words, and what is remembered."""
        memory = self.part("memory", rounds=options.rounds) if options.memory else ""
        return {**self._words(), "memory": memory}

    def state(self, info: Any) -> Fields:
        """Return card and bets of the hand."""
        words = self._words()
        remembers = "hands" in info
        return {
            "card": self.word(info["card"]),
            "bets": self.part(f"bets {info['bets']}".strip(), **words),
            "hand": self.part("hand", n=info["round"] + 1, rounds=info["rounds"]) if remembers else "",
        }

    def rows(self, info: Any) -> list[Fields]:
        """Return the earlier hands, if they are remembered."""
        return [self._hand(hand) for hand in info.get("hands", ())]

    def _hand(self, hand: Hand) -> Fields:
        shown = "hidden" if hand.shown is None else "shown"
        return {
            "card": self.word(hand.card),
            "place": self.part("opened" if hand.opened else "answered"),
            "moves": ", ".join(self._move(move) for move in _moves(hand.bets)),
            "shown": self.part(shown, card=self.word(hand.shown)),
        }

    def _move(self, move: str) -> str:
        return self.part(move) or self.word(move)

    def _words(self) -> dict[str, str]:
        return {thing: self.word(thing) for thing in (PASS, BET, CALL, FOLD, *CARDS)}


def _moves(bets: str) -> list[str]:
    """Return the actions that a history of bets stands for."""
    facing = [False, *(letter == "b" for letter in bets[:-1])]
    names = {"p": (PASS, FOLD), "b": (BET, CALL)}
    return [names[letter][bet] for letter, bet in zip(bets, facing, strict=True)]
