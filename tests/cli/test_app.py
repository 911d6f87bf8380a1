"""The entry point: version, help, exit codes and streams."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import equipoise
from equipoise.cli import failures
from equipoise.cli.app import app
from equipoise.errors import RequestError
from tests.cli.conftest import COMMAND, Run

COMMANDS = (
    "run",
    "train",
    "sft",
    "data",
    "solve",
    "ablate",
    "study",
    "audit",
    "compare",
    "play",
    "games",
    "opponents",
    "models",
)
SOURCES = sorted(Path(failures.__file__).parent.glob("*.py"))


def test_version(run: Run) -> None:
    done = run("--version")
    assert (done.code, done.out, done.err) == (0, f"equipoise {equipoise.__version__}\n", "")


def test_version_and_help_load_nothing_heavy() -> None:
    code = (
        "import sys; from equipoise.cli import main; main(sys.argv[1:]); "
        "print({'numpy', 'scipy', 'torch', 'pandas'} & set(sys.modules), file=sys.stderr)"
    )
    for argument in ("--version", "--help"):
        done = subprocess.run(
            [sys.executable, "-c", code, argument], capture_output=True, text=True, check=True
        )
        assert done.stderr.strip() == "set()"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_command(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.code == 0
    assert all(f" {name} " in done.out for name in COMMANDS)
    assert done.err == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.code == 0
    assert f"equipoise {command}" in done.out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("adit",), "adit"),
        (("audit",), "GAME"),
        (("audit", "ipd"), "--policy"),
        (("audit", "ipd", "--polcy", "x"), "--polcy"),
        (("--nonsense",), "--nonsense"),
        (("audit", "ipd", "-p", "human", "--episodes", "many"), "many"),
        (("audit", "ipd", "-p", "human", "--mode", "guess"), "guess"),
        (("audit", "ipd", "-p", "human", "--retries", "-1"), "-1"),
        (("audit", "ipd", "-p", "human", "--on-invalid", "cry"), "cry"),
        (("solve", "ipd", "--seeds", "0"), "0"),
        (("study", "credit", "--samples", "1"), "1"),
        (("study", "nonsense"), "nonsense"),
        (("data", "ipd", "--recipe", "paper"), "--out"),
        (("models", "fetch"), "NAME"),
        (("models", "fech"), "fech"),
    ],
)
def test_usage_errors_are_one_line(run: Run, arguments: tuple[str, ...], named: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.error.startswith("error: ")
    assert named in done.error


def test_the_usage_line_says_where_help_is(run: Run) -> None:
    assert run("audit", "ipd").error.endswith("(see `equipoise audit --help`)")


def test_an_unexpected_error_is_one_line_and_a_traceback_only_on_request(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("first\nsecond")

    monkeypatch.setattr("equipoise.games.registry.game_names", fail)
    done = run("games")
    assert (done.code, done.error) == (1, "error: ZeroDivisionError: first second")
    for debugged in (run("games", "--debug"), run("--debug", "games")):
        assert debugged.code == 1
        assert "Traceback" in debugged.err
        assert debugged.err.splitlines()[-1] == "error: ZeroDivisionError: first second"
    monkeypatch.setenv("EQUIPOISE_DEBUG", "1")
    assert "Traceback" in run("games").err
    monkeypatch.setenv("EQUIPOISE_DEBUG", "0")
    assert "Traceback" not in run("games").err


def test_an_error_inside_a_group_of_tasks_is_shown_as_itself(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ExceptionGroup("tasks", [ExceptionGroup("more", [RequestError("bad value 7")])])

    assert failures.exit_code(fail) == 2
    assert capsys.readouterr().err == "error: bad value 7\n"


@pytest.mark.parametrize(
    ("module", "extra"), [("torch", "train"), ("peft.tuners", "train"), ("pyspiel", "exact")]
)
def test_a_missing_extra_is_named(capsys: pytest.CaptureFixture[str], module: str, extra: str) -> None:
    def fail() -> None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    assert failures.exit_code(fail) == 2
    package = module.partition(".")[0]
    assert capsys.readouterr().err == (
        f"error: {package} is not installed: pip install 'equipoise[{extra}]'\n"
    )


def test_another_missing_module_is_no_extra(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ModuleNotFoundError("No module named 'nonsense'", name="nonsense")

    assert failures.exit_code(fail) == 1
    assert "nonsense" in capsys.readouterr().err


def test_a_language_model_without_torch_asks_for_the_extra() -> None:
    code = (
        "import sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch':\n"
        "            raise ModuleNotFoundError('No module named torch', name='torch')\n"
        "sys.meta_path.insert(0, Block())\n"
        "from equipoise.cli import main\n"
        "sys.exit(main(['audit', 'ipd', '-p', 'tiny-random', '-n', '1']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: torch is not installed: pip install 'equipoise[train]'\n"


def test_code_of_the_users_does_not_end_the_program(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "leaves.py"
    file.write_text("import sys\ndef f(decision):\n    sys.exit(3)\n", encoding="utf-8")
    done = run("audit", "kuhn", "-p", f"python:{file}:f")
    assert done.code == 2
    assert done.error.endswith("leaves.py:f' raised SystemExit: 3 (at 'J:')")


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "equipoise", "games", "idp"], capture_output=True, check=False
    )
    assert done.returncode == 2


def test_an_exit_keeps_its_code() -> None:
    def leave() -> None:
        raise typer.Exit(3)

    assert failures.exit_code(leave) == 3


def test_the_application_exits_by_itself_when_it_is_run_by_others() -> None:
    result = CliRunner().invoke(app, ["games", "nonsense"])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: unknown game 'nonsense'")


def test_completion_is_left_to_the_framework() -> None:
    environment = {
        **os.environ,
        "_EQUIPOISE_COMPLETE": "complete_bash",
        "COMP_WORDS": "equipoise a",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(COMMAND, capture_output=True, text=True, env=environment, check=False)
    assert "audit" in done.stdout


def test_a_closed_pipe_is_no_error() -> None:
    code = (
        "import os, sys; from equipoise.cli import main; "
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1); sys.exit(main(sys.argv[1:]))"
    )
    for arguments in (
        ["games"],
        ["games", "--json", "-"],
        ["--help"],
        ["play", "kuhn", "-p", "scripted:nash", "--opponent", "nash"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (141, "")


def test_output_survives_a_terminal_that_knows_no_unicode() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*COMMAND, "opponents", "kuhn"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0
    assert "nash" in done.stdout


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_stay_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 200
