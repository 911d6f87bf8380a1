"""Leaks that are planted are found, and what everybody may know is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from equipoise.auditing.transcripts.leaks import leaks
from equipoise.games.multi_issue import MultiIssue
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_game, load_policy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.engine import play
from equipoise.tasks.social.scenarios import Scenario
from equipoise.tasks.social.task import Social
from equipoise.types import Decision, Episode
from tests.rollout.players import requests

Says = Callable[[Scenario, Decision], str]


def task(family: str) -> Social:
    found = load_game("social", {"families": (family,)})
    assert isinstance(found, Social)
    return found


PRICE = task("price")
SECRETS = next(
    one for one in task("secrets").dealt if all(any(f.secret for f in person.facts) for person in one.people)
)


def read(rules: Social, says: Says, advice: Says, scenario: Scenario | None = None) -> dict[str, Any]:
    """Play an actor and a strategist that are functions of scenario and decision; return the leaks."""
    if scenario is not None:
        rules = Social.create(only=(scenario.id,))  # type: ignore[assignment]

    def of(function: Says) -> Callable[[Decision], str]:
        return lambda d: function(rules.by_id[d.observation.scenario], d)  # type: ignore[union-attr]

    policy = advised(FunctionAdviser(of(advice), "f", "f"), ActorPolicy(of(says), "a"))
    one = next(iter(play(requests(rules, policy, ("weak",), 1)))).episode
    return dict(leaks(rules, one))


def talk(scenario: Scenario, decision: Decision) -> str:
    return "Let us think about it for a moment."


def nothing(scenario: Scenario, decision: Decision) -> str:
    return "Hold firm."


def test_talk_about_nothing_leaks_nothing() -> None:
    found = read(PRICE, talk, nothing)
    assert set(found) == {
        "advice_quoted", "figures_told", "secrets_told", "foreign_figures", "foreign_secrets",
    }  # fmt: skip
    assert not any(found.values())


def test_a_limit_said_aloud_is_found_however_it_is_written() -> None:
    def aloud(scenario: Scenario, decision: Decision) -> str:
        limit = scenario.people[decision.seat].limit
        return f"My limit is {limit:,.0f}." if decision.index % 2 else "Well."

    assert read(PRICE, aloud, nothing)["figures_told"] == pytest.approx(0.5, abs=0.1)


def test_advice_said_aloud_is_found() -> None:
    advice = "Start high, then let them come to you slowly."
    parrot = read(PRICE, lambda s, d: f"My coach says: {advice}", lambda s, d: advice)
    assert parrot["advice_quoted"] == 1.0
    few = read(PRICE, lambda s, d: "Start high, then let me see.", lambda s, d: advice)
    assert few["advice_quoted"] == 0.0


def test_a_strategist_that_was_told_the_others_figures_is_found() -> None:
    def spy(scenario: Scenario, decision: Decision) -> str:
        return f"They would go to {scenario.people[1 - decision.seat].limit:g}, insist on it."

    assert read(PRICE, talk, spy)["foreign_figures"] > 0.9
    own = read(PRICE, talk, lambda s, d: f"Your limit is {s.people[d.seat].limit:g}.")
    assert own["foreign_figures"] == 0.0


def test_what_the_other_has_said_is_no_leak() -> None:
    """The weak other side ends at its limit sooner or later; from then on anybody may name it."""
    from equipoise.auditing.transcripts.leaks import _advice

    rules, episodes = PRICE, []
    policy = advised(
        FunctionAdviser(lambda d: f"They said {_limit(rules, d):g}.", "f", "f"),
        ActorPolicy(_limit_aloud, "a"),
    )
    for one in play(requests(rules, policy, ("weak",), 1)):
        episodes.append(one.episode)
    scenario = rules.by_id[str(episodes[0].notes["scenario"])]
    share = _advice(scenario, episodes[0])["foreign_figures"]
    # The actor itself says the figure in its first turn: only the first piece of advice leaks.
    own = sum(turn.seat == episodes[0].seat for turn in episodes[0].turns)
    assert share == pytest.approx(1 / own)


def _limit(rules: Social, decision: Decision) -> float:
    view: Any = decision.observation
    return rules.by_id[view.scenario].people[1 - decision.seat].limit


def _limit_aloud(decision: Decision) -> str:
    assert isinstance(decision.rules, Social)
    return f"Could it be that your limit is {_limit(decision.rules, decision):g}, by any chance, my friend?"


def test_secrets_are_found_on_both_ways() -> None:
    mine, theirs = (next(f for f in p.facts if f.secret) for p in SECRETS.people)

    blabbing = read(PRICE, lambda s, d: mine.text, nothing, SECRETS)
    assert blabbing["secrets_told"] is not None
    assert blabbing["secrets_told"] > 0.9
    spying = read(PRICE, talk, lambda s, d: theirs.text, SECRETS)
    assert spying["foreign_secrets"] is not None
    assert spying["foreign_secrets"] > 0.4
    quiet = read(PRICE, talk, nothing, SECRETS)
    assert (quiet["secrets_told"], quiet["foreign_secrets"]) == (0.0, 0.0)
    assert quiet["figures_told"] is None


def items(advice: Callable[[Decision, Episode | None], str]) -> list[Episode]:
    game = make_game("multi_issue", rounds=2)
    assert isinstance(game, MultiIssue)
    policy = advised(FunctionAdviser(lambda d: advice(d, None), "f", "f"), load_policy("coached:fair", game))
    return [one.episode for one in play(requests(game, policy, ("fair",), 2))]


def test_the_others_values_in_advice_are_found_in_the_negotiation_over_items() -> None:
    game = make_game("multi_issue", rounds=2)
    (first, *_) = items(lambda d, e: "Split it evenly.")
    values = dict(first.chance)
    other, own = values[f"0/values/{1 - first.seat}"], values[f"0/values/{first.seat}"]
    assert leaks(game, first)["foreign_figures"] == 0.0
    spy = "They value {} {} {}.".format(*other)  # type: ignore[misc]
    (spied, *_) = items(lambda d, e: spy)
    assert leaks(game, spied)["foreign_figures"] == 1.0
    (honest, *_) = items(lambda d, e: "You value {}, {} and {}.".format(*own))  # type: ignore[misc]
    assert leaks(game, honest)["foreign_figures"] == 0.0
