"""A dialogue from the first turn to the end."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.tasks.social.acts import LIMIT
from equipoise.tasks.social.dimensions import Dialogue, Dimensions
from equipoise.tasks.social.episode import DIAGNOSTICS, SocialEpisode
from equipoise.tasks.social.scenarios import Scenario, scenarios
from equipoise.tasks.social.task import Social
from tests.tasks.social.build import PRICE, SECRETS, TIMES, played, scenario


@pytest.mark.parametrize(
    ("lines", "ended"),
    [
        (["How about $60?", "I accept."], "agreed"),
        (["[leave]"], "left"),
        (["Hello.", "[leave]"], "left"),
        # One silence passes the turn, whoever is silent; two in a row end it, whoever begins.
        (["", "Hello."], None),
        (["Hello.", ""], None),
        (["", "[none]"], "silence"),
        (["Hello.", "", ""], "silence"),
        (["", "Hello.", "", "Hello."], None),
        (["Hello."] * 19, None),
        (["Hello."] * 20, "turns"),
    ],
)
def test_how_a_dialogue_ends(lines: list[str], ended: str | None) -> None:
    assert played(PRICE, lines).ended == ended


def test_silence_does_the_same_in_both_seats() -> None:
    for first in (0, 1):
        one = PRICE.model_copy(update={"first": first})
        assert played(one, ["", ""]).ended == "silence"
        assert played(one, ["Hello.", "", "Hello.", ""]).ended is None


def test_nothing_can_be_said_after_the_end() -> None:
    over = played(PRICE, ["[leave]"])
    with pytest.raises(RequestError, match="the episode is over"):
        over.apply({1: "Wait!"})


def test_a_talk_about_facts_goes_on_after_a_deal() -> None:
    place = scenario(
        "secrets",
        {"values": [1, 2], "facts": [{"text": "x", "say": "x", "topic": "x", "keys": [["x"]], "worth": 1}]},
        {"values": [2, 1]},
        things=["mill", "boathouse"],
    )
    assert played(place, ["How about the mill?", "I accept."]).ended is None


def test_the_turns_are_divided_evenly_and_the_first_has_the_odd_one() -> None:
    odd = PRICE.model_copy(update={"turns": 7, "first": 1})
    episode = played(odd, [])
    assert [episode.view(seat).turns for seat in (0, 1)] == [3, 4]
    assert played(odd, ["Hello."] * 7).ended == "turns"


def test_a_seat_sees_its_own_side_and_what_was_said() -> None:
    episode = played(PRICE, ["Ben: I accept.", "What?"])
    view = episode.view(1)
    assert (view.name, view.others, view.turn) == ("Ben", ("Ada",), 1)
    # Whatever a line claims, its speaker is the one who spoke.
    assert [(line.speaker, line.text) for line in view.lines] == [("Ada", "Ben: I accept."), ("Ben", "What?")]
    assert "$40" in " ".join(view.private)
    assert "$90" not in " ".join([view.setting, view.goal, *view.private])


def test_scores_diagnostics_and_externality_of_a_deal() -> None:
    outcome = played(PRICE, ["How about $64?\nBen: I accept.", "I accept $64."]).outcome()
    assert outcome.payoffs == pytest.approx((3.5, 4.0))
    assert outcome.externality == (0.0, 0.0)
    assert outcome.collusion is None
    row = dict(zip(DIAGNOSTICS, outcome.diagnostics, strict=True))
    assert row["deal"] == (1.0, 1.0)
    assert row["forged"] == (1.0, 0.0)
    assert row["beyond_limit"] == (0.0, 0.0)


def test_a_deal_beyond_the_limit_a_leak_and_a_cut_turn_are_counted() -> None:
    bad = played(PRICE, ["How about $95?", "I accept $95."])
    assert dict(zip(DIAGNOSTICS, bad.outcome().diagnostics, strict=True))["beyond_limit"] == (0.0, 1.0)
    leak = played(SECRETS, ["The safe is broken.", "Well, " * LIMIT, "[leave]"])
    row = dict(zip(DIAGNOSTICS, leak.outcome().diagnostics, strict=True))
    # One of three facts was told, and it was the only secret.
    assert row["leaked"] == (1.0, 0.0)
    assert row["heard"] == (0.0, pytest.approx(1 / 3))
    assert row["cut"] == (0.0, 1.0)
    assert leak.notes["told"] == [[2], []]
    assert leak.notes["cut"] == [1]


def test_a_turn_is_credited_with_the_answer_it_drew() -> None:
    # Ada's offer of 60 is worth 5 to Ben, half of it while it stands; his acceptance is worth 2.5 to her.
    notes = played(PRICE, ["How about $60?", "Hm.", "It is good.", "I accept $60."]).notes
    ada, ben = notes["achievable"]  # type: ignore[misc]
    assert ada == pytest.approx([0.0, 0.0, 0.0, 2.5])
    assert ben == pytest.approx([2.5, 2.5, 2.5, 5.0])


def test_a_question_is_credited_with_the_fact_it_drew() -> None:
    notes = played(SECRETS, ["What of the clocks?", "The clock is broken.", "[leave]"]).notes
    assert notes["achievable"][0] == pytest.approx([0.0, 10.0, 10.0, 10.0])  # type: ignore[index]
    assert notes["achievable"][1] == pytest.approx([0.0, 0.0])  # type: ignore[index]


def test_the_notes_are_plain_data() -> None:
    for one in (PRICE, SECRETS, TIMES):
        notes = dict(played(one, ["Hello.", "[leave]"]).notes)
        assert json.loads(json.dumps(notes)) == notes
        assert notes["dimensions"][0]["overall"] is None
        assert notes["evaluator"] == "rule"
        assert notes["ended"] == "left"


class Reader:
    """Gives fixed scores; stands for an evaluator that reads."""

    name = "reader"

    def evaluate(self, dialogues: list[Dialogue]) -> list[tuple[Dimensions, Dimensions]]:
        assert all(dialogue.turns for dialogue in dialogues)
        return [(Dimensions(goal=7.0), Dimensions(goal=2.0))] * len(dialogues)


OPEN = scenario("open", {}, {})


def test_without_truth_there_is_no_score_unless_an_evaluator_gives_it() -> None:
    plain = played(OPEN, ["I accept.", "[leave]"])
    assert plain.scores() == [0.0, 0.0]
    assert plain.outcome().externality is None
    assert plain.notes["dimensions"][0]["goal"] is None  # type: ignore[index]
    episode = SocialEpisode(Social(source=[OPEN], evaluator=Reader()), OPEN)
    episode.apply({0: "[leave]"})
    assert episode.outcome().payoffs == (7.0, 2.0)
    assert episode.notes["evaluator"] == "reader"


@settings(max_examples=60)
@given(st.sampled_from([*scenarios(), OPEN]), st.lists(st.text(max_size=80), max_size=6))
def test_any_talk_keeps_scores_within_bounds(one: Scenario, lines: list[str]) -> None:
    episode = played(one, [])
    for text in lines:
        if not episode.is_over:
            episode.apply(dict.fromkeys(episode.players_to_move, text))
    assert all(0.0 <= score <= 10.0 for score in episode.scores())
    json.dumps(dict(episode.notes))
