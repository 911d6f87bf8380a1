"""A strategist with a list: its draws, its distributions, its finite-memory form, and its file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.behaviour import tree_decisions
from equipoise.auditing.exact.compile import compile_tree
from equipoise.errors import NoProbabilitiesError, RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.base import Uniform
from equipoise.policies.base import Policy
from equipoise.policies.phrases.advice import ADVICE, advice_of
from equipoise.policies.phrases.adviser import PhraseAdviser, load_phrases
from equipoise.policies.phrases.keys import state_key
from equipoise.policies.phrases.policy import PhraseStrategist
from equipoise.policies.registry import load_game, load_policy
from equipoise.rollout.engine import play
from equipoise.types import STRATEGIST, Decision
from tests.rollout.players import requests

SPLIT = make_game("split", rounds=2)


def strategist(actor: str = "coached:random", key: str = "demands", seed: int = 0, game: Any = SPLIT) -> Any:
    advice, kept = advice_of(game.name), state_key(key, game)
    draws = np.random.Generator(np.random.Philox(seed))
    rows = kept.abstraction.keys if kept.abstraction is not None and key == "demands" else ("always",)
    logits = {row: draws.standard_normal(len(advice)).tolist() for row in rows}
    own = load_policy(actor, game)
    assert isinstance(own, Policy)
    return PhraseStrategist(PhraseAdviser(game, kept, advice, logits), own, "mine")


def states(game: Any = SPLIT) -> list[Decision]:
    return tree_decisions(compile_tree(game, {"random": Uniform()}, 0), 0)


def test_it_says_what_its_logits_make_likely() -> None:
    policy = strategist(key="none")
    found = list(play(requests(SPLIT, policy, ("fair",), 300)))
    made = [
        g for one in found for t in one.episode.turns for g in t.choice.generations if g.role == STRATEGIST
    ]
    p = policy.adviser.probabilities("always")
    counts = Counter(g.text for g in made)
    for number, piece in enumerate(ADVICE["split"]):
        spread = np.sqrt(p[number] * (1 - p[number]) / len(made))
        assert abs(counts[piece] / len(made) - p[number]) < 4.5 * spread
    assert all(np.isclose(np.exp(g.logprobs[0]), p[g.ids[0]]) for g in made)
    assert all(bytes(g.prompt_ids).decode() == "always" and g.trainable for g in made)


def test_the_distribution_over_actions_is_the_mean_over_pieces() -> None:
    policy, opening = strategist(key="none"), states()[0]
    p = policy.adviser.probabilities("always")
    (row,) = policy.probabilities([opening])
    said = dict(zip(ADVICE["split"], p, strict=True))
    # At the opening the even split and the rest are 5, a little less is 6, and modesty is 3.
    assert row[5] == pytest.approx(said["Split it evenly."] + said["Take what they left."])
    assert row[6] == pytest.approx(said["Come down a little."] + said["Demand 6."])
    assert row[8] == pytest.approx(said["Play hardball."])
    assert row[3] == pytest.approx(said["Be modest."])
    assert sum(row.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("key", ["none", "turn", "demands"])
@pytest.mark.parametrize("actor", ["coached:random", "coached:concede"])
def test_its_finite_memory_form_answers_as_it_does(key: str, actor: str) -> None:
    policy = strategist(actor, key)
    form = policy.strategy(SPLIT)
    assert form is not None
    asked = states()
    for decision, row in zip(asked, policy.probabilities(asked), strict=True):
        (memory, share), *others = form.start()
        assert share == 1.0
        assert not others
        for signal in decision.history:
            memory = form.update(memory, signal)
        assert form.probabilities(memory, decision.observation, decision.legal or ()) == pytest.approx(row)


def test_where_advice_reads_the_whole_past_there_is_no_such_form() -> None:
    game = make_game("ipd", rounds=3)
    policy = strategist(key="none", game=game)
    assert policy.strategy(game) is None
    assert all(sum(row.values()) == pytest.approx(1.0) for row in policy.probabilities(states(game)))


def test_an_actor_that_may_heed_more_gives_no_distribution() -> None:
    task = load_game("social")
    policy = load_policy("strategist:phrases>scripted:weak", task)
    assert isinstance(policy, PhraseStrategist)
    assert policy.exact_states == 0
    with pytest.raises(NoProbabilitiesError, match="may heed all advice"):
        policy.probabilities([])


def test_a_file_brings_back_the_same_strategist(tmp_path: Path) -> None:
    policy = strategist()
    policy.adviser.save(tmp_path / "phrases.json")
    again = load_policy(f"strategist:phrases:{tmp_path / 'phrases.json'}>coached:random", SPLIT)
    assert isinstance(again, PhraseStrategist)
    assert again.probabilities(states()) == policy.probabilities(states())
    assert load_phrases(tmp_path, SPLIT).dump() == policy.adviser.dump()
    assert not again.adviser.trainable
    with pytest.raises(RequestError, match="advises in split"):
        load_phrases(tmp_path, make_game("multi_issue"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "is no list of advice"),
        ({"schema": 2}, "is no list of advice"),
        ({"logits": {"always": [0.0]}}, "is damaged"),
        ({"logits": 3}, "is damaged"),
        ({"key": "demnds"}, "did you mean 'demands'"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps({**json.loads(strategist().adviser.dump()), **change}), encoding="utf-8")
    with pytest.raises(RequestError, match=message):
        load_phrases(file, SPLIT)


def test_files_that_are_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot read strategist"):
        load_phrases(tmp_path / "none.json", SPLIT)
    (tmp_path / "x.json").write_text("{", encoding="utf-8")
    with pytest.raises(RequestError, match="is no JSON"):
        load_phrases(tmp_path / "x.json", SPLIT)


@pytest.mark.parametrize(
    ("game", "own", "message"),
    [
        ("auction", (), "no advice ships with the package for 'auction'"),
        ("split", ("a", "a"), "there twice"),
        ("split", ("a", " "), "is empty"),
        ("split", ("a",), "the only piece"),
    ],
)
def test_lists_that_leave_nothing_to_choose_are_refused(
    game: str, own: tuple[str, ...], message: str
) -> None:
    with pytest.raises(RequestError, match=message):
        advice_of(game, own)
