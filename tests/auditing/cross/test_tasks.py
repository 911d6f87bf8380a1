"""Cross-play in a free-text task, with strategists on both sides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import equipoise
from equipoise.auditing.cross.cells import Cell
from equipoise.auditing.cross.play import cross_game, name_policies
from equipoise.auditing.cross.result import IN_TASKS, MATRICES, CrossResult
from equipoise.auditing.run import AuditConfig
from equipoise.errors import RequestError
from equipoise.policies.registry import load_game, load_players, load_policy
from equipoise.rollout.engine import play
from equipoise.rollout.transcript import read_episodes
from equipoise.types import STRATEGIST, Estimate
from tests.rollout.players import requests

PRICE = load_game("social", {"families": ("price",), "turns": 8})
NAMES = ["actor=weak", "list=strategist:phrases>scripted:weak"]
CONFIG = AuditConfig(episodes=4, chunk=2)


def crossed(config: AuditConfig = CONFIG) -> CrossResult:
    return cross_game(PRICE, load_players(name_policies(NAMES), PRICE), config)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[CrossResult, Path]:
    folder = tmp_path_factory.mktemp("cross") / "c"
    return crossed(replace(CONFIG, out=folder)), folder


def test_matrices_are_those_of_the_dialogues(played: tuple[CrossResult, Path]) -> None:
    found, folder = played
    episodes = list(read_episodes(folder / "transcript.jsonl"))
    assert found.policies == ("actor", "list")
    assert len(episodes) == 4 * 4 * 2
    for row in found.policies:
        for column in found.policies:
            here = [one for one in episodes if (one.pool, one.opponent) == (row, column)]
            scores = np.array(
                [[e.rounds[-1].payoffs[e.seat], e.rounds[-1].payoffs[1 - e.seat]] for e in here]
            )
            own, other = scores.mean(axis=0)
            assert found.payoff[row][column].value == pytest.approx(own)
            assert found.welfare[row][column].value == pytest.approx(own + other)
            lead = 0.0 if row == column else max(0.0, other - own)
            assert found.exploitability[row][column].value == pytest.approx(lead)
            mutual = found.matrices["mutual"][row][column]
            assert mutual.value == pytest.approx((scores > 0.0).all(axis=1).mean())
            assert (mutual.n, mutual.clusters) == (8, 4)


def test_both_sides_may_have_a_strategist_of_their_own(played: tuple[CrossResult, Path]) -> None:
    _, folder = played
    for episode in read_episodes(folder / "transcript.jsonl"):
        names = (episode.pool, episode.opponent) if episode.seat == 0 else (episode.opponent, episode.pool)
        for turn in episode.turns:
            advised = any(made.role == STRATEGIST for made in turn.choice.generations)
            assert advised == (names[turn.seat] == "list")
    # The same list at both seats draws for each of them by itself.
    both = [e for e in read_episodes(folder / "transcript.jsonl") if e.pool == e.opponent == "list"]
    said = [
        [t.choice.generations[0].text for t in e.turns if t.seat == seat] for e in both for seat in (0, 1)
    ]
    assert len({tuple(texts) for texts in said}) > len(both)


def test_a_killed_run_goes_on_with_the_same_bytes(played: tuple[CrossResult, Path], tmp_path: Path) -> None:
    found, folder = played
    half = tmp_path / "c"
    crossed(replace(CONFIG, out=half))
    lines = (half / "transcript.jsonl").read_bytes().splitlines(keepends=True)
    (half / "transcript.jsonl").write_bytes(b"".join(lines[:20]))
    marks = (half / "chunks.jsonl").read_bytes().splitlines(keepends=True)
    (half / "chunks.jsonl").write_bytes(marks[0])
    assert crossed(replace(CONFIG, out=half)) == found
    assert (half / "transcript.jsonl").read_bytes() == (folder / "transcript.jsonl").read_bytes()


def test_results_survive_a_file_and_print(tmp_path: Path) -> None:
    found = equipoise.cross("social", NAMES, episodes=2, options={"turns": 4}, out=tmp_path / "c")
    assert CrossResult.load(tmp_path / "c" / "cross.json") == found
    assert [*found.matrices] == [*MATRICES, *IN_TASKS]
    assert "mutual: share of episodes" in " ".join(str(found).split())


def test_a_pair_counts_from_either_side() -> None:
    cell = Cell(np.array([1.0, 0.0]), np.array([2.0, 3.0]), 4, np.array([1.0, 0.5]))
    assert cell.mutual(0.95) == cell.turned().mutual(0.95)
    assert cell.mutual(0.95).value == 0.75


@pytest.mark.parametrize(
    ("game", "exact", "message"),
    [
        ("social", True, "'social' is a free-text task without exact values: leave out --exact"),
        ("shop", None, "shop has 1 seats: cross-play is for two"),
    ],
)
def test_what_cannot_be_had(game: str, exact: bool | None, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        equipoise.cross(game, ["weak", "sensible"], exact=exact, episodes=1)


def test_names_stand_before_a_sign_and_policies_keep_theirs() -> None:
    named = name_policies(["a=random", "random", "openai:m@http://h/v1?x=1", "b_2=mixture:0.5*a+0.5*b"])
    assert named == {
        "a": "random",
        "random": "random",
        "openai:m@http://h/v1?x=1": "openai:m@http://h/v1?x=1",
        "b_2": "mixture:0.5*a+0.5*b",
    }
    with pytest.raises(RequestError, match="policy 'a' is named twice"):
        name_policies(["a=random", "a=pavlov"])


def test_games_have_no_share_of_mutual_gain() -> None:
    found = equipoise.cross("ipd", ["tit_for_tat", "always_defect"], options={"rounds": 2})
    assert [*found.matrices] == [*MATRICES]
    assert found.payoff["tit_for_tat"]["tit_for_tat"] == Estimate.exact(3.0)


def test_a_model_may_think_before_it_acts() -> None:
    spec = "strategist:think:tiny-random>tiny-random"
    policy = load_policy(spec, PRICE, quiet=True, max_new_tokens=3, threads=1, mode="free")
    coached = load_policy(spec.replace("think:", ""), PRICE, quiet=True, max_new_tokens=3, mode="free")
    assert policy.name == spec
    assert policy.fingerprint != coached.fingerprint
    (one, *_) = play(requests(PRICE, policy, ("weak",), 1)[:1])
    turns = [turn for turn in one.episode.turns if turn.seat == 0]
    assert [turn.choice.generations[0].role for turn in turns] == [STRATEGIST] * len(turns)
    # What it thought stays before its eyes, and it is asked for a thought, not for advice.
    adviser = policy.adviser  # type: ignore[union-attr]
    decision = replace(one.decisions[-1], advice=("Wait.",))
    asked = adviser.loaded.tokenizer.decode(adviser.asked(decision))
    assert "it thinks" in asked
    assert "You thought before: " in asked
    assert "advice" not in asked.casefold()
