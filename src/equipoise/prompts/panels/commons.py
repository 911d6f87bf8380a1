"""Wordings of the shared resource."""

from __future__ import annotations

from equipoise.games.commons import HIGH, LOW, MEDIUM
from equipoise.prompts.wording import Wording

__all__ = ["PANEL"]

PLAIN = Wording(
    name="plain",
    rules=(
        "You and one other player draw on a stock of {capacity} units. Each round both request {LOW} (1 "
        "unit), {MEDIUM} (2) or {HIGH} (3) at the same time. If the stock covers both, each gets its "
        "request; if not, it is divided in proportion. Then the stock regrows by 2 if 3 units or less "
        "were taken, by 1 if 4 were taken, up to {capacity}; an empty stock stays empty. The game lasts "
        "{rounds} rounds. Past rounds are shown as pairs, your request first, by first "
        'letters.{note} Answer with the line "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation="Round {n} of {rounds}. Stock: {stock}. Past: {past}",
    row="{own[0]}{other[0]}",
)

FORMAL = Wording(
    name="formal",
    rules=(
        "Two players, of whom you are one, exploit a common resource. It begins with {capacity} units, which "
        "is also the most it can hold. In every round each player submits a request without knowing the "
        "other's: {LOW} for 1 unit, {MEDIUM} for 2 units, {HIGH} for 3 units. Requests that the resource can "
        "meet are met in full; otherwise it is shared out in proportion to the requests. If something is "
        "left, the resource then regrows: by 2 units if no more than 3 were taken, by 1 unit if 4 were "
        "taken, and not at all if more were taken. An exhausted resource does not regrow. The number of "
        "rounds is {rounds}, and a player's payoff is the units it obtains. Your reply is to consist of the "
        'single line "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation=(
        "Completed rounds (own request, other player's request): {past}. In round {n} of {rounds}, now to be "
        "played, the resource holds {stock} units."
    ),
    row="({own}, {other})",
    between="; ",
)

CASUAL = Wording(
    name="casual",
    rules=(
        "You and one other player share a stock of {capacity} units, and every unit you take is yours to "
        "keep. Each round you both ask at once: {LOW} gets you 1, {MEDIUM} gets you 2, {HIGH} gets you 3. If "
        "there isn't enough for both of you, you split what's there in proportion to what you asked for. "
        "Afterwards it grows back a bit. Take 3 or fewer between you and 2 come back, take 4 and 1 comes "
        "back, take more and nothing does, and it never gets above {capacity}. Empty it and it stays empty "
        "for good. You'll do this {rounds} times. When I ask, just say "
        '"{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}" and leave it at that.'
    ),
    situation="{past} Now it's round {n} out of {rounds}, with {stock} units left. What will it be?",
    row="In round {t} you asked for {own} and they asked for {other}.",
    none="Nothing has happened so far.",
)

LISTED = Wording(
    name="listed",
    rules=(
        "Rules:\n"
        "- Two players take part: you and one other.\n"
        "- They share a stock. It starts with {capacity} units and never holds more.\n"
        "- In each round both request at the same time: {LOW} = 1, {MEDIUM} = 2, {HIGH} = 3 units.\n"
        "- Enough stock for both: each gets its request.\n"
        "- Not enough: the stock is divided in proportion to the requests.\n"
        "- Regrowth after a round: 2 if 3 or fewer were taken, 1 if 4 were taken, else 0.\n"
        "- An empty stock stays empty.\n"
        "- Rounds in all: {rounds}.\n"
        '- The answer is one line: "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation="Round to play: {n} of {rounds}\nStock: {stock}\nRounds so far:\n{past}",
    row="{t}. you {own}, the other {other}",
    between="\n",
    none="(none)",
)

RECORD = Wording(
    name="record",
    rules=(
        'answer: one line, "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}"\n'
        "players: you, other; they request at the same time\n"
        "requests: {LOW} = 1, {MEDIUM} = 2, {HIGH} = 3 units of one stock\n"
        "points: units received = request; if both requests exceed the stock, request * stock / their sum\n"
        "stock: {capacity} at first and at most; growth after a round: 2 if taken <= 3, 1 if taken = 4, "
        "0 if taken > 4 or nothing is left\n"
        "rounds: {rounds}\n"
        "lists run from the oldest round to the latest"
    ),
    situation=(
        "round: {n}/{rounds}\nstock: {stock}\nyour requests: [{every[own]}]\n"
        "other's requests: [{every[other]}]"
    ),
)

SWAPPED_ORDER = PLAIN.but(
    "swapped_order",
    rules=(
        "You and one other player draw on a stock of {capacity} units. Each round both request {HIGH} (3 "
        "units), {MEDIUM} (2) or {LOW} (1) at the same time. If the stock covers both, each gets its "
        "request; if not, it is divided in proportion. Then the stock regrows by 2 if 3 units or less "
        "were taken, by 1 if 4 were taken, up to {capacity}; an empty stock stays empty. The game lasts "
        "{rounds} rounds. Past rounds are shown as pairs, your request first, by first "
        'letters. Answer with the line "{marker} {HIGH}", "{marker} {MEDIUM}" or "{marker} {LOW}".'
    ),
)

ANONYMOUS = Wording(
    name="anonymous",
    rules=(
        "There is one other participant, and a counter that stands at {capacity} and never goes above it. In "
        "each round both name {LOW} (1), {MEDIUM} (2) or {HIGH} (3) at the same time. If the counter covers "
        "both amounts, each gets its amount in points; if not, what it shows is divided in proportion. The "
        "counter goes down by what was given. Then it goes up by 2 if 3 or less were given, by 1 if 4 were "
        "given; once at 0 it stays at 0. There are {rounds} rounds. Earlier rounds are shown as pairs, your "
        'letter first. Answer with the line "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation="Round {n} of {rounds}. Counter: {stock}. Earlier: {past}",
    row="{own}{other}",
    words={LOW: "A", MEDIUM: "B", HIGH: "C"},
)

PANEL = (
    PLAIN,
    FORMAL,
    CASUAL,
    LISTED,
    RECORD,
    PLAIN.but(
        "swapped_labels",
        words={LOW: HIGH, HIGH: LOW},
        parts={"note": " What counts in a request is its number, not its word."},
    ),
    SWAPPED_ORDER,
    ANONYMOUS,
)
"""The wordings, the plain one first."""
