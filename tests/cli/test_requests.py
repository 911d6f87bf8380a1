"""Wrong requests: exit code 2 and one line that names the offending value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

TFT = ("-p", "scripted:tit_for_tat")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("audit", "idp", *TFT), "'idp': did you mean 'ipd'"),
        (("audit", "ipd", "all", *TFT), "'all'"),
        (("audit", "ipd", "rounds=4", *TFT), "'rounds=4'"),
        (("audit", "ipd", "-p", "scripted:tit_for_tt"), "'tit_for_tt': did you mean 'tit_for_tat'"),
        (("audit", "ipd", "-p", "smolm2"), "'smolm2': did you mean 'smollm2'"),
        (("audit", "ipd", "-p", "nonsense"), "'nonsense'"),
        (("audit", "ipd", "-p", "tabular:missing.json"), "'missing.json'"),
        (("audit", "ipd", "-p", "python:missing.py:f"), "'missing.py'"),
        (("audit", "ipd", "-p", "python:missing.py"), "python:missing.py"),
        (("audit", "ipd", *TFT, "-b", "scripted:nobody"), "'nobody'"),
        (("audit", "python:missing.py:Game", *TFT), "'missing.py'"),
        (("audit", "ipd", *TFT, "--pool", "trian=random"), "'trian': did you mean 'train'"),
        (("audit", "ipd", *TFT, "--pool", "train=nobody"), "'nobody'"),
        (("audit", "ipd", *TFT, "--pool", "train="), "pools.train is empty"),
        (("audit", "ipd", *TFT, "--pool", "train"), "'train'"),
        (("audit", "ipd", *TFT, "--weight", "q=1"), "'q'"),
        (("audit", "ipd", *TFT, "--weight", "e=-1"), "-1"),
        (("audit", "ipd", *TFT, "--weight", "e=lots"), "'lots'"),
        (("audit", "ipd", *TFT, "--option", "ronds=4"), "'ronds': did you mean 'rounds'"),
        (("audit", "ipd", *TFT, "--option", "rounds=0"), "rounds = 0"),
        (("audit", "ipd", *TFT, "--option", "rounds=many"), "rounds = 'many'"),
        (("audit", "ipd", *TFT, "--option", "noise=0.7"), "noise = 0.7"),
        (("audit", "ipd", *TFT, "--option", "reward=9"), "temptation > reward"),
        (("audit", "ipd", *TFT, "--option", "rounds"), "'rounds'"),
        (("audit", "ipd", "kuhn", *TFT, "--option", "rounds=4"), "options"),
        (("audit", "ipd", *TFT, "--episodes", "0"), "episodes = 0"),
        (("audit", "ipd", *TFT, "--level", "1"), "level = 1"),
        (("audit", "ipd", "-p", "human", "--exact"), "'human'"),
        (("audit", "ipd", "-p", "hf:nowhere"), "'nowhere'"),
        (("play",), "GAME is missing"),
        (("play", "ipd"), "--policy is missing"),
        (("play", "ipd", *TFT), "--opponent is missing"),
        (("play", "ipd", *TFT, "--opponent", "nobody"), "'nobody'"),
        (("play", "idp", *TFT, "--opponent", "random"), "'idp'"),
        (("play", "ipd", *TFT, "--opponent", "random", "--seat", "2"), "seat = 2"),
        (("play", "ipd", "-p", "human", "--opponent", "random", "--seat", "-1"), "seat = -1"),
        (("play", "ipd", "-p", "human", "--opponent", "nobody"), "'nobody'"),
        (("play", "ipd", *TFT, "--opponent", "random", "--episode", "a/b"), "'a/b'"),
        (("play", "ipd", *TFT, "--opponent", "random", "--option", "round=3"), "'round'"),
        (("play", "--replay", "missing.jsonl"), "'missing.jsonl'"),
        (("play", "--replay", "missing.jsonl", *TFT), "'scripted:tit_for_tat'"),
        (("games", "idp"), "'idp'"),
        (("games", "--option", "rounds=3"), "'rounds'"),
        (("games", "ipd", "--option", "rounds=-3"), "rounds = -3"),
        (("opponents", "idp"), "'idp'"),
        (("models", "fetch", "smollm"), "'smollm': did you mean 'smollm2'"),
        (("solve", "idp"), "'idp'"),
        (("solve", "ipd", "kuhn"), "'kuhn'"),
        (("solve", "ipd", "--option", "rounds=0"), "rounds = 0"),
        (("data", "idp", "--recipe", "paper", "--out", "x.jsonl"), "'idp'"),
        (("run", "quickstart", "quick"), "'quick'"),
    ],
)
def test_wrong_requests(
    run: Run,
    arguments: tuple[str, ...],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.error.startswith("error: ")
    assert named in done.error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", [(), ("--exact",), ("--sample",)])
@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("illegal", "'BETRAY'"),
        ("lossy", "0.75"),
        ("broken", "LookupError: first line second line"),
        ("number", "is a int"),
        ("cooperte", "'cooperte'"),
    ],
)
def test_wrong_policies_of_ones_own(
    run: Run, policies: Path, name: str, named: str, method: tuple[str, ...]
) -> None:
    done = run("audit", "ipd", "-p", f"python:{policies}:{name}", "-n", "1", *method, "--json", "-")
    assert (done.code, done.out) == (2, "")
    assert named in done.error


def test_a_file_that_does_not_run(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("import nonsense_module\n", encoding="utf-8")
    done = run("play", "ipd", "-p", f"python:{file}:f", "--opponent", "random")
    assert done.code == 2
    assert "nonsense_module" in done.error


@pytest.mark.parametrize("content", ["", "not json", '{"format": "other"}', "[1]"])
def test_foreign_tables_and_transcripts(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "foreign.json"
    file.write_text(content, encoding="utf-8")
    for arguments in (("audit", "ipd", "-p", f"tabular:{file}"), ("play", "--replay", file)):
        done = run(*arguments)
        assert done.code == 2
        assert "foreign.json" in done.error


def test_a_transcript_of_a_later_schema_or_with_a_damaged_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('{"format": "equipoise.transcript", "schema": 9}\n', encoding="utf-8")
    assert "schema 9" in run("play", "--replay", file).error
    file.write_text('{"format": "equipoise.transcript", "schema": 1}\n{"id": 3}\n', encoding="utf-8")
    assert "line 2" in run("play", "--replay", file).error
    file.write_text('{"format": "equipoise.transcript", "schema": 1}\n', encoding="utf-8")
    done = run("play", "--replay", file)
    assert (done.code, done.error) == (2, f"error: {str(file)!r} holds no episode")
    assert run("play", "--replay", tmp_path).code == 2


def test_a_folder_that_belongs_to_something_else(run: Run, tmp_path: Path) -> None:
    arguments = ("audit", "ipd", "-p", "scripted:random", "--sample", "-n", "1", "--out")
    assert run(*arguments, tmp_path / "a").code == 0
    done = run(*arguments, tmp_path / "a", "--seed", "5")
    assert done.code == 2
    assert "another seed" in done.error
    foreign = tmp_path / "b" / "ipd" / "policy"
    foreign.mkdir(parents=True)
    (foreign / "transcript.jsonl").write_text("mine\n", encoding="utf-8")
    done = run(*arguments, tmp_path / "b")
    assert done.code == 2
    assert str(tmp_path / "b") in done.error
    assert (foreign / "transcript.jsonl").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("flag", ["--out", "--json"])
def test_a_file_where_a_folder_should_be(run: Run, tmp_path: Path, flag: str) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    target = file if flag == "--out" else file / "audit.json"
    done = run("audit", "ipd", *TFT, flag, target)
    assert done.code == 2
    assert flag in done.error
    assert repr(str(file)) in done.error
    assert file.read_text(encoding="utf-8") == "mine"


def test_json_into_a_folder(run: Run, tmp_path: Path) -> None:
    done = run("audit", "ipd", *TFT, "--json", tmp_path)
    assert done.code == 2
    assert repr(str(tmp_path)) in done.error
    done = run("data", "ipd", "--recipe", "paper", "--out", tmp_path)
    assert done.code == 2
    assert repr(str(tmp_path)) in done.error
