"""What is known of a game apart from any policy, and when it is shared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.auditing.solution import Solution, solution_of
from equipoise.games.base import Game, Weights
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools, default_pools
from equipoise.policies.registry import load_opponents, strategies_of


def parts(game: Game, weights: Weights | None = None) -> tuple[Game, Objective, dict[str, Strategy]]:
    pools = default_pools(game.name)
    strategies = strategies_of(load_opponents((n for _, names in pools for n in names), game), game.stage())
    assert strategies is not None
    return game, Objective.of(game.info_record, pools, weights), strategies


def test_replies_to_each_exploiter() -> None:
    found = solution_of(*parts(make_game("ipd"))).replies
    # Always D: defect, 1. Alternating, D in the 1st, 3rd, …: always defect, (1 + 5)/2.
    assert found == pytest.approx({"always_defect": 1.0, "alternating_defect": 3.0}, abs=1e-12)
    kuhn = solution_of(*parts(make_game("kuhn"))).replies
    # domains.md, best_response of the row: what the strongest reply takes from each.
    assert kuhn == pytest.approx({"max_exploiter": 1 / 4, "always_bet": 1 / 3, "nash": 0.0}, abs=1e-12)


def test_a_game_solved_by_bounds_only_has_none() -> None:
    found = solution_of(*parts(make_game("kuhn", rounds=2, memory=True)))
    assert found.trees is None
    assert found.optimum is None
    # Best replies need no tree: domains.md, one hand after the other.
    expected = {"max_exploiter": 1 / 4, "always_bet": 1 / 3, "nash": 0.0}
    assert found.replies == pytest.approx(expected, abs=1e-12)


def test_too_large_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.auditing.solution.LIMIT", 10)
    found = Solution(*parts(make_game("ipd", rounds=3)))
    assert (found.trees, found.optimum) == (None, None)
    monkeypatch.setattr("equipoise.auditing.solution.STEPS", 3)
    assert found.replies is None
    monkeypatch.setattr("equipoise.auditing.solution.QUICK", 3)
    assert found.best_scripted is None


@pytest.mark.parametrize(
    ("name", "best", "safety"),
    # domains.md where a row is there: ipd, auction; the others by comparing all strategies.
    [("ipd", "grim_trigger", 1.7690185546875), ("auction", "shaded", 0.7138888888888889)],
)
def test_the_best_scripted_strategy(name: str, best: str, safety: float) -> None:
    found = solution_of(*parts(make_game(name))).best_scripted
    assert found is not None
    assert found[0] == best
    assert found[1] == pytest.approx(safety, abs=1e-9)


def test_it_is_shared_between_equal_questions_only() -> None:
    one = solution_of(*parts(make_game("ipd", rounds=3)))
    assert solution_of(*parts(make_game("ipd", rounds=3))) is one
    others = [
        solution_of(*parts(make_game("ipd", rounds=2))),
        solution_of(*parts(make_game("ipd", rounds=3, noise=0.1))),
        solution_of(*parts(make_game("ipd", rounds=3, temptation=6.0))),
        solution_of(*parts(make_game("ipd", rounds=3), Weights(1.0, 1.0, 1.0))),
    ]
    game, objective, strategies = parts(make_game("ipd", rounds=3))
    pools = Pools(("tit_for_tat",), ("always_defect",))
    others.append(solution_of(game, replace(objective, pools=pools), strategies))
    assert all(other is not one for other in others)
    values = [found.optimum.value for found in (one, *others) if found.optimum is not None]
    assert len(values) == len({round(v, 9) for v in values}) == 6


def test_an_opponent_of_another_behaviour_under_the_same_name_is_another_question() -> None:
    game, objective, strategies = parts(make_game("ipd", rounds=3))
    swapped = {**strategies, "always_defect": strategies["always_cooperate"]}
    one, other = solution_of(game, objective, strategies), solution_of(game, objective, swapped)
    assert one.replies is not None
    assert other.replies is not None
    assert (one.replies["always_defect"], other.replies["always_defect"]) == (1.0, 5.0)
