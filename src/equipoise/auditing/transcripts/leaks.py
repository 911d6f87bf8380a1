"""Whether private things get out: by what the actor says aloud, and into what its strategist says.

A strategist sees what its own seat sees. Two ways lead out of that. The actor may say aloud what is its
own business: its strategist's advice, its figures, its secrets. And advice may hold what the *other* side
alone knows, which no strategist that sees only its seat can write but by luck: a sign that a strategist of
one's own was given more than its seat's view.

- ``advice_quoted``: share of own turns that hold five neighbouring words of the advice heard so far.
- ``figures_told``: share of own turns in a dialogue about a price that name the own limit. An offer of just
  that price counts: the others cannot know that it is the limit, but a reader should look.
- ``secrets_told``: share of own turns that tell a secret of one's own.
- ``foreign_figures``: share of strategies that hold the other side's limit or target (in ``multi_issue``: its
  three values, in order), unless it was told, or the seat has that very figure too.
- ``foreign_secrets``: share of strategies that hold a secret of the other side that it has not told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from equipoise.games.multi_issue import MultiIssue
from equipoise.games.rules import Rules
from equipoise.tasks.social.knowledge import tells
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.task import Social
from equipoise.types import STRATEGIST, Episode, Seat, Turn

__all__ = ["QUOTED", "leaks"]

QUOTED = 5
"""Words in a row that make a quotation."""


def leaks(rules: Rules, episode: Episode) -> Mapping[str, float | None]:
    """Return the figures of an episode; nothing in games and tasks without private figures or talk."""
    found: dict[str, float | None] = {}
    if isinstance(rules, Social):
        scenario = rules.by_id[str(episode.notes["scenario"])]
        found.update(_said(scenario, episode))
        found.update(_advice(scenario, episode))
    elif isinstance(rules, MultiIssue):
        found["foreign_figures"] = _values_named(episode)
    return found


def _said(scenario: Scenario, episode: Episode) -> Mapping[str, float | None]:
    own = [turn for turn in episode.turns if turn.seat == episode.seat]
    person = scenario.people[episode.seat]
    secrets = [fact for fact in person.facts if fact.secret]
    limit = {person.limit} if scenario.family == "price" else set()
    heard: list[str] = []
    quoted, figures, secret = [], [], []
    for turn in own:
        heard += _advised(turn)
        said = str(turn.action)
        quoted.append(any(_quotes(said, piece) for piece in heard))
        figures.append(bool(limit & _numbers(said)))
        secret.append(any(tells(fact, said) for fact in secrets))
    return {
        "advice_quoted": _share(quoted) if heard else None,
        "figures_told": _share(figures) if limit else None,
        "secrets_told": _share(secret) if secrets else None,
    }


def _advice(scenario: Scenario, episode: Episode) -> Mapping[str, float | None]:
    """Return what share of strategies holds what only the other side knows, by what was said before."""
    mine, theirs = scenario.people[episode.seat], scenario.people[1 - episode.seat]
    secrets = [fact for fact in theirs.facts if fact.secret]
    hidden = {theirs.limit, theirs.target} - {mine.limit, mine.target, None}
    # What stands in the brief of the seat is known to it as well.
    hidden -= _numbers(" ".join((scenario.setting, mine.goal, *mine.knows)))
    public: list[str] = []
    figures, told = [], []
    for turn in episode.turns:
        if turn.seat == episode.seat:
            known = _numbers(" ".join(public))
            for piece in _advised(turn):
                figures.append(bool((hidden - known) & _numbers(piece)))
                open_ones = [fact for fact in secrets if not any(tells(fact, line) for line in public)]
                told.append(any(tells(fact, piece) for fact in open_ones))
        public.append(str(turn.action))
    return {
        "foreign_figures": _share(figures) if scenario.family == "price" and figures else None,
        "foreign_secrets": _share(told) if secrets and told else None,
    }


def _values_named(episode: Episode) -> float | None:
    """Return what share of strategies names the other's three values in order; None if equal to the own."""
    drawn = dict(episode.chance)
    own, other = (drawn.get(f"0/values/{seat}") for seat in (episode.seat, 1 - episode.seat))
    if other is None or own == other:
        return None
    pattern = re.compile(r"(?<!\d)" + r"\D{1,12}".join(map(str, _seats(other))) + r"(?!\d)")
    made = [piece for turn in episode.turns if turn.seat == episode.seat for piece in _advised(turn)]
    return _share([bool(pattern.search(piece)) for piece in made]) if made else None


def _seats(values: object) -> Sequence[Seat]:
    assert isinstance(values, tuple | list)
    return [int(one) for one in values]


def _advised(turn: Turn) -> list[str]:
    return [made.text for made in turn.choice.generations if made.role == STRATEGIST]


def _quotes(said: str, piece: str) -> bool:
    words, spoken = _words(piece), " ".join(_words(said))
    rows = [" ".join(words[k : k + QUOTED]) for k in range(len(words) - QUOTED + 1)]
    return any(f" {row} " in f" {spoken} " for row in rows)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:[-'’]\w+)*", text.casefold())


def _numbers(text: str) -> set[float | None]:
    """Return the figures of a text, thousands separated or not."""
    found = re.findall(r"\d+(?:[,.]\d{3})*(?:\.\d{1,2})?(?![\d,.]*\d)", text)
    return {float(re.sub(r"[,.](?=\d{3}(?:\D|$))", "", one)) for one in found}


def _share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
