"""Who is met in training: the policy itself, its past, and the opponents of a curriculum's stages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.features import OPPONENT, OWN
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.rollout.engine import play
from equipoise.training.arena import Arena
from equipoise.training.batch import sampled_batch
from equipoise.training.cast import SELF, Cast, everyone
from equipoise.training.config import SepoConfig
from equipoise.training.recipe import load_recipe
from equipoise.training.selection import selection_score
from equipoise.training.stages import new_table
from equipoise.training.table import SoftmaxTable, TabularLearner
from tests.training.recipes import write
from tests.training.settings import sepo

KUHN, IPD = make_game("kuhn"), make_game("ipd", rounds=2)
KUHN_POOLS = default_pools("kuhn")
FAST: dict[str, Any] = {"deals": 2, "rollouts": 3, "kl": 0.0, "scale": "none"}


def table(game: Any, seed: int = 1) -> SoftmaxTable:
    one = new_table(game, 0)
    noise = np.random.default_rng(seed).normal(size=one.mask.shape)
    one.logits = np.where(one.mask, noise, -np.inf)
    return one


def arena(game: Any, policy: Policy, **settings: Any) -> Arena:
    objective = Objective.of(game.info_record, default_pools(game.name))
    fast = {k: v for k, v in FAST.items() if k != "scale" or settings.get("gradient") != "exact"}
    return Arena(game, objective, policy, SepoConfig(**{**fast, **settings}))


# --- The policy itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [KUHN, IPD], ids=["kuhn", "ipd"])
def test_against_itself_both_sides_earn_the_same(game: Any) -> None:
    policy = table(game)
    one = arena(
        game,
        policy,
        gradient="exact",
        pools={"train": [SELF]},
    )
    book = one.cast.book(one.exploiters.book, one.objective, policy, one.met.strategies)
    assert book is not None
    means = book.means(book.tabulate(policy))[SELF]
    assert means[OWN] == pytest.approx(means[OPPONENT], abs=1e-12)
    if game is KUHN:
        assert means[OWN] == pytest.approx(0.0, abs=1e-12)
    else:
        # Two rounds of the dilemma, written out: what both do is drawn independently each round.
        assert 1.0 < means[OWN] < 3.0


def test_the_exact_derivative_holds_the_other_side_fixed() -> None:
    """Against a frozen table with the same numbers the gradient is the same."""
    policy = table(KUHN)
    own = arena(KUHN, policy, gradient="exact", pools={"train": [SELF]})
    mine = own.batch(policy, 0, {})
    league = {"every": 1, "keep": 1, "pool": "train"}
    other = arena(KUHN, policy, gradient="exact", pools={"train": ["nash"]}, league=league)
    copy = policy.table()
    # A pool of one: the copy stands in it alone.
    other.cast._now = other.cast.fixed.replace({"train": ["nash"]})
    other.enter({"past@1": copy})
    pools = other.objective.pools
    assert pools.train == ("nash", "past@1")
    theirs = other.batch(policy, 0, {})
    alone = arena(KUHN, policy, gradient="exact", pools={"train": ["nash"]}).batch(policy, 0, {})
    learner = TabularLearner(policy)

    def gradient(batch: Any) -> Any:
        found = np.zeros(policy.mask.shape)
        rows, ascent, _ = learner.gradient(batch)
        np.add.at(found, rows, ascent)
        return found

    # Half of the train pool is nash, half is the copy; the exploiters count in each of the three.
    np.testing.assert_allclose(gradient(theirs), 0.5 * gradient(alone) + 0.5 * gradient(mine), atol=1e-12)
    assert np.abs(gradient(mine) - gradient(alone)).max() > 1e-3


@pytest.mark.no_cover
def test_sampled_self_play_is_unbiased() -> None:
    policy, game = table(KUHN), make_game("kuhn", rounds=2)
    exact = arena(game, policy, gradient="exact", pools={"train": [SELF]}).batch(policy, 0, {})
    settings = {"pools": {"train": [SELF]}, "deals": 4, "rollouts": 8, "gates": "exact"}
    one = arena(game, policy, gradient="sampled", **settings)
    learner = TabularLearner(policy)

    def gradient(batch: Any) -> Any:
        found = np.zeros(policy.mask.shape)
        rows, ascent, _ = learner.gradient(batch)
        np.add.at(found, rows, ascent)
        return found[policy.mask]

    wanted = gradient(exact)
    rows = np.array([gradient(one.batch(policy, step, {})) for step in range(40)])
    along = rows @ wanted / (wanted @ wanted)
    error = along.std(ddof=1) / len(along) ** 0.5
    assert abs(along.mean() - 1.0) < 4 * error
    assert error < 0.2


def test_seats_alternate_so_that_both_sides_are_trained() -> None:
    policy = table(KUHN)
    one = arena(KUHN, policy, pools={"train": [SELF]}, deals=1)
    seats = set()
    for step in range(2):
        requests = [r for r in one.requests(policy, step) if r.opponent == SELF]
        assert all(r.players == (policy, policy) for r in requests)
        seats |= {r.seat for r in requests}
        played = play(requests)
        assert all(d.seat == p.episode.seat for p in played for d in p.decisions)
    assert seats == {0, 1}
    assert sampled_batch(one.sample(policy, 0, {})).visits.sum() == pytest.approx(1.0)


# --- Curricula ---------------------------------------------------------------------------------------------


CURRICULUM = [
    {"until": 2, "train": ["nash"], "exploiter": []},
    {"until": 5, "exploiter": ["always_bet"]},
]


def test_stages_are_in_force_until_their_step() -> None:
    cast = Cast(KUHN, Objective.of(KUHN.info_record, KUHN_POOLS), SepoConfig(curriculum=CURRICULUM))
    base = Objective.of(KUHN.info_record, KUHN_POOLS)
    found = []
    for step in range(7):
        cast.begin(step)
        pools = cast.objective(base).pools
        found.append((cast.stage, pools.train, pools.exploiter))
    assert found[:2] == [(1, ("nash",), ())] * 2
    assert found[2:5] == [(2, KUHN_POOLS.train, ("always_bet",))] * 3
    assert found[5:] == [(0, KUHN_POOLS.train, KUHN_POOLS.exploiter)] * 2


def test_opponents_of_stages_alone_are_loaded_and_never_scored() -> None:
    config = SepoConfig(curriculum=[{"until": 1, "train": ["noisy:0.1:nash", SELF]}])
    pools = everyone(KUHN_POOLS, config)
    assert pools.train == (*KUHN_POOLS.train, "noisy:0.1:nash")
    policy = table(KUHN)
    one = arena(KUHN, policy, gradient="exact", curriculum=[{"until": 1, "train": ["noisy:0.1:nash"]}])
    assert "noisy:0.1:nash" in one.met.players
    plain = arena(KUHN, policy, gradient="exact")
    assert selection_score(one, policy) == selection_score(plain, policy)
    rows: list[dict[str, Any]] = [{}, {}]
    for step, row in enumerate(rows):
        one.respond(policy, step)
        one.batch(policy, step, row)
    reference: dict[str, Any] = {}
    plain.batch(policy, 0, reference)
    assert [row["stage"] for row in rows] == [1, 0]
    assert rows[0]["utility"] != reference["utility"] == rows[1]["utility"]
    assert "stage" not in reference


@pytest.mark.parametrize("gradient", ["exact", "sampled", "all_actions"])
def test_stages_responders_and_limits_go_together(gradient: str) -> None:
    policy = table(KUHN)
    one = arena(
        KUHN,
        policy,
        gradient=gradient,
        multipliers="lagrangian",
        limits={"e": 0.01},
        exploiters="pool+library_response",
        curriculum=[{"until": 1, "exploiter": [], "train": [SELF]}],
        league={"every": 1, "pool": "exploiter"},
    )
    seen = []
    for step in range(2):
        one.enter({"past@1": policy.table()} if step else {})
        one.respond(policy, step)
        row: dict[str, Any] = {}
        one.batch(policy, step, row)
        seen.append((one.objective.pools.exploiter, one.objective.weights.e))
    assert seen[0][0] == ("library_response",)
    assert seen[1][0] == (*KUHN_POOLS.exploiter, "past@1", "library_response")
    # Both steps find e above its limit, so the multiplier has risen twice.
    assert 1.5 < seen[0][1] < seen[1][1]


def test_without_exploiters_in_force_their_multiplier_stays() -> None:
    policy = table(KUHN)
    stage = {"until": 1, "exploiter": []}
    one = arena(KUHN, policy, multipliers="lagrangian", limits={"e": 0.01}, curriculum=[stage])
    for step, wanted in ((0, 1.5), (1, None)):
        one.respond(policy, step)
        one.batch(policy, step, {})
        assert (one.objective.weights.e == 1.5) is (wanted is not None)


def test_without_any_of_it_nothing_changes() -> None:
    policy = table(KUHN)
    one = arena(KUHN, policy, gradient="exact")
    assert one.objective is one.exploiters.objective
    assert one.cast.book(one.exploiters.book, one.objective, policy, None) is one.exploiters.book


def test_runs_with_a_curriculum_end_elsewhere_and_log_their_stages(tmp_path: Path) -> None:
    exact = {"gradient": "exact", "steps": 4}
    plain = sepo(tmp_path, **exact)
    first = sepo(tmp_path, **exact, pools={"train": ["nash"]})
    assert not first.moved_like(plain)
    assert not sepo(tmp_path, **exact, pools={"train": [SELF]}).moved_like(first)


# --- What is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pools": {"exploiter": [SELF]}}, "a policy has no lead over itself"),
        ({"curriculum": [{"until": 3, "exploiter": ["nash", SELF]}]}, "a policy has no lead over itself"),
        ({"pools": {"train": ["always_pass"]}}, "'always_pass' is in the shift pool"),
        ({"pools": {"train": ["noisy:0.1:always_pass"]}}, "which the shift pool holds out ('always_pass')"),
        ({"curriculum": [{"until": 2, "exploiter": ["scripted:random"]}]}, "meets 'random'"),
        ({"pools": {"train": []}}, "pools.train is empty"),
        ({"pools": {"shift": ["nash"]}}, "what is held out is the game's"),
        ({"pools": {"trian": ["nash"]}}, "unknown pool 'trian': did you mean 'train'"),
        ({"pools": {"train": ["gnash"]}}, "did you mean 'nash'"),
        (
            {"penalised": "regret", "league": {"every": 2, "pool": "exploiter"}},
            "penalised = 'regret' says itself who exploits",
        ),
        (
            {"penalised": "best_response", "pools": {"exploiter": ["nash"]}},
            "penalised = 'best_response' says itself who exploits",
        ),
        ({"league": {"every": 2, "pool": "collusive"}}, "kuhn has no collusion, use 'train'"),
    ],
)
def test_pools_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        arena(KUHN, table(KUHN), **settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ('games.kuhn.pools.train=["self"]', "met in training only: set the pools of a run"),
        ("games.kuhn.train.a.curriculum=[{until = 3}, {until = 3}]", "until = 3 after until = 3"),
        ("games.kuhn.train.a.curriculum=[{until = 0}]", "until"),
        ("games.kuhn.train.a.league={keep = 2}", "'games.kuhn.train.a.league.every' is missing"),
        ("games.kuhn.train.a.league={every = 2, kep = 2}", "did you mean 'keep'"),
        ('games.kuhn.train.a.league={every = 2, pool = "shift"}', "league.pool = 'shift'"),
    ],
)
def test_recipes_that_cannot_be_are_refused(tmp_path: Path, override: str, message: str) -> None:
    recipe = write(tmp_path, 'name = "a"\nmodel = "table"\n[games.kuhn.train.a]\nsteps = 2\n')
    with pytest.raises(RequestError) as caught:
        load_recipe(recipe, [override])
    assert message in str(caught.value)


def test_pools_of_a_run_are_part_of_what_it_is(tmp_path: Path) -> None:
    config = SepoConfig(pools={"train": [SELF]}, curriculum=CURRICULUM, league={"every": 2})
    assert SepoConfig.model_validate(json.loads(config.model_dump_json())) == config
