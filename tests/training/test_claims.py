"""Reasons are true: the checker reads every one of them again, and refutes what is changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise.training.claims as claims_module
from equipoise.errors import EquipoiseError
from equipoise.games.registry import make_game
from equipoise.prompts.registry import get_renderer
from equipoise.training.claims import refute
from equipoise.training.data import Demonstrations, Example
from equipoise.training.dataset import row_of
from equipoise.training.teachers import mixtures, teacher_games
from equipoise.training.teachers.mixtures import reason_of, teachers_of

CASES = [(game, recipe) for recipe in ("paper", "balanced") for game in teacher_games(recipe)]
RANDOM = ("random", "random_3_7")


def shown(game: str, recipe: str, episodes: int = 250) -> Iterator[tuple[Example, str]]:
    for example in Demonstrations(make_game(game), recipe, 1).first_episodes(episodes):
        yield example, reason_of(game, example.teacher, example.decision.info, example.action)


@pytest.mark.parametrize(("game", "recipe"), CASES)
def test_every_reason_of_every_teacher_is_true(game: str, recipe: str) -> None:
    seen = set()
    for example, reason in shown(game, recipe):
        assert refute(reason, example.decision.info, example.action) is None
        seen.add(example.teacher)
    assert seen == {one.name for one, _ in Demonstrations(make_game(game), recipe, 1).mixture.teachers}


@pytest.mark.parametrize(("game", "recipe"), CASES)
def test_the_last_line_still_tells_the_action(game: str, recipe: str) -> None:
    renderer = get_renderer(game)
    for example, reason in shown(game, recipe, 40):
        answer = row_of(example, reasons=True)["completion"][0]["content"]
        first, last = answer.split("\n")
        assert first == reason
        assert re.fullmatch(r"[A-Z][^\n]*\.", first)
        assert renderer.parse(answer, example.decision.legal or ()) == example.action
        assert last == row_of(example)["completion"][0]["content"]


@pytest.mark.parametrize(("game", "recipe"), CASES)
def test_no_reason_fits_another_move(game: str, recipe: str) -> None:
    for example, reason in shown(game, recipe, 60):
        for action in example.decision.legal or ():
            if action != example.action and example.teacher not in RANDOM:
                assert refute(reason, example.decision.info, action) is not None, (reason, action)


SWAPS = (
    ("cooperated", "defected"),
    ("cooperate ", "defect "),
    ("LOW", "MEDIUM"),
    ("MEDIUM", "HIGH"),
    ("J", "Q"),
    ("Q", "K"),
    ("bet it", "call a bet with it"),
    ("always", "never"),
    ("I do.", "I do not."),
    ("at least", "less than"),
    ("or more", "or less"),
    ("more than 6", "6 or less"),
    ("without a deal", "with a deal"),
    ("a book", "a hat"),
    ("one hat", "one ball"),
    ("hat", "book"),
)


def falsified(reason: str) -> Iterator[str]:
    """The sentence with one number or one word changed."""
    for found in re.finditer(r"\d+", reason):
        for changed in (int(found[0]) + 1, int(found[0]) - 1):
            yield f"{reason[: found.start()]}{changed}{reason[found.end() :]}"
    for a, b in SWAPS:
        for one, other in ((a, b), (b, a)):
            if one in reason:
                yield reason.replace(one, other, 1)


@pytest.mark.parametrize(("game", "recipe"), CASES)
def test_a_number_or_a_word_changed_is_refuted(game: str, recipe: str) -> None:
    tried = 0
    for example, reason in shown(game, recipe, 60):
        for false in falsified(reason):
            if example.teacher not in RANDOM and false != reason:
                tried += 1
                assert refute(false, example.decision.info, example.action) is not None, false
    assert tried > 50


@pytest.mark.parametrize(("game", "recipe"), CASES)
def test_a_reason_of_another_past_is_refuted_unless_it_is_so_there_too(game: str, recipe: str) -> None:
    """Where a sentence passes at another decision, the teacher itself could have said it there."""
    rows = [(e, reason) for e, reason in shown(game, recipe, 25) if e.teacher not in RANDOM]
    refuted = 0
    for _, reason in rows[:60]:
        for other, _ in rows:
            info, action = other.decision.info, other.action
            if refute(reason, info, action) is None:
                sayable = {reason_of(game, one.name, info, action) for one in sayers(game, info, action)}
                assert reason in sayable, (reason, info, action)
            else:
                refuted += 1
    assert refuted > 100


def sayers(game: str, info: Mapping[str, Any], action: Any) -> list[Any]:
    """The teachers that may play an action at an information state."""
    found = []
    for one in teachers_of(game):
        try:
            if refute(one.why(info, action), info, action) is None:
                found.append(one)
        except (KeyError, IndexError, ValueError):
            continue
    return found


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "The other player seems nice.",
        "I choose at random among all legal actions",
        "I choose at random among all legal actions. And I am right.",
        "The other player defected in round 9, and I do not cooperate after that.",
        "The other player cooperated in the last round, and I do the same.",
    ],
)
def test_what_cannot_be_checked_is_refuted(reason: str) -> None:
    info = {"game": "ipd", "own": (), "other": (), "round": 0, "rounds": 8}
    assert refute(reason, info, "DEFECT") is not None
    assert refute(reason, {**info, "game": "chess"}, "DEFECT") is not None


PATTERNS = [(game, pattern) for game, claims in claims_module._CLAIMS.items() for pattern in claims]
FIRST: dict[str, dict[str, Any]] = {
    "ipd": {"own": (), "other": ()},
    "auction": {"value": 4, "own_values": (), "own_bids": (), "other_bids": (), "won": ()},
    "split": {"own": (), "other": ()},
    "multi_issue": {"pool": (1, 2, 3), "values": (2, 3, 5), "own": (), "other": ()},
    "kuhn": {"card": "J", "bets": ""},
    "commons": {"stock": 12, "own": (), "other": ()},
}
LEGAL: dict[str, tuple[Any, ...]] = {
    "ipd": ("COOPERATE", "DEFECT"),
    "auction": ("LOW", "MEDIUM", "HIGH"),
    "split": (3, 5, 6),
    "multi_issue": ((0, 0, 1), (0, 1, 2), (0, 1, 1), (0, 0, 0)),
    "kuhn": ("PASS", "BET"),
    "commons": ("LOW", "MEDIUM", "HIGH"),
}


@pytest.mark.parametrize(("game", "pattern"), PATTERNS)
@given(data=st.data())
@settings(max_examples=12, derandomize=True, deadline=None)
def test_whatever_a_sentence_says_it_is_refuted_or_not_and_raises_nothing(
    data: st.DataObject, game: str, pattern: str
) -> None:
    """Also where it speaks of rounds that never were, or of numbers without end."""
    said = data.draw(st.from_regex(pattern, fullmatch=True))
    action = data.draw(st.sampled_from(LEGAL[game]))
    found = refute(f"{said}.", {"game": game, **FIRST[game]}, action)
    assert found is None or said in found or repr(said)[1:-1] in found


def test_a_false_reason_is_never_written(monkeypatch: pytest.MonkeyPatch) -> None:
    (example, *_) = Demonstrations(make_game("ipd"), "paper", 0).first_episodes(1)
    monkeypatch.setattr("equipoise.training.dataset.reason_of", lambda *given: "The sun was shining.")
    with pytest.raises(EquipoiseError, match=r"the reason .The sun was shining\.. is no sentence"):
        row_of(example, reasons=True)
    assert "sun" not in str(row_of(example))


def test_noise_does_not_make_a_reason_false() -> None:
    """What was executed is what both saw, and what reasons speak of."""
    game = make_game("ipd", noise=0.3, rounds=5)
    for example in Demonstrations(game, "paper", 0).first_episodes(120):
        info = example.decision.info
        assert (
            refute(mixtures.reason_of("ipd", example.teacher, info, example.action), info, example.action)
            is None
        )


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("multi_issue", {"valuation": "pool10"}),
        ("auction", {"rounds": 12}),
        ("split", {"rounds": 1}),
        ("kuhn", {"memory": True}),
        ("commons", {"rounds": 3}),
        ("ipd", {"continuation": 0.7}),
    ],
)
def test_options_do_not_make_a_reason_false(game: str, options: dict[str, Any]) -> None:
    for example in Demonstrations(make_game(game, **options), "balanced", 2).first_episodes(60):
        row_of(example, reasons=True)
