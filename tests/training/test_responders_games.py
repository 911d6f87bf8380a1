"""Responders and a league in every game, for tables and for language models, and what they are good for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from equipoise.auditing.exact.compile import compile_tree
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.safety import RESPONDER, Objective
from equipoise.opponents.base import Uniform
from equipoise.opponents.pools import default_pools
from equipoise.opponents.registry import strategies
from equipoise.policies.abstractions.registry import abstraction_of
from equipoise.rollout.deals import Split
from equipoise.training.arena import Arena
from equipoise.training.config import SepoConfig
from equipoise.training.library import Library
from equipoise.training.pipeline import run_recipe
from equipoise.training.responders import LIBRARY
from equipoise.training.sepo import Sepo
from equipoise.training.table import SoftmaxTable, TabularLearner
from tests.objective.learning import Lab, lab
from tests.training.settings import metrics, overrides, sepo, write_recipe

ALL = "pool+best_response+library_response+league"


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write no event files."""
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def whole(name: str, **options: Any) -> Lab:
    """Return a lab whose table covers every information state, not only those the pool leads to."""
    one = lab(name, **options)
    stage = one.game.stage()
    seats = (0,) if stage.info_record.symmetric else (0, 1)
    trees = [compile_tree(stage, {"random": Uniform()}, seat) for seat in seats]
    return replace(one, learner=TabularLearner(SoftmaxTable.of(stage, trees, 1, 0.5)))


@pytest.mark.parametrize("gradient", ["exact", "sampled"])
@pytest.mark.parametrize(("name", "rounds"), [("kuhn", 2), ("ipd", 3), ("commons", 2), ("split", 2)])
def test_tables_meet_them_in_every_game_that_has_one(name: str, rounds: int, gradient: str) -> None:
    one = whole(name, rounds=rounds)
    config = SepoConfig(
        exploiters=ALL, gradient=gradient, steps=3, deals=2, rollouts=2, lr=20.0, kl=0.0, select_every=3
    )
    arena = Arena(one.game, one.objective, one.policy, config)
    trained = Sepo(arena, one.learner).run()
    assert {row[LIBRARY] for row in trained.history} <= set(strategies(name))
    names = arena.objective.pools.exploiter
    assert names[: len(names) - len(trained.history[-1]["league"])][-2:] == (RESPONDER, LIBRARY)
    assert set(names) <= set(arena.opponents)


@pytest.mark.parametrize(("name", "rounds"), [("commons", 2), ("split", 2)])
def test_nobody_leads_by_more_than_a_best_response_where_the_pool_never_goes(name: str, rounds: int) -> None:
    one = whole(name, rounds=rounds)
    arena = Arena(one.game, one.objective, one.policy, SepoConfig(exploiters=ALL, gradient="exact"))
    assert len(one.book.index) < len(one.policy.legal)
    _, book, _ = arena.exploiters.fresh(one.policy)
    assert book is not None
    means = book.means(book.tabulate(one.policy))
    leads = {found: row[1] - row[0] for found, row in means.items()}
    known = Library(one.game, (), 10**6, 1, 0).leads(one.policy, Split.TRAIN, 0)
    assert leads[RESPONDER] >= max(known.values()) - 1e-12
    assert leads[LIBRARY] == pytest.approx(max(known.values()), abs=1e-12)


def test_where_the_strategies_are_too_large_to_compute_everything_is_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("equipoise.training.library.LIMIT", 500)
    game = make_game("split")
    objective = Objective.of(game.info_record, default_pools("split"))
    policy = SoftmaxTable.abstract(game.stage(), abstraction_of(game.stage(), "demands"), 0)
    settings: dict[str, Any] = {"gates": "running", "deals": 1, "rollouts": 2}
    assert Arena(game, objective, policy, SepoConfig(**settings)).exploiters.pool is not None
    arena = Arena(
        game, objective, policy, SepoConfig(**settings, exploiters="pool+library_response", respond_deals=1)
    )
    assert arena.exploiters.pool is None
    arena.respond(policy, 0)
    assert LIBRARY in arena.opponents
    with pytest.raises(RequestError, match="too large to be computed exactly, leave"):
        Arena(
            game,
            objective,
            policy,
            SepoConfig(**{**settings, "gates": "exact"}, exploiters="pool+library_response"),
        )


@pytest.mark.parametrize("name", ["kuhn", "ipd", "commons", "split", "auction", "multi_issue"])
def test_language_models_meet_them_in_every_game(name: str, tmp_path: Path) -> None:
    settings = {"exploiters": "pool+library_response+league", "steps": 1, "deals": 1, "rollouts": 2}
    quick = {"respond_deals": 1, "select_every": 1, "select_episodes": 1, "lr": 1e-3}
    found = sepo(tmp_path, name, "tiny-random", **settings, **quick)
    pools = default_pools(name)
    for row in found.rows:
        assert row[LIBRARY] not in pools.shift
        streams = len(pools.train) + len(dict.fromkeys(pools.exploiter)) + len(pools.collusive)
        assert row["episodes"] == 2 * (streams + 1 + len(row["league"]))


def test_a_run_with_a_league_of_a_language_model_goes_on_alike(tmp_path: Path) -> None:
    """The second half of a run is done by another process from what the first left."""
    recipe = write_recipe(tmp_path, "tiny-random", "split")
    settings = {"exploiters": "pool+library_response+league", "deals": 1, "rollouts": 2, "respond_deals": 1}
    given = {**settings, "steps": 3, "select_every": 9, "select_episodes": 1, "lr": 5e-2, "kl": 0.0}

    def run(out: Path, stop: int | None) -> None:
        with pytest.MonkeyPatch.context() as patched:
            if stop is not None:
                original = Sepo._step

                def interrupted(self: Sepo, step: int) -> Any:
                    if step == stop:
                        raise KeyboardInterrupt
                    return original(self, step)

                patched.setattr(Sepo, "_step", interrupted)
            arguments = [f"out={out}", *overrides("games.split.train.sepo.", given)]
            run_recipe(recipe, arguments, stages=("sepo",))

    run(tmp_path / "whole", None)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "halves", 2)
    run(tmp_path / "halves", None)
    places = [tmp_path / out / "split" / "sepo" / "train" for out in ("whole", "halves")]
    assert metrics(places[0]) == metrics(places[1])
    weights = [(place / "checkpoint" / "adapter_model.safetensors").read_bytes() for place in places]
    assert weights[0] == weights[1]
