"""A user's own parts: ``python:FILE.py:NAME``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from equipoise.errors import PolicyError, RequestError
from equipoise.games.registry import make_game
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.python import FunctionPolicy, load_object, policy_from_object
from equipoise.policies.registry import load_policy
from equipoise.policies.scripted import StrategyPolicy
from equipoise.types import Decision
from tests.helpers import Constant, every_decision

IPD = make_game("ipd", rounds=2)
DECISION = next(every_decision(IPD, draws=Constant(0.5)))

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return how to write a user's file; its ``python:`` prefix comes back, without a name."""

    def made(text: str) -> str:
        (tmp_path / "mine.py").write_text(dedent(text), encoding="utf-8")
        return f"python:{tmp_path / 'mine.py'}"

    return made


def ask(function: Callable[[Decision], Any], decision: Decision = DECISION) -> Any:
    return FunctionPolicy(function, "mine").act([decision])[0]


class TestFunctions:
    def test_an_action(self) -> None:
        found = ask(lambda decision: "DEFECT")
        assert (found.action, found.probabilities) == ("DEFECT", {"DEFECT": 1.0})

    def test_a_mapping_is_drawn_from(self) -> None:
        found = ask(lambda decision: {"DEFECT": 0.6, "COOPERATE": 0.4})
        assert (found.action, found.probabilities) == ("DEFECT", {"DEFECT": 0.6, "COOPERATE": 0.4})
        assert ask(lambda decision: {"DEFECT": 0.4, "COOPERATE": 0.6}).action == "COOPERATE"

    def test_the_decision_tells_what_the_seat_knows(self) -> None:
        seen: list[Decision] = []

        def remembers(decision: Decision) -> str:
            seen.append(decision)
            return "DEFECT"

        ask(remembers)
        assert seen[0] is DECISION
        assert seen[0].legal == ("COOPERATE", "DEFECT")
        assert seen[0].info == {"game": "ipd", "seat": 0, "round": 0, "rounds": 2, "own": (), "other": ()}

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ("SURRENDER", "returned 'SURRENDER', which is not legal"),
            (None, "returned None"),
            (True, "returned True"),
            ({"DEFECT": 0.5}, "sum to 0.5, not 1"),
            ({"DEFECT": float("nan"), "COOPERATE": 1.0}, "the probability nan"),
            ({"DEFECT": -1.0, "COOPERATE": 2.0}, "the probability -1.0"),
            ({"SURRENDER": 1.0}, "gave a probability to 'SURRENDER'"),
        ],
    )
    def test_a_wrong_answer_is_an_error_that_names_the_policy(self, answer: Any, message: str) -> None:
        with pytest.raises(PolicyError, match=rf"^policy 'mine' .*{message}"):
            ask(lambda decision: answer)

    def test_true_is_not_the_number_one(self) -> None:
        from dataclasses import replace

        numbers = replace(DECISION, legal=(1, 2, 3))
        assert ask(lambda decision: 1, numbers).action == 1
        with pytest.raises(PolicyError, match=r"returned True, .* choose one of \[1, 2, 3\]"):
            ask(lambda decision: True, numbers)
        with pytest.raises(PolicyError, match="gave a probability to True"):
            ask(lambda decision: {True: 1.0}, numbers)

    def test_an_error_says_what_where(self) -> None:
        def broken(decision: Decision) -> str:
            raise KeyError("two\nlines")

        with pytest.raises(PolicyError, match=r"'mine' raised KeyError: .*lines.* \(at '-/-'\)") as caught:
            ask(broken)
        assert isinstance(caught.value.__cause__, KeyError)
        assert "\n" not in str(caught.value)


class TestFiles:
    def test_a_function(self, write: Write) -> None:
        spec = write("def sniper(decision):\n    return 'DEFECT'\n") + ":sniper"
        policy = load_policy(spec, IPD)
        assert isinstance(policy, FunctionPolicy)
        assert policy.name == spec
        assert policy.strict
        assert policy.act([DECISION])[0].action == "DEFECT"

    def test_the_fingerprint_is_the_files(self, write: Write) -> None:
        one = load_policy(write("def f(d):\n    return 'DEFECT'\n") + ":f", IPD).fingerprint
        same = load_policy(write("def f(d):\n    return 'DEFECT'\n") + ":f", IPD).fingerprint
        other = load_policy(write("def f(d):\n    return 'COOPERATE'\n") + ":f", IPD)
        assert one == same != other.fingerprint
        # A changed file is read anew.
        assert other.act([DECISION])[0].action == "COOPERATE"  # type: ignore[union-attr]

    PARTS = """
        from equipoise.opponents.base import Classifier, Strategy
        from equipoise.policies.base import AsyncPolicy, Policy
        from equipoise.types import Choice

        class Mine(Policy):
            name = "mine"
            def act(self, decisions):
                return [Choice("DEFECT") for _ in decisions]

        class Far(AsyncPolicy):
            name = "far"
            async def decide(self, decision):
                return Choice("DEFECT")

        class Plan(Strategy):
            name = "plan"
            classifier = Classifier(0)
            source = "mine"
            def probabilities(self, memory, observation, legal):
                return {"DEFECT": 1.0}

        class Abstract(Policy):
            name = "abstract"

        class Needy(Policy):
            name = "needy"
            def __init__(self, model):
                self.model = model
            def act(self, decisions):
                return []

        built = Mine()
        plan = Plan()
        number = 3
        text = "DEFECT"
    """

    @pytest.mark.parametrize("name", ["Mine", "built"])
    def test_a_policy_or_its_class(self, write: Write, name: str) -> None:
        policy = load_policy(f"{write(self.PARTS)}:{name}", IPD)
        assert policy.name == "mine"
        assert policy.act([DECISION])[0].action == "DEFECT"  # type: ignore[union-attr]

    def test_an_asynchronous_policy(self, write: Write) -> None:
        policy = load_policy(f"{write(self.PARTS)}:Far", IPD)
        assert isinstance(policy, AsyncPolicy)
        assert policy.name == "far"

    @pytest.mark.parametrize("name", ["Plan", "plan"])
    def test_a_strategy_or_its_class_can_be_valued_exactly(self, write: Write, name: str) -> None:
        spec = f"{write(self.PARTS)}:{name}"
        policy = load_policy(spec, IPD)
        assert isinstance(policy, StrategyPolicy)
        assert policy.name == spec
        assert policy.strategy(IPD) is not None

    @pytest.mark.parametrize(("name", "kind"), [("number", "int"), ("text", "str")])
    def test_anything_else_is_refused(self, write: Write, name: str, kind: str) -> None:
        with pytest.raises(RequestError, match=f"is a {kind}: a policy is a function, Policy or Strategy"):
            load_policy(f"{write(self.PARTS)}:{name}", IPD)

    @pytest.mark.parametrize("name", ["Abstract", "Needy"])
    def test_a_class_that_cannot_be_built_is_refused(self, write: Write, name: str) -> None:
        with pytest.raises(RequestError):
            load_policy(f"{write(self.PARTS)}:{name}", IPD)

    @pytest.mark.parametrize("spec", ["python:", "python:mine.py", "python::f", "python:mine.py:"])
    def test_a_spec_without_file_and_name(self, spec: str) -> None:
        with pytest.raises(RequestError, match=r"needs a file and a name: python:FILE\.py:NAME"):
            load_policy(spec, IPD)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        for place in (tmp_path / "none.py", tmp_path):
            with pytest.raises(RequestError, match="there is no file"):
                load_policy(f"python:{place}:f", IPD)

    def test_a_missing_name_names_the_nearest(self, write: Write) -> None:
        spec = write("def sniper(d):\n    return 'DEFECT'\n")
        with pytest.raises(RequestError, match=r"unknown name .* 'snipper': did you mean 'sniper'\?"):
            load_policy(f"{spec}:snipper", IPD)

    @pytest.mark.parametrize(
        ("text", "error"),
        [
            ("def f(:\n", "SyntaxError"),
            ("import no_such_module_of_mine\n", "ModuleNotFoundError"),
            ("1 / 0\n", "ZeroDivisionError: division by zero"),
            ("raise ValueError('two\\nlines')\n", "ValueError: two lines"),
        ],
    )
    def test_a_file_that_does_not_run(self, write: Write, text: str, error: str) -> None:
        spec = write(text)
        for _ in range(2):  # a second try is no luckier
            with pytest.raises(RequestError, match=rf"mine\.py' does not run: {error}"):
                load_policy(f"{spec}:f", IPD)

    def test_a_file_that_exits(self, write: Write) -> None:
        with pytest.raises(RequestError, match="does not run"):
            load_policy(write("import sys\nsys.exit(3)\n") + ":f", IPD)

    def test_a_file_is_run_once(self, write: Write) -> None:
        spec = write("runs = []\nruns.append(1)\ndef f(d):\n    return 'DEFECT'\n").removeprefix("python:")
        first, digest = load_object(f"{spec}:runs")
        again, same = load_object(f"{spec}:runs")
        assert first is again
        assert first == [1]
        assert digest == same


def test_objects_are_taken_as_they_are() -> None:
    policy = FunctionPolicy(lambda decision: "DEFECT", "f")
    assert policy_from_object(policy, "other", "") is policy
    assert policy.fingerprint == "f"


def test_versions_of_a_users_part_are_told_apart(write: Write) -> None:
    text = """
        from equipoise.opponents.base import Classifier, MemoryOne
        from equipoise.policies.scripted import StrategyPolicy

        plan = MemoryOne("plan", Classifier(memory_depth=0), "me", act=lambda m, o: {{"{action}": 1.0}})
        policy = StrategyPolicy(plan)
        policy.fingerprint = ""

        def function(decision):
            return "{action}"
    """
    found: dict[str, list[str]] = {}
    for action in ("COOPERATE", "DEFECT"):
        spec = write(text.format(action=action))
        for name in ("plan", "policy", "function"):
            found.setdefault(name, []).append(load_policy(f"{spec}:{name}", IPD).fingerprint)
    for name, (before, after) in found.items():
        assert before != after, name
        assert before, name


def test_functions_of_one_name_are_told_apart_by_their_code() -> None:
    def player(decision: Decision) -> str:
        return "COOPERATE"

    first, again = load_policy(player, IPD), load_policy(player, IPD)

    def player(decision: Decision) -> str:  # type: ignore[no-redef]
        return "DEFECT"

    second = load_policy(player, IPD)
    assert (first.name, second.name) == ("player", "player")
    assert first.fingerprint == again.fingerprint != second.fingerprint
    assert load_policy(lambda d: [x for x in d.legal if x != 1], IPD).fingerprint != (
        load_policy(lambda d: [x for x in d.legal if x != 2], IPD).fingerprint
    )


def test_a_file_can_import_what_lies_beside_it(write: Write, tmp_path: Path) -> None:
    (tmp_path / "equipoise_test_neighbour.py").write_text("ACTION = 'DEFECT'\n", encoding="utf-8")
    spec = write("""
        from equipoise_test_neighbour import ACTION

        def mine(decision):
            return ACTION
    """)
    before = list(sys.path)
    assert load_policy(f"{spec}:mine", IPD).act([DECISION])[0].action == "DEFECT"  # type: ignore[union-attr]
    assert sys.path == before
