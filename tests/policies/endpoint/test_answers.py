"""Answers kept on disk: read again, cut off where a process was killed, asked once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.policies.endpoint.answers import FILE, Answers, answer_key
from equipoise.policies.endpoint.ledger import Usage
from equipoise.policies.endpoint.reply import Reply

REPLY = Reply("hm\nDEFECT", "stop", "", (("DE", (("DE", -0.1), ("CO", -2.0))),), Usage(7, 2))


def put(answers: Answers, key: str, reply: Reply = REPLY) -> Reply:
    async def fetch() -> Reply:
        return reply

    return asyncio.run(answers.once(key, "m", fetch))


async def never() -> Reply:
    raise AssertionError


def test_what_was_kept_is_read_again_and_was_paid(tmp_path: Path) -> None:
    first = Answers(tmp_path)
    put(first, "a")
    first.lost("m", Usage(1, 2))
    again = Answers(tmp_path)
    assert asyncio.run(again.once("a", "m", never)) == REPLY
    assert again.spent == [("m", Usage(7, 2)), ("m", Usage(1, 2))]


@pytest.mark.parametrize("left", [b"{", b'{"key": "b", "model": "m", "reply": {"text": "\xc3'])
def test_half_a_line_is_cut_off(tmp_path: Path, left: bytes) -> None:
    put(Answers(tmp_path), "a")
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole + left)
    put(Answers(tmp_path), "b")
    assert (tmp_path / FILE).read_bytes().startswith(whole)
    keys = [json.loads(line)["key"] for line in (tmp_path / FILE).read_text().splitlines()]
    assert keys == ["a", "b"]


@pytest.mark.parametrize("line", ["nonsense", "{}", "[]", '{"key": "a", "model": "m", "reply": {}}', "\xff"])
def test_a_damaged_file_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE).write_text(f"{line}\n", encoding="latin-1")
    with pytest.raises(RequestError, match=r"answers.jsonl', line 1 is no answer"):
        Answers(tmp_path)


def test_nothing_is_written_before_there_is_an_answer(tmp_path: Path) -> None:
    Answers(tmp_path / "answers")
    assert list(tmp_path.iterdir()) == []


def test_who_asks_the_same_meanwhile_gets_the_same_answer_or_error() -> None:
    answers, asked = Answers(), 0

    async def fetch(fails: bool) -> Reply:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.001)
        if fails:
            raise LookupError("gone")
        return REPLY

    async def scene(fails: bool) -> list[object]:
        calls = (answers.once("k", "m", lambda: fetch(fails)) for _ in range(3))
        return list(await asyncio.gather(*calls, return_exceptions=True))

    assert [str(error) for error in asyncio.run(scene(True))] == ["gone"] * 3
    # An error is not kept.
    assert asyncio.run(scene(False)) == [REPLY] * 3
    assert asked == 2


def test_a_key_is_that_of_the_version_and_of_all_that_is_sent() -> None:
    keys = {
        answer_key("v", {"a": 1, "b": 2}),
        answer_key("v", {"b": 2, "a": 1}),
        answer_key("w", {"a": 1, "b": 2}),
        answer_key("v", {"a": 1, "b": 3}),
    }
    assert len(keys) == 3
