"""What the two sides are told before they begin; figures come from the truth, so text and score agree."""

from __future__ import annotations

from functools import lru_cache

from equipoise.tasks.social.scenarios import Fact, Person, Scenario
from equipoise.tasks.social.terms import terms_of
from equipoise.types import Seat

__all__ = ["private", "setting"]


@lru_cache(maxsize=4096)
def setting(scenario: Scenario) -> str:
    """Return what both know: the setting, who they are, and what can be agreed on."""
    parts = [scenario.setting, *(_introduced(person) for person in scenario.people)]
    labels, terms = scenario.labels, terms_of(scenario)
    if scenario.family == "items":
        parts.append(f"To be shared: {', '.join(labels)}.")
    elif scenario.family == "times":
        parts.append(f"Possible times: {', '.join(terms.say(label, 0) for label in labels)}.")
    elif scenario.family == "secrets" and labels:
        parts.append(f"To be agreed on, one of: {', '.join(labels)}.")
    parts.append(f"There are at most {scenario.turns} turns, both sides together.")
    return " ".join(parts)


def _introduced(person: Person) -> str:
    character = f" ({person.character})" if person.character else ""
    return f"{person.name}: {person.role}{character}." if person.role else f"{person.name} takes part."


@lru_cache(maxsize=4096)
def private(scenario: Scenario, seat: Seat) -> tuple[str, ...]:
    """Return what only a seat knows: its remarks, its figures, its facts, and what it wants to learn."""
    person = scenario.people[seat]
    worthy = [fact for fact in scenario.people[1 - seat].facts if fact.worth]
    return (
        *person.knows,
        *_figures(scenario, seat),
        *(_owned(fact) for fact in person.facts),
        *(_wanted(fact) for fact in worthy),
    )


def _owned(fact: Fact) -> str:
    cost = f" Telling it costs you {fact.cost:g} points." if fact.cost else ""
    return f"Your secret: {fact.text}{cost}" if fact.secret else f"You know: {fact.text}{cost}"


def _wanted(fact: Fact) -> str:
    if fact.secret:
        return (
            f"It would help you to learn about {fact.topic}, too, but that is hidden: {fact.worth:g} points."
        )
    return f"You want to learn about {fact.topic}: {fact.worth:g} points."


def _figures(scenario: Scenario, seat: Seat) -> tuple[str, ...]:
    person, terms = scenario.people[seat], terms_of(scenario)
    if scenario.family == "price":
        assert person.target is not None
        verb, side = ("sell", "below") if seat == scenario.seller else ("buy", "above")
        hope, limit = terms.say(person.target, seat), terms.say(person.limit, seat)
        return (
            f"You hope for {hope}. You would not {verb} {side} {limit}: there you may as well do without.",
        )
    if not scenario.things:
        return ()
    said = [terms.say(label, seat) if scenario.family == "times" else label for label in scenario.labels]
    rows = [(name, value) for name, value in zip(said, person.values, strict=True)]
    worth = ", ".join(
        f"{name} {value:g}" for name, value in rows if value > 0.0 or scenario.family != "times"
    )
    lines = [f"What it is worth to you, in points: {worth}."]
    if scenario.family == "times" and (busy := [name for name, value in rows if value == 0.0]):
        lines.append(f"You cannot make: {', '.join(busy)}.")
    if person.limit:
        lines.append(f"Without an agreement you have something worth {person.limit:g} points.")
    return tuple(lines)
