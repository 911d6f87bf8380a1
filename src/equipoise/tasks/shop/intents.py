"""What advice to a shopper can ask for, and the beginnings of the words in which it does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["PHRASINGS", "Intent"]


class Intent(StrEnum):
    """What advice can ask for."""

    SEARCH = "search"
    """Search for the words that the advice names."""
    NARROW = "narrow"
    """Search for the key words only."""
    REQUIRE = "require"
    """Mind what the advice names: the product must have it."""
    PRICE = "price"
    """Mind the price."""
    OPTIONS = "options"
    """Choose the options, those that the advice names first."""
    READ = "read"
    """Read the product's pages before deciding."""
    COMPARE = "compare"
    """Look at more than one product."""
    WAIT = "wait"
    """Do not buy yet."""
    BUY = "buy"
    """Buy what is open."""
    BACK = "back"
    """Leave the page: to the results, or to the search box."""
    NEXT = "next"
    """Turn to the next page of results."""
    HASTE = "haste"
    """Take the first thing and look at nothing."""


PHRASINGS: Mapping[Intent, tuple[str, ...]] = {
    Intent.SEARCH: (
        r"(?:search|searching|look up|query|google|type(?: in)?|enter|"
        r"try(?: the)?(?: search)?(?: words?| terms?)|"
        r"hunt for|use the (?:words?|terms?|keywords?)|put)\b",
    ),
    Intent.NARROW: (
        r"(?:fewer|less|short(?:er)?|simple(?:r)?|key|main|important|essential|core|only the)\s?(?:search )?"
        r"(?:words?|terms?|keywords?|query|queries|search(?:es)?|nouns?)", "keywords?", "narrow",
        "shorten", r"simplify", r"concise",
        r"(?:drop|cut|leave out|skip|remove|strip) (?:the )?(?:filler|small talk|stop|"
        r"chatter|story|rest of the sentence|extra words|noise)", r"boil (?:it|the \w+) down",
        "to the point",
        r"(?:not|instead of|rather than) the (?:whole|entire|full) (?:sentence|instruction|text)",
        r"trim (?:the|your)", "be brief", r"two or three words", "condense", "just the product",
        r"name of the product", r"what kind of (?:thing|product)",
    ),
    Intent.REQUIRE: (
        r"(?:it|this|product|item|one) (?:must|should|has to|needs to|ought to) (?:be|have|come|say|offer)",
        r"(?:make|be) sure (?:that )?(?:it|this|the product|you get)(?:'s| is| has| comes)?", r"insist on",
        r"(?:look|watch|keep an eye out) (?:out )?for\b", r"what matters(?: most)? is",
        "the key (?:attribute|thing|" "point|feature) is", r"pay attention to", r"focus on",
        r"check (?:that it is|that it has|for|whether it)", r"prioriti[sz]e",
        r"do not settle for less than", r"never (?:buy|take) one without", r"only (?:take|consider) "
        r"(?:one|those|products|something)", r"it is all about", "mind the attribute",
        r"verify (?:that it is|that " "it has|it is)", "the crucial part is", "required:", "must have:",
        r"ask for\b",
    ),
    Intent.PRICE: (
        r"pric(?:e|es|ed|ey|ing)\b", "budget", "cost", "costs", "afford", "expensive", "dollars?",
        "cheap(?:er|est)?", "cap", "limit", r"within (?:your )?means", "overspend", "spend", "money",
        "too dear", "bargain", "maximum", r"how much it",
    ),
    Intent.OPTIONS: (
        r"options?\b",
        r"(?:pick|choose|select|set|tick|click)(?: on)? (?:the |a |its |your )?(?:right |correct |"
        r"requested |wanted |exact )?(?:size|colou?r|flavou?r|weight|variant|version|length|"
        r"volume|finish|values?)",
        r"(?:size|colou?r|variants?) (?:first|before|must|is|should|matters?|and)",
        r"(?:pick|choose|select|go with|" r"set it to|configure)\b",
        r"do not forget the (?:size|colou?r|variant)", r"customi[sz]e", "configure",
        r"(?:sizes|colou?rs|variants)", r"specify",
    ),
    Intent.READ: (
        "read", "features?", "description", "details?", "bullets?", "bullet points?", "fine print",
        "study", "inspect", "examine", r"look (?:closely|carefully|inside|deeper|into)", "learn more",
        "find out more", r"(?:double )?check the (?:page|text|specs?|product|facts)", "specs?",
        "specifications?", "scrutini[sz]e", r"verify before", r"open the (?:features|description)",
        "go through the", "what the seller says",
    ),
    Intent.COMPARE: (
        "compare", "comparison",
        r"(?:other|another|second|two|three|several|more|different|alternative|similar|"
        r"neighbou?ring) (?:results?|products?|items?|ones?|listings?|candidates?|"
        r"options on the list|offers?|models?)",
        "alternatives?", "shop around", r"weigh", "contrast", "side by side", "look around",
        r"keep looking", "browse", "second opinion", r"one more (?:product|item|result|candidate)",
        r"both (?:of them|products|items)", "near duplicates?", "lookalikes?", "twins?", "siblings?",
        r"not the first",
    ),
    Intent.WAIT: (
        r"(?:hold off|hold on|wait|pause|hold your horses|not yet|too early|too soon|slow down|"
        r"be patient|stay your "
        r"hand|keep your wallet|postpone|delay|easy now|not so fast|hang on|patience|"
        r"take your time|there is (?:still )?"
        r"time|no rush|premature|refrain|sleep on it|not ready)\b",
    ),
    Intent.BUY: (
        r"(?:buy|purchase|order)\b", r"check ?out",
        r"(?:close|finish|complete|make|seal) (?:it|the (?:deal|order|" r"purchase|sale|job))",
        r"place the order", r"take it\b", "get it", "grab it", "pay", r"go for it", "done here",
        r"that is the one", "pull the trigger", r"click buy", r"wrap (?:it |this )?up", r"good enough",
        "commit", r"you have (?:found it|everything)", "settle on this", "this is it", "add it",
        r"it fits",
    ),
    Intent.BACK: (
        r"(?:go|head|get|step|turn|move|click|come) back", "back to", "return to",
        "leave (?:this|the) (?:page|product|" "item)", "wrong (?:product|item|one|page|kind)",
        "start over", "start again", "start afresh", "begin again", "previous", "prev",
        r"try (?:another|a different|a new|something else)", r"get out of", "abandon", "undo",
        r"not (?:this one|the right one)", "different product", "reject (?:this|it)", "this is not it",
        "retreat", "close this", "discard",
    ),
    Intent.NEXT: (
        r"next (?:page|results|ten|screen|>)", r"(?:second|third|following|another) page", "more results",
        r"page (?:two|2|three|3)", "scroll", r"further (?:down|results|along|on)", "turn the page",
        "click next", "flip", "see more", "show more", "rest of the (?:results|list)",
        r"(?:down|through) the list", "later results", "page forward", "remaining results",
        "beyond the first", "go deeper", "other pages", "advance",
    ),
    Intent.HASTE: (
        "hurry", "rush", r"(?:be )?quick(?:ly)?", "fast",
        r"(?:the )?(?:very )?first (?:one|result|hit|item|product|" r"thing|listing|match)",
        r"(?:top|any) (?:one|result|hit|item|listing)", "whatever", r"right away", "at once",
        "immediately", "straight away", "blindly", r"waste no time", "no time to", "anything will do",
        "any will do",
        r"(?:no need|never mind|skip|forget|ignore|without) (?:to (?:read|check|look|compare)|"
        r"the details|reading|"
        r"checking|everything|looking)", "as is", "just grab", "speed", "do not think", "do not overthink",
        "asap",
    ),
}  # fmt: skip
"""Patterns by intent; what is found is the beginning of a word."""
