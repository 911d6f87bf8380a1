"""Wordings as data: how fields are filled in, the texts that are pinned, and the registry of panels."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b
from itertools import product

import pytest

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.prompts import registry
from equipoise.prompts.base import Renderer
from equipoise.prompts.ipd import PrisonersDilemmaPrompts
from equipoise.prompts.registry import get_renderer, register_renderer, wordings
from equipoise.prompts.wording import Wording
from equipoise.types import Action, Decision
from tests.helpers import FULL, SMALL, Constant, every_decision

PIRATE = Wording(
    name="pirate",
    rules='Ye and a mate pick {C} or {D}: "{marker} {C}" be worth {reward:g}, "{marker} {D}" {temptation:g}.',
    situation="Round {n}{of}, mate: {past}",
    row="{t} {own}/{other}",
    words={"COOPERATE": "AYE", "DEFECT": "NAY"},
)

# Digests of the texts of commit 35407f7, which earlier results rest on: of the rules under all options of
# SMALL and FULL, and of every situation of SMALL (multi_issue's are pinned in test_multi_issue.py).
RULES = {
    "ipd": "0928ccff994a5de6",
    "kuhn": "ffcbee3f34d86339",
    "auction": "8385243d23a3e4f1",
    "split": "3f7dd6f1534420b8",
    "multi_issue": "f5347951632c06c0",
    "commons": "d80f7d17d04872f9",
}
SITUATIONS = {
    "ipd": "242e22c85764b202",
    "kuhn": "d5cd9bac89afa09d",
    "auction": "3e8be69f2bee5eff",
    "split": "c4933e3072c6c954",
    "commons": "3faaf2ee4c24ef31",
}


@pytest.fixture
def own_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_RENDERERS", dict(registry._RENDERERS))


def situation(game: str, wording: str, *rounds: tuple[Action, Action], seat: int = 0) -> str:
    match = Match(make_game(game), lambda round_, purpose: 0.0)
    for pair in rounds:
        match.apply(dict(enumerate(pair)))
    return get_renderer(game, wording).situation(match.decision(seat, "episode", Constant(), 0))


def digest(texts: list[str]) -> str:
    found = blake2b(digest_size=8)
    for text in texts:
        found.update(text.encode() + b"\0")
    return found.hexdigest()


@pytest.mark.parametrize("game", RULES)
def test_the_plain_rules_are_what_they_were(game: str) -> None:
    renderer = get_renderer(game)
    variants = {json.dumps(options): options for options in (*SMALL[game], *FULL[game])}
    assert (
        digest([renderer.rules(make_game(game, **options)) for options in variants.values()]) == RULES[game]
    )


@pytest.mark.parametrize("game", SITUATIONS)
def test_the_plain_situations_are_what_they_were(game: str) -> None:
    asked = [one for options in SMALL[game] for one in every_decision(make_game(game, **options))]
    assert digest([get_renderer(game).situation(decision) for decision in asked]) == SITUATIONS[game]


PAST = (("COOPERATE", "DEFECT"), ("DEFECT", "DEFECT"))


@pytest.mark.parametrize(
    ("wording", "said"),
    [
        ("plain", "Round 3 of 8. Past: CD DD"),
        ("swapped_labels", "Round 3 of 8. Past: DC CC"),
        ("swapped_order", "Round 3 of 8. Past: CD DD"),
        ("anonymous", "Round 3 of 8. Earlier: AB BB"),
        (
            "formal",
            "Completed rounds (own action, other player's action): (COOPERATE, DEFECT); (DEFECT, DEFECT). "
            "Round 3 of 8 is now to be played.",
        ),
        (
            "casual",
            "In round 1 you picked COOPERATE and they picked DEFECT. In round 2 you picked DEFECT and they "
            "picked DEFECT. Now it's round 3 out of 8. What will it be?",
        ),
        (
            "listed",
            "Round to play: 3 of 8\nRounds so far:\n1. you COOPERATE, the other DEFECT\n"
            "2. you DEFECT, the other DEFECT",
        ),
        (
            "record",
            "round: 3/8\nyour moves: [COOPERATE, DEFECT]\nother's moves: [DEFECT, DEFECT]",
        ),
    ],
)
def test_one_history_in_every_wording(wording: str, said: str) -> None:
    assert situation("ipd", wording, *PAST) == said


def test_the_first_round_in_words() -> None:
    assert (
        situation("ipd", "casual")
        == "Nothing has happened so far. Now it's round 1 out of 8. What will it be?"
    )
    assert situation("ipd", "record") == "round: 1/8\nyour moves: []\nother's moves: []"


def test_exchanged_words_keep_the_rules() -> None:
    """The payoffs stay with the actions: whoever reads DEFECT for COOPERATE reads the same game."""
    rules = get_renderer("ipd", "swapped_labels").rules(make_game("ipd"))
    assert "Both DEFECT: 3 points each. Both COOPERATE: 1 each." in rules
    assert "If one cooperates alone, that one gets 5 and the other 0." in rules
    assert "D for DEFECT and C for COOPERATE" in rules
    auction = get_renderer("auction", "swapped_labels").rules(make_game("auction"))
    assert "bid HIGH (1), MEDIUM (2) or LOW (3)" in auction


def test_exchanged_numbers_are_the_share_that_is_left() -> None:
    renderer = get_renderer("split", "swapped_labels")
    assert [renderer.say(demand) for demand in (1, 5, 7)] == ["9", "5", "3"]
    assert renderer.parse("Action: 3", tuple(range(1, 10))) == 7
    assert situation("split", "swapped_labels", (7, 4)).endswith("Past: 3-6")


def test_exchanged_quantities_are_those_of_demands_only() -> None:
    renderer = get_renderer("multi_issue", "swapped_labels")
    assert renderer.say((1, 0, 4)) == "3 4 0"
    match = Match(make_game("multi_issue", pool=(2, 1, 3)), lambda round_, purpose: 0.0)
    match.apply({0: (2, 1, 0), 1: (0, 0, 3)})
    said = renderer.situation(match.decision(0, "episode", Constant(), 0))
    assert said.startswith("Pool: 2 1 3. Your values: 1 1 8.")
    assert said.endswith("Past: 2 3 4/4 4 1")


def test_items_listed_the_other_way_round_are_so_everywhere() -> None:
    match = Match(make_game("multi_issue", pool=(2, 1, 3)), lambda round_, purpose: 0.0)
    match.apply({0: (2, 1, 0), 1: (0, 0, 3)})
    said = get_renderer("multi_issue", "swapped_order").situation(match.decision(0, "e", Constant(), 0))
    assert said == "Pool: 3 1 2. Your values: 8 1 1. Round 2 of 4. Past: 0 1 2/3 0 0"


@pytest.mark.parametrize(("wording", "first"), list(product(("formal", "listed", "record"), ("PASS", "BET"))))
def test_remembered_hands_name_the_actions_that_were_taken(wording: str, first: str) -> None:
    match = Match(make_game("kuhn", memory=True), lambda round_, purpose: 0.0)
    moves = ("PASS", "BET", "FOLD") if first == "PASS" else ("BET", "FOLD")
    for move in moves:
        match.apply({match.players_to_move[0]: move})
    said = get_renderer("kuhn", wording).situation(
        match.decision(match.players_to_move[0], "e", Constant(), 0)
    )
    assert ", ".join(moves) in said
    assert "2" in said.partition("\n")[2]


def test_a_wording_of_ones_own_is_text(own_panels: None) -> None:
    register_renderer(PrisonersDilemmaPrompts(PIRATE))
    assert wordings("ipd")[-1] == "pirate"
    renderer = get_renderer("ipd", "pirate")
    assert renderer.rules(make_game("ipd")) == (
        'Ye and a mate pick AYE or NAY: "Action: AYE" be worth 3, "Action: NAY" 5.\n\n'
    )
    assert situation("ipd", "pirate", *PAST) == "Round 3, mate: 1 AYE/NAY 2 NAY/NAY"
    assert renderer.parse("Action: nay", ("COOPERATE", "DEFECT")) == "DEFECT"
    assert renderer.parse("Action: DEFECT", ("COOPERATE", "DEFECT")) is None
    other = replace(PIRATE, situation="{past}?")
    register_renderer(PrisonersDilemmaPrompts(other))
    assert wordings("ipd").count("pirate") == 1
    assert situation("ipd", "pirate") == "none?"


class Mine(Renderer):
    game = "ipd"

    def rules(self, game: Game) -> str:
        return "Choose.\n\n"

    def situation(self, decision: Decision) -> str:
        return f"Round {decision.round}"


def test_a_renderer_of_ones_own_is_the_only_wording_of_its_game(own_panels: None) -> None:
    mine = register_renderer(Mine())
    assert wordings("ipd") == ("plain",)
    assert get_renderer("ipd") is mine
    with pytest.raises(RequestError, match="unknown wording of ipd 'formal': choose one of plain"):
        get_renderer("ipd", "formal")


def test_an_unknown_wording_is_named_with_the_nearest() -> None:
    with pytest.raises(RequestError, match=r"unknown wording of kuhn 'anonymos': did you mean 'anonymous'\?"):
        get_renderer("kuhn", "anonymos")
    with pytest.raises(RequestError, match="prompt renderer for game 'chess'"):
        wordings("chess")


def test_parts_of_a_variation_are_added_to_those_it_varies() -> None:
    base = Wording("a", "rules", "now", parts={"x": "1", "y": "2"})
    changed = base.but("b", parts={"y": "3"}, row="r")
    assert (changed.name, changed.rules, changed.row) == ("b", "rules", "r")
    assert changed.parts == {"x": "1", "y": "3"}
    assert base.parts == {"x": "1", "y": "2"}
