"""Wordings of the repeated first-price auction."""

from __future__ import annotations

from equipoise.games.auction import HIGH, LOW, MEDIUM
from equipoise.prompts.wording import Wording

__all__ = ["PANEL"]

PLAIN = Wording(
    name="plain",
    rules=(
        "You bid against one other player. Each round both draw a private value, 2 or 4, and bid {LOW} "
        "(1), {MEDIUM} (2) or {HIGH} (3) at the same time. The higher bid wins, a coin decides a tie. The "
        "winner gets its value minus its bid, the other 0. Afterwards both bids and the winner are "
        "told, values never. The game lasts {rounds} rounds. Past rounds are shown as "
        "your value, your bid and the other's by first letter, and w (won) or l (lost).{note} Answer with "
        'the line "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation="Round {n} of {rounds}. Your value: {value}. Past: {past}",
    row="{value}{own[0]}{other[0]}{result}",
    parts={"won": "w", "lost": "l"},
)

FORMAL = Wording(
    name="formal",
    rules=(
        "This is a repeated first-price sealed-bid auction with two bidders, of whom you are one. At the "
        "start of every round each bidder receives a value of 2 or 4, which is never disclosed to the "
        "other. Both then submit one of three bids without knowing the other's: {LOW}, an amount of 1; "
        "{MEDIUM}, an amount of 2; {HIGH}, an amount of 3. The larger amount wins; equal amounts are decided "
        "by a fair coin. The payoff of the winner is its value less the amount of its bid, which may be "
        "negative; the payoff of the other is 0. After the round both bids and the winner are announced. The "
        "number of rounds is {rounds}. Your reply is to consist of the single line "
        '"{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation=(
        "Completed rounds (own value, own bid, other bid, outcome): {past}. In round {n} of {rounds}, now to "
        "be played, your value is {value}."
    ),
    row="({value}, {own}, {other}, {result})",
    between="; ",
    parts={"won": "won", "lost": "not won"},
)

CASUAL = Wording(
    name="casual",
    rules=(
        "You and one other player keep bidding for things, with sealed bids. Each round you find out what "
        "the thing is worth to you, 2 or 4; they get a number of their own, and neither of you ever sees the "
        "other's. You both bid at once: {LOW} means you'd pay 1, {MEDIUM} means 2, {HIGH} means 3. Whoever "
        "bids more gets it, and if it's the same we flip a coin. The one who gets it keeps what it's worth "
        "to them minus what they bid, so you can end up losing; the other one gets 0. After that everybody "
        "hears both bids and who won. You'll do this {rounds} times. When I ask, just say "
        '"{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}" and leave it at that.'
    ),
    situation="{past} Now it's round {n} out of {rounds}, and it's worth {value} to you. What will it be?",
    row="In round {t} it was worth {value} to you, you bid {own}, they bid {other} and {result}.",
    none="Nothing has happened so far.",
    parts={"won": "you got it", "lost": "they got it"},
)

LISTED = Wording(
    name="listed",
    rules=(
        "Rules:\n"
        "- Two bidders take part: you and one other.\n"
        "- In each round each draws a private value, 2 or 4; values are never told.\n"
        "- Both bid at the same time: {LOW} = 1, {MEDIUM} = 2, {HIGH} = 3.\n"
        "- The bid of the larger amount wins. A coin decides between equal ones.\n"
        "- The winner gets its value minus the amount of its bid, the other 0.\n"
        "- Both bids and the winner are told after the round.\n"
        "- Rounds in all: {rounds}.\n"
        '- The answer is one line: "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation="Round to play: {n} of {rounds}\nYour value: {value}\nRounds so far:\n{past}",
    row="{t}. value {value}, you {own}, the other {other}, {result}",
    between="\n",
    none="(none)",
    parts={"won": "you won", "lost": "the other won"},
)

RECORD = Wording(
    name="record",
    rules=(
        'answer: one line, "{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}"\n'
        "players: you, other; they bid at the same time\n"
        "bids: {LOW} = 1, {MEDIUM} = 2, {HIGH} = 3\n"
        "value, drawn for each player each round and known to it alone: 2 or 4\n"
        "winner: larger bid; equal bids: a coin\n"
        "points: winner = value - bid; other = 0\n"
        "rounds: {rounds}\n"
        "lists run from the oldest round to the latest"
    ),
    situation=(
        "round: {n}/{rounds}\nyour value: {value}\nyour past values: [{every[value]}]\n"
        "your bids: [{every[own]}]\nother's bids: [{every[other]}]\nwinner: [{every[result]}]"
    ),
    parts={"won": "you", "lost": "other"},
)

SWAPPED_ORDER = PLAIN.but(
    "swapped_order",
    rules=(
        "You bid against one other player. Each round both draw a private value, 2 or 4, and bid {HIGH} "
        "(3), {MEDIUM} (2) or {LOW} (1) at the same time. The higher bid wins, a coin decides a tie. The "
        "winner gets its value minus its bid, the other 0. Afterwards both bids and the winner are "
        "told, values never. The game lasts {rounds} rounds. Past rounds are shown as "
        "your value, your bid and the other's by first letter, and w (won) or l (lost). Answer with "
        'the line "{marker} {HIGH}", "{marker} {MEDIUM}" or "{marker} {LOW}".'
    ),
)

ANONYMOUS = Wording(
    name="anonymous",
    rules=(
        "There is one other participant. In each round both get a number of their own, 2 or 4, that the "
        "other never learns, and then name {LOW} (1), {MEDIUM} (2) or {HIGH} (3) at the same time. The "
        "letter with the larger amount takes the round; equal amounts are decided by a coin. Who takes the "
        "round gets its number minus the amount it named, the other 0. Both letters and who took the round "
        "are told afterwards. There are {rounds} rounds. Earlier rounds are shown as your number, your "
        "letter, the other's letter, and y (you took it) or n (you did not). Answer with the line "
        '"{marker} {LOW}", "{marker} {MEDIUM}" or "{marker} {HIGH}".'
    ),
    situation="Round {n} of {rounds}. Your number: {value}. Earlier: {past}",
    row="{value}{own}{other}{result}",
    words={LOW: "A", MEDIUM: "B", HIGH: "C"},
    parts={"won": "y", "lost": "n"},
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
        parts={"note": " What counts in a bid is its number, not its word."},
    ),
    SWAPPED_ORDER,
    ANONYMOUS,
)
"""The wordings, the plain one first."""
