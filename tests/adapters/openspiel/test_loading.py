"""From names to games: parameters, canonical names, and what does not fit."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from equipoise.adapters.openspiel import library
from equipoise.adapters.openspiel.rules import OpenSpielGame
from equipoise.errors import RequestError
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_game

pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.parametrize(
    ("name", "options", "key", "changed"),
    [
        ("kuhn_poker", {}, "openspiel:kuhn_poker@1", {}),
        ("kuhn_poker()", {}, "openspiel:kuhn_poker@1", {}),
        # One die is OpenSpiel's default: the same rules have one name.
        ("liars_dice(numdice=1)", {}, "openspiel:liars_dice@1", {}),
        (
            "liars_dice(numdice=2,dice_sides=3)",
            {},
            "openspiel:liars_dice(dice_sides=3,numdice=2)@1",
            {"dice_sides": 3, "numdice": 2},
        ),
        ("liars_dice(dice_sides=3)", {"numdice": 2}, "openspiel:liars_dice(dice_sides=3,numdice=2)@1", None),
        ("liars_dice(dice_sides=3)", {"dice_sides": 3}, "openspiel:liars_dice(dice_sides=3)@1", None),
        ("leduc_poker(suit_isomorphism=true)", {}, "openspiel:leduc_poker(suit_isomorphism=True)@1", None),
        ("kriegspiel(50_move_rule=false)", {}, "openspiel:kriegspiel(50_move_rule=False)@1", None),
        ("tic_tac_toe", {}, "openspiel:tic_tac_toe@1", {}),
        # Its epsilon has to be given, so what OpenSpiel lists as the default is part of the name.
        (
            "add_noise(game=kuhn_poker,epsilon=1.0,seed=1)",
            {},
            "openspiel:add_noise(epsilon=1.0,game=kuhn_poker,seed=1)@1",
            None,
        ),
        ("misere(game=kuhn_poker)", {}, "openspiel:misere(game=kuhn_poker)@1", {"game": "kuhn_poker"}),
        (
            "misere(game=liars_dice(dice_sides=2))",
            {},
            "openspiel:misere(game=liars_dice(dice_sides=2))@1",
            None,
        ),
    ],
)
def test_a_game_is_known_by_the_parameters_that_differ(
    name: str, options: dict[str, object], key: str, changed: dict[str, object] | None
) -> None:
    game = load_game(f"openspiel:{name}", options)
    assert game.info_record.key == key
    assert game.name == f"openspiel:{name.partition('(')[0]}"
    if changed is not None:
        assert game.options.changed() == changed


@pytest.mark.parametrize(
    "name",
    [
        "liars_dice(dice_sides=2)",
        "leduc_poker(suit_isomorphism=true)",
        "misere(game=liars_dice(dice_sides=2))",
        "add_noise(game=kuhn_poker,epsilon=1.0,seed=1)",
    ],
)
def test_a_canonical_name_names_the_same_game(name: str) -> None:
    first = load_game(f"openspiel:{name}")
    again = load_game(first.info_record.id, first.options.changed())
    assert again.info_record == first.info_record


def test_parameters_reach_openspiel() -> None:
    game = load_game("openspiel:liars_dice(dice_sides=2)")
    assert isinstance(game, OpenSpielGame)
    assert len(game.initial_state().chance_outcomes()) == 2


def test_the_declaration_is_openspiels() -> None:
    info = load_game("openspiel:leduc_poker").info_record
    # OpenSpiel's leduc_poker.h: antes of 1, raises of 2 and 4, two a round: at most 13 can be lost.
    assert info.payoff_bounds == (-13.0, 13.0)
    assert (info.payoff_scale, info.zero_sum, info.symmetric) == (13.0, True, False)
    assert (info.rounds, info.seats, info.solution) == (1, 2, "exact")
    assert (info.dynamics, info.information) == ("sequential", "imperfect")
    assert (info.collusion, info.externality) == (None, None)
    assert info.weights.e == 1.5
    assert load_game("openspiel:matrix_pd").info_record.zero_sum is False
    assert load_game("openspiel:matrix_rps").info_record.dynamics == "simultaneous"
    assert load_game("openspiel:tic_tac_toe").info_record.information == "complete"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kuhn_poke", r"unknown OpenSpiel game 'kuhn_poke': did you mean 'kuhn_poker'\?"),
        ("zzzzzz", r"unknown OpenSpiel game 'zzzzzz': pyspiel.registered_names\(\) lists all"),
        ("", r"'openspiel:' is no name of a game: write 'openspiel:NAME' or"),
        ("liars_dice(numdic=1)", r"openspiel:liars_dice: unknown option 'numdic': did you mean 'numdice'\?"),
        (
            "liars_dice(numdice=x)",
            r"openspiel:liars_dice: option numdice = 'x': input should be a valid integer",
        ),
        ("liars_dice(dice_sides=-3)", r"'openspiel:liars_dice': OpenSpiel says .*dice_sides_ = -3"),
        (
            "kuhn_poker(players=3)",
            r"'openspiel:kuhn_poker' does not fit: it has 3 players, and only .* set players=2 if it can",
        ),
        ("blackjack", r"'openspiel:blackjack' does not fit: it has 1 player"),
        ("mfg_crowd_modelling", r"does not fit: it is a mean-field game"),
        ("negotiation", r"does not fit: it draws chance by itself"),
        ("python_iterated_prisoners_dilemma", r"does not fit: it has no information-state string"),
        ("misere(game=kuhn)", r"unknown OpenSpiel game 'kuhn': did you mean"),
        ("nfg_game", r"'openspiel:nfg_game': OpenSpiel says"),
        ("misere", r"'openspiel:misere': OpenSpiel says"),
    ],
)
def test_what_does_not_fit_is_one_line_that_says_why(
    name: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        load_game(f"openspiel:{name}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    # OpenSpiel prints its exceptions by itself; the one line is enough.
    assert capfd.readouterr().err == ""


def test_a_parameter_that_is_given_two_values_is_a_wrong_request() -> None:
    with pytest.raises(RequestError, match=r"with the option numdice = 2: give numdice once"):
        make_game("openspiel:liars_dice(numdice=1)", numdice=2)


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[exact\]'"):
        library.game_type("kuhn_poker")
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[exact\]'"):
        load_game("openspiel:a_game_nobody_loaded_before")


def test_errors_can_be_printed_again_after_openspiel_was_muted(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RequestError):
        load_game("openspiel:liars_dice(dice_sides=-3)")
    os.write(2, b"heard")
    assert capfd.readouterr().err == "heard"


def test_a_game_without_bounds_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless:
        """Kuhn poker for stakes without end."""

        def __init__(self) -> None:
            self.inner = pyspiel.load_game("kuhn_poker")

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def max_utility(self) -> float:
            return float("inf")

    endless = Endless()
    monkeypatch.setattr(pyspiel, "load_game", lambda short, parameters: endless)
    with pytest.raises(RequestError, match="does not fit: its utilities have no bounds"):
        library.open_game("kuhn_poker", {})


def test_a_process_without_standard_error_can_load_games() -> None:
    code = (
        "import os; os.close(2)\n"
        "from equipoise.policies.registry import load_game\n"
        "print(load_game('openspiel:kuhn_poker').info_record.key)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "openspiel:kuhn_poker@1"
