"""An audit that was killed goes on and ends with the same bytes; a foreign folder is left alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.store import AuditStore
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.opponents.pools import Pools
from equipoise.policies.base import Policy, draw
from equipoise.policies.registry import load_policy
from equipoise.rollout.deals import Split
from equipoise.rollout.requests import InvalidRule
from equipoise.rollout.transcript import read_episodes
from equipoise.types import Choice, Decision

GAME = make_game("ipd", rounds=2)
POOLS = Pools(("tit_for_tat",), ("always_defect",), ("mixed_half",))
CONFIG = AuditConfig(episodes=5, exact=False, pools=POOLS, chunk=2)
FILES = ("request.json", "chunks.jsonl", "transcript.jsonl")


class Scorer(Policy):
    """Scores each state once, and the score tells how many were scored before: order is visible."""

    name, fingerprint = "scorer", "1"

    def __init__(self) -> None:
        self.table: dict[str, float] = {}
        self.calls = 0

    def act(self, decisions: Sequence[Decision]) -> list[Choice]:
        self.calls += 1
        choices = []
        for decision in decisions:
            label = decision.rules.label(decision.observation, decision.history)
            p = self.table.setdefault(label, 1.0 / (2.0 + len(self.table)))
            row = {"COOPERATE": p, "DEFECT": 1.0 - p}
            choices.append(Choice(draw(row, decision), probabilities=row))
        return choices

    def state_dict(self) -> dict[str, Any]:
        return {"version": 0, "table": dict(self.table)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.table = dict(state["table"])


def audit(folder: Path, policy: Policy | None = None, **changes: Any) -> GameResult:
    return audit_game(GAME, policy or Scorer(), replace(CONFIG, out=folder, **changes))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GameResult]:
    folder = tmp_path_factory.mktemp("store") / "whole"
    return folder, audit(folder)


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def line_ends(data: bytes) -> list[int]:
    return [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]


def killed(whole: Path, folder: Path, transcript: int, marks: int) -> Path:
    """Make the folder of an audit that was killed with so many bytes on disk."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(whole / "request.json", folder)
    for name, size in (("transcript.jsonl", transcript), ("chunks.jsonl", marks)):
        if size:
            (folder / name).write_bytes((whole / name).read_bytes()[:size])
    return folder


def moments(whole: Path) -> dict[str, tuple[int, int]]:
    """Return how many bytes of transcript and marks there are at moments an audit may be killed at."""
    transcript = line_ends((whole / "transcript.jsonl").read_bytes())
    marks = [0, *line_ends((whole / "chunks.jsonl").read_bytes())]
    header, episodes = transcript[0], transcript[1:]
    # Chunks of 2, 2 and 1 deals, 3 opponents, 2 seats.
    ends = [header, episodes[11], episodes[23], episodes[29]]
    found = {"before anything": (0, 0), "after the header": (header, 0)}
    for chunk in range(3):
        start, end, mark = ends[chunk], ends[chunk + 1], marks[chunk]
        first = episodes[12 * chunk]
        found |= {
            f"chunk {chunk}: before its first byte": (start, mark),
            f"chunk {chunk}: in its first line": (start + 40, mark),
            f"chunk {chunk}: before a line end": (first - 1, mark),
            f"chunk {chunk}: after a line": (first, mark),
            f"chunk {chunk}: in its last line": (end - 7, mark),
            f"chunk {chunk}: before its mark": (end, mark),
            f"chunk {chunk}: in its mark": (end, mark + 9),
            f"chunk {chunk}: before the mark's line end": (end, marks[chunk + 1] - 1),
            f"chunk {chunk}: done": (end, marks[chunk + 1]),
        }
    return found


class TestResume:
    def test_an_audit_killed_at_any_moment_ends_with_the_same_bytes(
        self, done: tuple[Path, GameResult], tmp_path: Path
    ) -> None:
        whole, result = done
        wanted = contents(whole)
        for moment, (transcript, marks) in moments(whole).items():
            folder = killed(whole, tmp_path / "killed", transcript, marks)
            assert audit(folder) == result, moment
            assert contents(folder) == wanted, moment

    def test_an_audit_killed_in_the_header_ends_with_the_same_bytes(
        self, done: tuple[Path, GameResult], tmp_path: Path
    ) -> None:
        whole, _ = done
        folder = killed(whole, tmp_path / "killed", 20, 0)
        audit(folder)
        assert contents(folder) == contents(whole)

    def test_a_policy_that_raises_in_a_chunk_loses_that_chunk_only(
        self, done: tuple[Path, GameResult], tmp_path: Path
    ) -> None:
        class Tired(Scorer):
            def act(self, decisions: Sequence[Decision]) -> list[Choice]:
                if self.calls == 3:  # in the second chunk
                    raise KeyboardInterrupt
                return super().act(decisions)

        whole, result = done
        with pytest.raises(KeyboardInterrupt):
            audit(tmp_path / "a", Tired())
        assert len(list(read_episodes(tmp_path / "a" / "transcript.jsonl"))) == 12
        assert audit(tmp_path / "a") == result
        assert contents(tmp_path / "a") == contents(whole)

    def test_a_finished_audit_asks_nobody(self, done: tuple[Path, GameResult]) -> None:
        whole, result = done
        policy = Scorer()
        before = contents(whole)
        assert audit(whole, policy) == result
        assert policy.calls == 0
        assert contents(whole) == before
        assert policy.table == {  # the whole table was given back
            key: value
            for line in before["chunks.jsonl"].splitlines()
            for key, value in json.loads(line)["table"].items()
        }

    def test_the_folder_does_not_change_the_result(self, done: tuple[Path, GameResult]) -> None:
        assert audit_game(GAME, Scorer(), CONFIG) == done[1]

    def test_a_lost_transcript_is_an_error(self, done: tuple[Path, GameResult], tmp_path: Path) -> None:
        whole, _ = done
        folder = killed(whole, tmp_path / "killed", 0, moments(whole)["chunk 1: done"][1])
        with pytest.raises(RequestError, match="holds 0 of the 24 episodes"):
            audit(folder)

    def test_a_transcript_shorter_than_its_marks_is_an_error(
        self, done: tuple[Path, GameResult], tmp_path: Path
    ) -> None:
        whole, _ = done
        places = moments(whole)
        transcript, marks = places["chunk 0: done"][0], places["chunk 1: done"][1]
        folder = killed(whole, tmp_path / "killed", transcript, marks)
        with pytest.raises(RequestError):
            audit(folder)


class TestForeignFolders:
    @pytest.mark.parametrize(
        ("changes", "key"),
        [
            ({"seed": 1}, "seed"),
            ({"episodes": 6}, "episodes"),
            ({"chunk": 5}, "chunk"),
            ({"split": Split.SELECT}, "split"),
            ({"pools": Pools(("tit_for_tat",), ("always_defect",))}, "pools"),
            ({"rule": InvalidRule(retries=3)}, "invalid"),
        ],
    )
    def test_another_request_is_refused_and_named(
        self, done: tuple[Path, GameResult], changes: dict[str, Any], key: str
    ) -> None:
        whole, _ = done
        before = contents(whole)
        with pytest.raises(RequestError, match=rf"another {key}.*choose another --out"):
            audit(whole, **changes)
        assert contents(whole) == before

    def test_another_policy_or_fingerprint_is_refused(self, done: tuple[Path, GameResult]) -> None:
        whole, _ = done
        other = Scorer()
        other.fingerprint = "2"
        with pytest.raises(RequestError, match=r"another fingerprint \('1', now '2'\)"):
            audit(whole, other)
        policy = load_policy("scripted:random", GAME)
        with pytest.raises(RequestError, match="another fingerprint"):
            audit(whole, policy)  # type: ignore[arg-type]

    def test_what_does_not_change_the_play_may_change(self, done: tuple[Path, GameResult]) -> None:
        whole, result = done
        again = audit(whole, level=0.5)
        assert again.metrics["utility"].level == 0.5  # type: ignore[union-attr]
        assert again.metrics["utility"].value == result.metrics["utility"].value  # type: ignore[union-attr]

    def test_a_folder_with_other_files_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "diary.txt").write_text("private", encoding="utf-8")
        with pytest.raises(RequestError, match="holds files of something else: choose another --out"):
            audit(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]

    def test_an_unreadable_request_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "request.json").write_text("{", encoding="utf-8")
        with pytest.raises(RequestError, match=r"request\.json' cannot be read: choose another --out"):
            audit(tmp_path)

    @pytest.mark.parametrize(
        ("header", "message"),
        [
            ("Dear diary", "is no transcript of this package"),
            ('{"format": "equipoise.transcript", "schema": 2}', "has transcript schema 2"),
        ],
    )
    def test_a_foreign_transcript_is_refused_before_anything_is_cut(
        self, done: tuple[Path, GameResult], tmp_path: Path, header: str, message: str
    ) -> None:
        whole, _ = done
        folder = killed(whole, tmp_path / "killed", 1, moments(whole)["chunk 0: done"][1])
        text = f"{header}\n" * 40
        (folder / "transcript.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(RequestError, match=message):
            audit(folder)
        assert (folder / "transcript.jsonl").read_text(encoding="utf-8") == text

    def test_a_foreign_transcript_is_refused_before_the_first_chunk_too(
        self, done: tuple[Path, GameResult], tmp_path: Path
    ) -> None:
        folder = killed(done[0], tmp_path / "killed", 1, 0)
        (folder / "transcript.jsonl").write_text("Dear diary\nline two\n", encoding="utf-8")
        with pytest.raises(RequestError, match="is no transcript"):
            audit(folder)


@pytest.mark.parametrize("line", ["garbage", "{}", '{"chunk": 1, "episodes": "many", "table": {}}'])
def test_a_mark_that_is_none_is_named(done: tuple[Path, GameResult], tmp_path: Path, line: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(done[0], folder)
    marks = (folder / "chunks.jsonl").read_text(encoding="utf-8").splitlines()
    marks[1] = line
    (folder / "chunks.jsonl").write_text("\n".join(marks) + "\n", encoding="utf-8")
    with pytest.raises(RequestError, match=r"chunks\.jsonl', line 2 is no mark of an audit"):
        audit(folder)


def test_marks_hold_only_what_is_new(tmp_path: Path) -> None:
    store = AuditStore(tmp_path / "s", {"a": 1})
    policy = Scorer()
    policy.table = {"x": 1.0}
    store.finish_chunk([], policy)
    policy.table["y"] = 2.0
    store.finish_chunk([], policy)
    marks = [json.loads(line) for line in (tmp_path / "s" / "chunks.jsonl").read_text().splitlines()]
    assert [mark["table"] for mark in marks] == [{"x": 1.0}, {"y": 2.0}]
    again = AuditStore(tmp_path / "s", {"a": 1})
    fresh = Scorer()
    again.load_table(fresh)
    assert (again.chunks, fresh.table) == (2, {"x": 1.0, "y": 2.0})


def test_finished_episodes_are_read_one_at_a_time(done: tuple[Path, GameResult]) -> None:
    request = json.loads((done[0] / "request.json").read_text(encoding="utf-8"))
    episodes = AuditStore(done[0], request).read()
    assert iter(episodes) is episodes
    assert [next(episodes).deal for _ in range(7)] == [0] * 6 + [1]
    assert sum(1 for _ in episodes) == 30 - 7
