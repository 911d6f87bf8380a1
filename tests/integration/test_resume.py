"""A run that is killed anywhere and started again ends as one that was not.

The smoke recipe is run in processes of its own. Its game has four rounds here: as many as keep a language
model from being valued exactly, so that audits have chunks, and few enough to take no time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed by POSIX signals")

COMMAND = (sys.executable, "-m", "equipoise", "run", "smoke", "--quiet", "out=run")
CHANGES = ("audit.episodes=20", "games.ipd.options.rounds=4")
LIMIT = 120.0
"""Seconds after which a process is taken to hang."""

Moment = Callable[[Path], bool]


def there(*names: str) -> Moment:
    """The moment at which files are there."""
    return lambda run: all((run / name).exists() for name in names)


def has_lines(name: str, count: int) -> Moment:
    """The moment at which a file has so many lines."""

    def reached(run: Path) -> bool:
        file = run / name
        return file.exists() and file.read_bytes().count(b"\n") >= count

    return reached


def after_step(name: str, step: int) -> Moment:
    """The moment at which a trainer's checkpoint holds a step."""

    def reached(run: Path) -> bool:
        try:
            state = json.loads((run / name / "checkpoint" / "state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return int(state["step"]) >= step

    return reached


@dataclass
class Runner:
    """Starts the same command in one folder again and again; remembers how the processes ended."""

    folder: Path
    hash_seed: int
    codes: list[int] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def run(self) -> Path:
        return self.folder / "run"

    def start(self, moment: Moment | None = None, how: signal.Signals = signal.SIGKILL) -> None:
        """Run to the end, or end the process as soon as a moment has come."""
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": str(self.hash_seed)}
        process = subprocess.Popen(
            [*COMMAND, *CHANGES],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background jobs ignore interrupts, and so would what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        end = time.monotonic() + LIMIT
        try:
            while moment is not None and process.poll() is None and not moment(self.run):
                assert time.monotonic() < end, "the moment never came"
                time.sleep(0.002)
            if moment is not None:
                process.send_signal(how)
            _, error = process.communicate(timeout=LIMIT)
        finally:
            process.kill()
            process.wait()
        self.codes.append(process.returncode)
        self.errors.append(error)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A run that nobody disturbs."""
    runner = Runner(tmp_path_factory.mktemp("whole"), hash_seed=1)
    runner.start()
    assert runner.codes == [0], runner.errors
    return runner


KILLS: Sequence[Moment] = (
    has_lines("ipd/base/audit/chunks.jsonl", 1),
    after_step("ipd/sft/train", 2),
    there("ipd/sft/train/done"),
    # The second step is followed by an evaluation, of which the third must not remember anything.
    after_step("ipd/sepo/train", 2),
    has_lines("kuhn/sepo_responders/train/metrics.jsonl", 1),
)
"""In the first audit, in SFT, between SFT and its audit, in SEPO, in SEPO with a responder."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A run that is killed five times and interrupted once, and ends at last."""
    runner = Runner(tmp_path_factory.mktemp("killed"), hash_seed=2)
    for moment in KILLS[:-1]:
        runner.start(moment)
    runner.start(there("kuhn/sft/train/checkpoint/state.json"), signal.SIGINT)
    runner.start(KILLS[-1])
    assert not (runner.run / "summary.json").exists()
    runner.start()
    return runner


def content(run: Path) -> dict[str, bytes | str]:
    """Return all files of a run; of metrics all but the time that a step took."""
    found: dict[str, bytes | str] = {}
    for file in sorted(run.rglob("*")):
        name = str(file.relative_to(run))
        if not file.is_file() or "tensorboard" in file.parts:
            continue
        if file.name == "metrics.jsonl":
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            found[name] = repr([{k: v for k, v in row.items() if k != "seconds"} for row in rows])
        else:
            found[name] = file.read_bytes()
    return found


def test_processes_were_killed_where_they_should(killed: Runner) -> None:
    """Five were killed in the middle of their work, one was interrupted, the last ended well."""
    kill = -signal.SIGKILL
    assert killed.codes == [kill, kill, kill, kill, 130, kill, 0], killed.errors


def test_an_interrupted_command_says_that_it_goes_on(killed: Runner) -> None:
    assert killed.errors[4].splitlines()[-1] == "interrupted: the same command goes on where it stopped"
    assert "Traceback" not in killed.errors[4]


def test_a_killed_run_ends_as_one_that_was_not(whole: Runner, killed: Runner) -> None:
    """To the last byte, in every file."""
    first, second = content(whole.run), content(killed.run)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    names = set(first)
    assert "summary.json" in names
    best = {name for name in names if "/best/" in name}
    assert best == {
        f"{game}/{stage}/train/best/{file}"
        for game, stages in (("ipd", ("sft", "sepo")), ("kuhn", ("sft", "sepo", "sepo_responders")))
        for stage in stages
        for file in ("adapter_config.json", "adapter_model.safetensors")
    }
    assert sum(name.endswith("transcript.jsonl") for name in names) == 3


def test_the_finished_run_is_a_run_of_its_folder_only(killed: Runner) -> None:
    """Nothing is left of what was cut off, and nothing lies outside."""
    left = [file for file in killed.folder.rglob("*") if file.suffix == ".part"]
    assert left == []
    assert [file.name for file in killed.folder.iterdir()] == ["run"]


@pytest.mark.slow
def test_killed_at_any_time(whole: Runner, tmp_path: Path) -> None:
    """Kill after times that have nothing to do with what is being done."""
    runner = Runner(tmp_path, hash_seed=3)
    began = time.monotonic()
    for number in range(5):
        wait = 3.5 + number * 0.61
        start = time.monotonic()
        runner.start(lambda run, end=start + wait: time.monotonic() > end)  # type: ignore[misc]
        assert time.monotonic() - began < 5 * LIMIT
    runner.start()
    assert runner.codes[-1] == 0, runner.errors
    assert -signal.SIGKILL in runner.codes
    first, second = content(whole.run), content(runner.run)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
