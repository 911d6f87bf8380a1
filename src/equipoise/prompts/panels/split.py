"""Wordings of the negotiation over one pie."""

from __future__ import annotations

from equipoise.games.split import DEMANDS, PIE
from equipoise.prompts.wording import Wording

__all__ = ["PANEL"]

PLAIN = Wording(
    name="plain",
    rules=(
        "You and one other player share {pie} points each round. Both demand a whole number from 1 to "
        "{most} at the same time. If the two demands sum to {pie} or less, each gets its demand; if "
        "not, both get 0. The game lasts {rounds} rounds. Past rounds are shown as pairs, "
        'your demand first. Answer with one line: "{marker}" and then the number.'
    ),
    situation="Round {n} of {rounds}. Past: {past}",
    row="{own}-{other}",
)

FORMAL = Wording(
    name="formal",
    rules=(
        "This is a repeated negotiation between two players, of whom you are one. In every round a total of "
        "{pie} points is to be divided. Each player states a demand, an integer between 1 and {most}, "
        "without knowing the other's. Demands whose sum does not exceed {pie} are granted. Demands whose sum "
        "exceeds {pie} are both refused, and each player receives 0. The number of rounds is {rounds}. Your "
        'reply is to consist of the single line "{marker}" followed by your demand in digits.'
    ),
    situation=(
        "Completed rounds (own demand, other player's demand): {past}. "
        "Round {n} of {rounds} is now to be played."
    ),
    row="({own}, {other})",
    between="; ",
)

CASUAL = Wording(
    name="casual",
    rules=(
        "There are {pie} points on the table for you and one other player, fresh ones every round. You both "
        "say at once how many you want, any whole number from 1 to {most}. If it adds up to {pie} or less, "
        "you both get what you asked for. If you two ask for more than that, nobody gets anything. You'll do "
        'this {rounds} times. When I ask, just say "{marker}" and your number, and leave it at that.'
    ),
    situation="{past} Now it's round {n} out of {rounds}. How many do you want?",
    row="In round {t} you wanted {own} and they wanted {other}.",
    none="Nothing has happened so far.",
)

LISTED = Wording(
    name="listed",
    rules=(
        "Rules:\n"
        "- Two players take part: you and one other.\n"
        "- In each round there are {pie} points.\n"
        "- Both demand at the same time: a whole number, at least 1, at most {most}.\n"
        "- Sum of the demands {pie} or less: each gets its demand.\n"
        "- Sum of the demands more than {pie}: each gets 0.\n"
        "- Rounds in all: {rounds}.\n"
        '- The answer is one line: "{marker}" and then the number.'
    ),
    situation="Round to play: {n} of {rounds}\nRounds so far:\n{past}",
    row="{t}. you {own}, the other {other}",
    between="\n",
    none="(none)",
)

RECORD = Wording(
    name="record",
    rules=(
        'answer: one line, "{marker}" and then your demand\n'
        "players: you, other; they demand at the same time\n"
        "demand: integer, 1 <= demand <= {most}\n"
        "points: demand if your demand + other's demand <= {pie}, else 0 for both\n"
        "rounds: {rounds}\n"
        "lists run from the oldest round to the latest"
    ),
    situation="round: {n}/{rounds}\nyour demands: [{every[own]}]\nother's demands: [{every[other]}]",
)

SWAPPED_LABELS = PLAIN.but(
    "swapped_labels",
    rules=(
        "You and one other player share {pie} points each round. Both write a whole number from 1 to {most} "
        "at the same time, and demand {pie} minus what they write. If the two demands sum to {pie} or less, "
        "each gets its demand; if not, both get 0. The game lasts {rounds} rounds. Past rounds are shown as "
        'pairs of what was written, yours first. Answer with one line: "{marker}" and then the number you '
        "write."
    ),
    words={demand: str(PIE - demand) for demand in DEMANDS},
)

SWAPPED_ORDER = PLAIN.but(
    "swapped_order",
    rules=(
        "You and one other player share {pie} points each round. Both demand a whole number from {most} down "
        "to 1 at the same time. If the two demands sum to more than {pie}, both get 0; if not, each gets its "
        "demand. The game lasts {rounds} rounds. Past rounds are shown as pairs, "
        'your demand first. Answer with one line: "{marker}" and then the number.'
    ),
)

ANONYMOUS = Wording(
    name="anonymous",
    rules=(
        "There is one other participant. In each round both name a whole number from 1 to {most} at the same "
        "time. If the two numbers sum to {pie} or less, each gets its number in points; if not, both get 0. "
        "There are {rounds} rounds. Earlier rounds are shown as pairs, your number first. "
        'Answer with one line: "{marker}" and then the number.'
    ),
    situation="Round {n} of {rounds}. Earlier: {past}",
    row="{own}-{other}",
)

PANEL = (PLAIN, FORMAL, CASUAL, LISTED, RECORD, SWAPPED_LABELS, SWAPPED_ORDER, ANONYMOUS)
"""The wordings, the plain one first."""
