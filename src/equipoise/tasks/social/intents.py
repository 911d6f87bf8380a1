"""What advice can ask for, and the beginnings of the words in which it does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["PHRASINGS", "Intent"]


class Intent(StrEnum):
    """What advice can ask for."""

    FIRM = "firm"
    """Aim high and give no ground yet."""
    CONCEDE = "concede"
    """Give ground."""
    ACCEPT = "accept"
    """Take the offer on the table."""
    ASK = "ask"
    """Ask for what the other side knows or wants."""
    SHARE = "share"
    """Tell something that is not secret."""
    GUARD = "guard"
    """Keep secrets."""
    REVEAL = "reveal"
    """Give the secret away."""
    TRADE = "trade"
    """Give what matters less to oneself for what matters more; a fact for a fact."""
    LEAVE = "leave"
    """End the talk."""
    PROPOSE = "propose"
    """Put forward what the advice names."""


PHRASINGS: Mapping[Intent, tuple[str, ...]] = {
    Intent.FIRM: (
        r"(?:be|stay|stand|hold|remain|keep) (?:\w+ )?(?:firm|tough|strong|steady|patient|fast|"
        r"resolute|stubborn)",
        r"(?:hold|stand) (?:your|the) (?:ground|line)", "hold out", r"aim (?:high|for (?:more|the top))",
        "start high", r"open (?:high|ambitiously|with)", "anchor", "ask for more", "demand more",
        r"push (?:for|back|hard)", "press for", "drive a hard bargain", "hard bargain", "play hardball",
        "insist", "stick to", r"be (?:ambitious|demanding|stubborn|greedy)", r"no concessions?",
        r"wait (?:them|him|her|it) out", "take your time", "there is time", "reject", "refuse", "decline",
        r"turn (?:it|that|this|them) down", r"say no\b", "get more", "squeeze", r"let them (?:come|move)",
        r"make them (?:come|move)", "bluff", "don't budge", "high target",
    ),
    Intent.CONCEDE: (
        "concede", "concession", r"give (?:in|way|ground|a little|some ground|up some)", "yield", "budge",
        r"be (?:\w+ )?(?:flexible|soft|generous|modest|accommodating|lenient)", "compromise",
        r"meet (?:them|him|her|\w+) (?:half ?way|in the middle)", "split the difference", "lower your",
        "soften", "back down", "move towards", "come down", r"go (?:lower|easy)", "settle for less",
        "relent", "be content with less", "sweeten", "ease off", "let them win",
        r"let (?:them|him|her) have (?:it|more|their way)", "fold", r"drop your (?:demand|price|target)",
    ),
    Intent.ACCEPT: (
        "accept",
        r"take (?:the|that|this|their|his|her|it|what)(?:'s)?(?: \w+)?(?: (?:offer|deal|price|now|"
        r"and run|slot|split|on the table|is there))?\b",
        "say yes", "agree to", r"close (?:the|this|it|now)", r"seal (?:the|it)", r"shake (?:hands|on)",
        "sign", "grab it", "that is good enough", "settle now", "go along", "strike the deal", "conclude",
    ),
    Intent.ASK: (
        r"ask (?:\w+ )?(?:about|what|why|how|which|who|when|where|whether|if|them|him|her|"
        r"questions?|open)",
        "inquire", "enquire", "find out", r"question (?:them|him|her|\w+ about)", "pose a question",
        "probe", r"learn (?:what|about|more|their)", "discover",
        r"get (?:them|him|her) (?:to (?:talk|tell|open)|talking)", r"draw (?:them|him|her) out",
        "fish for", "dig", "explore", "be curious", "listen", r"sound (?:them|him|her) out", "elicit",
        "pry", "investigate", "coax",
    ),
    Intent.SHARE: (
        "share", r"offer (?:some|a bit of|a piece of)? ?information",
        r"be (?:open|transparent|honest|forthcoming)", "open up",
        r"tell (?:them|him|her) (?:something|a little|a bit|what you know|one|about)", "volunteer",
        r"give (?:them|him|her) (?:something|a hint|a fact|a piece)", r"let (?:them|him|her) know",
        "talk about what you know", r"answer (?:their|his|her|the) question", "hint at",
    ),
    Intent.GUARD: (
        r"keep (?:\w+ )*?(?:secret|quiet|to yourself|hidden|private|confidential|mum|your mouth)", "guard",
        "protect", "conceal", "hide", r"stay (?:silent|vague|discreet)",
        r"be (?:discreet|vague|careful what|tight-lipped|evasive|secretive)", "deflect", "dodge",
        r"change the (?:subject|topic)", "withhold", "say nothing", "give nothing away",
        r"avoid (?:the topic|mentioning|talking)", "bite your tongue", r"careful with (?:your|the) secret",
        "sidestep", "evade", "lips",
    ),
    Intent.REVEAL: (
        "reveal",
        r"(?:tell|confess|admit|disclose|spill|expose|give away|blurt)(?: \w+){0,3} (?:secret|"
        r"everything|truth|all|beans)",
        "confess", "come clean", "spill", r"(?:be|lay)(?: \w+)? all (?:your )?cards", "cards on the table",
        "disclose", "out with it", r"let (?:the|your) secret",
    ),
    Intent.TRADE: (
        "trade", "swap", "exchange", "barter", "in return", "tit for tat", "quid pro quo", "give and take",
        r"give (?:\w+ ){0,2}to get", "logroll", "win-win", r"give (?:and|to) (?:take|get)",
        r"what (?:you need|matters) least", r"care (?:less|least)", r"worth (?:less|little|least) to you",
        r"both (?:gain|win|profit)", "mutual", "reciprocate", r"bargain (?:one|information)",
        r"one for (?:one|another)", "package",
    ),
    Intent.LEAVE: (
        "leave", r"walk (?:away|out|off)", "quit", r"end (?:the|this|it)", r"break (?:it )?off",
        r"stop (?:talking|the|negotiating)", "go home", "abandon", "exit", "say goodbye", "hang up",
        "get out", "call it a day",
    ),
}  # fmt: skip
"""Small patterns by intent; a word may go on after them."""
