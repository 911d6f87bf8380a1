"""SEPO on a table: it climbs, goes on where it was interrupted, and keeps the best weights."""

from __future__ import annotations

import itertools
import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.errors import RequestError
from equipoise.games.base import Weights
from equipoise.opponents.pools import default_pools
from equipoise.policies.scripted import StrategyPolicy
from equipoise.policies.tabular import TabularPolicy
from equipoise.rollout.deals import Split
from equipoise.training import arena as playing
from equipoise.training import arenas
from equipoise.training import selection as selecting
from equipoise.training.arena import Arena
from equipoise.training.checkpoints import TrainerFolder
from equipoise.training.config import SepoConfig
from equipoise.training.exploiters import RESPONDER
from equipoise.training.sepo import Sepo, Trained
from tests.objective.learning import Lab, lab

FAST: dict[str, Any] = {"steps": 4, "deals": 2, "rollouts": 2, "lr": 1.0, "kl": 0.0, "select_every": 1}
MODES: dict[str, dict[str, Any]] = {
    "sampled": {"scale": "rms", "gates": "running"},
    "exact gates": {"scale": "none"},
    "exact": {"gradient": "exact", "lr": 5.0},
    "responder": {"exploiters": "pool+best_response"},
    "exact responder": {"gradient": "exact", "exploiters": "pool+best_response", "lr_decay": 0.1},
    "late responder": {"gradient": "exact", "exploiters": "pool+best_response", "respond_every": 3},
    "library": {"exploiters": "pool+library_response", "gates": "running"},
    "leagues": {"exploiters": "pool+best_response+library_response+league", "league_size": 2, "lr": 5.0},
    "late league": {"gradient": "exact", "exploiters": "pool+best_response+league", "respond_every": 2},
    "all actions": {"gradient": "all_actions", "branches": 1},
    "limits": {"multipliers": "lagrangian", "limits": {"e": 0.05}, "dual_lr": 1.0},
    "regularised": {"kl": 0.2, "entropy": 0.1},
    "per rollout": {"credit": "per_rollout"},
    "best response": {"penalised": "best_response"},
}


@pytest.fixture(autouse=True)
def no_tensorboard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write no event files: loading torch would take longer than everything here."""
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)


def trainer_of(one: Lab, config: SepoConfig, folder: Path | None = None, **given: Any) -> Sepo:
    return Sepo(Arena(one.game, one.objective, one.policy, config), one.learner, folder, **given)


def arena_of(trainer: Sepo) -> Arena:
    (arena,) = trainer.arenas.parts.values()
    return arena


def run(folder: Path | None = None, one: Lab | None = None, **settings: Any) -> tuple[Lab, Sepo, Trained]:
    one = one or lab("kuhn", 2, seed=1, spread=0.5)
    trainer = trainer_of(one, SepoConfig(**{**FAST, **settings}), folder)
    return one, trainer, trainer.run()


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def outcome(folder: Path, one: Lab, trained: Trained) -> Any:
    """Return everything that a run leaves behind."""
    store = TrainerFolder(folder, json.loads((folder / "request.json").read_text()))
    return (
        trained.step,
        trained.score,
        timeless(trained.history),
        timeless(store.metrics()),
        one.policy.logits.tobytes(),
        one.policy.version,
        (folder / "best" / "table.json").read_bytes(),
        (folder / "checkpoint" / "logits.json").read_bytes(),
        {path.name for path in folder.iterdir()} - {"checkpoint.old"},
    )


class TestProgress:
    @pytest.mark.parametrize(
        ("settings", "least"),
        [
            ({"gradient": "exact", "steps": 40, "lr": 10.0}, 0.1),
            ({"deals": 4, "rollouts": 8, "steps": 20, "lr": 3.0, "scale": "none"}, -0.4),
            ({"deals": 4, "rollouts": 8, "steps": 20, "lr": 3.0, "scale": "none", "gates": "running"}, -0.4),
            ({"deals": 4, "rollouts": 8, "steps": 20, "lr": 0.5}, -0.4),
        ],
        ids=["exact", "sampled", "running gates", "scaled"],
    )
    def test_j_rises_towards_its_optimum(self, settings: dict[str, Any], least: float) -> None:
        one = lab("kuhn", 1, seed=0, spread=0.5)
        before = one.exact().terms.safety
        run(None, one, **settings, select_every=100)
        after = one.exact().terms.safety
        assert before < -1.5
        assert least < after <= 1 / 6 + 1e-9

    def test_exact_steps_log_the_terms_of_the_policy_they_start_from(self) -> None:
        one = lab("kuhn", 2, seed=1, spread=0.5)
        wanted = one.exact().terms
        _, _, trained = run(None, one, gradient="exact")
        first = trained.history[0]
        assert (first["safety"], first["utility"]) == (wanted.safety, wanted.utility)
        assert first["exploitability"] == wanted.exploitability
        assert [row["step"] for row in trained.history] == [1, 2, 3, 4]

    def test_sampled_steps_log_what_was_played(self) -> None:
        _, _, trained = run()
        for row in trained.history:
            # 6 streams, 2 deals, 2 rollouts.
            assert row["episodes"] == 24
            assert row["decisions"] >= 24
            assert 0.0 <= row["dead_keys"] <= 1.0
            assert row["invalid_rate"] == 0.0
            assert row["prompts"] <= 12

    def test_a_kl_weight_keeps_it_near_its_start(self) -> None:
        near, far = (
            run(gradient="exact", lr=1.0, steps=20, kl=kl, select_every=100)[2].history[-1]["kl"]
            for kl in (10.0, 0.0)
        )
        assert near < 0.5 * far

    def test_the_rate_decays(self) -> None:
        _, _, trained = run(lr=1.0, lr_decay=0.5)
        assert [row["lr"] for row in trained.history] == pytest.approx([1.0, 1 / 1.5, 1 / 2.0, 1 / 2.5])


class TestRequests:
    def test_seats_alternate_and_deals_are_never_used_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[Any] = []
        original = playing.play

        def watching(requests: Any, rule: Any) -> Any:
            asked.extend(requests)
            return original(requests, rule)

        monkeypatch.setattr(playing, "play", watching)
        one = lab("kuhn", 2, seed=1, spread=0.5)
        whole = replace(one, objective=replace(one.objective, pools=default_pools("kuhn")))
        _, trainer, _ = run(None, whole, steps=3, deals=3, rollouts=2, seed=9)
        assert {one.deal.split for one in asked} == {Split.TRAIN}
        assert {one.deal.seed for one in asked} == {9}
        assert len({one.id for one in asked}) == len(asked) == 6 * 3 * 3 * 2
        seats = Counter((one.deal.index, one.seat) for one in asked)
        # Every deal belongs to one step and one seat, in every stream alike.
        assert seats == {(index, index % 2): 12 for index in range(9)}
        # The shift pool is never met.
        held_out = set(default_pools("kuhn").shift)
        assert not held_out & ({one.opponent for one in asked} | set(arena_of(trainer).opponents))
        assert arena_of(trainer).objective.pools.shift == ()

    def test_every_setting_changes_the_run(self) -> None:
        def logits(**settings: Any) -> bytes:
            return run(**{"lr": 0.3, "rollouts": 3, **settings})[0].policy.logits.tobytes()

        base = logits()
        assert logits() == base
        changes: list[dict[str, Any]] = [
            {"steps": 3},
            {"gradient": "exact"},
            {"gradient": "all_actions"},
            {"deals": 3},
            {"rollouts": 4},
            {"lr": 0.9},
            {"lr_decay": 0.1},
            {"kl": 0.1},
            {"entropy": 0.1},
            {"scale": "none"},
            {"exploiters": "none"},
            {"exploiters": "pool+best_response"},
            {"seed": 1},
        ]
        for change in changes:
            assert logits(**change) != base, change
        # A responder that is not recomputed falls behind.
        responder = {"exploiters": "pool+best_response", "gradient": "exact", "lr": 10.0, "steps": 8}
        late = logits(**responder, select_every=100, respond_every=100)
        assert late != logits(**responder, select_every=100)

    def test_gates_matter_where_a_gap_is_unclear(self) -> None:
        tables = {}
        for gates in ("exact", "running"):
            for seed in (5, 0):
                one = lab("kuhn", 1, seed, spread=2.0)
                run(None, one, gates=gates, lr=0.3, steps=3, scale="none")
                tables[gates, seed] = one.policy.logits.tobytes()
        # Gaps of 0.16, 0.06 and −0.06 a hand, and of 0.33, 0.76 and 0.92.
        assert tables["exact", 5] != tables["running", 5]
        assert tables["exact", 0] == tables["running", 0]


class Killed(BaseException):
    """The process was killed."""


def kill(monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Be killed before the ``at``-th change of the disk."""
    count = itertools.count()

    def watch(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            if next(count) == at:
                raise Killed
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, watched)

    for name in ("rename", "replace", "unlink", "mkdir", "write_text"):
        watch(Path, name)
    watch(shutil, "rmtree")
    watch(TrainerFolder, "log")


class TestResume:
    @pytest.mark.parametrize("mode", MODES)
    def test_a_run_interrupted_at_any_step_ends_alike(self, mode: str, tmp_path: Path) -> None:
        one, _, trained = run(tmp_path / "whole", **MODES[mode])
        wanted = outcome(tmp_path / "whole", one, trained)
        for stop in range(FAST["steps"]):
            folder = tmp_path / f"stopped {stop}"
            first = lab("kuhn", 2, seed=1, spread=0.5)
            learner, updates = first.learner, itertools.count()
            update = learner.update

            def interrupted(*args: Any, update: Any = update, left: Any = updates, stop: int = stop) -> Any:
                if next(left) == stop:
                    raise KeyboardInterrupt
                return update(*args)

            learner.update = interrupted  # type: ignore[method-assign]
            with pytest.raises(KeyboardInterrupt):
                run(folder, first, **MODES[mode])
            # Going on starts from other logits: everything must come from the folder.
            second = lab("kuhn", 2, seed=77 if stop else 1, spread=0.5)
            _, _, again = run(folder, second, **MODES[mode])
            assert outcome(folder, second, again) == wanted, stop

    def test_a_run_killed_before_any_change_of_the_disk_ends_alike(self, tmp_path: Path) -> None:
        settings = {**MODES["sampled"], "steps": 2, "deals": 1}
        one, _, trained = run(tmp_path / "whole", **settings)
        wanted = outcome(tmp_path / "whole", one, trained)
        for at in itertools.count():
            folder = tmp_path / f"killed {at}"
            with pytest.MonkeyPatch.context() as patch:
                kill(patch, at)
                try:
                    run(folder, **settings)
                    break
                except Killed:
                    pass
            second, _, again = run(folder, **settings)
            assert outcome(folder, second, again) == wanted, at
        assert at > 20

    def test_rare_checkpoints_cost_steps_but_not_the_result(self, tmp_path: Path) -> None:
        one, _, trained = run(tmp_path / "often")
        rare, _, other = run(tmp_path / "rarely", checkpoint_every=3)
        assert rare.policy.logits.tobytes() == one.policy.logits.tobytes()
        assert timeless(other.history) == timeless(trained.history)

    def test_a_finished_run_is_not_run_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        one, _, trained = run(tmp_path)
        monkeypatch.setattr(playing, "play", None)
        again, _, found = run(tmp_path, lab("kuhn", 2, seed=5))
        assert again.policy.logits.tobytes() == one.policy.logits.tobytes()
        assert (found.step, found.score, found.history) == (trained.step, trained.score, trained.history)

    def test_without_a_folder_nothing_changes(self, tmp_path: Path) -> None:
        kept, _, one = run(tmp_path)
        free, _, other = run(None)
        assert kept.policy.logits.tobytes() == free.policy.logits.tobytes()
        assert timeless(one.history) == timeless(other.history)

    @pytest.mark.parametrize(
        ("change", "key"),
        [
            ({"lr": 0.5}, r"config\.lr \(1\.0, now 0\.5\)"),
            ({"steps": 5}, r"config\.steps"),
            ({"seed": 3}, r"config\.seed"),
            ({"exploiters": "none"}, r"config\.exploiters"),
        ],
    )
    def test_other_settings_are_refused(self, tmp_path: Path, change: dict[str, Any], key: str) -> None:
        run(tmp_path)
        with pytest.raises(RequestError, match=rf"made with another {key}"):
            run(tmp_path, **change)

    def test_another_game_objective_or_origin_is_refused(self, tmp_path: Path) -> None:
        run(tmp_path)
        one = lab("kuhn", 2, seed=1, spread=0.5)
        config = SepoConfig(**FAST)
        with pytest.raises(RequestError, match="another options"):
            trainer_of(replace(one, game=lab("kuhn", 3).game), config, tmp_path)
        heavy = replace(one.objective, weights=Weights(9.0, 0.0, 0.0))
        with pytest.raises(RequestError, match="another weights"):
            trainer_of(replace(one, objective=heavy), config, tmp_path)
        with pytest.raises(RequestError, match="another origin"):
            trainer_of(one, config, tmp_path, origin={"model": "other"})
        few = replace(one.objective, pools=replace(one.objective.pools, train=("nash",)))
        with pytest.raises(RequestError, match="another pools"):
            trainer_of(replace(one, objective=few), config, tmp_path)


class TestSelection:
    def scored(
        self, folder: Path, scores: list[float], **settings: Any
    ) -> tuple[list[tuple[int, Any]], Trained, list[Any]]:
        """Run with scripted scores; return (step, logits) at every call of on_best, and all logits."""
        one = lab("kuhn", 2, seed=1, spread=0.5)
        best: list[tuple[int, Any]] = []
        seen: list[Any] = []
        config = SepoConfig(**{**FAST, **settings})
        trainer = trainer_of(
            one,
            config,
            folder,
            on_best=lambda: best.append((one.policy.version, one.policy.table().table)),
        )
        given = iter(scores)

        def score(arena: Any, policy: Any) -> float:
            seen.append(one.policy.table().table)
            return next(given)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(arenas, "selection_score", score)
            return best, trainer.run(), seen

    def test_the_best_weights_are_kept_not_the_last(self, tmp_path: Path) -> None:
        best, trained, seen = self.scored(tmp_path, [0.0, 1.0, 0.5, 3.0, 2.0])
        assert (trained.step, trained.score) == (3, 3.0)
        assert [step for step, _ in best] == [0, 1, 3]
        kept = TabularPolicy.load(tmp_path / "best" / "table.json").table
        assert kept == best[-1][1] == seen[3]
        assert kept != seen[4]
        assert [row["select_score"] for row in trained.history] == [1.0, 0.5, 3.0, 2.0]

    def test_the_start_may_be_the_best(self, tmp_path: Path) -> None:
        best, trained, seen = self.scored(tmp_path, [5.0, 1.0, 1.0, 1.0, 1.0])
        assert trained.step == 0
        assert TabularPolicy.load(tmp_path / "best" / "table.json").table == seen[0]
        assert len(best) == 1

    def test_equal_scores_keep_the_earlier(self, tmp_path: Path) -> None:
        _, trained, _ = self.scored(tmp_path, [0.0, 2.0, 2.0, 2.0, 2.0])
        assert trained.step == 1

    def test_it_happens_every_so_often_and_at_the_end(self, tmp_path: Path) -> None:
        _, trained, _ = self.scored(tmp_path, [0.0, 1.0, 2.0], select_every=3)
        assert [row["step"] for row in trained.history if "select_score" in row] == [3, 4]

    def test_small_games_are_scored_exactly(self) -> None:
        one, _, trained = run(steps=2)
        assert trained.history[-1]["select_score"] == pytest.approx(one.exact().terms.safety, abs=1e-15)

    def test_with_a_responder_the_score_counts_it(self) -> None:
        _, trainer, trained = run(steps=2, exploiters="pool+best_response")
        assert arena_of(trainer).objective.pools.exploiter[-1] == RESPONDER
        _, book, _ = arena_of(trainer).exploiters.fresh(trainer.learner.policy)
        assert book is not None
        wanted = book.terms(book.tabulate(trainer.learner.policy), arena_of(trainer).objective).safety
        assert trained.history[-1]["select_score"] == pytest.approx(wanted, abs=1e-15)

    def test_large_games_are_scored_on_deals_of_their_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[Any] = []
        original = selecting.audit_game

        def watching(game: Any, policy: Any, config: Any, **given: Any) -> Any:
            asked.append(config)
            return original(game, policy, config, **given)

        monkeypatch.setattr(selecting, "audit_game", watching)
        scores = []
        for episodes in (3, 4):
            one = lab("kuhn", 2, seed=1, spread=0.5)
            one.policy.exact_states = 0
            _, _, trained = run(None, one, select_episodes=episodes, steps=2, seed=6)
            scores.append(trained.history[-1]["select_score"])
        assert scores[0] != scores[1]
        assert {config.split for config in asked} == {Split.SELECT}
        assert {config.seed for config in asked} == {6}
        assert [config.episodes for config in asked] == [3, 3, 3, 4, 4, 4]


class TestLargeGames:
    @pytest.mark.parametrize("settings", [{"gradient": "exact"}, {"gates": "exact"}], ids=str)
    def test_exact_work_is_refused(self, settings: dict[str, Any]) -> None:
        one = lab("kuhn", 2)
        one.policy.exact_states = 11  # the game has 12 states
        with pytest.raises(RequestError, match="too large to be computed exactly with this policy"):
            run(None, one, **settings)
        one.policy.exact_states = 12
        run(None, one, **settings, steps=1)

    def test_so_is_an_exact_responder(self) -> None:
        one = lab("kuhn", 2)
        one.policy.exact_states = 0
        with pytest.raises(RequestError, match="too large for an exact responder"):
            run(None, one, exploiters="pool+best_response")

    def test_gates_are_then_estimated(self) -> None:
        one = lab("kuhn", 2, seed=1, spread=0.5)
        one.policy.exact_states = 0
        _, trainer, _ = run(None, one, steps=2)
        assert {key.rpartition("|")[0] for key in arena_of(trainer).gates.state_dict()} == set(
            one.objective.pools.exploiter
        )
        # With tables they are not.
        _, exact, _ = run(steps=2)
        assert arena_of(exact).gates.state_dict() == {}


class TestResponder:
    def test_it_is_played_against(self, monkeypatch: pytest.MonkeyPatch) -> None:
        met: Counter[str] = Counter()
        original = playing.play

        def watching(requests: Any, rule: Any) -> Any:
            met.update(one.opponent for one in requests if one.pool == "exploiter")
            return original(requests, rule)

        monkeypatch.setattr(playing, "play", watching)
        run(exploiters="pool+best_response", steps=2)
        assert met[RESPONDER] == met["nash"] == 8

    def test_the_responder_of_the_gates_is_the_one_that_is_played(self) -> None:
        _, trainer, _ = run(exploiters="pool+best_response", steps=2, respond_every=100)
        played = arena_of(trainer).opponents[RESPONDER]
        assert isinstance(played, StrategyPolicy)
        assert played._strategy is arena_of(trainer).exploiters.strategy

    def test_an_exploiter_of_none_is_not_penalised(self) -> None:
        _, trainer, trained = run(exploiters="none", gradient="exact")
        assert arena_of(trainer).objective.pools.exploiter == ()
        assert all(row["exploitability"] is None for row in trained.history)
        assert all(row["safety"] == pytest.approx(1.5 * row["utility"]) for row in trained.history)


def test_all_rewards_of_a_batch_share_one_scale() -> None:
    one, _, trained = run(scale="rms", steps=1, lr=1.0)
    two, _, plain = run(scale="none", steps=1, lr=1.0)
    start = lab("kuhn", 2, seed=1, spread=0.5).policy.logits
    divisor = trained.history[0]["advantage_scale"]
    assert plain.history[0]["advantage_scale"] == 1.0
    assert divisor != 1.0
    # One step: the same direction, divided by one number.
    assert (one.policy.logits - start) * divisor == pytest.approx(two.policy.logits - start, abs=1e-12)
    assert np.abs(two.policy.logits - start).max() > 1e-3
