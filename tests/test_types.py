"""The vocabulary: estimates survive JSON, decisions know what a seat knows, records do not change."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise import types
from equipoise.games.registry import make_game
from equipoise.types import (
    Choice,
    Decision,
    Episode,
    Estimate,
    Generation,
    Kind,
    RoundOutcome,
    StopReason,
    Turn,
    Validity,
)
from tests.helpers import Constant, decision_at, every_decision, root

finite = st.floats(allow_nan=False, allow_infinity=False)
estimates = st.builds(
    Estimate,
    value=finite,
    low=finite | st.none(),
    high=finite | st.none(),
    level=st.floats(0.0, 1.0),
    n=st.integers(0),
    clusters=st.integers(0),
    kind=st.sampled_from(Kind),
)


@settings(max_examples=50, derandomize=True, deadline=None)
@given(estimates)
def test_an_estimate_survives_json(estimate: Estimate) -> None:
    assert Estimate.from_json(json.loads(json.dumps(estimate.to_json()))) == estimate


def test_the_json_of_an_estimate_is_that_of_audit_schema_1() -> None:
    data = Estimate(0.5, 0.25, 0.75, 0.95, 40, 20, Kind.SAMPLE).to_json()
    assert list(data) == ["value", "low", "high", "level", "n", "clusters", "kind"]
    assert data["kind"] == "sample"
    assert type(data["kind"]) is str


def test_an_exact_estimate_has_no_width_and_no_episodes() -> None:
    estimate = Estimate.exact(1.25)
    assert (estimate.low, estimate.high, estimate.level) == (1.25, 1.25, 1.0)
    assert (estimate.n, estimate.clusters, estimate.kind) == (0, 0, Kind.EXACT)


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate.exact(1.0 / 3.0), "0.3333"),
        (Estimate(0.5, 0.5, None, 1.0, 0, 0, Kind.LOWER_BOUND), ">= 0.500"),
        (Estimate(0.5, None, 0.5, 1.0, 0, 0, Kind.UPPER_BOUND), "<= 0.500"),
        (Estimate(0.5, 0.25, 0.75, 1.0, 0, 0, Kind.INTERVAL), "in [0.250, 0.750]"),
        (Estimate(-0.5, -1.0, 0.0, 0.95, 8, 4, Kind.SAMPLE), "-0.500 [-1.000, 0.000]"),
    ],
)
def test_an_estimate_prints_compactly_and_shows_its_kind(estimate: Estimate, text: str) -> None:
    assert str(estimate) == text


def test_the_words_of_transcripts_and_reports_are_fixed() -> None:
    assert {kind.value for kind in Kind} == {"exact", "lower bound", "upper bound", "interval", "sample"}
    assert {stop.value for stop in StopReason} == {"finished", "forfeit", "length"}
    assert {validity.value for validity in Validity} == {
        "valid",
        "invalid",
        "refusal",
        "truncated",
        "timeout",
    }


def test_a_decision_is_known_by_observation_and_history_alone() -> None:
    game = make_game("kuhn", rounds=2)
    for one in every_decision(game):
        other = Decision(
            game, "other", 1 - one.seat, 7, 1, 9, one.legal, one.observation, one.history, Constant(0.9), 2
        )
        assert other.information_state == one.information_state


def test_info_is_the_games_mapping_for_the_seat() -> None:
    game = make_game("ipd", rounds=3)
    decision = decision_at(game, root(game), 1)
    assert decision.info == {"game": "ipd", "seat": 1, "round": 0, "rounds": 3, "own": (), "other": ()}


def test_a_choice_is_valid_unless_said_otherwise() -> None:
    choice = Choice("BET")
    assert choice.validity is Validity.VALID
    assert choice.generations == ()
    assert choice.probabilities is None


def test_outcomes_may_lack_terms() -> None:
    outcome = RoundOutcome((1.0, -1.0))
    assert (outcome.collusion, outcome.externality, outcome.diagnostics) == (None, None, ())


def test_every_public_name_exists() -> None:
    assert all(hasattr(types, name) for name in types.__all__)


@pytest.mark.parametrize("record", [Choice, Decision, Episode, Estimate, Generation, Turn])
def test_records_are_frozen_and_have_slots(record: type) -> None:
    assert is_dataclass(record)
    assert not hasattr(object.__new__(record), "__dict__")
    with pytest.raises(FrozenInstanceError):
        setattr(object.__new__(record), fields(record)[0].name, None)
