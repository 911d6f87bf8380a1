"""What advice can ask for, and the beginnings of the words in which it does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["PHRASINGS", "Intent"]


class Intent(StrEnum):
    """What advice can ask for."""

    SEARCH = "search"
    """Go to the places or the room that is named and look there."""
    TAKE = "take"
    """Fetch what is named, or what the errand is about."""
    CLEAN = "clean"
    """Clean what is in hand."""
    HEAT = "heat"
    """Heat what is in hand."""
    COOL = "cool"
    """Cool what is in hand."""
    LIGHT = "light"
    """Switch a light on."""
    PUT = "put"
    """Put what is in hand where it is said, or where it belongs."""
    OPEN = "open"
    """Open what is closed."""
    LOOK = "look"
    """Look around."""
    FRESH = "fresh"
    """Keep to what has not been searched yet."""


PHRASINGS: Mapping[Intent, tuple[str, ...]] = {
    Intent.SEARCH: (
        r"search(?!\w* (?:everything )?(?:again|the same))",
        r"check(?! (?:everything )?(?:again|twice))",
        r"look (?:in|into|inside|on|under|at|for|through|behind)\b",
        r"(?:go|head|walk|move|get|proceed|run|return|cross) (?:over |back |on |straight |down |up |ou"
        r"t )?(?:to|into|in|for)\b",
        "explore",
        "inspect",
        "visit",
        r"try (?:the|in|looking|at|a|one|\w+ing)",
        "investigate",
        r"start (?:with|in|at)",
        "rummage",
        r"(?:is|are|should be|might be|may be|must be|could be|probably|likely) (?:probably |likely |h"
        r"idden |kept |lying )?(?:in|on|at|inside)\b",
        "find",
        "hunt",
        "scan",
        "examine",
        "peek",
        "go through",
        "have a look (?:in|at|on|inside)",
        "begin (?:with|in|at)",
        "make for",
        "comb",
        "seek",
        "dig",
        "survey",
        "sweep (?:the|through)",
        r"your best bet is",
        r"my bet is",
        r"i(?:'d| would) (?:try|check|look)",
    ),
    Intent.TAKE: (
        r"take(?! (?:it|them|that|this|\w+ \w+) (?:to|back|over|into)\b)(?! (?:a |another )?(?:look|ca"
        r"re|your time|stock|the door|note))",
        r"pick (?:it|them|that|this|one|the|a|up|\w+ up)\b",
        "grab",
        "fetch",
        "collect",
        "get hold of",
        r"get (?:the|a|an|it|that|one|another|your hands)\b(?! (?:\w+ ){0,3}(?:hot|cold|clean|warm|was"
        r"hed|heated|cooled)\b)",
        "seize",
        "lift",
        "retrieve",
        "snatch",
        "pocket",
        "gather",
        "acquire",
        "help yourself",
        r"(?:put|lay) your hands on",
        "carry off",
        "scoop",
        "claim",
        "obtain",
        "secure (?:the|a|it)",
        "bring along",
        "lay hold",
    ),
    Intent.CLEAN: (
        "clean(?!ed)",
        "wash",
        "rinse",
        "scrub",
        "wipe",
        "run (?:it|them|that) under",
        "soap",
        "hose",
        "polish",
        r"dirt",
        r"(?:make|get) (?:it|the \w+) spotless",
        r"give (?:it|the \w+) a (?:bath|rinse|wash|scrub|good)",
        "use (?:the|a) (?:sink|washbasin|bathtub|dishwasher|rain barrel)",
        "cleaned",
        r"hold (?:it|the \w+) under",
        "sponge",
        "dunk",
        "dip (?:it|the)",
        "with water",
        "grime",
        "freshen",
    ),
    Intent.HEAT: (
        r"heat",
        "warm",
        "microwave it",
        "cook",
        r"bak(?:e|ing)\b",
        "toast(?:e|i| it| the)",
        "make it hot",
        r"get (?:it|the \w+(?: \w+)?) hot",
        "boil",
        "roast",
        "fry",
        "grill",
        "steam",
        "use (?:the|a) (?:microwave|stove|oven|toaster oven|wood stove|camping stove)",
        "raise (?:its|the) temperature",
        "hot",
        "simmer",
        "zap",
        "nuke",
        "temperature up",
    ),
    Intent.COOL: (
        r"cool",
        "chill",
        "refrigerate",
        "freeze(?!r)",
        "make it cold",
        r"get (?:it|the \w+(?: \w+)?) cold",
        "ice it",
        "use (?:the|a) (?:fridge|freezer|ice chest|wine cooler)",
        "lower (?:its|the) temperature",
        "cold",
        "put it on ice",
        "temperature down",
        "frosty",
        "icy",
        "bring down the heat",
    ),
    Intent.LIGHT: (
        r"(?:switch|turn|flip|put|click|snap) (?:\w+ ){0,4}?(?:lamp|lantern|torch|light)",
        r"(?:switch|turn) (?:it|one|that) on",
        r"light (?:it|the|up|a)\b",
        r"use (?:the|a|that) (?:\w+ )?(?:lamp|lantern|torch|light)",
        "toggle",
        "illuminat",
        r"(?:under|in|by|beneath|with|near) (?:the|a|good|better|bright|some) (?:\w+ )?(?:lamp|lantern"
        r"|torch|light)",
        r"lamplight",
        "brighten",
        "shine",
        "turn on",
        "switch on",
        r"(?:lamp|lantern|torch|light) on\b",
        r"(?:need|want|get) (?:some |more |a )?light",
        "let there be light",
        "throw some light",
        "shed (?:some )?light",
        "activate",
    ),
    Intent.PUT: (
        r"put (?:it|that|this|them|the|one|your|what|a|an|both|down|everything|away)\b(?! (?:\w+ )?(?:"
        r"lamp|lantern|torch|light)\b)(?! your hands)",
        r"place (?:it|that|this|them|the|one|what|a|both)\b",
        r"set (?:it|that|this|them|the \w+) ?(?:\w+ )?(?:down|on|in|aside)",
        r"drop (?:it|that|them|the|off|one|what)",
        r"move (?:it|that|this|them|the \w+(?: \w+)?) (?:to|in|on)",
        r"(?:bring|carry|deliver|take|return) (?:it|that|this|them|the \w+|\w+ \w+) (?:to|over|back|in"
        r"to|home|where)",
        r"leave (?:it|that|this|them|the \w+) (?:on|in|at|there|where)",
        "deposit",
        "store",
        "stow",
        "deliver",
        "lay (?:it|them|the)",
        "stash",
        "park",
        "let go",
        "shelve",
        r"hand (?:it|the \w+) over",
        "release",
        "where it belongs",
        "finish by",
        "rest (?:it|them|the)",
        "unload",
        "position (?:it|the)",
        "dump",
        "stick (?:it|the|them)",
        "pop (?:it|the|them)",
    ),
    Intent.OPEN: (
        "open(?! (?:shel|plac|surf|rack))",
        "closed",
        "shut",
        "unclos",
        r"behind (?:the )?doors",
        "inside (?:things|everything|containers|furniture)",
        "pull (?:out|open|the)",
        "lift the lid",
        "lids?",
        "look inside",
        "hidden (?:inside|away)",
        "what is inside",
        "what's inside",
        "unlatch",
        "swing",
        "slide",
        "see inside",
        "peek inside",
    ),
    Intent.LOOK: (
        r"look (?:around|about|round|over the|where)",
        "take (?:a|another) look(?: a?round)?(?! (?:in|at|on|inside))",
        "survey the",
        "get your bearings",
        "take stock",
        "see where you are",
        "observe",
        "glance",
        "orient yourself",
        "get an overview",
        "have a look (?:a?round|about)",
        "take in (?:the|your)",
        "study the room",
        "eye the",
        "see what is around",
        "see what's around",
        "gaze",
        "describe",
        "note what",
        "make sure where",
        "read the room",
        "what do you see",
        "pause and",
        "watch",
    ),
    Intent.FRESH: (
        r"(?:somewhere|something|anywhere|someplace) (?:new|else|different)",
        r"(?:other|new|different|another|unexplored|unsearched|unvisited|fresh) (?:places?|rooms?|spot"
        r"s?|corners?|furniture|ground|locations?|part)",
        r"(?:have not|haven't|not) (?:yet )?(?:been|searched|checked|seen|tried|visited|looked|opened)",
        "elsewhere",
        "move on",
        "systematic",
        "one (?:by|after) (?:one|the other|another)",
        "methodical",
        "next (?:place|one|spot)",
        "keep track",
        "remember where",
        "in order",
        "each (?:place|spot) once",
        "only once",
        "go on to",
        "cross off",
        "vary",
        "change (?:places|tack)",
        "no repeats",
        "leave no",
        "every corner",
        "thorough",
        "step by step",
    ),
}
"""Small patterns by intent; a word may go on after them."""
