"""Words for Kuhn poker."""

from __future__ import annotations

from equipoise.games.base import Game
from equipoise.games.kuhn import Hand
from equipoise.prompts.base import MARKER, Renderer
from equipoise.types import Decision

__all__ = ["KuhnPrompts"]

_BETS = {
    "": "You open: PASS or BET?",
    "p": "The other player passed: PASS or BET?",
    "b": "The other player bet: CALL or FOLD?",
    "pb": "You passed, the other player bet: CALL or FOLD?",
}
_NAME = {"J": "jack", "Q": "queen", "K": "king"}


class KuhnPrompts(Renderer):
    """Rules, then card and bets of the hand."""

    game = "kuhn"

    def rules(self, game: Game) -> str:
        """Return the rules of a hand."""
        return (
            "You play poker with three cards: king beats queen, queen beats jack. Both players put in 1 "
            "chip and get one card. The opener may PASS or BET 1 chip. Facing a bet, CALL matches it and "
            "FOLD gives up the pot. After two passes or a call the higher card wins the pot. "
            f'Answer with one line: "{MARKER}" and then the word.\n\n'
        )

    def situation(self, decision: Decision) -> str:
        """Return card and bets, after the earlier hands if they are remembered."""
        info = decision.info
        past = "".join(_hand(t, hand) for t, hand in enumerate(info.get("hands", ())))  # type: ignore[arg-type, var-annotated]
        return f"{past}You hold the {_NAME[str(info['card'])]}. {_BETS[str(info['bets'])]}"


def _hand(number: int, hand: Hand) -> str:
    shown = f"the other showed the {_NAME[hand.shown]}" if hand.shown else "no showdown"
    place = "you opened" if hand.opened else "the other opened"
    bets = {"p": "pass or fold", "b": "bet or call"}
    moves = ", ".join(bets[letter] for letter in hand.bets)
    return f"Hand {number + 1}: you held the {_NAME[hand.card]}, {place}; {moves}; {shown}.\n"
