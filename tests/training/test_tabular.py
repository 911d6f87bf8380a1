"""What the table of a recipe starts from."""

from __future__ import annotations

import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.training.data import Example, make_examples
from equipoise.training.tabular import imitate, new_table
from equipoise.types import Action, Decision
from tests.helpers import every_decision

IPD = make_game("ipd", rounds=2)
C, D = "COOPERATE", "DEFECT"


def example(decision: Decision, action: Action) -> Example:
    return Example(decision, action, 0, "teacher", "opponent", "train")


def test_a_table_starts_uniform_or_at_random() -> None:
    for abstraction in (None, "recent"):
        assert all(
            set(row.values()) == {0.5} for row in new_table(IPD, 0, abstraction).table().table.values()
        )
        assert (
            new_table(IPD, 0, abstraction, 1.0).table().table
            != new_table(IPD, 1, abstraction, 1.0).table().table
        )


def test_a_game_that_is_too_large_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # One information state in the first round, four in the second.
    monkeypatch.setattr("equipoise.training.tabular.ROWS", 4)
    with pytest.raises(
        RequestError, match=r"ipd has too many information states .*: set abstraction = 'recent'"
    ):
        new_table(IPD, 0)
    monkeypatch.setattr("equipoise.training.tabular.ROWS", 5)
    assert len(new_table(IPD, 0).legal) == 5


def test_teachers_are_counted_by_laplaces_rule() -> None:
    table = new_table(IPD, 0)
    (first, *_) = [d for d in every_decision(IPD) if d.round == 0]
    imitate(table, [example(first, C), example(first, C), example(first, D)])
    # (2 + 1) / (3 + 2)
    assert table.probabilities([first])[0] == pytest.approx({C: 0.6, D: 0.4}, abs=1e-12)
    others = [d for d in every_decision(IPD) if d.round == 1]
    assert all(row == {C: 0.5, D: 0.5} for row in table.probabilities(others))


def test_an_action_counts_for_all_columns_that_play_it_and_one_that_none_plays_for_nothing() -> None:
    game = make_game("multi_issue", pool=(2, 2, 2), rounds=1)
    table = new_table(game, 0, "shares")
    (decision,) = {e.decision.observation: e.decision for e in make_examples(game, "paper", 1, 0)}.values()
    # One unit of each is "one", "half", "rest of half", "rest of two thirds" and, to begin with, "rest".
    imitate(table, [example(decision, (1, 1, 1)), example(decision, (1, 0, 0))])
    assert table.probabilities([decision])[0][1, 1, 1] == pytest.approx(6 / 9, abs=1e-12)
