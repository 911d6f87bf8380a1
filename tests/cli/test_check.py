"""``equipoise check``: one line a rule, and the exit code."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from equipoise.games.registry import make_game
from equipoise.testing import GAME_RULES, OPPONENT_RULES, POLICY_RULES, playthrough
from tests.cli.conftest import Run

GAME = """
    from equipoise.games.split import SplitPie

    class Mine(SplitPie):
        '''The pie under another name.'''
        name = "mine"

        @property
        def info_record(self):
            from dataclasses import replace
            return replace(super().info_record, id="mine"{change})

        def info(self, seat, observation, history):
            return {{**super().info(seat, observation, history), "game": "mine"}}
"""


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """Files with games, policies and opponents of one's own, right and wrong ones."""
    (tmp_path / "right.py").write_text(dedent(GAME.format(change="")), encoding="utf-8")
    (tmp_path / "rich.py").write_text(
        dedent(GAME.format(change=", payoff_bounds=(0.0, 5.0)")), encoding="utf-8"
    )
    (tmp_path / "mine.py").write_text(
        dedent(
            """
            from equipoise.opponents.base import Classifier, MemoryOne

            def player(decision):
                return "COOPERATE"

            def silent(decision):
                return None

            def odd(decision):
                raise ValueError("\\x1b[31mred")

            right = MemoryOne("right", Classifier(memory_depth=0), "me", act=lambda m, v: {"DEFECT": 1.0})
            coin = MemoryOne(
                "coin", Classifier(memory_depth=0), "me", act=lambda m, v: {"DEFECT": 0.5, "COOPERATE": 0.5}
            )
            """
        ),
        encoding="utf-8",
    )
    return tmp_path


def rows(out: str) -> dict[str, str]:
    """Return what is said of each rule."""
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in out.splitlines()[1:]}


def test_a_game_is_checked_with_one_line_a_rule(run: Run) -> None:
    done = run("check", "ipd", "-o", "rounds=2", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == "game ipd"
    assert list(rows(done.out)) == [rule.id for rule in GAME_RULES]
    assert rows(done.out)["payoffs-in-bounds"].startswith("ok")
    assert rows(done.out)["zero-sum"].startswith("not applicable")


def test_a_policy_and_an_opponent_are_checked_instead(run: Run) -> None:
    done = run("check", "kuhn", "-p", "scripted:nash", "--opponent", "tight_passive", "--json", "-", "-q")
    assert done.code == 0
    policy, opponent = done.json["checks"]
    assert (policy["subject"], opponent["subject"]) == (
        "policy scripted:nash in kuhn",
        "opponent tight_passive in kuhn",
    )
    assert [row["rule"] for row in policy["rules"]] == [rule.id for rule in POLICY_RULES]
    assert [row["rule"] for row in opponent["rules"]] == [rule.id for rule in OPPONENT_RULES]
    assert policy["ok"]
    assert opponent["ok"]


def test_parts_of_ones_own_are_checked(run: Run, parts: Path) -> None:
    assert run("check", f"python:{parts}/right.py:Mine", "-q").code == 0
    assert run("check", "ipd", "-p", f"python:{parts}/mine.py:player", "-q").code == 0
    assert run("check", "ipd", "--opponent", f"python:{parts}/mine.py:right", "-q").code == 0


@pytest.mark.parametrize(
    ("arguments", "rule", "named"),
    [
        (("python:{}/rich.py:Mine",), "payoffs-in-bounds", "outside the declared 0 to 5"),
        (("ipd", "--policy", "python:{}/mine.py:silent"), "speaks", "the answer is silent"),
        (("ipd", "--opponent", "python:{}/mine.py:coin"), "stochastic", "declare stochastic=True"),
    ],
)
def test_a_broken_rule_ends_with_1(
    run: Run, parts: Path, arguments: tuple[str, ...], rule: str, named: str
) -> None:
    done = run("check", *(argument.format(parts) for argument in arguments), "-q")
    assert (done.code, done.err) == (1, "")
    assert rows(done.out)[rule].startswith("FAILED")
    assert named in rows(done.out)[rule]


def test_control_sequences_of_others_are_spelled_out(run: Run, parts: Path) -> None:
    done = run("check", "ipd", "-p", f"python:{parts}/mine.py:odd", "-q")
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "\\x1b[31mred" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nogame",), "unknown game 'nogame'"),
        (("ipd", "-o", "rounds=0"), "option rounds = 0"),
        (("ipd", "-p", "scripted:nobody"), "unknown ipd strategy 'nobody'"),
        (("ipd", "--opponent", "nobody"), "unknown ipd strategy 'nobody'"),
        (("ipd", "-p", "human"), "a person is nothing to check"),
        (("ipd", "--walks", "0"), "walks"),
        (("ipd", "-p", "scripted:pavlov", "--playthrough"), "leave out --policy"),
    ],
)
def test_a_wrong_request_ends_with_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run("check", *arguments, "-q")
    assert done.code == 2
    assert message in done.error


def test_walks_and_seed_are_passed_on(run: Run) -> None:
    done = run("check", "commons", "--walks", "3", "--seed", "4", "-q")
    assert rows(done.out)["round-count"] == "ok              3 episodes of 8 rounds"


def test_a_playthrough_is_printed_as_it_is_kept(run: Run) -> None:
    done = run("check", "kuhn", "-o", "memory=true", "--seed", "3", "--playthrough")
    assert done.code == 0
    assert done.out == playthrough(make_game("kuhn", memory=True), 3)
