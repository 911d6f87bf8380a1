"""Frozen copies of the policy: they never change, come and go on time, and are there after a resume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.base import Policy
from equipoise.policies.frozen import frozen_run
from equipoise.policies.local.copies import AdapterCopy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.training.arena import Arena
from equipoise.training.config import LeagueSettings, SepoConfig
from equipoise.training.league import League
from equipoise.training.lora import LocalLearner
from equipoise.training.pipeline import run_recipe
from equipoise.training.sepo import Sepo
from equipoise.training.stages import new_table
from equipoise.training.table import SoftmaxTable, TabularLearner
from tests.training.adapters import equal, new_batch, new_policy, small_decisions, table, weights
from tests.training.recipes import write

KUHN = make_game("kuhn")
EXACT: dict[str, Any] = {"gradient": "exact", "lr": 5.0, "kl": 0.0}


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def start(seed: int = 0) -> SoftmaxTable:
    one = new_table(KUHN, 0)
    noise = np.random.default_rng(seed).normal(size=one.mask.shape)
    one.logits = np.where(one.mask, 0.3 * noise, -np.inf)
    return one


def trainer(folder: Path | None = None, seed: int = 0, **settings: Any) -> Sepo:
    policy = start(seed)
    objective = Objective.of(KUHN.info_record, default_pools("kuhn"))
    arena = Arena(KUHN, objective, policy, SepoConfig(**{**EXACT, **settings}))
    return Sepo(arena, TabularLearner(policy), folder)


def test_copies_come_and_go_on_time(tmp_path: Path) -> None:
    league = {"every": 2, "keep": 2, "weight": 3}
    done = trainer(tmp_path, steps=9, league=league).run()
    assert [row["past"] for row in done.history] == [
        [],
        [],
        ["past@2"],
        ["past@2"],
        ["past@2", "past@4"],
        ["past@2", "past@4"],
        ["past@4", "past@6"],
        ["past@4", "past@6"],
        ["past@6", "past@8"],
    ]
    # All are kept on disk, for later use.
    assert sorted(one.name for one in (tmp_path / "past").iterdir()) == ["2", "4", "6", "8"]


def test_means_of_pools_count_copies_as_often_as_they_stand_in_them() -> None:
    one = trainer(steps=3, league={"every": 1, "keep": 2, "weight": 2})
    one.run()
    (arena,) = one.arenas.parts.values()
    pools = arena.objective.pools
    assert pools.train == (*default_pools("kuhn").train, "past@1", "past@1", "past@2", "past@2")
    assert pools.exploiter == default_pools("kuhn").exploiter
    row: dict[str, Any] = {}
    arena.batch(one.learner.policy, 3, row)
    book = arena.cast.book(arena.exploiters.book, arena.objective, one.learner.policy, arena.met.strategies)
    assert book is not None
    means = book.means(book.tabulate(one.learner.policy))
    assert row["utility"] == pytest.approx(np.mean([means[name][0] for name in pools.train]), abs=1e-12)


def test_a_copy_of_a_table_never_changes(tmp_path: Path) -> None:
    policy = start()
    learner = TabularLearner(policy)
    league = League(LeagueSettings(every=1, keep=5), learner, tmp_path)
    decisions = tuple(d for d in small_decisions() if d.rules.name == "kuhn")
    league.advance(1)
    copy = league.players["past@1"]
    before = copy.probabilities(decisions)
    assert before == policy.table().probabilities(decisions)
    learner.update(new_batch(decisions), 1.0, 0.0, 0.0)
    league.advance(2)
    assert copy.probabilities(decisions) == before != policy.probabilities(decisions)
    assert copy.name == "past@1"


def test_copies_of_a_language_model_never_change_and_leave_nothing_behind(tmp_path: Path) -> None:
    policy = new_policy()
    learner = LocalLearner(policy)
    league = League(LeagueSettings(every=1, keep=2), learner, tmp_path)
    decisions = small_decisions()
    seen: dict[str, Any] = {}
    for step in (1, 2, 3):
        mine = table(policy, decisions)
        league.advance(step)
        found = {name: table_of(player, decisions) for name, player in league.players.items()}
        np.testing.assert_allclose(found[f"past@{step}"], mine, atol=1e-6)
        for name, rows in seen.items():
            if name in found:
                np.testing.assert_array_equal(found[name], rows)
        seen = found
        # Asking a copy does not move the policy, nor is the copy moved by a step.
        np.testing.assert_array_equal(table(policy, decisions), mine)
        held = {name: weights(policy, name) for name in policy.loaded.model.peft_config if name != "default"}
        moved = weights(policy, "default")
        learner.update(new_batch(decisions, step), 1e-2, 0.0, 0.0)
        assert all(equal(weights(policy, name), kept) for name, kept in held.items())
        assert not equal(weights(policy, "default"), moved)
    assert list(seen) == ["past@2", "past@3"]
    assert set(policy.loaded.model.peft_config) == {"default", "past@2", "past@3"}
    assert np.abs(seen["past@2"] - seen["past@3"]).max() > 1e-4
    trained = {n for n, p in policy.loaded.model.named_parameters() if p.requires_grad}
    assert trained
    assert all(".default." in name for name in trained)


def table_of(player: Policy, decisions: Any) -> Any:
    assert isinstance(player, AdapterCopy)
    player.forget()
    return np.array([list(row.values()) for row in player.probabilities(decisions)])


@pytest.mark.parametrize(
    "settings",
    [
        {"pools": {"train": ["self", "nash"]}, "league": {"every": 2, "keep": 2}},
        {
            "gradient": "sampled",
            "deals": 2,
            "rollouts": 2,
            "league": {"every": 1, "keep": 2, "pool": "exploiter"},
        },
        {"gradient": "sampled", "gates": "running", "deals": 2, "rollouts": 2, "league": {"every": 2}},
        {"curriculum": [{"until": 2, "train": ["nash"]}, {"until": 4, "train": ["self"], "exploiter": []}]},
        {
            "exploiters": "pool+best_response",
            "league": {"every": 3, "keep": 1},
            "patience": 9,
            "select_every": 1,
        },
    ],
    ids=["self", "exploiters", "running gates", "curriculum", "responder"],
)
def test_an_interrupted_run_goes_on_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    settings = {"steps": 6, **settings}
    whole = trainer(tmp_path / "whole", **settings)
    done = whole.run()
    real = Sepo._checkpoint
    for cut in range(1, 6):
        folder = tmp_path / str(cut)

        def stop(self: Sepo, step: int, cut: int = cut) -> None:
            real(self, step)
            if step == cut:
                raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Sepo, "_checkpoint", stop)
            with pytest.raises(KeyboardInterrupt):
                trainer(folder, **settings).run()
        again = trainer(folder, **settings)
        assert timeless(again.run().history) == timeless(done.history)
        for name in ("checkpoint/logits.json", "best/table.json"):
            assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def timeless(rows: Any) -> Any:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in json.loads(json.dumps(rows))]


def test_self_play_with_a_league_leaves_less_to_a_best_response_than_a_fixed_pool() -> None:
    """In the mean over seeds; against its pool the fixed run is safer, which is the point."""

    def ends(**settings: Any) -> Any:
        found = []
        for seed in range(3):
            one = trainer(seed=seed, steps=250, lr_decay=0.01, select_every=250, **{"lr": 10.0, **settings})
            one.run()
            policy = one.learner.policy
            assert isinstance(policy, SoftmaxTable)
            metrics = audit_game(KUHN, policy.table(), AuditConfig(exact=True)).metrics
            values = (metrics["best_response"], metrics["safety"])
            found.append([one.value for one in values if one is not None])
        return np.array(found)

    fixed = ends()
    free = ends(pools={"train": ["self"]}, league={"every": 10, "keep": 40})
    assert free[:, 0].mean() < fixed[:, 0].mean() - 0.1
    assert fixed[:, 1].mean() > free[:, 1].mean()


# --- Names of what was trained -----------------------------------------------------------------------------


RECIPE = """
name = "league"
model = "table"
audit.episodes = 2
[games.kuhn.train.fixed]
gradient = "exact"
steps = 2
[games.kuhn.train.free]
gradient = "exact"
steps = 5
lr = 5.0
max_grad_norm = 9.0
pools = {train = ["self", "nash"]}
league = {every = 2, keep = 1}
"""


def test_runs_and_their_copies_are_policies_by_name(tmp_path: Path) -> None:
    run = run_recipe(write(tmp_path, RECIPE), [f"out={tmp_path / 'run'}"], stages=("sepo",))
    place = run.folder / "kuhn" / "free"
    best = load_policy(f"frozen:{place}", KUHN)
    same = load_policy(f"tabular:{place / 'train' / 'best' / 'table.json'}", KUHN)
    decisions = tuple(d for d in small_decisions() if d.rules.name == "kuhn")
    assert isinstance(best, Policy)
    assert isinstance(same, Policy)
    assert best.probabilities(decisions) == same.probabilities(decisions)
    copy = load_policy(f"frozen:{place / 'train'}@2", KUHN)
    assert isinstance(copy, Policy)
    assert copy.probabilities(decisions) != best.probabilities(decisions)
    found = frozen_run(f"{place}@4", KUHN)
    assert found is not None
    assert found.spec == f"tabular:{place / 'train' / 'past' / '4' / 'table.json'}"
    met = load_opponents([f"noisy:0.1:frozen:{place}@2"], KUHN)
    assert list(met)
    assert frozen_run("scripted:nash", KUHN) is None
    for text, message in (
        (f"frozen:{place}@3", "its copies are of steps 2, 4"),
        (f"frozen:{run.folder}", "holds several trainings (kuhn/fixed, kuhn/free): name the folder of one"),
        (f"frozen:{run.folder / 'kuhn' / 'fixed'}@2", "it kept no copies"),
        (f"frozen:{tmp_path}", "holds no training of kuhn"),
    ):
        with pytest.raises(RequestError) as caught:
            load_policy(text, KUHN)
        assert message in str(caught.value)


def test_copies_of_a_language_model_are_policies_by_name(tmp_path: Path) -> None:
    text = (
        'name = "lm"\nmodel = "tiny-random"\nthreads = 1\nlora.rank = 2\n[games.kuhn.train.free]\nsteps = 3\n'
        'gradient = "exact"\nlr = 5e-3\npools = {train = ["self"]}\nleague = {every = 1, keep = 1}\n'
    )
    run = run_recipe(write(tmp_path, text), [f"out={tmp_path / 'run'}"], stages=("sepo",))
    found = frozen_run(f"{run.folder}@2", KUHN)
    assert found is not None
    assert found.spec == f"tiny-random+{run.folder / 'kuhn' / 'free' / 'train' / 'past' / '2'}"
    one = load_policy(f"frozen:{run.folder}@2", KUHN, quiet=True)
    other = load_policy(f"frozen:{run.folder}@1", KUHN, quiet=True)
    decisions = tuple(d for d in small_decisions() if d.rules.name == "kuhn")
    assert isinstance(one, Policy)
    assert isinstance(other, Policy)
    assert one.probabilities(decisions) != other.probabilities(decisions)
