"""The protocol of agents: what a question holds in every game, and how answers are read."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.games.registry import game_names, make_game
from equipoise.policies.endpoint.attempts import MalformedError
from equipoise.policies.endpoint.question import PROTOCOL, question, read_answer
from equipoise.tasks.registry import make_task, task_names
from equipoise.types import Validity
from tests.policies.endpoint.asking import decision

GAMES = {name: make_game(name) for name in game_names()}

FIELDS = {
    "protocol", "id", "game", "episode", "seat", "round", "step", "retry", "info", "legal", "words", "advice",
    "prompt", "seed",
}  # fmt: skip


@pytest.mark.parametrize("name", game_names())
def test_a_question_is_plain_json_in_every_game(name: str) -> None:
    asked = decision(GAMES[name])
    found = question(asked)
    assert json.loads(json.dumps(found)) == found
    assert set(found) == FIELDS
    assert (found["protocol"], found["game"]) == (PROTOCOL, name)
    assert len(found["legal"]) == len(found["words"]) == len(asked.legal or ())
    assert found["info"]["game"] == name


@pytest.mark.parametrize("name", task_names())
def test_and_in_every_task(name: str) -> None:
    found = question(decision(make_task(name)))
    assert json.loads(json.dumps(found)) == found
    assert set(found) == FIELDS
    assert found["prompt"]


def test_the_opponent_stays_unknown() -> None:
    assert "secret_opponent" not in json.dumps(question(decision()))
    assert question(decision())["episode"] != question(decision(number=1))["episode"]


@pytest.mark.parametrize("name", game_names())
def test_every_legal_action_can_be_given_as_it_was_listed(name: str) -> None:
    asked = decision(GAMES[name])
    for action, listed, word in zip(
        asked.legal or (), question(asked)["legal"], question(asked)["words"], strict=True
    ):
        assert read_answer(json.dumps({"action": listed}).encode(), asked).action == action
        assert read_answer(json.dumps({"text": f"So be it.\n{word}"}).encode(), asked).action == action


@pytest.mark.parametrize("given_", [True, 1.0, "1", [1], None])
def test_what_only_looks_like_a_legal_action(given_: object) -> None:
    asked = decision(legal=(0, 1))
    assert read_answer(json.dumps({"action": given_}).encode(), asked).validity is Validity.INVALID


def test_true_is_not_one_within_a_list_either() -> None:
    asked = decision(legal=((1, 0),))
    assert read_answer(b'{"action": [true, false]}', asked).validity is Validity.INVALID
    assert read_answer(b'{"action": [1, 0]}', asked).action == (1, 0)


def test_in_a_free_text_task_an_action_is_text() -> None:
    asked = decision(make_task("social"))
    assert question(asked)["legal"] is None
    assert read_answer(b'{"text": "Good morning."}', asked).action == "Good morning."
    assert read_answer(b'{"action": "Good morning."}', asked).action == "Good morning."
    assert read_answer(b'{"action": 7}', asked).validity is Validity.INVALID


ASKED = decision()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(st.binary() | st.fixed_dictionaries({}, optional={"action": JSON, "text": JSON, "id": JSON}))
def test_no_answer_raises_anything_else_or_makes_an_illegal_action(answer: object) -> None:
    asked = ASKED
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    try:
        choice = read_answer(content, asked)
    except MalformedError:
        return
    assert (choice.action in (asked.legal or ())) == (choice.validity is Validity.VALID)
