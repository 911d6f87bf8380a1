"""Questions are rebuilt from the record exactly as they were put."""

from __future__ import annotations

from typing import Any

import pytest

from equipoise import api
from equipoise.policies.registry import load_game
from equipoise.prompts.registry import get_renderer
from equipoise.report.questions import Asker
from equipoise.rollout.transcript import episode_to_json
from equipoise.types import Decision

GAMES: list[tuple[str, dict[str, Any], str]] = [
    ("ipd", {"noise": 0.2, "rounds": 5}, "tit_for_tat"),
    ("auction", {}, "shaded"),
    ("split", {}, "concede"),
    ("multi_issue", {}, "tit_for_tat"),
    ("kuhn", {"memory": True}, "loose_aggressive"),
    ("kuhn", {}, "always_bet"),
    ("commons", {}, "reciprocal"),
]


@pytest.mark.parametrize(("game", "options", "opponent"), GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_question_is_what_the_policy_read(
    game: str, options: dict[str, Any], opponent: str, seat: int
) -> None:
    renderer, asked = get_renderer(game), []

    def policy(decision: Decision) -> Any:
        asked.append(renderer.situation(decision))
        assert decision.legal is not None
        return decision.legal[len(asked) % len(decision.legal)]

    rules = load_game(game, options)
    played = episode_to_json(api.play(rules, policy, opponent, seat=seat, deal=3))
    asker = Asker(played["game"], played["options"], None)
    texts = asker.ask(played)
    assert [text for text, turn in zip(texts, played["turns"], strict=True) if turn["seat"] == seat] == asked
    assert {text for text, turn in zip(texts, played["turns"], strict=True) if turn["seat"] != seat} <= {""}
    assert asker.rules == renderer.rules(rules)


def test_another_wording_asks_in_other_words() -> None:
    played = episode_to_json(api.play("kuhn", "scripted:nash", "always_bet"))
    plain, other = (Asker("kuhn@1", {}, wording) for wording in (None, "anonymous"))
    assert plain.rules != other.rules
    assert len(other.ask(played)) == len(played["turns"])


@pytest.mark.parametrize(
    "changes",
    [
        {"game": "ipd@999"},
        {"game": "nothing@1"},
        {"game": "python:/tmp/evil.py:Game@1"},
        {"options": {"no_such_option": 1}},
    ],
)
def test_what_cannot_be_rebuilt_is_left_empty(changes: dict[str, Any]) -> None:
    played = {**episode_to_json(api.play("ipd", "scripted:random", "pavlov")), **changes}
    asker = Asker(played["game"], played["options"], None)
    assert set(asker.ask(played)) == {""}
    assert asker.rules == ""


def test_a_record_that_the_rules_contradict_gets_no_questions() -> None:
    played = episode_to_json(api.play("ipd", "scripted:always_defect", "pavlov"))
    played["turns"][4]["label"] = "CCCC/CCCC"
    assert set(Asker("ipd@1", {}, None).ask(played)) == {""}
    played["turns"] = played["turns"][:3]
    assert len(Asker("ipd@1", {}, None).ask(played)) == 3
