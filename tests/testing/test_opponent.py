"""``check_opponent``: the package's strategies pass, and each broken one is told the rule it breaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.base import Classifier, MemoryOne, Strategy, Uniform, certain
from equipoise.opponents.registry import get_strategy, strategies
from equipoise.testing import (
    OPPONENT_RULES,
    ConformanceError,
    Status,
    check_game,
    check_opponent,
    examine_opponent,
)
from equipoise.testing.opponent import bench
from equipoise.testing.opponent.load import load_strategy
from tests.helpers import FULL, Script, named
from tests.testing.broken_games import Raises as UnplayableToy
from tests.testing.broken_opponents import BROKEN, CONSEQUENCES
from tests.testing.toy import Toy, ToyState

IDS = [f"{rule} {type(s).__name__ if s.name == 'base' else s.name}" for rule, _, s, _ in BROKEN]


@pytest.mark.parametrize(("rule", "game", "strategy", "named"), BROKEN, ids=IDS)
def test_a_broken_strategy_is_told_the_rule(rule: str, game: str, strategy: Strategy, named: str) -> None:
    report = examine_opponent(strategy, make_game(game))
    failed = {one.rule for one in report.failed}
    assert rule in failed, str(report)
    assert failed <= {rule} | CONSEQUENCES.get(rule, set()), str(report)
    assert named in report[rule].detail
    assert "; " in report[rule].detail, "the way out is missing"
    with pytest.raises(ConformanceError):
        check_opponent(strategy, make_game(game))


def test_every_rule_has_a_strategy_that_breaks_it() -> None:
    assert {rule for rule, *_ in BROKEN} == {rule.id for rule in OPPONENT_RULES}


@pytest.mark.no_cover
@pytest.mark.parametrize(("game", "options"), named(FULL))
def test_every_strategy_of_the_package_passes(game: str, options: dict[str, object]) -> None:
    rules = make_game(game, **options)
    for strategy in strategies(game).values():
        check_opponent(strategy, rules, walks=6)


@pytest.mark.parametrize("game", game_names())
def test_every_claim_of_a_classifier_is_checked_where_it_can_be(game: str) -> None:
    """No rule is skipped for all strategies of a game, unless the game cannot tell."""
    reports = [examine_opponent(s, make_game(game), walks=6) for s in strategies(game).values()]
    checked = {one.rule for report in reports for one in report.findings if one.status is Status.OK}
    # Nothing of earlier hands or of the hand's number is shown in Kuhn poker.
    blind = {"kuhn": {"memory-depth", "uses-horizon"}}.get(game, set())
    if make_game(game).info_record.information == "complete":
        blind |= {"knows-private"}
    assert {rule.id for rule in OPPONENT_RULES} - checked == blind


def test_the_private_part_of_an_observation_is_found() -> None:
    fields = {"auction": "value", "kuhn": "card", "multi_issue": "values"}
    for game, field in fields.items():
        report = check_opponent(Uniform(), make_game(game))
        assert report["knows-private"].detail.endswith(f"private: {field}")


def test_a_strategy_that_counts_rounds_may_say_so() -> None:
    check_opponent(Script("COOPERATE", "DEFECT", "COOPERATE"), make_game("ipd"))


def test_a_depth_larger_than_needed_is_no_lie() -> None:
    careful = MemoryOne("careful", Classifier(memory_depth=3), "a test", act=lambda m, v: certain("DEFECT"))
    check_opponent(careful, make_game("ipd"))


@dataclass(frozen=True)
class Sight:
    """What a seat sees in the toy's cousin below: fields of a dataclass instead of a tuple."""

    round: int
    rounds: int
    secret: int


class Secretive(Toy):
    """Each seat sees a number of its own, and that of the round."""

    declared: ClassVar[Mapping[str, Any]] = {
        "information": "imperfect",
        "symmetric": False,
        "payoff_bounds": (0.0, 3.0),
    }
    draws = 2

    def observe(self, state: ToyState, seat: int) -> Any:
        return Sight(state.t, self.options.rounds, state.drawn[seat])

    def info(self, seat: int, observation: Any, history: Any) -> dict[str, object]:
        return {"game": "toy", "seat": seat, "round": observation.round, "rounds": observation.rounds}

    def label(self, observation: Any, history: Any) -> str:
        return f"{observation} {history}"


def _acts(by: Callable[[Sight], bool], **claims: bool) -> Strategy:
    kind = Classifier(memory_depth=0, **claims)
    return MemoryOne("acts", kind, "a test", act=lambda memory, sight: certain("A" if by(sight) else "B"))


@pytest.mark.parametrize(
    ("by", "rule"),
    [
        (lambda sight: sight.secret == 1, "knows-private"),
        (lambda sight: sight.round == 1, "uses-horizon"),
        (lambda sight: sight.rounds == 2, "uses-horizon"),
    ],
)
def test_observations_may_be_dataclasses(by: Callable[[Sight], bool], rule: str) -> None:
    game = Secretive()
    check_game(game)
    assert [one.rule for one in examine_opponent(_acts(by), game).failed] == [rule]
    check_opponent(_acts(by, **{rule.replace("-", "_"): True}), game)


def test_observations_without_names_tell_no_private_part() -> None:
    class Nameless(Secretive):
        def observe(self, state: ToyState, seat: int) -> Any:
            return state.drawn[seat]

        def info(self, seat: int, observation: Any, history: Any) -> dict[str, object]:
            return {"game": "toy", "seat": seat, "round": len(history), "rounds": 2}

    found = examine_opponent(_acts(lambda seen: bool(seen)), Nameless())
    assert found["knows-private"].status is Status.NOT_APPLICABLE
    assert found.ok


def test_a_game_that_cannot_be_played_is_not_the_opponents_fault() -> None:
    with pytest.raises(RequestError, match=r"toy cannot be played \(KeyError.*check the game first"):
        examine_opponent(Uniform(), UnplayableToy())


def test_long_games_are_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def decisions(enough: int) -> int:
        monkeypatch.setattr(bench, "ENOUGH", enough)
        report = check_opponent(get_strategy("ipd", "pavlov"), make_game("ipd", rounds=20))
        return int(report["runs"].detail.split()[0])

    # A line has 20 rounds of two seats: it ends before the next one would be one too many.
    assert decisions(300) == 320
    assert decisions(3000) > 320


def test_the_same_seed_finds_the_same() -> None:
    game, strategy = make_game("ipd"), get_strategy("ipd", "pavlov")
    assert str(examine_opponent(strategy, game, seed=3)) == str(examine_opponent(strategy, game, seed=3))


class TestLoading:
    GAME = make_game("ipd")

    def test_a_name(self) -> None:
        assert load_strategy("pavlov", self.GAME) is get_strategy("ipd", "pavlov")

    def test_a_scripted_policy_is_its_strategy(self) -> None:
        assert load_strategy("scripted:pavlov", self.GAME) is get_strategy("ipd", "pavlov")

    @pytest.mark.parametrize("name", ["Mine", "mine"])
    def test_a_strategy_of_a_file_comes_as_it_is(self, name: str, tmp_path: object) -> None:
        path = f"{tmp_path}/mine.py"
        text = (
            "from equipoise.opponents.base import Strategy\n"
            "class Mine(Strategy):\n"
            "    name = 'mine'\n"
            "    def start(self):\n"
            "        raise RuntimeError('asked too early')\n"
            "    def probabilities(self, memory, observation, legal):\n"
            "        return {legal[0]: 1.0}\n"
            "mine = Mine()\n"
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        strategy = load_strategy(f"python:{path}:{name}", self.GAME)
        assert strategy.name == "mine"
        assert examine_opponent(strategy, self.GAME)["runs"].status is Status.FAILED

    def test_a_policy_is_no_strategy(self, tmp_path: object) -> None:
        path = f"{tmp_path}/policy.py"
        with open(path, "w", encoding="utf-8") as file:
            file.write("def play(decision):\n    return decision.legal[0]\n")
        with pytest.raises(RequestError, match="is no Strategy: check it with --policy"):
            load_strategy(f"python:{path}:play", self.GAME)

    def test_an_unknown_name(self) -> None:
        with pytest.raises(RequestError, match="did you mean 'pavlov'"):
            load_strategy("pavlow", self.GAME)
