"""Golden playthroughs: one episode a game, which must replay byte for byte."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.games.match import Match
from equipoise.games.registry import game_names, make_game
from equipoise.testing import playthrough, replay
from equipoise.testing.golden import main
from tests.testing.toy import Toy

FOLDER = Path(__file__).parents[1] / "golden" / "playthroughs"
FILES = sorted(FOLDER.glob("*.txt"))
COMMAND = "python -m equipoise.testing.golden tests/golden/playthroughs/*.txt"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_playthrough_replays_byte_for_byte(file: Path) -> None:
    golden = file.read_bytes()
    again = replay(golden.decode()).encode()
    assert again == golden, f"the rules changed: raise the version, or write it anew with `{COMMAND}`"


def test_every_game_has_a_playthrough_and_three_have_one_with_options() -> None:
    heads = [file.read_text(encoding="utf-8").splitlines()[1:3] for file in FILES]
    plain = {
        game.removeprefix("game ").partition("@")[0] for game, options in heads if options == "options {}"
    }
    assert plain == set(game_names())
    assert {file.stem for file in FILES} - plain == {
        "ipd_noise_hidden_horizon",
        "kuhn_memory",
        "multi_issue_pool10",
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_engine_pays_what_a_playthrough_says(file: Path) -> None:
    """The environment of the engine, fed with the chance and the actions of the text, agrees with it."""
    lines = file.read_text(encoding="utf-8").splitlines()
    options = ast.literal_eval(lines[2].removeprefix("options ").replace("true", "True"))
    game = make_game(lines[1].removeprefix("game ").partition("@")[0], **options)
    chance: dict[tuple[int, str], str] = {}
    actions: dict[int, list[str]] = defaultdict(list)
    paid: list[tuple[float, ...]] = []
    round_, who = 0, ""
    for line in lines[5:]:
        kind, _, rest = line.strip().partition(" ")
        if kind == "round":
            round_ = int(rest)
        elif kind == "chance":
            who = rest.partition(":")[0]
        elif kind == "seat" and " at " in rest:
            who = rest[0]
        elif kind == "->" and who.isdigit():
            actions[int(who)].append(rest)
        elif kind == "->":
            chance[round_, who] = rest
        elif kind == "payoffs":
            paid.append(tuple(float(number) for number in rest.split(", ")))

    class Told(Match):
        def _draw(self) -> None:
            while (purpose := self.state.chance) is not None:
                told = chance[self.state.round, purpose]
                (outcome,) = [o for o, _ in self.state.chance_outcomes() if str(o) == told]
                self._advance(self.state.apply_chance(outcome))

    match = Told(game, lambda round_, purpose: 0.0)
    while not match.is_over:
        said = {seat: actions[seat].pop(0) for seat in match.players_to_move}
        legal = {seat: match.observe(seat).legal or () for seat in said}
        match.apply({seat: next(a for a in legal[seat] if str(a) == said[seat]) for seat in said})
    assert [tuple(outcome.payoffs) for outcome in match.outcomes] == [pytest.approx(row) for row in paid]
    assert not any(actions.values())


def test_another_seed_plays_another_episode() -> None:
    game = make_game("auction")
    assert playthrough(game, 1) == playthrough(game, 1)
    assert playthrough(game, 1) != playthrough(game, 2)


def test_what_a_seat_knows_and_what_it_may_do_are_shown() -> None:
    text = playthrough(make_game("kuhn", rounds=1), 0)
    assert "chance card/1: J 0.5, K 0.5\n" in text
    assert "legal PASS, BET\n" in text
    assert "collusion n/a\n" in text


def test_a_game_of_ones_own_replays_if_its_class_is_named() -> None:
    text = playthrough(Toy(), 3)
    assert replay(text, Toy) == text
    with pytest.raises(RequestError, match="unknown game 'toy'"):
        replay(text)


@pytest.mark.parametrize("text", ["", "something else\n", "equipoise playthrough 1\ngame ipd@1\nseed x\n"])
def test_other_text_is_no_playthrough(text: str) -> None:
    with pytest.raises(RequestError, match="this is no playthrough"):
        replay(text)


def test_one_command_writes_playthroughs_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "split.txt"
    right = playthrough(make_game("split", rounds=2), 4)
    file.write_text(right.replace("payoffs", "wages"), encoding="utf-8")
    assert main([str(file)]) == 0
    assert file.read_text(encoding="utf-8") == right
    assert main([str(tmp_path / "missing.txt")]) == 2
    assert "missing.txt" in capsys.readouterr().err
