"""What was said at a turn."""

from __future__ import annotations

from dataclasses import replace

import equipoise
from equipoise.adapters.inspect.words import said, speech
from equipoise.games.registry import make_game
from equipoise.policies.endpoint.partial import partial_generation
from equipoise.rollout.replay import Asked, replay
from equipoise.types import STRATEGIST, Choice, Generation, StopReason, Validity

GAME = make_game("ipd")


def asked(choice: Choice) -> Asked:
    """The first question of an episode with an answer of one's own."""
    episode = equipoise.play(GAME, "scripted:always_cooperate", "always_defect")
    turn, decision = replay(GAME, episode, 0)[0]
    return Asked(replace(turn, choice=choice), decision)


def written(role: str, text: str, stop: StopReason = StopReason.FINISHED) -> Generation:
    return Generation(role, (1, 2), (3,), (-0.5,), (1,), stop, text=text)


def test_a_policy_that_does_not_write_says_the_word_of_its_action() -> None:
    found = said(asked(Choice("COOPERATE")), speech("ipd"))
    assert (found.answer, found.thought, found.written, found.tokens) == ("COOPERATE", "", False, (0, 0))
    assert found.rules.startswith("You play a repeated game")
    assert found.situation == "Round 1 of 8. Past: none"


def test_thoughts_and_answers_are_told_apart() -> None:
    choice = Choice("COOPERATE", generations=(written("thought", "hm"), written("action", "COOPERATE")))
    found = said(asked(choice), speech("ipd"))
    assert (found.thought, found.answer, found.written, found.stop) == ("hm", "COOPERATE", True, "stop")
    assert found.tokens == (4, 2)


def test_what_was_cut_off_says_so() -> None:
    made = written("action", "Let me", StopReason.LENGTH)
    found = said(asked(Choice(None, Validity.TRUNCATED, generations=(made,))), speech("ipd"))
    assert (found.answer, found.stop) == ("Let me", "max_tokens")


def test_who_said_nothing_is_not_given_the_fallback_as_words() -> None:
    assert said(asked(Choice(None, Validity.TIMEOUT)), speech("ipd")).answer == ""


def test_records_of_probabilities_are_no_speech() -> None:
    made = written("action", "Action: COOPERATE")
    row = partial_generation({"COOPERATE": 0.9, "DEFECT": 0.1}, speech("ipd"))  # type: ignore[arg-type]
    found = said(asked(Choice("COOPERATE", generations=(made, row))), speech("ipd"))
    assert found.answer == "Action: COOPERATE"


def test_advice_stands_in_the_prompt_of_the_turn_it_was_given_at() -> None:
    made = (written(STRATEGIST, "be kind"), written("action", "COOPERATE"))
    found = said(asked(Choice("COOPERATE", generations=made)), speech("ipd"))
    assert found.advice == ("be kind",)
    assert found.situation.endswith('Your coach advises you now, in private: "be kind"')


def test_a_game_without_words_shows_its_own_notation() -> None:
    assert speech("no_such_game") is None
    found = said(asked(Choice("COOPERATE")), None)
    assert (found.prompt, found.answer) == ("-/-", "COOPERATE")
