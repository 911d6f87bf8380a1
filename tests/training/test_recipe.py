"""Recipes: validated, overridden, explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.training.epo.recipe import is_epo
from equipoise.training.recipe import load_recipe, parse_value, recipe_names
from equipoise.training.teachers import teacher_games

MINIMAL = 'name = "mine"\n[games.kuhn.train.sepo]\nsteps = 3\n'


def write(tmp_path: Path, text: str = MINIMAL) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refused(recipe: str, *overrides: str) -> str:
    with pytest.raises(RequestError) as caught:
        load_recipe(recipe, overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


class TestShipped:
    @pytest.mark.parametrize("name", [name for name in recipe_names() if not is_epo(name)])
    def test_each_is_valid_and_named_after_its_file(self, name: str) -> None:
        recipe = load_recipe(name)
        assert recipe.name == name
        assert recipe.games

    def test_those_that_are_promised(self) -> None:
        models = {"gemma4-e4b", "qwen3.5-4b", "gemma4-e4b-joint", "qwen3.5-4b-joint"}
        ours = {"quickstart", "paper-games", "smoke", "table", "ablate-table", "ablate-smollm2"}
        assert ours | models <= set(recipe_names())

    @pytest.mark.parametrize("name", ["gemma4-e4b", "qwen3.5-4b"])
    def test_a_joint_recipe_differs_in_the_games_it_trains_together(self, name: str) -> None:
        alone, joint = load_recipe(name), load_recipe(f"{name}-joint")
        for key in ("model", "dtype", "device", "mode", "temperature", "max_new_tokens", "lora", "audit"):
            assert getattr(joint, key) == getattr(alone, key), key
        run = joint.joint["sepo"]
        assert list(run.games) == list(joint.games) == list(alone.games)
        assert run.settings() == alone.games["ipd"].train["sepo"]
        assert run.sft is not None
        assert run.sft.batch == 8 * len(run.games)

    @pytest.mark.parametrize("name", ["gemma4-e4b", "qwen3.5-4b"])
    def test_the_models_of_the_paper_with_its_settings(self, name: str) -> None:
        """LoRA, rates, KL weights, rollouts, steps, temperature and budget of arXiv 2605.30854."""
        recipe = load_recipe(name)
        assert (recipe.mode, recipe.temperature, recipe.max_new_tokens) == ("free", 0.8, 512)
        assert (recipe.dtype, recipe.lora.rank, recipe.lora.alpha) == ("bfloat16", 32, 64)
        assert list(recipe.games) == ["ipd", "auction", "split", "multi_issue", "kuhn"]
        for game, one in recipe.games.items():
            (sepo,) = one.train.values()
            assert (sepo.steps, sepo.rollouts) == (100, 4)
            assert (sepo.lr, sepo.kl) == ((3e-6, 0.2) if game == "kuhn" else (1e-5, 0.1))
            assert one.sft is not None
            assert (one.sft.recipe, one.sft.lr, one.sft.batch) == ("paper", 2e-5, 8)

    def test_an_abstraction_is_for_tables(self, tmp_path: Path) -> None:
        said = refused(write(tmp_path), "games.kuhn.abstraction=bids")
        assert "games.kuhn.abstraction = 'bids' is for tables: set model = 'table'" in said

    def test_the_papers_games_have_a_warm_start_and_three_runs_that_differ_in_their_seed(
        self,
    ) -> None:
        games = load_recipe("paper-games").games
        assert set(games) == set(teacher_games("paper"))
        for one in games.values():
            assert one.sft is not None
            runs = [one.train[name] for name in ("sepo", "sepo_1", "sepo_2")]
            assert [run.seed for run in runs] == [0, 1, 2]
            assert len({run.model_copy(update={"seed": 0}).model_dump_json() for run in runs}) == 1
        assert games["kuhn"].train["sepo_responders"].exploiters == "pool+best_response"

    def test_the_quickstarts_games_are_played_as_there(self) -> None:
        quick, papers = load_recipe("quickstart").games, load_recipe("paper-games").games
        for name, one in quick.items():
            assert papers[name].sft == one.sft
            assert {run: papers[name].train[run] for run in one.train} == one.train


class TestLoading:
    def test_a_file(self, tmp_path: Path) -> None:
        recipe = load_recipe(write(tmp_path))
        assert recipe.games["kuhn"].train["sepo"].steps == 3
        assert recipe.games["kuhn"].sft is None
        assert (recipe.model, recipe.seed, recipe.audit.level) == ("smollm2", 0, 0.95)

    def test_an_unknown_name_names_the_nearest(self) -> None:
        assert "unknown recipe 'quickstrat': did you mean 'quickstart'?" in refused("quickstrat")

    def test_a_missing_file(self, tmp_path: Path) -> None:
        assert "cannot read recipe" in refused(str(tmp_path / "none.toml"))

    @pytest.mark.parametrize("text", ["name = ", "[games", "= 3", 'name = "a"\nname = "b"\n'])
    def test_what_is_no_toml(self, tmp_path: Path, text: str) -> None:
        message = refused(write(tmp_path, text))
        assert "mine.toml" in message
        assert "is no TOML" in message

    def test_a_missing_key(self, tmp_path: Path) -> None:
        assert "key 'name' is missing" in refused(write(tmp_path, "[games.kuhn]\n"))
        assert "key 'games' is missing" in refused(write(tmp_path, 'name = "a"\n'))

    def test_what_is_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.toml"
        path.write_bytes(b'name = "\xff"\n')
        assert "mine.toml" in refused(str(path))


class TestUnknownKeys:
    @pytest.mark.parametrize(
        ("override", "key", "guess"),
        [
            ("sed=1", "sed", "seed"),
            ("audit.episode=1", "audit.episode", "episodes"),
            ("lora.rnk=1", "lora.rnk", "rank"),
        ],
    )
    def test_the_nearest_is_named(self, tmp_path: Path, override: str, key: str, guess: str) -> None:
        assert f"unknown key {key!r}: did you mean {guess!r}?" in refused(write(tmp_path), override)

    @pytest.mark.parametrize(
        ("override", "key", "guess"),
        [
            ("games.kuhn.trian.sepo.steps=1", "games.kuhn.trian", "train"),
            ("games.kuhn.train.sepo.step=1", "games.kuhn.train.sepo.step", "steps"),
            ("games.kuhn.sft.batsh=1", "games.kuhn.sft.batsh", "batch"),
        ],
    )
    def test_so_it_is_inside_a_game(self, tmp_path: Path, override: str, key: str, guess: str) -> None:
        assert f"unknown key {key!r}: did you mean {guess!r}?" in refused(write(tmp_path), override)

    def test_unlike_any_all_are_listed(self, tmp_path: Path) -> None:
        message = refused(write(tmp_path), "zzz=1")
        for key in ("name", "model", "games", "audit"):
            assert key in message


class TestOverrides:
    @pytest.mark.parametrize(
        ("override", "read"),
        [
            ("seed=7", lambda r: r.seed == 7),
            ("out=runs/mine", lambda r: r.out == "runs/mine"),
            ("threads=2", lambda r: r.threads == 2),
            ("audit.level=0.9", lambda r: r.audit.level == 0.9),
            ("games.kuhn.train.sepo.lr=1e-3", lambda r: r.games["kuhn"].train["sepo"].lr == 1e-3),
            ("games.kuhn.train.late.steps=9", lambda r: r.games["kuhn"].train["late"].steps == 9),
            ("games.kuhn.weights.e=2", lambda r: r.games["kuhn"].weights == {"e": 2.0}),
            (
                'games.kuhn.pools.exploiter=["nash"]',
                lambda r: r.games["kuhn"].pools == {"exploiter": ["nash"]},
            ),
            ("games.ipd.options.rounds=4", lambda r: r.games["ipd"].options == {"rounds": 4}),
            (" seed = 3", lambda r: r.seed == 3),
            ("name=a=b", lambda r: r.name == "a=b"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_dotted_keys_reach_inside(self, tmp_path: Path, override: str, read: Any) -> None:
        assert read(load_recipe(write(tmp_path), [override]))

    def test_the_last_counts(self, tmp_path: Path) -> None:
        assert load_recipe(write(tmp_path), ["seed=1", "seed=2"]).seed == 2

    def test_they_do_not_change_the_shipped_recipe(self) -> None:
        before = load_recipe("smoke").seed
        assert load_recipe("smoke", [f"seed={before + 5}"]).seed == before + 5
        assert load_recipe("smoke").seed == before

    @pytest.mark.parametrize("override", ["seed", "=3", " =3", ""])
    def test_what_is_no_override(self, tmp_path: Path, override: str) -> None:
        assert "is no override: write key=value, e.g. seed=1" in refused(write(tmp_path), override)

    def test_a_value_has_no_keys(self, tmp_path: Path) -> None:
        assert "'name' is a value, it has no keys" in refused(write(tmp_path), "name.first=a")

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("3", 3),
            ("3.5", 3.5),
            ("1e-4", 1e-4),
            ("true", True),
            ('"3"', "3"),
            ("['a', 'b']", ["a", "b"]),
            ("{e = 1}", {"e": 1}),
            ("runs/mine", "runs/mine"),
            ("", ""),
            ("True", "True"),
        ],
    )
    def test_values_are_tomls_and_else_text(self, text: str, value: Any) -> None:
        found = parse_value(text)
        assert found == value
        assert type(found) is type(value)


class TestRanges:
    @pytest.mark.parametrize(
        ("override", "message"),
        [
            ("seed=one", "seed = 'one': input should be a valid integer"),
            ("seed=1.5", "seed = 1.5"),
            ("threads=0", "threads = 0: input should be greater than or equal to 1"),
            ("dtype=float16", "dtype = 'float16': input should be 'float32' or 'bfloat16'"),
            ("audit.level=1.0", "audit.level = 1.0: input should be less than 1"),
            ("audit.episodes=0", "audit.episodes = 0"),
            ("lora.rank=0", "lora.rank = 0"),
            ("games.kuhn.train.sepo.rollouts=1", "games.kuhn.train.sepo.rollouts = 1"),
            (
                "games.kuhn.train.sepo.lr=0.0",
                "sepo.lr = 0.0: input should be greater than 0",
            ),
            ("games.kuhn.train.sepo.lr=nan", "games.kuhn.train.sepo.lr = nan"),
            ("games.kuhn.train.sepo.kl=-0.1", "games.kuhn.train.sepo.kl = -0.1"),
            (
                "games.kuhn.train.sepo.credit=per_rolout",
                "games.kuhn.train.sepo.credit = 'per_rolout': input should be 'per_pool', 'per_rollout' or "
                "'shared'; did you mean 'per_rollout'?",
            ),
            ("games.kuhn.train.sepo.exploiters=nash", "games.kuhn.train.sepo.exploiters = 'nash'"),
            ("games.kuhn.sft.validation=1.0", "games.kuhn.sft.validation = 1.0"),
            ("games.kuhn.sft.recipe=mine", "games.kuhn.sft.recipe = 'mine'"),
            ("games=3", "games = 3"),
        ],
    )
    def test_the_value_is_named(self, tmp_path: Path, override: str, message: str) -> None:
        assert message in refused(write(tmp_path), override)

    @pytest.mark.parametrize("credit", ["shared", "per_rollout"])
    def test_the_exact_gradient_has_nothing_to_credit(self, tmp_path: Path, credit: str) -> None:
        run = "games.kuhn.train.sepo"
        given = (f"{run}.gradient=exact", f"{run}.credit={credit}")
        message = f"{run}.credit = '{credit}': the exact gradient leaves nothing to credit, use gradient = "
        assert message in refused(write(tmp_path), *given)
        assert load_recipe(write(tmp_path), [given[0], f"{run}.credit=per_pool"]).games["kuhn"]
        assert load_recipe(write(tmp_path), [given[1]]).games["kuhn"].train["sepo"].credit == credit

    def test_infinity_is_out_of_range(self, tmp_path: Path) -> None:
        assert "lr = inf" in refused(write(tmp_path), "games.kuhn.train.sepo.lr=inf")

    def test_a_recipe_does_not_change(self) -> None:
        recipe = load_recipe("smoke")
        with pytest.raises(ValueError, match="frozen"):
            recipe.seed = 3  # type: ignore[misc]
