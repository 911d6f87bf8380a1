"""Policies, opponents and games by name; wrong names lead to right ones."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.errors import PolicyError, RequestError
from equipoise.games.kuhn import KuhnPoker
from equipoise.games.registry import make_game
from equipoise.opponents.registry import get_strategy
from equipoise.policies import registry
from equipoise.policies.human import HumanPolicy
from equipoise.policies.python import FunctionPolicy
from equipoise.policies.registry import (
    KINDS,
    is_local,
    load_game,
    load_opponents,
    load_policy,
    strategies_of,
)
from equipoise.policies.scripted import StrategyPolicy
from equipoise.policies.tabular import TabularPolicy
from equipoise.policies.wrappers import MixedPolicy
from equipoise.types import Decision
from tests.auditing.oracle import random_policy

IPD = make_game("ipd", rounds=2)
KUHN = make_game("kuhn")


def mine(decision: Decision) -> str:
    return "DEFECT"


class TestKinds:
    def test_scripted(self) -> None:
        policy = load_policy("scripted:pavlov", IPD)
        assert isinstance(policy, StrategyPolicy)
        assert policy.strategy(IPD) is get_strategy("ipd", "pavlov")

    def test_tabular(self, tmp_path: Path) -> None:
        random_policy(KUHN, 0).save(tmp_path / "t.json")
        policy = load_policy(f"tabular:{tmp_path / 't.json'}", KUHN)
        assert isinstance(policy, TabularPolicy)
        with pytest.raises(PolicyError, match="is a table for kuhn@1, not for ipd@1"):
            load_policy(f"tabular:{tmp_path / 't.json'}", IPD)

    def test_human(self) -> None:
        assert isinstance(load_policy("human", IPD), HumanPolicy)

    def test_objects(self) -> None:
        found = load_policy(mine, IPD)
        assert isinstance(found, FunctionPolicy)
        assert found.name == "mine"
        policy = random_policy(KUHN, 0)
        assert load_policy(policy, KUHN) is policy
        strategy = load_policy(get_strategy("ipd", "pavlov"), IPD)
        assert isinstance(strategy, StrategyPolicy)
        assert strategy.name == "pavlov"

    @pytest.mark.parametrize("spec", [None, 3, ["scripted:pavlov"]], ids=repr)
    def test_what_is_no_policy(self, spec: Any) -> None:
        with pytest.raises(RequestError, match="a policy is a function, Policy or Strategy"):
            load_policy(spec, IPD)

    def test_another_packages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        called: list[tuple[str, Any]] = []

        def build(rest: str, game: Any) -> Any:
            called.append((rest, game))
            return FunctionPolicy(mine, f"robot:{rest}")

        def points(group: str, name: str) -> list[Any]:
            known = group == "equipoise.policies" and name == "robot"
            return [SimpleNamespace(name="robot", load=lambda: build)] if known else []

        monkeypatch.setattr(registry, "entry_points", points)
        assert load_policy("robot:mk2", IPD).name == "robot:mk2"
        assert called == [("mk2", IPD)]
        with pytest.raises(RequestError, match="unknown policy 'robots:mk2'"):
            load_policy("robots:mk2", IPD)

    @pytest.mark.parametrize(
        ("spec", "local"),
        [
            ("smollm2", True),
            ("smollm2+runs/a", True),
            ("hf:model", True),
            ("tiny-random", True),
            ("scripted:nash", False),
            ("human", False),
            (mine, False),
            (None, False),
        ],
    )
    def test_what_is_a_local_model(self, spec: Any, local: bool) -> None:
        assert is_local(spec) is local


class TestWrongNames:
    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("scriptd:nash", "did you mean 'scripted'?"),
            ("Scripted:nash", "did you mean 'scripted'?"),
            ("tabula:x", "did you mean 'tabular'?"),
            ("pyton:a.py:f", "did you mean 'python'?"),
            ("humans", "did you mean 'human'?"),
            ("smolm", "did you mean 'smollm2'?"),
            ("zzz", "choose one of scripted:NAME, tabular:FILE"),
            ("", "choose one of scripted:NAME"),
        ],
    )
    def test_a_kind(self, spec: str, message: str) -> None:
        with pytest.raises(RequestError) as caught:
            load_policy(spec, KUHN)
        assert f"unknown policy {spec!r}: {message}" in str(caught.value)
        # All forms are listed either way.
        assert all(form in str(caught.value) for form in KINDS)

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("tit_for_tit", "unknown ipd strategy 'tit_for_tit': did you mean 'tit_for_tat'?"),
            ("nash", "unknown ipd strategy 'nash'"),
            ("", "unknown ipd strategy ''"),
        ],
    )
    def test_a_strategy(self, name: str, message: str) -> None:
        with pytest.raises(RequestError) as caught:
            load_policy(f"scripted:{name}", IPD)
        assert message in str(caught.value)

    def test_a_strategy_unlike_any_lists_all(self) -> None:
        with pytest.raises(RequestError) as caught:
            load_policy("scripted:zzz", KUHN)
        for name in ("nash", "tight_passive", "random"):
            assert name in str(caught.value)

    def test_an_opponent(self) -> None:
        with pytest.raises(RequestError, match=r"did you mean 'always_defect'\?"):
            load_opponents(["pavlov", "allways_defect"], IPD)


class TestOpponents:
    def test_bare_names_are_strategies_and_others_are_policies(self, tmp_path: Path) -> None:
        (tmp_path / "m.py").write_text("def sniper(d):\n    return 'DEFECT'\n", encoding="utf-8")
        spec = f"python:{tmp_path / 'm.py'}:sniper"
        found = load_opponents(["pavlov", spec, "scripted:random", "pavlov"], IPD)
        assert list(found) == ["pavlov", spec, "scripted:random"]
        assert found["pavlov"].name == "scripted:pavlov"
        assert isinstance(found[spec], FunctionPolicy)

    def test_finite_memory_forms_of_all_or_none(self) -> None:
        found = strategies_of(load_opponents(["pavlov", "random"], IPD), IPD)
        assert found is not None
        assert found["pavlov"] is get_strategy("ipd", "pavlov")
        assert found["random"].name == "random"
        function = FunctionPolicy(mine, "mine")
        assert strategies_of({"pavlov": load_policy("scripted:pavlov", IPD), "mine": function}, IPD) is None


class TestGames:
    def test_by_name_with_options(self) -> None:
        assert load_game("ipd", {"rounds": 3}).info_record.rounds == 3
        assert isinstance(load_game("kuhn"), KuhnPoker)

    def test_a_wrong_name_or_option(self) -> None:
        with pytest.raises(RequestError, match=r"unknown game 'khun': did you mean 'kuhn'\?"):
            load_game("khun")
        with pytest.raises(RequestError, match=r"unknown option 'round': did you mean 'rounds'\?"):
            load_game("ipd", {"round": 3})

    def test_a_users_own(self, tmp_path: Path) -> None:
        text = (
            "from equipoise.games.kuhn import KuhnPoker\nclass Mine(KuhnPoker):\n    name = 'mine'\nx = 3\n"
        )
        (tmp_path / "g.py").write_text(text, encoding="utf-8")
        game = load_game(f"python:{tmp_path / 'g.py'}:Mine", {"rounds": 2})
        assert (game.name, game.options.rounds) == ("mine", 2)
        with pytest.raises(RequestError, match="is no game: name a subclass of"):
            load_game(f"python:{tmp_path / 'g.py'}:x")


class TestCombined:
    def test_parts_are_strategies_of_the_game_or_any_policy(self, tmp_path: Path) -> None:
        random_policy(KUHN, 0).save(tmp_path / "t.json")
        spec = f"mixture:0.5*nash+0.25*(noisy:0.1:scripted:always_bet)+0.25*tabular:{tmp_path / 't.json'}"
        found = load_policy(spec, KUHN)
        assert isinstance(found, MixedPolicy)
        assert found.name == spec
        assert [part.name for part in found.parts] == [
            "scripted:nash",
            "noisy:0.1:scripted:always_bet",
            f"tabular:{tmp_path / 't.json'}",
        ]
        assert found.weights == (0.5, 0.25, 0.25)
        strategy = found.strategy(KUHN.stage())
        assert strategy is not None
        assert len(strategy.start()) == 3

    def test_frozen_is_the_policy_as_it_is(self) -> None:
        assert load_policy("frozen:pavlov", IPD).name == "scripted:pavlov"
        assert (
            load_opponents(["frozen:scripted:pavlov"], IPD)["frozen:scripted:pavlov"].name
            == "scripted:pavlov"
        )

    @pytest.mark.parametrize(
        ("spec", "messages"),
        [
            (
                "mixture:pavlov+tit_for_tit",
                ["'tit_for_tit' in 'mixture:pavlov+tit_for_tit'", "'tit_for_tat'"],
            ),
            ("noisy:0.1:pyton:a.py:f", ["'pyton:a.py:f' in 'noisy:0.1:pyton:a.py:f'", "'python'"]),
            ("frozen:tabular:nowhere.json", ["'tabular:nowhere.json' in", "cannot read table"]),
            ("mixture:smollm2+runs/a", ["'runs/a' in 'mixture:smollm2+runs/a'"]),
            ("noisy:2:pavlov", ["policy 'noisy:2:pavlov': noise 2.0 is no probability"]),
        ],
    )
    def test_what_is_wrong_with_a_part_names_it(
        self, spec: str, messages: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(registry, "_local", lambda *given: FunctionPolicy(mine, "smollm2"))
        with pytest.raises(RequestError) as caught:
            load_policy(spec, IPD)
        assert all(message in str(caught.value) for message in messages), str(caught.value)

    def test_models_are_loaded_once_with_the_settings_given(self, monkeypatch: pytest.MonkeyPatch) -> None:
        policy = importlib.import_module("equipoise.policies.local.policy")
        loaded: list[tuple[str, dict[str, Any]]] = []

        def load(spec: str, **settings: Any) -> Any:
            loaded.append((spec, settings))
            return FunctionPolicy(mine, spec)

        monkeypatch.setattr(policy.LocalPolicy, "from_spec", load)
        models: dict[str, Any] = {}
        names = ["frozen:smollm2", "noisy:0.1:smollm2", "smollm2", "smollm2+a"]
        found = load_opponents(names, IPD, models=models, dtype="bfloat16")
        assert loaded == [("smollm2", {"dtype": "bfloat16"}), ("smollm2+a", {"dtype": "bfloat16"})]
        assert found["frozen:smollm2"] is found["smollm2"] is load_policy("smollm2", IPD, models=models)
