"""Programs as policies: what they may get wrong, and that nothing of them is left behind."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.policies.endpoint.worker import LONGEST_ANSWER
from equipoise.types import Validity
from tests.policies.endpoint.asking import ask, decision, one, policy

HEAD = "import json, os, sys, time\nn = 0\nfor line in sys.stdin:\n    asked = json.loads(line); n += 1\n"
SAY = "    print(json.dumps({answer}), flush=True)\n"


def program(folder: Path, *body: str, head: str = HEAD) -> str:
    """Return the name of a policy that runs a script; ``body`` is what it does with each question."""
    file = folder / "agent.py"
    file.write_text(head + "".join(f"    {line}\n" for line in body))
    return shlex.join([f"command:{sys.executable}", str(file)]).replace("'command:", "command:")


def say(answer: str) -> str:
    return f"print(json.dumps({answer}), flush=True)"


def test_a_program_answers_and_one_process_serves_all(tmp_path: Path) -> None:
    spec = program(tmp_path, say("{'text': f'{os.getpid()} {n}\\nDEFECT'}"))
    found = ask(policy(spec), [decision(number=n) for n in range(5)])
    assert [choice.action for choice in found] == ["DEFECT"] * 5
    told = [choice.generations[0].text.split()[:2] for choice in found]
    assert len({process for process, _ in told}) == 1
    assert sorted(count for _, count in told) == ["1", "2", "3", "4", "5"]


def test_concurrency_is_a_number_of_processes(tmp_path: Path) -> None:
    spec = program(tmp_path, "time.sleep(0.05)", say("{'text': f'{os.getpid()}\\nDEFECT'}"))
    found = ask(policy(spec, concurrency=2), [decision(number=n) for n in range(6)])
    assert len({choice.generations[0].text.split()[0] for choice in found}) == 2


@pytest.mark.parametrize(
    ("answer", "validity", "detail"),
    [
        ("{'action': 'DEFECT', 'id': asked['id']}", Validity.VALID, ""),
        ("{'action': 'BETRAY'}", Validity.INVALID, "not legal"),
        ("{'action': None}", Validity.INVALID, "not legal"),
        ("{'action': {'a': 1}}", Validity.INVALID, "not legal"),
        ("{'text': 'I defect!'}", Validity.INVALID, "no legal action"),
        ("{'text': 7}", Validity.INVALID, "text is no string"),
        ("{'text': 'DEFECT', 'action': 'DEFECT'}", Validity.INVALID, "not both"),
        ("{}", Validity.INVALID, "either action or text"),
        ("['DEFECT']", Validity.INVALID, "no JSON object"),
        ("{'action': 'DEFECT', 'id': 'another'}", Validity.INVALID, "another question"),
    ],
)
def test_wrong_answers_are_data(tmp_path: Path, answer: str, validity: Validity, detail: str) -> None:
    choice = one(policy(program(tmp_path, say(answer))))
    assert choice.validity is validity
    assert detail in choice.detail


def test_chatter_is_no_answer_and_is_not_taken_for_the_next(tmp_path: Path) -> None:
    spec = program(tmp_path, "print('thinking', flush=True)", say("{'action': 'DEFECT'}"))
    found = ask(policy(spec), [decision(number=n) for n in range(2)])
    assert [choice.detail for choice in found] == ["the answer is no JSON"] * 2


def test_a_slow_program_is_a_timeout_and_the_next_question_goes_to_a_new_one(tmp_path: Path) -> None:
    flag = tmp_path / "slow"
    flag.touch()
    slow = f"if os.path.exists({str(flag)!r}): os.remove({str(flag)!r}); time.sleep(60)"
    player = policy(program(tmp_path, slow, say("{'action': 'DEFECT'}")), timeout=2.0)
    found = ask(player, [decision(number=n) for n in range(2)])
    assert [choice.validity for choice in found] == [Validity.TIMEOUT, Validity.VALID]


def test_an_endless_answer_is_cut_off(tmp_path: Path) -> None:
    spec = program(tmp_path, "while True: sys.stdout.write('x' * 65536)")
    choice = one(policy(spec))
    assert (choice.validity, choice.detail) == (
        Validity.INVALID,
        f"the answer is longer than {LONGEST_ANSWER} bytes",
    )


def test_a_program_that_ends_in_the_middle_is_started_again(tmp_path: Path) -> None:
    spec = program(tmp_path, "if n == 2: sys.exit('out of memory')", say("{'action': 'DEFECT'}"))
    found = ask(policy(spec), [decision(number=n) for n in range(4)])
    assert [choice.validity.value for choice in found] == ["valid", "invalid", "valid", "invalid"]
    assert found[1].detail == "the program ended with status 1: out of memory"


def test_much_on_standard_error_holds_nothing_up(tmp_path: Path) -> None:
    spec = program(tmp_path, "sys.stderr.write('x' * 1_000_000)", say("{'action': 'DEFECT'}"))
    assert one(policy(spec, timeout=20.0)).action == "DEFECT"


class TestStarting:
    def test_no_such_program(self) -> None:
        with pytest.raises(RequestError, match="there is no program 'no-such-program'") as caught:
            policy("command:no-such-program --fast")
        assert caught.value.exit_code == 2

    @pytest.mark.parametrize("spec", ["command:", "command:'unclosed"])
    def test_no_command(self, spec: str) -> None:
        with pytest.raises(RequestError, match="command:"):
            policy(spec)

    def test_a_program_that_never_answers_is_a_wrong_request(self, tmp_path: Path) -> None:
        spec = program(tmp_path, head="import nothing_like_this\n")
        with pytest.raises(
            RequestError, match=r"ended with status 1: ModuleNotFoundError.*before it answered"
        ):
            one(policy(spec))

    def test_what_is_no_program_cannot_be_started(self, tmp_path: Path) -> None:
        file = tmp_path / "agent"
        file.write_text("neither a script nor a binary")
        file.chmod(0o755)
        with pytest.raises(RequestError, match="cannot be started"):
            one(policy(f"command:{file}"))

    def test_there_is_no_shell(self, tmp_path: Path) -> None:
        mark = tmp_path / "mark"
        spec = program(tmp_path, say("{'action': sys.argv[1] == ';' and 'DEFECT'}"))
        assert one(policy(f"{spec} ';' touch {mark}")).action == "DEFECT"
        assert not mark.exists()

    def test_another_program_is_another_policy(self, tmp_path: Path) -> None:
        first = policy(program(tmp_path, say("{'action': 'DEFECT'}"))).fingerprint
        second = policy(program(tmp_path, say("{'action': 'COOPERATE'}"))).fingerprint
        assert first != second


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
def test_the_whole_group_is_ended(tmp_path: Path) -> None:
    child = "import subprocess; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    spec = program(tmp_path, child, say("{'text': f'{p.pid}\\nDEFECT'}"))
    pid = int(one(policy(spec)).generations[0].text.split()[0])
    for _ in range(100):
        if not _runs(pid):
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} is still there")


def _runs(pid: int) -> bool:
    """Tell whether a process runs; one that waits to be collected by its parent does not."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc").exists()


@pytest.mark.skipif(not hasattr(os, "setsid"), reason="there are no sessions here")
def test_a_child_that_left_the_group_holds_nothing_up(tmp_path: Path) -> None:
    child = "import subprocess; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
    spec = program(tmp_path, f"{child} start_new_session=True)", say("{'text': f'{p.pid}\\nDEFECT'}"))
    began = time.monotonic()
    pid = int(one(policy(spec)).generations[0].text.split()[0])
    assert time.monotonic() - began < 60
    os.kill(pid, signal.SIGKILL)
