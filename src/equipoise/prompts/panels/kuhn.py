"""Wordings of Kuhn poker."""

from __future__ import annotations

from collections.abc import Hashable

from equipoise.games.kuhn import BET, CALL, FOLD, PASS
from equipoise.prompts.wording import Wording

__all__ = ["PANEL"]

CARDS: dict[Hashable, str] = {"J": "jack", "Q": "queen", "K": "king"}
MOVES = {PASS: "pass or fold", FOLD: "pass or fold", BET: "bet or call", CALL: "bet or call"}

PLAIN = Wording(
    name="plain",
    rules=(
        "You play poker with three cards: {K} beats {Q}, {Q} beats {J}. Both players put in 1 chip and get "
        "one card. The opener may {PASS} or {BET} 1 chip. Facing a bet, {CALL} matches it and {FOLD} gives "
        "up the pot. After two passes or a call the higher card wins the pot. "
        'Answer with one line: "{marker}" and then the word.'
    ),
    situation="{past}You hold the {card}. {bets}",
    row="Hand {t}: you held the {card}, {place}; {moves}; {shown}.\n",
    between="",
    none="",
    words=CARDS,
    parts={
        "bets": "You open: {PASS} or {BET}?",
        "bets p": "The other player passed: {PASS} or {BET}?",
        "bets b": "The other player bet: {CALL} or {FOLD}?",
        "bets pb": "You passed, the other player bet: {CALL} or {FOLD}?",
        "opened": "you opened",
        "answered": "the other opened",
        "shown": "the other showed the {card}",
        "hidden": "no showdown",
        **MOVES,
    },
)

FORMAL = Wording(
    name="formal",
    rules=(
        "A hand of poker is contested by two players, of whom you are one, with three cards ranked {J}, "
        "{Q}, {K} from lowest to highest. Each player stakes 1 chip and is dealt one card that the other "
        "does not see. The player who opens passes ({PASS}) or stakes 1 further chip ({BET}). After a pass "
        "the second player has the same options. A player who faces a bet matches it ({CALL}) or cedes the "
        "pot ({FOLD}). If both pass, or if a bet is matched, the pot goes to the higher card.{memory} Your "
        'reply is to consist of the single line "{marker}" followed by one of the permitted words.'
    ),
    situation="{past}{hand}Your card is the {card}. {bets}",
    row="Hand {t}: your card was the {card}; {place}; sequence of actions: {moves}; {shown}.\n",
    between="",
    none="",
    words=CARDS,
    parts={
        "memory": " There are {rounds} hands, opened by the two players in turn; completed hands are stated.",
        "hand": "Hand {n} of {rounds}. ",
        "bets": "You open the hand. Permitted: {PASS}, {BET}.",
        "bets p": "The other player has opened with a pass. Permitted: {PASS}, {BET}.",
        "bets b": "The other player has opened with a bet. Permitted: {CALL}, {FOLD}.",
        "bets pb": "You have passed and the other player has bet. Permitted: {CALL}, {FOLD}.",
        "opened": "you opened",
        "answered": "the other player opened",
        "shown": "the other player's card was the {card}",
        "hidden": "the other player's card was not shown",
    },
)

CASUAL = Wording(
    name="casual",
    rules=(
        "A quick card game, just you and one other player, and the whole deck is a {J}, a {Q} and a {K}. A "
        "{K} beats a {Q}, a {Q} beats a {J}. You each toss in 1 chip and get a card the other can't see. "
        "Whoever opens can {PASS} or {BET} one more chip, and if they pass, so can the other one. Got a bet "
        "in front of you? {CALL} and match it, or {FOLD} and let the pot go. Two passes, or a bet that's "
        "been matched, and the better card takes the lot.{memory} When I ask, just say "
        '"{marker}" and your word.'
    ),
    situation="{past}{hand}You're looking at a {card}. {bets}",
    row="Hand {t}: you had a {card} and {place}. It went {moves}, and {shown}.\n",
    between="",
    none="",
    words=CARDS,
    parts={
        "memory": " You'll play {rounds} hands and take turns opening; I'll remind you of the old ones.",
        "hand": "This is hand {n} out of {rounds}. ",
        "bets": "You're first, so what'll it be, {PASS} or {BET}?",
        "bets p": "They opened with a pass, so what'll it be, {PASS} or {BET}?",
        "bets b": "They opened with a bet, so what'll it be, {CALL} or {FOLD}?",
        "bets pb": "You passed, then they bet, so what'll it be, {CALL} or {FOLD}?",
        "opened": "you opened",
        "answered": "they opened",
        "shown": "they turned over a {card}",
        "hidden": "you never saw their card",
    },
)

LISTED = Wording(
    name="listed",
    rules=(
        "Rules:\n"
        "- Two players take part in a hand of poker: you and one other.\n"
        "- Cards, one of each, best first: {K}, {Q}, {J}. Each player gets one, unseen by the other.\n"
        "- Each player puts 1 chip into the pot at the start.\n"
        "- The opener chooses {PASS} or {BET}; a bet is 1 more chip.\n"
        "- After a pass the second player chooses {PASS} or {BET} as well.\n"
        "- A player facing a bet chooses {CALL} (match it) or {FOLD} (lose the pot).\n"
        "- After two passes or a call the better card wins the pot.{memory}\n"
        '- The answer is one line: "{marker}" and then the word.'
    ),
    situation="{past}{hand}Your card: {card}\n{bets}",
    row="Hand {t}\n- your card: {card}\n- {place}\n- actions: {moves}\n- {shown}\n",
    between="",
    none="",
    words=CARDS,
    parts={
        "memory": "\n- There are {rounds} hands, opened in turn. Earlier hands are listed first.",
        "hand": "Hand {n} of {rounds}\n",
        "bets": "So far: nothing, you open\nOptions: {PASS}, {BET}",
        "bets p": "So far: the other passed\nOptions: {PASS}, {BET}",
        "bets b": "So far: the other bet\nOptions: {CALL}, {FOLD}",
        "bets pb": "So far: you passed, the other bet\nOptions: {CALL}, {FOLD}",
        "opened": "opened by you",
        "answered": "opened by the other",
        "shown": "the other's card: {card}",
        "hidden": "the other's card was not shown",
    },
)

RECORD = Wording(
    name="record",
    rules=(
        'answer: one line, "{marker}" and then one of the options\n'
        "players: you, other; each stakes 1 chip and has one of the three cards {J} < {Q} < {K}, hidden\n"
        "first move: {PASS} | {BET} (1 chip); second after {PASS}: {PASS} | {BET}; "
        "after {BET}: {CALL} (1 chip) | {FOLD} (the pot goes to the other)\n"
        "{PASS} {PASS}, {BET} {CALL}: the pot goes to the higher card{memory}"
    ),
    situation="{past}{hand}card: {card}\n{bets}",
    row="hand {t}: card {card}, {place}, moves [{moves}], {shown}\n",
    between="",
    none="",
    words=CARDS,
    parts={
        "memory": "\nhands: {rounds}, the first move alternates; past hands precede the present one",
        "hand": "hand: {n}/{rounds}\n",
        "bets": "moves: []\noptions: {PASS}, {BET}",
        "bets p": "moves: [other {PASS}]\noptions: {PASS}, {BET}",
        "bets b": "moves: [other {BET}]\noptions: {CALL}, {FOLD}",
        "bets pb": "moves: [you {PASS}, other {BET}]\noptions: {CALL}, {FOLD}",
        "opened": "first move yours",
        "answered": "first move other's",
        "shown": "other's card {card}",
        "hidden": "other's card unknown",
    },
)

SWAPPED_LABELS = PLAIN.but(
    "swapped_labels",
    rules=(
        "You play poker with three cards: {K} beats {Q}, {Q} beats {J}. Both players put in 1 chip and get "
        "one card. The opener may {PASS}, which adds nothing, or {BET}, which adds 1 chip. Facing an added "
        "chip, {CALL} matches it and {FOLD} gives up the pot. After {PASS} twice or {CALL} the higher card "
        'wins the pot. Answer with one line: "{marker}" and then the word.'
    ),
    words={**CARDS, PASS: BET, BET: PASS, CALL: FOLD, FOLD: CALL},
    parts={
        "bets p": "The other player chose {PASS}: {PASS} or {BET}?",
        "bets b": "The other player chose {BET}: {CALL} or {FOLD}?",
        "bets pb": "You chose {PASS}, the other player chose {BET}: {CALL} or {FOLD}?",
        **dict.fromkeys(MOVES, ""),
    },
)

SWAPPED_ORDER = PLAIN.but(
    "swapped_order",
    rules=(
        "You play poker with three cards: {K} beats {Q}, {Q} beats {J}. Both players put in 1 chip and get "
        "one card. The opener may {BET} 1 chip or {PASS}. Facing a bet, {FOLD} gives up the pot and {CALL} "
        "matches it. After a call or two passes the higher card wins the pot. "
        'Answer with one line: "{marker}" and then the word.'
    ),
    parts={
        "bets": "You open: {BET} or {PASS}?",
        "bets p": "The other player passed: {BET} or {PASS}?",
        "bets b": "The other player bet: {FOLD} or {CALL}?",
        "bets pb": "You passed, the other player bet: {FOLD} or {CALL}?",
    },
)

ANONYMOUS = Wording(
    name="anonymous",
    rules=(
        "There is one other participant. Both put 1 point into a common sum and are given one of the numbers "
        "{J}, {Q} and {K}, not the same one and unseen by the other. The one who begins names {PASS}, which "
        "adds nothing, or {BET}, which adds 1 point of one's own. After {PASS} the other has the same "
        "choice. After {BET} the other names {CALL}, which adds 1 point as well, or {FOLD}, which leaves the "
        "sum to the one who named {BET}. After {PASS} twice or {CALL} the sum goes to the larger number."
        '{memory} Answer with one line: "{marker}" and then the letter.'
    ),
    situation="{past}{hand}Your number is {card}. {bets}",
    row="Part {t}: your number was {card}, {place}; {moves}; {shown}.\n",
    between="",
    none="",
    words={"J": "1", "Q": "2", "K": "3", PASS: "A", BET: "B", CALL: "C", FOLD: "D"},
    parts={
        "memory": " There are {rounds} parts, begun by the two in turn; earlier parts are shown first.",
        "hand": "Part {n} of {rounds}. ",
        "bets": "You begin: {PASS} or {BET}?",
        "bets p": "The other named {PASS}: {PASS} or {BET}?",
        "bets b": "The other named {BET}: {CALL} or {FOLD}?",
        "bets pb": "You named {PASS}, the other named {BET}: {CALL} or {FOLD}?",
        "opened": "you began",
        "answered": "the other began",
        "shown": "the other's number was {card}",
        "hidden": "the other's number was not shown",
    },
)

PANEL = (PLAIN, FORMAL, CASUAL, LISTED, RECORD, SWAPPED_LABELS, SWAPPED_ORDER, ANONYMOUS)
"""The wordings, the plain one first."""
