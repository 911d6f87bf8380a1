"""Wordings of the iterated prisoner's dilemma."""

from __future__ import annotations

from equipoise.games.ipd import COOPERATE, DEFECT
from equipoise.prompts.wording import Wording

__all__ = ["PANEL"]

PLAIN = Wording(
    name="plain",
    rules=(
        "You play a repeated game with one other player. Each round both of you choose {C} or {D} at the "
        "same time. Both {C}: {reward:g} points each. Both {D}: {punishment:g} each. If one {d} alone, that "
        "one gets {temptation:g} and the other {sucker:g}. {length}{noise} Past rounds are shown as pairs, "
        "your action first, {C[0]} for {C} and {D[0]} for {D}. Answer with the line "
        '"{marker} {C}" or "{marker} {D}".'
    ),
    situation="Round {n}{of}. Past: {past}",
    row="{own[0]}{other[0]}",
    parts={
        "told": "The game lasts {rounds} rounds.",
        "hidden": "After each round another follows with probability {continuation:g}.",
        "noise": " Each chosen action is flipped with probability {noise:g} before it counts.",
        "of": " of {rounds}",
    },
)

FORMAL = Wording(
    name="formal",
    rules=(
        "This is a repeated game of two players, of whom you are one. In every round each player selects "
        "{C} or {D}, neither knowing what the other selects. The payoffs of a round are as follows. If both "
        "select {D}, each receives {punishment:g}. If one selects {D} and the other {C}, the former receives "
        "{temptation:g} and the latter {sucker:g}. If both select {C}, each receives {reward:g}. "
        "{length}{noise} Your reply is to consist of the single line "
        '"{marker} {C}" or "{marker} {D}".'
    ),
    situation=(
        "Completed rounds (own action, other player's action): {past}. Round {n}{of} is now to be played."
    ),
    row="({own}, {other})",
    between="; ",
    parts={
        "told": "The number of rounds is {rounds}.",
        "hidden": "Whenever a round ends, a further one is held with probability {continuation:g}.",
        "noise": (
            " With probability {noise:g}, independently for each player, the action not selected is carried "
            "out instead; payoffs and the record refer to what was carried out."
        ),
        "of": " of {rounds}",
    },
)

CASUAL = Wording(
    name="casual",
    rules=(
        "So it's you and one other player, and the two of you keep meeting. Every time you both pick {C} or "
        "{D}, and nobody gets to peek. If you both go for {C}, that's {reward:g} points for each of you. If "
        "you both go for {D}, you each get {punishment:g}. If only one of you goes for {D}, that one walks "
        "off with {temptation:g} and the other is left with {sucker:g}. {length}{noise} When I ask, just say "
        '"{marker} {C}" or "{marker} {D}" and leave it at that.'
    ),
    situation="{past} Now it's round {n}{of}. What will it be?",
    row="In round {t} you picked {own} and they picked {other}.",
    none="Nothing has happened so far.",
    parts={
        "told": "You'll meet {rounds} times, then it's over.",
        "hidden": "After each round there's a chance of {continuation:g} that you go on for another.",
        "noise": (
            " Watch out, things slip: with a chance of {noise:g} a pick comes out as the other one, and what "
            "came out is what counts and what you'll be told."
        ),
        "of": " out of {rounds}",
    },
)

LISTED = Wording(
    name="listed",
    rules=(
        "Rules:\n"
        "- Two players take part: you and one other.\n"
        "- In each round both choose at the same time, {C} or {D}.\n"
        "- {C} and {C}: {reward:g} points for each.\n"
        "- {C} and {D}: {sucker:g} for the one with {C}, {temptation:g} for the one with {D}.\n"
        "- {D} and {D}: {punishment:g} for each.\n"
        "- {length}{noise}\n"
        '- The answer is one line: "{marker} {C}" or "{marker} {D}".'
    ),
    situation="Round to play: {n}{of}\nRounds so far:\n{past}",
    row="{t}. you {own}, the other {other}",
    between="\n",
    none="(none)",
    parts={
        "told": "Rounds in all: {rounds}.",
        "hidden": "Chance of another round after each round: {continuation:g}.",
        "noise": "\n- Chance that a choice turns into its opposite before it counts: {noise:g}.",
        "of": " of {rounds}",
    },
)

RECORD = Wording(
    name="record",
    rules=(
        'answer: one line, "{marker} {C}" or "{marker} {D}"\n'
        "players: you, other; they move at the same time\n"
        "moves: {C}, {D}\n"
        "points (you, other): {C}/{C} = {reward:g}, {reward:g}; {C}/{D} = {sucker:g}, {temptation:g}; "
        "{D}/{C} = {temptation:g}, {sucker:g}; {D}/{D} = {punishment:g}, {punishment:g}\n"
        "{length}{noise}\n"
        "lists run from the oldest round to the latest"
    ),
    situation="round: {n}{of}\nyour moves: [{every[own]}]\nother's moves: [{every[other]}]",
    parts={
        "told": "rounds: {rounds}",
        "hidden": "probability of a further round: {continuation:g}",
        "noise": "\nprobability that a move is flipped before it counts: {noise:g}",
        "of": "/{rounds}",
    },
)

SWAPPED_ORDER = PLAIN.but(
    "swapped_order",
    rules=(
        "You play a repeated game with one other player. Each round both of you choose {D} or {C} at the "
        "same time. Both {D}: {punishment:g} each. Both {C}: {reward:g} points each. If one {d} alone, that "
        "one gets {temptation:g} and the other {sucker:g}. {length}{noise} Past rounds are shown as pairs, "
        "your action first, {D[0]} for {D} and {C[0]} for {C}. Answer with the line "
        '"{marker} {D}" or "{marker} {C}".'
    ),
)

ANONYMOUS = Wording(
    name="anonymous",
    rules=(
        "There is one other participant. In each round both name the letter {C} or {D} at the same time. "
        "Both {C}: {reward:g} points each. Both {D}: {punishment:g} each. One {C} and one {D}: {sucker:g} "
        "for the one who named {C} and {temptation:g} for the one who named {D}. {length}{noise} Earlier "
        "rounds are shown as pairs, your letter first. Answer with the line "
        '"{marker} {C}" or "{marker} {D}".'
    ),
    situation="Round {n}{of}. Earlier: {past}",
    row="{own}{other}",
    words={COOPERATE: "A", DEFECT: "B"},
    parts={
        "told": "There are {rounds} rounds.",
        "hidden": "After each round another follows with probability {continuation:g}.",
        "noise": " Each letter turns into the other one with probability {noise:g} before it counts.",
        "of": " of {rounds}",
    },
)

PANEL = (
    PLAIN,
    FORMAL,
    CASUAL,
    LISTED,
    RECORD,
    PLAIN.but("swapped_labels", words={COOPERATE: DEFECT, DEFECT: COOPERATE}),
    SWAPPED_ORDER,
    ANONYMOUS,
)
"""The wordings, the plain one first."""
