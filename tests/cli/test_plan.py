"""``equipoise run --dry-run``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.training.recipes import SMALL, write


@pytest.fixture(autouse=True)
def _no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("policies.local.policy", "policies.local.loading", "training.lora"):
        monkeypatch.setattr(
            f"equipoise.{place}.load_spec", lambda *a, **s: pytest.fail("weights were loaded")
        )


def test_says_what_a_run_takes_and_leaves_nothing(run: Run, tmp_path: Path) -> None:
    recipe = write(tmp_path, SMALL)
    done = run("run", recipe, f"out={tmp_path / 'run'}", "--dry-run", "-q")
    assert done.code == 0, done.err
    for part in (
        "each step of every stage",
        "audit base",
        "sepo: selection",
        "activations",
        "n/a",
        "adapter",
    ):
        assert part in done.out
    assert not (tmp_path / "run").exists()


def test_json_says_of_every_figure_how_it_came_about(run: Run, tmp_path: Path) -> None:
    recipe = write(tmp_path, SMALL)
    done = run("run", recipe, "--dry-run", "--tokens-per-second", "100", "--json", "-", "-q")
    assert done.code == 0, done.err
    data = done.json
    assert (data["schema"], data["recipe"], data["model"]) == (1, "small", "tiny-random")
    figures = [*data["parameters"].values(), *data["memory"].values(), *data["total"].values()]
    figures += [f for stage in data["stages"] for name, f in stage.items() if name not in ("game", "stage")]
    assert len(figures) > 50
    for figure in figures:
        assert set(figure) == {"value", "unit", "exact", "how"}
        assert figure["value"] >= 0
        assert figure["how"]
    total = data["total"]
    assert total["seconds"]["value"] == pytest.approx(total["all_tokens"]["value"] / 100.0)
    parts = [part["value"] for name, part in data["memory"].items() if name != "total"]
    assert data["memory"]["total"]["value"] == pytest.approx(sum(parts))


def test_text_is_planned_as_text(run: Run, tmp_path: Path) -> None:
    recipe = write(tmp_path, SMALL)
    done = run("run", recipe, "mode=free", "max_new_tokens=9", "--dry-run", "--json", "-", "-q")
    assert done.code == 0, done.err
    stages = {stage["stage"]: stage for stage in done.json["stages"]}
    for name in ("audit base", "sepo", "sepo: selection"):
        stage = stages[name]
        assert stage["episodes"]["value"] > 0
        assert stage["answer_tokens"]["value"] == 9 * stage["decisions"]["value"]
        assert "at most" in stage["answer_tokens"]["how"]
        assert stage["computed_tokens"]["value"] > stage["answer_tokens"]["value"]
    assert stages["sft"]["answer_tokens"]["value"] < 9 * stages["sft"]["decisions"]["value"]


def test_a_model_that_is_nowhere(run: Run, tmp_path: Path) -> None:
    recipe = write(tmp_path, SMALL)
    done = run("run", recipe, "model=hf:nobody/nothing", "--dry-run", "-q")
    assert (done.code, "give its config.json with --model-config" in done.error) == (2, True)
    config = tmp_path / "config.json"
    config.write_text(
        '{"model_type": "llama", "hidden_size": 16, "intermediate_size": 8, "num_hidden_layers": 2, '
        '"num_attention_heads": 2, "vocab_size": 99, "tie_word_embeddings": true}',
        encoding="utf-8",
    )
    given = ("--dry-run", "--model-config", config, "--json", "-", "-q")
    done = run("run", recipe, "model=hf:nobody/nothing", *given)
    assert done.code == 0, done.err
    # Embeddings, attention, MLP and norms, by hand.
    by_hand = 99 * 16 + 2 * (4 * 16 * 16 + 3 * 16 * 8 + 2 * 16) + 16
    assert done.json["parameters"]["model"]["value"] == by_hand
    assert "4 characters a token" in done.json["stages"][1]["prompt_tokens"]["how"]


@pytest.mark.parametrize("flag", ["--tokens-per-second", "--model-config"])
def test_settings_of_a_plan_without_one(run: Run, tmp_path: Path, flag: str) -> None:
    done = run("run", write(tmp_path, SMALL), flag, "7")
    assert (done.code, f"{flag} '7" in done.error, "--dry-run" in done.error) == (2, True, True)
