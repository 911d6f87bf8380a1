"""Replies read from whatever JSON a server sends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.policies.endpoint.attempts import MalformedError
from equipoise.policies.endpoint.ledger import Usage
from equipoise.policies.endpoint.reply import Reply, judge, read_reply, read_usage
from equipoise.prompts.registry import get_renderer
from equipoise.tasks.registry import make_task
from equipoise.types import StopReason, Validity
from tests.policies.endpoint.asking import decision
from tests.policies.endpoint.server import chat

IPD = get_renderer("ipd")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
MESSAGES = st.fixed_dictionaries({}, optional={"content": JSON, "refusal": JSON}) | JSON
ROWS = st.fixed_dictionaries({}, optional={"token": JSON, "top_logprobs": JSON})
CHOICES = st.fixed_dictionaries(
    {},
    optional={
        "message": MESSAGES,
        "finish_reason": JSON,
        "logprobs": JSON | st.builds(dict, content=st.lists(ROWS)),
    },
)
BODIES = (
    st.fixed_dictionaries({}, optional={"choices": st.lists(CHOICES, max_size=2) | JSON, "usage": JSON})
    | JSON
)
ASKED = decision()


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=80)
@given(BODIES)
def test_any_body_is_a_reply_or_malformed(body: Any) -> None:
    read_usage(body)
    try:
        found = read_reply(body)
    except MalformedError:
        return
    # What is kept on disk comes back as it was, not a number apart (which no dataclass equals).
    again = Reply.from_json(json.loads(json.dumps(found.to_json())))
    assert repr(again) == repr(found)
    choice = judge(found, ASKED, IPD)
    assert (choice.action in (ASKED.legal or ())) == (choice.validity is Validity.VALID)


def test_text_in_parts() -> None:
    parts = [{"type": "text", "text": "Hm.\n"}, {"type": "image"}, {"type": "text", "text": "DEFECT"}]
    assert read_reply(chat(parts).body).text == "Hm.\nDEFECT"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(3, 4)),
        ({"prompt_tokens": 3}, None),
        ({"prompt_tokens": -3, "completion_tokens": 4}, None),
        ({"prompt_tokens": True, "completion_tokens": 4}, None),
        (None, None),
    ],
)
def test_usage(usage: object, found: Usage | None) -> None:
    assert read_usage({"usage": usage}) == found


def test_an_action_at_the_end_of_the_budget_counts_in_a_game_and_not_in_a_talk() -> None:
    cut = Reply("DEFECT", "length")
    assert judge(cut, ASKED, IPD).action == "DEFECT"
    assert judge(cut, ASKED, IPD).generations[0].stop is StopReason.LENGTH
    talk = decision(make_task("social"))
    assert judge(cut, talk, get_renderer("social")).validity is Validity.TRUNCATED
    assert judge(Reply("Hello"), talk, get_renderer("social")).action == "Hello"
