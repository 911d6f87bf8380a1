"""Wordings of the negotiation over several items."""

from __future__ import annotations

from equipoise.games.multi_issue import MOST
from equipoise.prompts.wording import Wording

__all__ = ["PANEL"]

PLAIN = Wording(
    name="plain",
    rules=(
        "You and one other player divide a pool of books, hats and balls. Each has private values per "
        "unit; your values {over} sum to 10, and so do the other's. Each round both demand some of the "
        "pool at the same time. If the pool covers both demands, each gets the worth of its own; if "
        "not, both get 0. The game lasts {rounds} rounds; pool and values stay. Everything is "
        "written as three numbers: books hats balls. Past rounds show your demand, then the other's. "
        'Answer with one line: "{marker}" and then three numbers, as in "{marker} 1 0 1".'
    ),
    situation="Pool: {pool}. Your values: {values}. Round {n} of {rounds}. Past: {past}",
    row="{own}/{other}",
    between=", ",
    parts={
        "bundle": "{0} {1} {2}",
        "unit10": "of one book, one hat and one ball",
        "pool10": "of the whole pool",
    },
)

FORMAL = Wording(
    name="formal",
    rules=(
        "This is a repeated negotiation between two players, of whom you are one, over a set of books, hats "
        "and balls. To each player every unit of a kind is worth a positive whole number of points that the "
        "other player does not know; for either player, {over} are worth 10 points together. The set and the "
        "values are the same in all rounds. In every round each player demands a part of the set without "
        "knowing the other's demand. If no kind is demanded beyond the units there are, each player receives "
        "the worth of its demand; otherwise each receives 0. The number of rounds is {rounds}. Quantities "
        "and values are given as three numbers, for books, hats and balls in this order. Your reply is to "
        'consist of the single line "{marker}" followed by three such numbers, for example "{marker} 1 0 1".'
    ),
    situation=(
        "The set is {pool}. Your values per unit are {values}. Completed rounds (own demand, other player's "
        "demand): {past}. Round {n} of {rounds} is now to be played."
    ),
    row="({own}, {other})",
    between="; ",
    parts={
        "bundle": "{0} {1} {2}",
        "unit10": "one book, one hat and one ball",
        "pool10": "all units of the set",
    },
)

CASUAL = Wording(
    name="casual",
    rules=(
        "You and one other player have a pile of books, hats and balls to share out. You each have your own "
        "idea of what one of each is worth, and you don't know theirs; {over} would be worth 10 to you, and "
        "the same goes for them. Every round you both say at once what you want from the pile. If there's "
        "enough of everything, you both get the worth of what you asked for. If there isn't, nobody gets "
        "anything. The pile and what things are worth never change, and you'll do this {rounds} times. "
        "Three numbers always mean books, hats, balls. When I ask, just say "
        '"{marker}" and your three numbers, like "{marker} 1 0 1", and leave it at that.'
    ),
    situation=(
        "The pile is {pool}, and one of each is worth {values} to you. {past} Now it's round {n} out of "
        "{rounds}. What do you want?"
    ),
    row="In round {t} you wanted {own} and they wanted {other}.",
    none="Nothing has happened so far.",
    parts={
        "bundle": "{0} {1} {2}",
        "unit10": "one book, one hat and one ball together",
        "pool10": "the whole pile",
    },
)

LISTED = Wording(
    name="listed",
    rules=(
        "Rules:\n"
        "- Two players take part: you and one other.\n"
        "- They divide a pool of books, hats and balls.\n"
        "- Each player has values per unit that the other does not know.\n"
        "- For each player the values {over} sum to 10.\n"
        "- In each round both demand units of each kind at the same time.\n"
        "- The pool covers both demands: each gets the worth of its demand.\n"
        "- It does not: each gets 0.\n"
        "- Rounds in all: {rounds}; pool and values stay the same.\n"
        "- Three numbers stand for books hats balls.\n"
        '- The answer is one line: "{marker}" and then three numbers, as in "{marker} 1 0 1".'
    ),
    situation=("Pool: {pool}\nYour values: {values}\nRound to play: {n} of {rounds}\nRounds so far:\n{past}"),
    row="{t}. you {own}, the other {other}",
    between="\n",
    none="(none)",
    parts=PLAIN.parts,
)

RECORD = Wording(
    name="record",
    rules=(
        'answer: one line, "{marker}" and then your demand, as in "{marker} 1 0 1"\n'
        "players: you, other; they demand at the same time\n"
        "notation: three numbers = books hats balls\n"
        "demand: whole numbers from 0 to the pool, for each kind\n"
        "points: sum of demand * values if your demand + other's demand <= pool for every kind, "
        "else 0 for both\n"
        "values: per unit, known to oneself alone; for each player those {over} sum to 10\n"
        "rounds: {rounds}, all with the same pool and values\n"
        "lists run from the oldest round to the latest"
    ),
    situation=(
        "pool: {pool}\nyour values: {values}\nround: {n}/{rounds}\n"
        "your demands: [{every[own]}]\nother's demands: [{every[other]}]"
    ),
    parts=PLAIN.parts,
)

SWAPPED_LABELS = PLAIN.but(
    "swapped_labels",
    rules=(
        "You and one other player divide a pool of books, hats and balls. Each has private values per "
        "unit; your values {over} sum to 10, and so do the other's. Each round both demand some of the "
        "pool at the same time. If the pool covers both demands, each gets the worth of its own; if "
        "not, both get 0. The game lasts {rounds} rounds; pool and values stay. Everything is "
        "written as three numbers: books hats balls. In demands, and only there, the numbers are exchanged: "
        "4 stands for no unit, 3 for one, 2 for two, 1 for three and 0 for four. Past rounds show your "
        'demand, then the other\'s. Answer with one line: "{marker}" and then three numbers, as in '
        '"{marker} 3 4 3" for one book and one ball.'
    ),
    words={units: str(MOST - units) for units in range(MOST + 1)},
)

SWAPPED_ORDER = PLAIN.but(
    "swapped_order",
    rules=(
        "You and one other player divide a pool of balls, hats and books. Each has private values per "
        "unit; your values {over} sum to 10, and so do the other's. Each round both demand some of the "
        "pool at the same time. If the pool covers both demands, each gets the worth of its own; if "
        "not, both get 0. The game lasts {rounds} rounds; pool and values stay. Everything is "
        "written as three numbers: balls hats books. Past rounds show your demand, then the other's. "
        'Answer with one line: "{marker}" and then three numbers, as in "{marker} 1 0 1".'
    ),
    parts={"bundle": "{2} {1} {0}", "unit10": "of one ball, one hat and one book"},
)

ANONYMOUS = Wording(
    name="anonymous",
    rules=(
        "There is one other participant, and there are units of three kinds, X, Y and Z. To each of the two "
        "a unit of a kind is worth a number of points that the other does not know; for either of them "
        "{over} make 10 points. In each round both name a number of units of each kind at the same time. If "
        "there are enough units for both, each gets the points of the units it named; if not, both get 0. "
        "There are {rounds} rounds, with the same units and points. Everything is written as three numbers: "
        "X Y Z. Earlier rounds show what you named, then what the other named. "
        'Answer with one line: "{marker}" and then three numbers, as in "{marker} 1 0 1".'
    ),
    situation="Units: {pool}. Points to you: {values}. Round {n} of {rounds}. Earlier: {past}",
    row="{own}/{other}",
    between=", ",
    parts={
        "bundle": "{0} {1} {2}",
        "unit10": "three units, one of each kind,",
        "pool10": "all the units",
    },
)

PANEL = (PLAIN, FORMAL, CASUAL, LISTED, RECORD, SWAPPED_LABELS, SWAPPED_ORDER, ANONYMOUS)
"""The wordings, the plain one first."""
