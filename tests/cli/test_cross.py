"""``equipoise audit GAME --cross …``, and combined policies wherever one is named."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.cross.result import CrossResult
from tests.cli.conftest import Run

pytest.importorskip("nashpy")

NAMES = ("always_defect", "always_cooperate", "tit_for_tat")
# Eight rounds of 5, 3, 1, 0: by hand.
PAYOFF = [[1.0, 5.0, 1.5], [0.0, 3.0, 3.0], [0.875, 3.0, 3.0]]


def values(block: dict[str, Any], name: str) -> list[list[float]]:
    return [[block[name][row][column]["value"] for column in NAMES] for row in NAMES]


def test_matrices_and_equilibrium(run: Run) -> None:
    done = run("audit", "ipd", "--cross", *NAMES, "--json", "-")
    assert (done.code, done.err) == (0, "")
    assert (done.json["schema"], done.json["results"]) == (1, [])
    block = done.json["cross"]
    assert (block["game"], block["version"], block["policies"]) == ("ipd", 1, list(NAMES))
    assert values(block, "payoff") == PAYOFF
    assert values(block, "welfare") == [[2.0, 5.0, 2.375], [5.0, 6.0, 6.0], [2.375, 6.0, 6.0]]
    assert values(block, "exploitability") == [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.625, 0.0, 0.0]]
    found = block["equilibrium"]
    assert {name: weight["value"] for name, weight in found["weights"].items()} == dict(
        zip(NAMES, (0.0, 0.0, 1.0), strict=True)
    )
    assert found["payoff"]["value"] == 3.0
    assert found["column_weights"] is None
    assert block["note"] == ""


def test_tables_on_the_screen(run: Run) -> None:
    done = run("audit", "ipd", "--cross", *NAMES)
    for title in ("payoff: own payoff", "welfare: row's plus", "exploitability: e:", "symmetric equilibrium"):
        assert title in " ".join(done.out.split())
    assert "0.8750" in done.out
    done = run("audit", "ipd", "--cross", *NAMES[:2], "--sample", "-n", "3")
    assert "bootstrap resamples of the deals" in " ".join(done.out.split())
    assert "in the support" in done.out


def test_the_flag_may_stand_anywhere(run: Run) -> None:
    one = run("audit", "ipd", "--cross", *NAMES, "--json", "-").out
    assert run("audit", "--cross", "ipd", *NAMES, "--json", "-").out == one
    assert run("audit", "ipd", *NAMES, "--json", "-", "--cross").out == one


def test_the_folder_is_taken_up_again(run: Run, tmp_path: Path) -> None:
    arguments = (
        "audit",
        "ipd",
        "--cross",
        "random",
        "pavlov",
        "--sample",
        "-n",
        "2",
        "--out",
        tmp_path / "c",
    )
    first = run(*arguments, "--json", "-")
    assert CrossResult.load(tmp_path / "c" / "cross.json").to_json() == first.json
    files = {p: p.read_bytes() for p in sorted((tmp_path / "c").rglob("*")) if p.is_file()}
    assert run(*arguments, "--json", "-").out == first.out
    assert {p: p.read_bytes() for p in files} == files
    assert run(*arguments[:-1], tmp_path / "c" / "cross.json").code == 2


def test_settings_reach_cross_play(run: Run) -> None:
    done = run(
        *("audit", "ipd", "--cross", "random", "mixed_half", "--sample", "-n", "2", "--level", "0.5"),
        *("--seed", "3", "-o", "rounds=2", "--json", "-"),
    )
    block = done.json["cross"]
    assert (block["settings"]["options"], block["settings"]["seed"]) == ({"rounds": 2}, 3)
    cell = block["payoff"]["random"]["mixed_half"]
    assert (cell["level"], cell["clusters"], cell["n"], cell["kind"]) == (0.5, 2, 4, "sample")


def test_without_nashpy_one_line_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("nashpy")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "nashpy", None)
    done = run("audit", "ipd", "--cross", *NAMES)
    assert done.code == 0
    assert done.out.rstrip().splitlines()[-1].strip() == (
        "the equilibrium needs nashpy: pip install 'equipoise[exact]'"
    )
    assert "0.8750" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("audit", "ipd", "--cross"), "cross-play of nobody: name at least two policies"),
        (("audit", "ipd", "--cross", "pavlov"), "cross-play of pavlov: name at least two policies"),
        (("audit", "ipd", "--cross", "pavlov", "pavlov"), "'pavlov' is named twice"),
        (("audit", "ipd", "--cross", "pavlov", "pavlow"), "did you mean 'pavlov'?"),
        (("audit", "idp", "--cross", "pavlov", "random"), "'idp'"),
        (("audit", "ipd", "--cross", "pavlov", "random", "-p", "smollm2"), "--policy smollm2: --cross plays"),
        (("audit", "ipd", "--cross", "pavlov", "random", "-b", "x"), "--baseline x: --cross plays"),
        (("audit", "ipd", "--cross", "pavlov", "random", "--pool", "train=a"), "it takes no --pool"),
        (("audit", "ipd", "--cross", "pavlov", "random", "-w", "e=1"), "it takes no --weight"),
        (("audit", "ipd", "--cross", "pavlov", "random", "--opponents"), "it takes no --opponents"),
        (("audit", "ipd", "--cross", "mixture:pavlov+x+", "random"), "a part is empty"),
        (("audit", "ipd"), "--policy is missing"),
    ],
)
def test_wrong_requests(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert message in done.error


class TestCombinedPolicies:
    def test_as_policies_and_in_pools(self, run: Run) -> None:
        done = run(
            *("audit", "ipd", "-p", "mixture:0.5*tit_for_tat+0.5*always_defect", "--json", "-"),
            *("--pool", "exploiter=noisy:0.05:always_defect,always_defect"),
        )
        (result,) = done.json["results"]
        assert result["settings"]["method"] == "exact"
        row = result["per_opponent"]["exploiter"]["always_defect"]
        # Half the time tit for tat, 7/8 a round against always D, half the time 1.
        assert row["own"]["value"] == pytest.approx(15 / 16)
        assert set(result["per_opponent"]["exploiter"]) == {"noisy:0.05:always_defect", "always_defect"}

    def test_in_play(self, run: Run) -> None:
        done = run("play", "ipd", "-p", "noisy:1:pavlov", "--opponent", "frozen:mixture:pavlov+random")
        assert done.code == 0
        assert "noisy:1:pavlov (the policy)" in done.out

    def test_a_functions_value_as_an_opponent_is_exact(self, run: Run, policies: Path) -> None:
        name = f"python:{policies}:cooperate"
        done = run(
            "audit",
            "ipd",
            "-p",
            "scripted:always_defect",
            "--pool",
            f"train={name}",
            "--exact",
            "--json",
            "-",
        )
        (result,) = done.json["results"]
        assert result["metrics"]["utility"] == {
            **result["metrics"]["utility"],
            "value": 5.0,
            "kind": "exact",
        }

    def test_they_are_listed(self, run: Run) -> None:
        for command in (("models",), ("opponents", "kuhn")):
            out = run(*command).out
            assert all(form in out for form in ("mixture:", "noisy:RATE:POLICY", "frozen:POLICY"))
        assert "noisy:RATE:POLICY" in run("opponents", "kuhn", "--json", "-").json["combined"]

    def test_self_play_loads_a_model_once(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        from equipoise.policies.local.policy import LocalPolicy

        loaded: list[tuple[str, dict[str, Any]]] = []
        real = LocalPolicy.from_spec

        def load(spec: str, **settings: Any) -> LocalPolicy:
            loaded.append((spec, settings))
            return real(spec, **settings)

        monkeypatch.setattr(LocalPolicy, "from_spec", load)
        done = run(
            *("audit", "kuhn", "-p", "tiny-random", "--pool", "train=frozen:tiny-random", "--json", "-"),
            *("--temperature", "0.5", "--threads", "1"),
        )
        assert [(spec, s["temperature"], s["threads"]) for spec, s in loaded] == [("tiny-random", 0.5, 1)]
        (result,) = done.json["results"]
        own = result["per_opponent"]["train"]["frozen:tiny-random"]["own"]
        # Against itself, over both seats, nobody wins.
        assert (own["kind"], own["value"]) == ("exact", pytest.approx(0.0, abs=1e-12))
