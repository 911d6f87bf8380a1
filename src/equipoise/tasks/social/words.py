"""The words that the grammar of agreements listens for, as lists of small patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "BOUNDS",
    "CONDITIONS",
    "COURTESIES",
    "CUES",
    "FILLERS",
    "NEGATIONS",
    "REPORTS",
    "ROLES",
    "SAYS",
    "UNITS",
    "any_of",
    "words",
]


def any_of(patterns: Iterable[str]) -> str:
    """Return a pattern for any of the patterns."""
    return f"(?:{'|'.join(patterns)})"


def words(patterns: Iterable[str]) -> re.Pattern[str]:
    """Return what finds any of the patterns as whole words."""
    return re.compile(rf"\b{any_of(patterns)}\b")


_ACTS = (
    "(?:accept|agree|ask|bid|book|buy|come|do|drop|give|go|let|make|manage|meet|offer|pay|raise|sell|settle|"
    "stretch|take)"
)
_WISHES = (
    "(?:accept|be up for|buy|choose|do|give|go|let|like|offer|pay|pick|propose|say|sell|settle|suggest|take|"
    "vote)"
)
_SAYINGS = "(?:accept|ask|bid|choose|need|offer|pick|propose|recommend|say|suggest|take|vote|want)"
_READY = "(?:'m| am) (?:willing|prepared|ready|happy) to"
_FAIR = "(?:best|fair|fine|good|ideal|perfect)"

CUES = (
    r"(?:how|what) about", r"how (?:do|does|is|would)", r"what if we", r"(?:shall|can|could|may) we",
    r"let(?:'s| us| me)", rf"(?:would|could|can|will|do) you (?:\w+ )?(?:consider|{_ACTS})",
    r"whether you (?:would|could|might)", rf"i {_SAYINGS}",
    rf"i(?:'d| would)(?: be (?:happy|glad|willing|ready) (?:to|with))?(?: {_WISHES})?",
    rf"i(?:'ll| will| can| could| might|{_READY})(?: \w+){{0,2}}? {_ACTS}",
    r"i(?:'m| am) (?:asking|available|free|offering|open|proposing|suggesting)",
    r"we (?:can|could|might|should)",
    r"my (?:\w+ )?(?:bid|choice|counter|counteroffer|figure|offer|preference|price|proposal|suggestion|vote)",
    r"(?:make|call) it", r"make that", r"say", r"settle (?:at|for|on)", r"meet (?:me )?at",
    r"go (?:for|with)", r"best i can do", r"final offer", r"it(?:'s| is) yours", r"yours for", r"it is",
    r"a deal (?:at|for|on)", r"(?:we|you)(?:'ve| have)(?: got)? a deal",
    r"works?(?: \w+)? for (?:me|us|you)", r"suits? (?:me|us|you)", r"works(?=[.!]?$)",
    rf"(?:would be|is|sounds|seems) {_FAIR}",
)  # fmt: skip
"""What puts something forward: what one asks, what one would do, what one calls it and thinks of it."""

FILLERS = (
    "a", "accept", "agreed", "all right", "alright", "and", "at", "cash", "deal", "done", "even", "final",
    "fine", "flat", "for", "friend", "hmm", "i", "in", "is", "it", "it's", "just", "my", "of", "offer",
    "ok", "okay", "on", "only", "please", "price", "so", "sold", "take", "that's", "the", "then", "to",
    "total", "uh", "um", "well", "yes", "your",
)  # fmt: skip
"""What leaves a figure standing alone."""

NEGATIONS = (
    "cannot", "cant", "decline", "dont", "hardly", "impossible", "instead of", "neither", "never", "no",
    "none", "nor", "not", "nowhere near", "out of the question", "rather than", "refuse", "reject",
    "ridiculous", "unable", "unacceptable", "without", "wont",
    r"too (?:cheap|early|expensive|far|high|late|little|low|much|steep)",
)  # fmt: skip
"""What denies or refuses; "n't" does too."""

BOUNDS = (
    "above", "about", "approximately", "around", "at least", "at most", "at the most", "at minimum",
    "below", "beyond", "between", "budget", "higher than", "less than", "limit", "lower than", "max",
    "maximum", "min", "minimum", "more than", "no less", "no more", "over", "range", "roughly",
    "somewhere", "starting from", "under", "up to",
)  # fmt: skip
"""What gives a bound or a rough figure."""

REPORTS = (
    r"(?:you|he|she|they|we|i|someone|somebody|people|others) (?:already |just )?(?:agreed|asked|"
    r"claimed|mentioned|offered|paid|promised|proposed|said|suggested|told|wanted|wrote)",
    r"i (?:have |had )?paid", "was", "were", "used to", "would have", "had been", r"retails?", "listed",
    "lists", "brand[- ]new", "worth", r"costs?", "valued", "elsewhere", r"another (?:buyer|seller|offer)",
    "someone else", r"other (?:buyers?|sellers?|people|offers?)", "market price", "going rate",
    "on average", "originally", "earlier", "yesterday", r"last (?:week|year|time|month|summer|winter)",
)  # fmt: skip
"""What tells of what was, of what others said, or of what things are worth."""

CONDITIONS = (
    "if", "unless", "provided", "providing", "as long as", "so long as", r"on (?:the )?condition",
    "only when", "assuming", "until", "depending", "depends", "subject to", "in case", "in return for",
    "in exchange for", "contingent", "once you", "when you", "as soon as",
)  # fmt: skip
"""What makes a sentence conditional."""

COURTESIES = (
    r"if (?:that|this|it)(?:'s| is| works| suits| would work| sounds)(?: \w+){0,3}(?: (?:for|with|"
    r"by|to) you)?",
    r"if you(?:'d| would)? (?:like|agree|want|wish|prefer|don't mind|are ok(?:ay)? with (?:that|this|it))",
    "if possible", "if i may",
)  # fmt: skip
"""An "if" that is mere politeness where something is put forward."""

ROLES = (
    "system", "narrator", "judge", "referee", "moderator", "assistant", "user", "environment", "coach",
    "evaluator", "buyer", "seller", "both", "everyone", "result", "outcome", "agreement",
)  # fmt: skip
"""Speakers, beside the other side, under whose names nobody's own voice stands."""

SAYS = (
    "says", "said", "replies", "replied", "answers", "answered", "responds", "responded", "adds", "added",
)  # fmt: skip
"""What may stand between a name and its colon."""

UNITS = (
    "%", r"per ?cent", r"years?", r"yrs?", r"months?", r"weeks?", r"days?", r"hours?", r"hrs?",
    r"minutes?", r"mins?", "o'clock", r"am\b", r"pm\b", "km", r"kilomet(?:re|er)s?", r"miles?",
    r"met(?:re|er)s?", "cm", "mm", r"inch(?:es)?", "feet", "ft", "kg", r"kilos?", r"grams?",
    r"lit(?:re|er)s?", r"watts?", r"pieces?", "people", r"persons?", "times", r"rooms?", "copies",
    r"pages?", r"bottles?", r"jars?", "boxes", r"bags?", r"guests?", r"others?",
    r"of (?:them|us|these|those)", r"(?:st|nd|rd|th|more|keys)\b", r"strings?", r"gears?", r"seats?",
    r"weekends?", r"nights?", r"shows?", r"hives?", r"plates?", r"lessons?", r"sessions?", r"visits?",
    r"frames?", r"pupils?", r"students?", r"songs?", r"dogs?", r"chairs?",
)  # fmt: skip
"""What makes a plain figure something else than a price."""
