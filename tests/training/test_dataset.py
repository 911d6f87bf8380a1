"""What is written: files that read back, whole or not at all, with a card that counts what is in them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import equipoise.training.dataset as dataset
from equipoise.errors import EquipoiseError, RequestError
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.pools import default_pools
from equipoise.prompts.registry import get_renderer
from equipoise.training.data import Demonstrations, Example, Shares
from equipoise.training.dataset import DataRequest, write_file, write_folder
from equipoise.training.teachers import teacher_games

IPD = make_game("ipd")
SMALL = [make_game("ipd", rounds=2), make_game("kuhn"), make_game("multi_issue")]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def request(**settings: Any) -> DataRequest:
    return DataRequest(**{"recipe": "balanced", "episodes": 20, **settings})


@pytest.mark.parametrize("reasons", [False, True])
@pytest.mark.parametrize("name", game_names())
def test_written_rows_can_be_read_back(name: str, reasons: bool, tmp_path: Path) -> None:
    game, file = make_game(name), tmp_path / "new" / "data.jsonl"
    asked = request(seed=4, reasons=reasons, shares=Shares(0.2, 0.2))
    card = write_file(game, asked, file)
    rows, renderer = read(file), get_renderer(name)
    examples = list(Demonstrations(game, "balanced", 4, Shares(0.2, 0.2)).first_episodes(20))
    assert len(rows) == len(examples) == card["games"][name]["examples"]
    for row, example in zip(rows, examples, strict=True):
        (question,), (answer,) = row["prompt"], row["completion"]
        assert (question["role"], answer["role"]) == ("user", "assistant")
        prompt = renderer.prompt(example.decision)
        assert question["content"] == prompt.rules + prompt.situation
        assert renderer.parse(answer["content"], example.decision.legal or ()) == example.action
        assert answer["content"].splitlines()[-1] == f"Action: {row['action']}"
        assert len(answer["content"].splitlines()) == 1 + reasons
        assert row["game"] == game.info_record.key
        assert (row["episode"], row["teacher"]) == (example.episode, example.teacher)
        assert (row["opponent"], row["split"]) == (example.opponent, example.split)
    assert files(tmp_path) == {"new/data.jsonl"}


@pytest.mark.parametrize("name", game_names())
def test_the_card_counts_what_was_written(name: str, tmp_path: Path) -> None:
    game, file = make_game(name), tmp_path / "data.jsonl"
    card = write_file(game, request(episodes=60, shares=Shares(0.2, 0.1)), file)["games"][name]
    rows = read(file)
    texts = [(row["prompt"][0]["content"], row["completion"][0]["content"]) for row in rows]
    train = {text for text, row in zip(texts, rows, strict=True) if row["split"] == "train"}

    def count(key: str, value: str) -> dict[str, int]:
        found = [row for row in rows if row[key] == value]
        return {"episodes": len({row["episode"] for row in found}), "examples": len(found)}

    assert (card["game"], card["episodes"], card["examples"]) == (game.info_record.key, 60, len(rows))
    assert card["splits"] == {split: count("split", split) for split in ("train", "validation", "test")}
    assert 0 < card["splits"]["validation"]["examples"] < card["splits"]["train"]["examples"]
    mixture = Demonstrations(game, "balanced", 0).mixture
    assert card["teachers"] == {
        one.name: {"weight": weight, **count("teacher", one.name), "source": one.source}
        for one, weight in mixture.teachers
    }
    assert card["opponents"] == {one: count("opponent", one) for one in mixture.opponents}
    assert card["actions"] == Counter(row["action"] for row in rows)
    assert card["held_out_opponents"] == list(default_pools(name).shift)
    assert not set(card["opponents"]) & set(card["held_out_opponents"])
    assert card["duplicates"] == {
        "distinct_prompts": len({prompt for prompt, _ in texts}),
        "distinct_examples": len(set(texts)),
        "duplicates": len(texts) - len(set(texts)),
        "held_out_seen_in_train": sum(
            text in train for text, row in zip(texts, rows, strict=True) if row["split"] != "train"
        ),
    }
    assert card["deals"] == {"split": "sft", "first": 0, "last": 59}
    assert card["files"] == ["data.jsonl"]


def test_a_size_in_examples_is_exact(tmp_path: Path) -> None:
    card = write_folder(SMALL, DataRequest("paper", examples=37), tmp_path / "set")
    assert [game["examples"] for game in card["games"].values()] == [37, 37, 37]
    assert (card["episodes"], card["examples"]) == (None, 37)
    assert len(read(tmp_path / "set" / "kuhn.jsonl")) == 37


def test_a_folder_has_a_file_a_game_and_the_card(tmp_path: Path) -> None:
    out = tmp_path / "set"
    card = write_folder(SMALL, request(), out, left_out=["commons"])
    assert files(out) == {
        *("ipd.jsonl", "kuhn.jsonl", "multi_issue.jsonl"),
        *("README.md", "card.json", "request.json"),
    }
    assert json.loads((out / "card.json").read_text(encoding="utf-8")) == card
    assert card["left_out"] == ["commons"]
    assert card["games"]["ipd"]["options"] == {"rounds": 2}
    for name in ("ipd", "kuhn", "multi_issue"):
        assert {row["game"] for row in read(out / f"{name}.jsonl")} == {f"{name}@1"}
        assert card["games"][name]["files"] == [f"{name}.jsonl"]


def test_the_layout_of_datasets_has_a_file_a_split(tmp_path: Path) -> None:
    out = tmp_path / "set"
    shares = Shares(0.2, 0.2)
    card = write_folder(SMALL, request(shares=shares), out, "datasets")
    splits = ("train", "validation", "test")
    assert files(out) == {
        *(f"{name}/{split}.jsonl" for name in ("ipd", "kuhn", "multi_issue") for split in splits),
        *("README.md", "card.json", "request.json"),
    }
    write_folder(SMALL, request(shares=shares), tmp_path / "flat")
    for name in ("ipd", "kuhn", "multi_issue"):
        together = read(tmp_path / "flat" / f"{name}.jsonl")
        for split in splits:
            assert read(out / name / f"{split}.jsonl") == [row for row in together if row["split"] == split]
        assert card["games"][name]["files"] == [f"{name}/{split}.jsonl" for split in splits]


def test_the_same_folder_again_is_the_same_and_another_request_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "set"

    def contents() -> dict[str, bytes]:
        return {name: (out / name).read_bytes() for name in files(out)}

    write_folder(SMALL[:2], request(), out)
    first = contents()
    (out / "kuhn.jsonl").unlink()
    (out / "ipd.jsonl.part").write_text("half a line", encoding="utf-8")
    write_folder(SMALL[:2], request(), out)
    assert contents() == first
    for other, changed in (
        (request(seed=1), r"another seed \(0, now 1\)"),
        (request(reasons=True), r"another reasons \(False, now True\)"),
        (request(recipe="paper"), r"another recipe \('balanced', now 'paper'\)"),
        (request(shares=Shares(0.3)), r"another shares.validation \(0.1, now 0.3\)"),
    ):
        with pytest.raises(RequestError, match=rf"{changed}: choose another --out"):
            write_folder(SMALL[:2], other, out)
    with pytest.raises(RequestError, match="another games"):
        write_folder(SMALL[:1], request(), out)
    assert contents() == first


def test_folders_and_files_of_something_else_are_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RequestError, match="holds files of something else: choose another --out"):
        write_folder(SMALL[:1], request(), tmp_path)
    for text in ("mine\n", '{"prompt": 1}\n', "7\n", "[]\n", "\udc80"):
        file = tmp_path / "notes.jsonl"
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(RequestError, match="holds something else than such data: name another file"):
            write_file(SMALL[0], request(), file)
        assert file.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_the_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data.jsonl"
    write_file(IPD, request(episodes=5), file)
    first = file.read_bytes()
    write_file(IPD, request(episodes=5, seed=1), file)
    kept = file.read_bytes()
    assert kept != first
    real, calls = dataset.row_of, []

    def fail(example: Example, reasons: bool) -> dict[str, Any]:
        calls.append(example)
        if len(calls) > 10:
            raise KeyboardInterrupt
        return real(example, reasons)

    with monkeypatch.context() as patched:
        patched.setattr(dataset, "row_of", fail)
        with pytest.raises(KeyboardInterrupt):
            write_file(IPD, request(episodes=5), file)
    assert len(calls) == 11
    assert file.read_bytes() == kept
    assert files(tmp_path) == {"data.jsonl"}
    write_file(IPD, request(episodes=5), file)
    assert file.read_bytes() == first


def test_wrong_requests_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown teacher recipe 'ballanced': did you mean 'balanced'"):
        write_file(IPD, request(recipe="ballanced"), tmp_path / "new" / "data.jsonl")
    with pytest.raises(RequestError, match="commons is not a game of the paper"):
        write_folder([IPD, make_game("commons")], request(recipe="paper"), tmp_path / "new")
    with pytest.raises(RequestError, match="no episode is left to train on: raise --episodes"):
        write_file(IPD, request(episodes=1, shares=Shares(0.999)), tmp_path / "data.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"episodes": 0}, "episodes = 0: a size is at least 1"),
        ({"examples": -3}, "examples = -3: a size is at least 1"),
        ({"episodes": 5, "examples": 7}, "episodes = 5 and examples = 7 are two sizes: give one"),
    ],
)
def test_sizes_are_checked(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        DataRequest("paper", **sizes)  # type: ignore[arg-type]


def test_without_a_size_it_is_that_of_the_warm_start() -> None:
    from equipoise.training.config import SftConfig

    assert DataRequest("paper").to_json()["episodes"] == SftConfig().episodes


def test_a_mixture_that_meets_the_held_out_is_an_error(tmp_path: Path) -> None:
    """The last check looks at what stands in the data, whoever let it in."""
    played = Demonstrations(IPD, "paper", 0)
    played._opponents = dict(played._opponents)
    object.__setattr__(played.mixture, "opponents", ("tit_for_tat", "pavlov"))
    played._opponents["pavlov"] = played._opponents["tit_for_tat"]
    with pytest.raises(EquipoiseError, match="'pavlov' is held out but stands in the data"):
        dataset._write(played, request(), lambda split: tmp_path / "x.jsonl", None)
    assert list(tmp_path.iterdir()) == []


def test_the_command_makes_the_same_data_again(tmp_path: Path) -> None:
    from equipoise.cli import main

    game = make_game("ipd", rounds=3, noise=0.1)
    asked = DataRequest("paper", examples=25, seed=3, shares=Shares(0.2, 0.1), reasons=True)
    card = write_file(game, asked, tmp_path / "a.jsonl")
    import shlex

    words = [word if word != "PATH" else str(tmp_path / "b.jsonl") for word in shlex.split(card["command"])]
    assert main([*words[1:], "--quiet"]) == 0
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
    folder = write_folder(
        [make_game(name) for name in teacher_games("paper")], DataRequest("paper", 3), tmp_path / "c"
    )
    assert folder["command"].startswith("equipoise data all --recipe paper --episodes 3 --seed 0 ")
