"""What every wording of every game must hold."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.games.registry import game_names, make_game
from equipoise.prompts.base import MARKER, Renderer
from equipoise.prompts.registry import get_renderer, wordings
from equipoise.prompts.wording import WordedRenderer
from equipoise.types import Decision
from tests.helpers import SMALL, Constant, every_decision

NAMES = ("plain", "formal", "casual", "listed", "record", "swapped_labels", "swapped_order", "anonymous")
PARAPHRASES = ("formal", "casual", "listed", "record")
EVERY = [(game, wording) for game in game_names() for wording in NAMES]
worded = pytest.mark.parametrize(("game", "wording"), EVERY)

# Everything in a game's own vocabulary; none of it may reach a reader who is not to know the game.
LOADED = re.compile(
    r"\b("
    r"prisoner|dilemma|cooperate|cooperates|defect|defects|betray|auction|auctions|bid|bids|bidder|"
    r"bidders|sealed|price|poker|card|cards|deck|jack|queen|king|chip|chips|pot|bet|bets|pass|passes|"
    r"call|calls|fold|folds|hand|hands|commons|stock|resource|low|medium|high|request|requests|"
    r"negotiation|negotiate|pie|demand|demands|share|books|hats|balls|game|player|players|opponent|"
    r"win|wins|winner"
    r")\b",
    re.IGNORECASE,
)


def played(game: Game, episodes: int, seed: int = 0) -> Iterator[Decision]:
    """Yield the decisions of episodes of random play."""
    random = Random(seed)
    for _ in range(episodes):
        match = Match(game, lambda round_, purpose: random.random())
        while not match.is_over:
            asked = {seat: match.decision(seat, "episode", Constant(), 0) for seat in match.players_to_move}
            yield from asked.values()
            match.apply({seat: random.choice(decision.legal or ()) for seat, decision in asked.items()})


def decisions(name: str) -> list[Decision]:
    """Return all decisions of the smaller variants of a game, and some of long histories."""
    found = []
    for options in SMALL[name]:
        some = every_decision(make_game(name, **options)) if name != "multi_issue" else ()
        found += [*some, *played(make_game(name, **options), 20)]
    return [*found, *played(make_game(name), 20)]


@pytest.fixture(scope="module")
def asked() -> dict[str, list[Decision]]:
    return {name: decisions(name) for name in game_names()}


def inverse(renderer: Renderer, decision: Decision) -> None:
    legal = decision.legal or ()
    words = [renderer.say(action) for action in legal]
    assert len({word.casefold() for word in words}) == len(legal)
    for action, word in zip(legal, words, strict=True):
        for text in (word, f"{MARKER} {word}", f"Well.\n**{MARKER}** {word.lower()}."):
            assert renderer.parse(text, legal) == action
    assert renderer.parse(f"{MARKER} {words[0]} {words[-1]}", legal) is None


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_the_whole_panel_and_the_plain_wording_first(game: str) -> None:
    assert wordings(game) == NAMES
    assert get_renderer(game) is get_renderer(game, "plain")
    assert [get_renderer(game, name).wording for name in NAMES] == list(NAMES)


@worded
def test_rendering_and_parsing_are_inverse_for_every_legal_action(
    asked: dict[str, list[Decision]], game: str, wording: str
) -> None:
    renderer = get_renderer(game, wording)
    for decision in {one.legal: one for one in asked[game]}.values():
        inverse(renderer, decision)


@worded
def test_no_two_information_states_sound_alike_and_nothing_else_is_heard(
    asked: dict[str, list[Decision]], game: str, wording: str
) -> None:
    # Options are told in the rules, so situations are compared within one variant of the game.
    renderer = get_renderer(game, wording)
    said: dict[tuple[int, Hashable], str] = {}
    for decision in asked[game]:
        situation = renderer.situation(decision)
        assert situation == situation.strip()
        assert not re.search(r"[{}]", situation)
        state = (id(decision.rules), decision.information_state)
        assert said.setdefault(state, situation) == situation
    variants = {rules for rules, _ in said}
    for variant in variants:
        here = [text for (rules, _), text in said.items() if rules == variant]
        assert len(set(here)) == len(here)


@worded
def test_the_rules_come_first_and_end_before_the_situation(game: str, wording: str) -> None:
    rules = get_renderer(game, wording).rules(make_game(game))
    assert rules == rules.strip() + "\n\n"
    assert MARKER in rules
    assert not re.search(r"[{}]", rules)


OPTIONS: dict[str, dict[str, object]] = {
    "ipd": {"rounds": 37, "temptation": 91, "reward": 83, "punishment": 71, "sucker": 57, "noise": 0.123},
    "auction": {"rounds": 37},
    "split": {"rounds": 37},
    "multi_issue": {"rounds": 37},
    "kuhn": {"rounds": 37, "memory": True},
    "commons": {"rounds": 37},
}
"""Options whose values stand out in a text."""


# The plain text of kuhn, kept as it was, and what is made from it do not say how many hands there are.
TELLING = [pair for pair in EVERY if pair[0] != "kuhn" or pair[1] in (*PARAPHRASES, "anonymous")]


@pytest.mark.parametrize(("game", "wording"), TELLING)
def test_the_rules_tell_the_options_in_force(game: str, wording: str) -> None:
    rules = get_renderer(game, wording).rules(make_game(game, **OPTIONS[game]))
    for value in OPTIONS[game].values():
        assert value is True or re.search(rf"(?<![\d.]){re.escape(str(value))}(?!\d)", rules)


@pytest.mark.parametrize("wording", NAMES)
def test_what_depends_on_an_option_is_said_only_then(wording: str) -> None:
    ipd, kuhn, several = (get_renderer(game, wording) for game in ("ipd", "kuhn", "multi_issue"))
    plain = ipd.rules(make_game("ipd", rounds=37))
    hidden = ipd.rules(make_game("ipd", rounds=37, continuation=0.456))
    assert "37" in plain
    assert "0.456" not in plain
    assert "37" not in hidden
    assert "0.456" in hidden
    assert ipd.rules(make_game("ipd", noise=0.123)).count("0.123") == 1
    assert several.rules(make_game("multi_issue")) != several.rules(
        make_game("multi_issue", valuation="pool10")
    )
    if wording in (*PARAPHRASES, "anonymous"):
        assert kuhn.rules(make_game("kuhn")) != kuhn.rules(make_game("kuhn", memory=True))


@pytest.mark.parametrize("game", game_names())
def test_wordings_are_different_texts(asked: dict[str, list[Decision]], game: str) -> None:
    rules = [get_renderer(game, name).rules(make_game(game)) for name in NAMES]
    assert len(set(rules)) == len(NAMES)
    last = asked[game][-1]
    situations = [get_renderer(game, name).situation(last) for name in ("plain", *PARAPHRASES, "anonymous")]
    assert len(set(situations)) == len(situations)


@pytest.mark.parametrize("game", game_names())
def test_swapped_labels_are_a_bijection_of_the_plain_words(game: str) -> None:
    plain, swapped = get_renderer(game), get_renderer(game, "swapped_labels")
    # Every quantity that multi_issue may have, in each place.
    bundles = [(a, b, c) for a in range(5) for b in range(5) for c in range(5)]
    actions = (
        bundles
        if game == "multi_issue"
        else sorted({a for d in played(make_game(game), 20) for a in d.legal or ()})
    )  # type: ignore[type-var]
    words = {action: (plain.say(action), swapped.say(action)) for action in actions}
    assert {a for a, _ in words.values()} == {b for _, b in words.values()}
    moved = [action for action, (a, b) in words.items() if a != b]
    assert len(moved) >= 2 * len(words) // 3
    # Swapping twice is no swap.
    back = dict(words.values())
    assert all(back[back[word]] == word for word in back)


@pytest.mark.parametrize("game", ["ipd", "auction", "commons", "kuhn"])
def test_swapped_order_lists_the_same_words_the_other_way_round(game: str) -> None:
    plain, swapped = get_renderer(game), get_renderer(game, "swapped_order")
    assert isinstance(swapped, WordedRenderer)
    actions = {a for d in played(make_game(game), 20) for a in d.legal or ()}
    pattern = "|".join(str(action) for action in actions)
    listed, reverse = (re.findall(rf"\b({pattern})\b", r.rules(make_game(game))) for r in (plain, swapped))
    assert sorted(listed) == sorted(reverse)
    pairs = [("PASS", "BET"), ("CALL", "FOLD")] if game == "kuhn" else [(listed[0], listed[1])]
    for first, second in pairs:
        assert listed.index(first) < listed.index(second)
        assert reverse.index(first) > reverse.index(second)


def test_swapped_order_of_numbers() -> None:
    assert "from 9 down to 1" in get_renderer("split", "swapped_order").rules(make_game("split"))
    several = get_renderer("multi_issue", "swapped_order")
    assert "balls hats books" in several.rules(make_game("multi_issue"))
    assert several.say((2, 1, 0)) == "0 1 2"


@pytest.mark.parametrize("game", game_names())
def test_the_anonymous_wording_does_not_name_the_game(asked: dict[str, list[Decision]], game: str) -> None:
    renderer = get_renderer(game, "anonymous")
    texts = {renderer.rules(one.rules) + renderer.situation(one) for one in asked[game]}
    assert {word for text in texts for word in LOADED.findall(text)} == set()
    # The words are looked for where they must be found, too.
    assert LOADED.search(get_renderer(game).rules(make_game(game)))
    said = {renderer.say(action) for one in asked[game] for action in one.legal or ()}
    assert all(re.fullmatch(r"[A-D]|[0-9 ]+", word) for word in said)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    pair=st.sampled_from(EVERY),
    text=st.text(alphabet=st.sampled_from("ABCD0123456789 .:\n*PASBETCOR")),
    number=st.integers(0, 10**6),
)
def test_any_text_is_a_legal_action_or_invalid(pair: tuple[str, str], text: str, number: int) -> None:
    game, wording = pair
    some = list(played(make_game(game), 1, seed=number))
    decision = some[number % len(some)]
    renderer = get_renderer(game, wording)
    found = renderer.parse(text, decision.legal or ())
    assert found is None or found in (decision.legal or ())
    inverse(renderer, decision)
