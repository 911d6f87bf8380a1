"""Transcripts: every episode comes back as it was, whatever models write, and damage is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.rollout.engine import play
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.transcript import FORMAT, append_episodes, episode_to_json, read_episodes
from equipoise.types import (
    Choice,
    Episode,
    Generation,
    RoundOutcome,
    StopReason,
    Turn,
    Validity,
)
from tests.auditing.oracle import random_policy
from tests.rollout.players import Answers, invalid, requests

finite = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 10**6)
# Text of every kind that a line-based format might trip over, beside any other.
texts = st.text() | st.sampled_from(
    [
        "\n",
        "a\r\nb",
        "\u2028",
        "\u2029",
        "\x85",
        "\x0b\x0c",
        "\x00",
        '"}\n{"',
        "\\n",
        "😀",
        "\ufeff",
        "é" * 99,
    ]
)
actions = st.one_of(texts, st.integers(-99, 99), st.lists(st.integers(0, 9), max_size=4).map(tuple))
ids = st.lists(counts, max_size=4).map(tuple)

generations = st.builds(
    Generation,
    role=texts,
    prompt_ids=ids,
    ids=ids,
    logprobs=st.lists(finite, max_size=3).map(tuple),
    mask=st.lists(st.sampled_from((0, 1)), max_size=3).map(tuple),
    stop=st.sampled_from(StopReason),
    trainable=st.booleans(),
    text=texts,
)
choices = st.builds(
    Choice,
    action=actions | st.none(),
    validity=st.sampled_from(Validity),
    probabilities=st.none() | st.dictionaries(actions, finite, max_size=3),
    generations=st.lists(generations, max_size=2).map(tuple),
    detail=texts,
)
turns = st.builds(
    Turn,
    seat=st.sampled_from((0, 1)),
    round=counts,
    step=counts,
    label=texts,
    action=actions,
    choice=choices,
    retries=counts,
)
seats = st.tuples(finite, finite)
outcomes = st.builds(
    RoundOutcome,
    payoffs=seats,
    collusion=seats | st.none(),
    externality=seats | st.none(),
    diagnostics=st.lists(seats, max_size=2).map(tuple),
)
draws = st.recursive(
    texts | st.booleans() | st.integers(-9, 9) | finite, lambda inner: st.lists(inner, max_size=2).map(tuple)
)
episodes = st.builds(
    Episode,
    id=texts,
    game=texts,
    options=st.dictionaries(texts, st.integers() | texts | finite | st.booleans(), max_size=2),
    pool=texts,
    opponent=texts,
    seat=st.sampled_from((0, 1)),
    deal=counts,
    split=texts,
    rollout=counts,
    policies=st.tuples(texts, texts),
    turns=st.lists(turns, max_size=3).map(tuple),
    rounds=st.lists(outcomes, max_size=3).map(tuple),
    stop=st.sampled_from(StopReason),
    policy_version=counts,
    chance=st.lists(st.tuples(texts, draws), max_size=2).map(tuple),
)


def some() -> list[Episode]:
    game = make_game("kuhn", rounds=2)
    played = play(requests(game, random_policy(game, 0), ("nash",), deals=2))
    failed = play(requests(game, Answers(invalid), ("nash",), deals=1), InvalidRule(0, "forfeit"))
    return [one.episode for one in (*played, *failed)]


@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(kept=st.lists(episodes, max_size=2))
def test_episodes_come_back_as_they_were(kept: list[Episode], tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    path.unlink(missing_ok=True)
    append_episodes(path, kept)
    assert list(read_episodes(path)) == kept
    # One line an episode, under the header.
    assert path.read_bytes().count(b"\n") == len(kept) + 1


def test_so_do_played_ones(tmp_path: Path) -> None:
    append_episodes(tmp_path / "t.jsonl", some())
    assert list(read_episodes(tmp_path / "t.jsonl")) == some()


def test_actions_keep_their_type(tmp_path: Path) -> None:
    first = some()[0]
    turn = first.turns[0]
    kept = [
        Episode(**{**_fields(first), "turns": (Turn(0, 0, 0, "", action, Choice(action), 0),)})
        for action in ("7", 7, (2, 1, 0))
    ]
    append_episodes(tmp_path / "t.jsonl", kept)
    found = [episode.turns[0].action for episode in read_episodes(tmp_path / "t.jsonl")]
    assert found == ["7", 7, (2, 1, 0)]
    assert [type(action) for action in found] == [str, int, tuple]
    assert turn.choice.probabilities == next(iter(first.turns)).choice.probabilities


def _fields(episode: Episode) -> dict[str, object]:
    return {name: getattr(episode, name) for name in Episode.__dataclass_fields__}


def test_appending_writes_the_header_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.jsonl"
    played = some()
    append_episodes(path, played[:2])
    append_episodes(path, played[2:])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == FORMAT == {"format": "equipoise.transcript", "schema": 1}
    assert [json.loads(line)["id"] for line in lines[1:]] == [episode.id for episode in played]


def test_text_is_readable(tmp_path: Path) -> None:
    generation = Generation("thought", (), (), (), (), StopReason.LENGTH, text="Ich denke: über…")
    first = some()[0]
    turn = Turn(0, 0, 0, "J:", "PASS", Choice("PASS", generations=(generation,)), 0)
    append_episodes(tmp_path / "t.jsonl", [Episode(**{**_fields(first), "turns": (turn,)})])
    assert "Ich denke: über…" in (tmp_path / "t.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("cut", [1, 2, 50])
def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path, cut: int) -> None:
    path, played = tmp_path / "t.jsonl", some()
    append_episodes(path, played)
    path.write_bytes(path.read_bytes()[:-cut])
    assert list(read_episodes(path)) == played[:-1]


@pytest.mark.parametrize(
    "text",
    ["", "\n", "Dear diary\n", "[]\n", "null\n", '{"format": "other", "schema": 1}\n', '{"format": "equi'],
)
def test_a_foreign_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RequestError, match=r"is no transcript of this package: its first line must be"):
        list(read_episodes(path))


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(bytes(range(128, 256)) + b"\n")
    with pytest.raises(RequestError, match="is no transcript"):
        list(read_episodes(path))


@pytest.mark.parametrize("schema", [0, 2, "1", None])
def test_another_schema_is_refused(tmp_path: Path, schema: object) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({**FORMAT, "schema": schema}) + "\n", encoding="utf-8")
    with pytest.raises(RequestError, match=rf"has transcript schema {schema!r}, this version reads 1"):
        list(read_episodes(path))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot read transcript"):
        list(read_episodes(tmp_path / "none.jsonl"))


@pytest.mark.parametrize(
    "line", ["{}", "[]", "nonsense", '{"id": 1}', json.dumps({**episode_to_json(some()[0]), "stop": "bored"})]
)
def test_damage_is_told_by_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "t.jsonl"
    append_episodes(path, some()[:1])
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    found = read_episodes(path)
    assert next(found) == some()[0]
    with pytest.raises(RequestError, match=r"line 3 is no episode: restore the file or start anew"):
        next(found)


def test_half_a_surrogate_pair_comes_back(tmp_path: Path) -> None:
    text = json.loads('"half \\ud83d"')
    generation = Generation("action", (), (), (), (), StopReason.LENGTH, text=text)
    turn = Turn(0, 0, 0, "J:", "PASS", Choice("PASS", generations=(generation,)), 0)
    kept = Episode(**{**_fields(some()[0]), "turns": (turn,)})
    append_episodes(tmp_path / "t.jsonl", [kept])
    assert list(read_episodes(tmp_path / "t.jsonl")) == [kept]
