"""What an actor tells, keeps and asks."""

from __future__ import annotations

from equipoise.tasks.social.actors.phrases import pick_phrase
from equipoise.tasks.social.actors.situation import Situation
from equipoise.tasks.social.actors.style import Style
from equipoise.tasks.social.advice import Intent
from equipoise.tasks.social.terms.items import Items

__all__ = ["answer", "done", "question"]


def answer(now: Situation, style: Style) -> list[str]:
    """Return what the actor says to what it was asked, and what its coach has it tell."""
    facts, asked = now.scenario.people[now.seat].facts, now.asked() - now.told
    said: list[str] = []
    if Intent.REVEAL in now.advice.now or now.advice.guarded is False:
        said += [fact.say for k, fact in enumerate(facts) if fact.secret and k not in now.told]
    if Intent.SHARE in now.advice.now:
        said += [facts[k].say for k in _open(now)[:1]]
    for number in sorted(asked):
        fact = facts[number]
        if fact.say in said:
            continue
        if _would_tell(now, style, number):
            said.append(fact.say)
        elif fact.secret or style.tells == "nothing":
            said.append(pick_phrase("deflect", now))
        else:
            said.append(pick_phrase("first", now))
    if _asked_what_matters(now) and style.tells != "nothing":
        assert isinstance(now.terms, Items)
        values = now.scenario.people[now.seat].values
        said.append(pick_phrase("care", now, thing=now.scenario.labels[values.index(max(values))]))
    return said


def question(now: Situation, style: Style) -> list[str]:
    """Return what the actor asks: for the next thing it wants to learn, or what matters to the other side."""
    wanted = _wanted(now, style)
    if wanted and now.draws.uniform("ask") < style.asks:
        topic = now.scenario.people[1 - now.seat].facts[wanted[0]].topic
        return [pick_phrase("ask", now, topic=topic)]
    splits = isinstance(now.terms, Items) and now.bargains and not now.closing
    if splits and (Intent.ASK in now.advice.now or (style.reads == "shown" and now.turn == 0)):
        return [pick_phrase("prefer", now)]
    return []


def done(now: Situation, style: Style) -> bool:
    """Tell whether nothing is left to be had from the talk."""
    return not now.bargains and not _wanted(now, style) and now.turn > 1


def _wanted(now: Situation, style: Style) -> list[int]:
    """Return the other side's facts that are worth asking for, open ones first, then the one asked least."""
    facts = now.scenario.people[1 - now.seat].facts
    own = " ".join(text.casefold() for seat, text in now.turns if seat == now.seat)
    times = {k: own.count(fact.topic.casefold()) for k, fact in enumerate(facts)}
    fishing = style.reads == "truth"
    open_ = [
        k for k, f in enumerate(facts) if f.worth and k not in now.heard and not f.secret and times[k] < 4
    ]
    hidden = [k for k, f in enumerate(facts) if f.worth and k not in now.heard and f.secret and times[k] < 2]
    return sorted(open_, key=lambda k: (times[k], k)) or (hidden if fishing else [])


def _open(now: Situation) -> list[int]:
    """Return own facts that are no secret and not told yet, the cheapest first."""
    facts = now.scenario.people[now.seat].facts
    return sorted(
        (k for k, fact in enumerate(facts) if not fact.secret and k not in now.told),
        key=lambda k: (facts[k].cost, k),
    )


def _would_tell(now: Situation, style: Style, number: int) -> bool:
    fact = now.scenario.people[now.seat].facts[number]
    if fact.secret:
        return not style.keeps
    if style.tells in ("asked", "freely") or not fact.cost:
        return style.tells != "nothing"
    given = sum(1 for k in now.told if not now.scenario.people[now.seat].facts[k].secret)
    return style.tells == "turn" and given < len(now.heard) + (1 if style.leads else 0)


def _asked_what_matters(now: Situation) -> bool:
    text = now.answered.casefold()
    return (
        isinstance(now.terms, Items) and "?" in text and ("matters most" in text or "care about most" in text)
    )
