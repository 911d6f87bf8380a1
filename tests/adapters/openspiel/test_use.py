"""Everything that takes a game takes one of OpenSpiel."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspiel")

import equipoise
from equipoise.cli import main
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.objective.safety import Objective
from equipoise.opponents.pools import default_pools
from equipoise.policies.registry import load_game
from equipoise.policies.tabular import TabularPolicy
from equipoise.rollout.transcript import read_episodes
from equipoise.training.data import make_examples

KUHN = "openspiel:kuhn_poker"
DICE = "openspiel:liars_dice(dice_sides=2)"


def test_kuhn_is_audited_exactly_by_a_function() -> None:
    def player(decision: equipoise.types.Decision) -> str:
        return "Bet" if str(decision.info["information_state"]).startswith("2") else "Pass"

    found = equipoise.audit(KUHN, player).results[0]
    assert found.settings["method"] == "exact"
    best = found.metrics["best_response"]
    assert best is not None
    # Tight play, domains.md: a best reply gets 1/4 chips a hand.
    assert best.value == pytest.approx(1 / 4, abs=1e-12)
    assert {k for k, v in found.metrics.items() if v is None} >= {"collusion", "externality", "robustness"}
    assert found.weights == {"e": 1.5, "c": 0.0, "x": 0.0, "scale": 1.5}


def test_sampled_values_contain_the_exact_one() -> None:
    sampled = equipoise.audit(DICE, "scripted:random", exact=False, episodes=60).results[0]
    exact = equipoise.audit(DICE, "scripted:random", exact=True).results[0]
    for metric in ("utility", "safety"):
        low, high = sampled.metrics[metric].low, sampled.metrics[metric].high  # type: ignore[union-attr]
        assert low is not None
        assert high is not None
        assert low <= exact.metrics[metric].value <= high  # type: ignore[union-attr]


def test_a_transcript_names_the_game_with_its_parameters(tmp_path: Path) -> None:
    equipoise.audit(DICE, "scripted:random", exact=False, episodes=2, out=tmp_path / "out")
    (folder,) = (p for p in (tmp_path / "out").iterdir() if p.is_dir())
    assert folder.name == "openspiel_liars_dice(dice_sides=2)"
    episodes = list(read_episodes(folder / "policy" / "transcript.jsonl"))
    assert len(episodes) == 4
    assert {episode.game for episode in episodes} == {f"{DICE}@1"}
    assert {tuple(episode.options.items()) for episode in episodes} == {(("dice_sides", 2),)}
    first = episodes[0]
    again = equipoise.play(DICE, "scripted:random", "random", seat=first.seat, deal=first.deal)
    assert again.chance == first.chance
    assert len(first.rounds) == 1
    assert load_game(first.game.partition("@")[0], first.options).info_record.key == first.game


def test_a_table_plays_only_the_game_it_was_made_for(tmp_path: Path) -> None:
    game = load_game(DICE)
    TabularPolicy(game.info_record.key, {}).save(tmp_path / "table.json")
    with pytest.raises(RequestError, match=r"is a table for openspiel:liars_dice\(dice_sides=2\)@1, not for"):
        equipoise.load_policy(f"tabular:{tmp_path / 'table.json'}", "openspiel:liars_dice(dice_sides=3)")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("audit", KUHN, "--policy", "scripted:random"), "best_response"),
        (
            ("audit", DICE, KUHN, "--policy", "scripted:random", "-n", "3", "--sample"),
            "liars_dice(dice_sides=2)",
        ),
        (("audit", "openspiel:liars_dice", "-o", "dice_sides=2", "-p", "scripted:random"), "dice_sides=2"),
        (("play", KUHN, "--policy", "scripted:random", "--opponent", "random"), "openspiel:kuhn_poker@1"),
        (("play", DICE, "-p", "scripted:random", "--opponent", "random"), "dice_sides = 2"),
        (("games", "openspiel:leduc_poker"), "suit_isomorphism"),
        (("games", DICE), "payoffs a round from -1 to 1, zero-sum"),
        (("opponents", "openspiel:leduc_poker"), "random"),
    ],
)
def test_commands_take_it(command: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(command)) == 0
    assert shown in capsys.readouterr().out.replace("\n", " ")


def test_a_person_can_play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("bet\n" * 4))
    assert main(["play", KUHN, "--policy", "human", "--opponent", "random"]) == 0
    out = capsys.readouterr().out
    assert "Legal actions: Pass, Bet" in out
    assert "finished after 1 rounds" in out


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (("data", KUHN, "--recipe", "paper", "--out", "x.jsonl"), "unknown game with SFT teachers"),
        (("audit", "openspiel:kuhn", "-p", "scripted:random"), "did you mean 'kuhn_poker'?"),
        (
            ("audit", KUHN, "-p", "scripted:nash"),
            "unknown openspiel:kuhn_poker strategy 'nash': choose one of",
        ),
        (("audit", "openspiel:chess", "-p", "scripted:random", "--exact"), "too large for exact values"),
        (("solve", "openspiel:chess"), "too large to solve"),
        (("audit", "kuhn", "train=random", "-p", "scripted:nash"), "'train=random' is no game"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    command: tuple[str, ...], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(command)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert error in err
    assert len(err.splitlines()) == 1


def test_there_are_no_teachers_for_it() -> None:
    with pytest.raises(RequestError, match="unknown game with SFT teachers"):
        make_examples(load_game(KUHN), "paper", 1, 0)


def test_solving_finds_the_optimum_and_closes_the_hole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["solve", KUHN, "--exploiters", "pool", "pool+best_response", "--steps", "300"]
    assert main([*command, "--out", str(tmp_path), "--json", "-", "--quiet"]) == 0
    rows = {row["policy"]: row["metrics"] for row in json.loads(capsys.readouterr().out)["results"]}
    best = {name: metrics["best_response"]["value"] for name, metrics in rows.items()}
    # Against a random player alone the best plan is open to a strong one; a responder closes most of that.
    assert best["pool/seed0"] > 0.3
    assert best["pool+best_response/seed0"] < 0.1
    assert rows["optimum"]["safety"]["value"] == pytest.approx(rows["optimum"]["optimum"]["value"], abs=1e-9)
    assert rows["pool/seed0"]["safety"]["value"] <= rows["optimum"]["optimum"]["value"] + 1e-9
    table = f"tabular:{tmp_path / 'pool_best_response-seed0.json'}"
    again = equipoise.audit(KUHN, table).results[0].metrics["best_response"]
    assert again is not None
    assert again.value == pytest.approx(best["pool+best_response/seed0"], abs=1e-12)


def test_training_on_leduc_closes_the_hole_too() -> None:
    game = "openspiel:leduc_poker"
    rows = {
        row.policy: row.metrics["best_response"].value  # type: ignore[union-attr]
        for row in equipoise.solve(game, "pool+best_response", steps=5).results
    }
    uniform = equipoise.audit(game, "scripted:random", exact=True).results[0].metrics["best_response"]
    assert uniform is not None
    assert rows["optimum"] > uniform.value
    assert rows["pool+best_response/seed0"] < 0.8 * uniform.value


def test_a_recipe_trains_on_it(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'name = "two"\nmodel = "table"\naudit.episodes = 2\n'
        '[games."openspiel:kuhn_poker".train.exact]\nsteps = 20\ngradient = "exact"\nlr = 10.0\n'
        '[games."openspiel:liars_dice(dice_sides=2)".train.sampled]\nsteps = 2\ndeals = 1\nrollouts = 2\n',
        encoding="utf-8",
    )
    done = equipoise.train(str(recipe), f"out={tmp_path / 'run'}")
    folders = {path.name for path in done.folder.iterdir() if path.is_dir()}
    assert folders == {"openspiel_kuhn_poker", "openspiel_liars_dice(dice_sides=2)"}
    safety = {(row.game, row.policy): row.metrics["safety"].value for row in done.result.results}  # type: ignore[union-attr]
    assert safety[KUHN, "exact"] > safety[KUHN, "base"] + 0.1
    assert (DICE, "sampled") in safety


def test_the_objective_is_read_off_the_declaration() -> None:
    record = load_game("openspiel:leduc_poker").info_record
    objective = Objective.of(record, default_pools("openspiel:leduc_poker"))
    assert objective.scale == pytest.approx(3 / 13)
    assert (objective.has_collusion, objective.has_externality) == (False, False)
    assert make_game("kuhn").info_record.payoff_scale == load_game(KUHN).info_record.payoff_scale
