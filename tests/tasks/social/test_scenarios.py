"""The scenarios that come with the package, and what a scenario must be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.tasks.social.knowledge import tells
from equipoise.tasks.social.scenarios import FAMILIES, Scenario, choose, read_scenarios, scenarios
from equipoise.tasks.social.scoring import Result, points, score
from equipoise.tasks.social.terms import terms_of
from tests.tasks.social.build import PRICE, fact, scenario

ALL = scenarios()


def skeleton(text: str, one: Scenario) -> frozenset[str]:
    """Return the words of a text without names and numbers."""
    plain = text.casefold()
    for name in one.names:
        plain = plain.replace(name.casefold(), " ")
    return frozenset(re.findall(r"[a-z']+", re.sub(r"\d", " ", plain)))


def alike(one: frozenset[str], two: frozenset[str]) -> float:
    return len(one & two) / len(one | two)


def test_there_are_scenarios_of_every_family_in_every_split() -> None:
    counts = Counter((one.family, one.split) for one in ALL)
    assert len(ALL) >= 60
    assert {family for family, _ in counts} == set(FAMILIES)
    assert min(counts[family, split] for family in FAMILIES for split in ("train", "held_out", "hard")) >= 4


def test_no_scenario_or_name_stands_twice() -> None:
    assert len({one.id for one in ALL}) == len(ALL)
    assert len({name for one in ALL for name in one.names}) == 2 * len(ALL)


@pytest.mark.parametrize("part", ["setting", "goals", "whole"])
def test_scenarios_differ_when_names_and_numbers_are_taken_out(part: str) -> None:
    texts = {
        "setting": lambda one: one.setting,
        "goals": lambda one: " ".join(person.goal for person in one.people),
        "whole": lambda one: " ".join(
            [one.setting, *(f"{p.role} {p.character} {p.goal}" for p in one.people)]
        ),
    }
    words = [skeleton(texts[part](one), one) for one in ALL]
    # Two texts count as the same where they share more than half of their words.
    same = {
        k for i, j in combinations(range(len(words)), 2) if alike(words[i], words[j]) > 0.5 for k in (i, j)
    }
    assert len(same) / len(words) <= 0.05


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_every_scenario_has_an_outcome_that_helps_both(one: Scenario) -> None:
    everything = [frozenset(k for k, fact in enumerate(p.facts) if not fact.secret) for p in one.people]
    outcomes = [Result(deal, told) for deal in (*terms_of(one).deals(), None) for told in _told(everything)]
    assert any(points(one, 0, o) > 0.0 and points(one, 1, o) > 0.0 for o in outcomes)
    # Nobody reaches 10 by the other's 0 alone: the best for one is not the best for the other.
    best = [max(outcomes, key=lambda o, seat=seat: points(one, seat, o)) for seat in (0, 1)]
    assert score(one, 0, best[1]) < 10.0
    assert score(one, 1, best[0]) < 10.0


def _told(everything: list[frozenset[int]]) -> list[tuple[frozenset[int], frozenset[int]]]:
    nothing: frozenset[int] = frozenset()
    return [(nothing, nothing), (everything[0], everything[1])]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.id)
def test_every_fact_is_told_by_its_own_sentence_and_by_no_other(one: Scenario) -> None:
    for person in one.people:
        for number, known in enumerate(person.facts):
            assert [tells(other, known.say) for other in person.facts].index(True) == number
            assert sum(tells(other, known.say) for other in person.facts) == 1
            # Asking for it does not hold it: a mere "yes" must not give it away.
            assert not tells(known, "Yes, gladly.", f"What can you tell me about {known.topic}?")


def test_no_secret_is_worth_as_much_as_it_costs() -> None:
    facts = [
        fact for one in ALL for person in one.people for fact in person.facts if fact.secret and fact.cost
    ]
    assert facts
    assert all(fact.worth < fact.cost for fact in facts)


def test_hard_scenarios_have_less_to_share() -> None:
    def common(one: Scenario) -> float:
        found = [min(score(one, s, Result(deal)) for s in (0, 1)) for deal in terms_of(one).deals()]
        return max(found, default=0.0)

    means = {
        split: [
            common(one) for one in ALL if one.split == split and one.family in ("price", "items", "times")
        ]
        for split in ("train", "hard")
    }
    assert max(means["hard"]) <= 6.7
    assert sum(means["hard"]) / len(means["hard"]) < 0.6 * sum(means["train"]) / len(means["train"])
    assert all(one.turns < 20 for one in ALL if one.split == "hard")


def test_a_split_a_family_and_names_choose() -> None:
    assert {one.split for one in choose(ALL, "hard")} == {"hard"}
    assert {one.family for one in choose(ALL, "train", ["times"])} == {"times"}
    assert [one.id for one in choose(ALL, "train", (), ["five-hives", "cello-bow"])] == [
        "five-hives",
        "cello-bow",
    ]


def test_what_does_not_exist_is_named() -> None:
    with pytest.raises(RequestError, match="unknown scenario 'cello-bw': did you mean 'cello-bow'"):
        choose(ALL, "train", (), ["cello-bw"])
    with pytest.raises(RequestError, match="no scenario is left of split 'train' and families"):
        choose([PRICE], "train", ["items"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"people": [{"name": "Ada", "role": "x", "goal": "y"}] * 2}, "both people are called 'Ada'"),
        ({"family": "items", "things": ["one"]}, "needs at least two things"),
        ({"family": "times", "things": ["Mon 09:00", "Mon 10:00"]}, "has 0 values for 2 things"),
        ({"seller": 1}, "a seller's target lies above its limit"),
        ({"turns": 21}, "less than or equal to 20"),
        ({"colour": "red"}, "Extra inputs are not permitted"),
    ],
)
def test_a_broken_scenario_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Scenario.model_validate({**PRICE.model_dump(), **changes})


def test_secrets_need_a_fact_of_worth() -> None:
    with pytest.raises(ValueError, match="needs a fact that is worth something"):
        scenario("secrets", {"facts": [fact("boiler")]}, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[scenario", "'mine.toml' is no list of scenarios"),
        ("other = 1", "'mine.toml' is no list of scenarios"),
        ('[[scenario]]\nid = "x"\nfamily = "prices"', "'mine.toml': family"),
    ],
)
def test_a_broken_file_is_named(text: str, message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        read_scenarios(text, "mine.toml")
