"""First tokens to probabilities of actions: only where all legal actions are told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest

from equipoise.policies.endpoint.partial import partial_generation, partial_probabilities
from equipoise.policies.endpoint.reply import Alternatives, Reply
from equipoise.prompts.registry import get_renderer
from equipoise.types import Action

IPD = get_renderer("ipd")
LEGAL = ("COOPERATE", "DEFECT")


def reply(*tokens: tuple[str, Mapping[str, float]]) -> Reply:
    rows: Alternatives = tuple(
        (token, tuple((word, math.log(p)) for word, p in row.items())) for token, row in tokens
    )
    return Reply("".join(token for token, _ in rows), alternatives=rows)


def found(
    said: Reply, action: Action = "DEFECT", legal: Sequence[Action] = LEGAL
) -> Mapping[Action, float] | None:
    return partial_probabilities(said, IPD, action, legal)


BOTH = {" DEF": 0.6, " CO": 0.2, " coop": 0.1, " I": 0.1}


@pytest.mark.parametrize(
    "before",
    [(), (("Action", {}), (":", {})), (("Hm.", {}), ("\n", {}), ("**", {}))],
    ids=["bare", "marker", "bold"],
)
def test_the_token_that_begins_the_action(before: tuple[tuple[str, Mapping[str, float]], ...]) -> None:
    row = found(reply(*before, (" DEF", BOTH), ("ECT", {"ECT": 1.0})))
    # 0.6 against 0.2 + 0.1; what begins no action is left out.
    assert row == pytest.approx({"COOPERATE": 1 / 3, "DEFECT": 2 / 3})


@pytest.mark.parametrize(
    "alternatives",
    [
        {"DEF": 0.9, "I": 0.1},  # an action without a token
        {"DEF": 0.9},
        {},
    ],
)
def test_an_action_that_is_not_seen(alternatives: Mapping[str, float]) -> None:
    assert found(reply(("DEF", alternatives), ("ECT", {}))) is None


def test_actions_that_begin_alike_are_not_told_apart() -> None:
    row = {"1": 0.5, "2": 0.4}
    assert found(reply(("1", row)), 1, (1, 2)) == pytest.approx({1: 5 / 9, 2: 4 / 9})
    assert found(reply(("1", row)), 1, (1, 2, 10)) is None


def test_a_token_that_begins_before_the_action() -> None:
    assert found(reply(("x: DEF", BOTH), ("ECT", {}))) is None


def test_numbers_that_are_none() -> None:
    rows = (("DEF", (("DEF", math.nan), ("CO", -1.0))),)
    assert found(Reply("DEF", alternatives=rows)) is None
    assert found(Reply("DEF", alternatives=(("DEF", (("DEF", 0.0), ("CO", -math.inf))),))) is None


def test_without_alternatives_there_is_nothing() -> None:
    assert found(Reply("DEFECT")) is None


def test_the_record_says_words_and_is_not_trained() -> None:
    made = partial_generation({"COOPERATE": 0.25, "DEFECT": 0.75}, IPD)
    assert made.text == '{"COOPERATE": 0.25, "DEFECT": 0.75}'
    assert not made.trainable
    assert made.ids == ()
