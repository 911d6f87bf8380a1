"""Environments of PettingZoo as games: payoffs, knowledge, exact values where they can be had."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="pettingzoo is not installed")
pytest.importorskip("pygame", reason="pygame-ce is not installed")

import pettingzoo

import equipoise
from equipoise.cli import main
from equipoise.errors import RequestError
from equipoise.games.base import Game, State
from equipoise.games.match import Match
from equipoise.policies.registry import load_game
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import DecisionDraws
from tests.adapters.pettingzoo.environments import register_all

RPS, TTT, FOUR = (f"pettingzoo:classic/{name}" for name in ("rps_v2", "tictactoe_v3", "connect_four_v3"))
COIN = "pettingzoo:tests/coin_v0"

register_all()


def game_of(name: str, **options: Any) -> Game:
    found = load_game(name, options)
    assert isinstance(found, Game)
    return found


def played(game: Game, *moves: int, draws: float = 0.3) -> Match:
    match = Match(game, lambda round_, purpose: draws)
    for move in moves:
        (seat,) = match.players_to_move
        match.apply({seat: move})
    return match


def test_a_line_in_tic_tac_toe_is_won_by_who_filled_it() -> None:
    match = played(game_of(TTT), 0, 3, 1, 4, 2)
    assert match.is_over
    assert match.outcomes[0].payoffs == (1.0, -1.0)
    drawn = played(game_of(TTT), 0, 1, 2, 4, 3, 5, 7, 6, 8)
    assert drawn.outcomes[0].payoffs == (0.0, 0.0)


def test_masks_say_what_is_legal() -> None:
    match = played(game_of(TTT), 4, 0)
    assert match.observe(0).legal == (1, 2, 3, 5, 6, 7, 8)
    assert played(game_of(RPS)).observe(0).legal == (0, 1, 2)
    assert played(game_of(COIN, payoff_bound=2.0, zero_sum=False)).observe(0).legal == (1, 2)


@pytest.mark.parametrize("name", [TTT, FOUR, RPS])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_environment_that_is_played(name: str, seed: int) -> None:
    match, draw = played(game_of(name)), np.random.default_rng(seed)
    env = pettingzoo.make("aec", name.partition(":")[2].replace("_v", "-v"))
    env.reset(seed=0)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        shown, reward, ended, cut, _ = env.last()
        paid[agent] += reward
        if ended or cut:
            env.step(None)
            continue
        seat = env.possible_agents.index(agent)
        assert match.players_to_move == (seat,)
        asked = match.observe(seat)
        board = shown["observation"] if isinstance(shown, dict) else shown
        assert match.game.info(seat, asked.observation, ())["observation"] == (
            str(board.tolist()).replace(" ", "")
        )
        move = int(draw.choice(asked.legal))  # type: ignore[arg-type]
        match.apply({seat: move})
        env.step(move)
    assert match.is_over
    assert match.outcomes[0].payoffs == tuple(paid.values())


def test_a_position_that_is_gone_back_to_is_played_anew() -> None:
    game = game_of(TTT)
    start = game.initial_state()

    def line(state: State, *moves: int) -> State:
        for move in moves:
            state = state.apply({state.players_to_move[0]: move}).state
        return state

    middle = line(start, 4, 0)
    first, second = line(middle, 8, 2), line(middle, 6, 2)
    assert first.observation(0) != second.observation(0)
    assert first.observation(0) == line(game.initial_state(), 4, 0, 8, 2).observation(0)
    assert second.legal_actions(0) == (1, 3, 5, 7, 8)
    assert len({first, second, line(start, 4, 0, 8, 2)}) == 2


def test_a_seat_does_not_see_a_move_made_at_once() -> None:
    seen = {played(game_of(RPS), move).observe(1).observation for move in range(3)}
    assert len(seen) == 1
    # A round later both know it.
    known = {played(game_of(RPS), move, 0).observe(0).observation for move in range(3)}
    assert len(known) == 3


def test_small_games_in_which_nothing_is_drawn_have_exact_values() -> None:
    name = f"{RPS}(max_cycles=1)"
    uniform = equipoise.audit(name, "scripted:random").results[0]
    assert uniform.settings["method"] == "exact"
    # Nobody can exploit uniform play in rock, paper, scissors; paper beats a player who always plays rock.
    assert uniform.metrics["best_response"].value == pytest.approx(0.0, abs=1e-12)  # type: ignore[union-attr]
    rock = equipoise.audit(name, lambda decision: 0).results[0]
    assert rock.metrics["best_response"].value == pytest.approx(1.0, abs=1e-12)  # type: ignore[union-attr]
    thrice = equipoise.audit(f"{RPS}(max_cycles=3)", lambda decision: 0).results[0]
    assert thrice.metrics["best_response"].value == pytest.approx(3.0, abs=1e-12)  # type: ignore[union-attr]


def test_larger_ones_are_sampled() -> None:
    found = equipoise.audit(TTT, "scripted:random", episodes=4).results[0]
    assert found.settings["method"] == "sample"
    with pytest.raises(RequestError, match="too large for exact values"):
        equipoise.audit(TTT, "scripted:random", exact=True)


def test_what_an_environment_draws_belongs_to_the_deal() -> None:
    game = game_of(COIN, payoff_bound=2.0, zero_sum=False)
    assert game.info_record.solution == "none"
    paid = [played(game, 1, 2, draws=draw / 40).outcomes[0].payoffs for draw in range(40)]
    assert set(paid) == {(2.0, 0.0), (0.0, 2.0)}
    assert paid == [played(game, 1, 2, draws=draw / 40).outcomes[0].payoffs for draw in range(40)]
    fixed = game_of(COIN, payoff_bound=2.0, zero_sum=False, fixed_seed=3)
    assert len({played(fixed, 1, 2, draws=draw / 40).outcomes[0].payoffs for draw in range(40)}) == 1
    assert fixed.info_record.solution == "exact"


def test_options_are_the_environments_parameters_and_make_the_name() -> None:
    game = game_of(f"{RPS}(num_actions=5)", max_cycles=3)
    assert game.info_record.key == f"{RPS}(max_cycles=3,num_actions=5)@1"
    assert game.info_record.payoff_bounds == (-3.0, 3.0)
    assert played(game).observe(0).legal == (0, 1, 2, 3, 4)


def test_prompts_and_parsing_are_inverse() -> None:
    game = game_of(TTT)
    match, words = played(game, 4, 0), get_renderer(TTT)
    decision = match.decision(0, "", DecisionDraws("", ""), 0)
    prompt = words.prompt(decision)
    assert "chose 4." in prompt.situation
    assert "Legal actions: 1, 2, 3" in prompt.situation
    assert "between -1 and 1" in prompt.rules
    assert decision.legal is not None
    for action in decision.legal:
        assert words.parse(f"Action: {words.say(action)}", decision.legal) == action
    assert words.parse("Action: 4", decision.legal) is None


def test_labels_are_short_and_tell_apart() -> None:
    game = game_of(FOUR)
    lines = [played(game, *moves) for moves in ((0, 1, 2, 3), (0, 1, 2, 4), (1, 0, 2, 3))]
    labels = {match.observe(0).label for match in lines}
    assert len(labels) == 3
    assert max(map(len, labels)) < 200


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (("audit", RPS, "-p", "scripted:random", "-n", "3"), "utility"),
        (("play", TTT, "-p", "scripted:random", "--opponent", "random"), "tictactoe_v3@1"),
        (("check", RPS, "-o", "max_cycles=1"), "parse-strict"),
        (("games", f"{RPS}(max_cycles=2)"), "payoffs a round from -2 to 2, zero-sum"),
    ],
)
def test_commands_take_it(command: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(command)) == 0
    assert shown in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: game_of("pettingzoo:classic/rps_v3"), "did you mean 'classic/rps-v2'"),
        (lambda: game_of("pettingzoo:rps_v2"), "is no name of a game: write 'pettingzoo:NAME'"),
        (lambda: game_of(RPS, num_action=3), "unknown option 'num_action': did you mean 'num_actions'"),
        (lambda: game_of(RPS, num_actions=4), "PettingZoo says The number of actions must be an odd number"),
        (lambda: game_of(f"{RPS}(max_cycles=2)", max_cycles=3), "give max_cycles once"),
        (lambda: game_of(COIN), "does not say how much can be won: set the option payoff_bound"),
        (lambda: game_of(COIN, payoff_bound=2.0, agents=3), "it has 3 agents, not two"),
        (lambda: game_of(COIN, payoff_bound=2.0, boxed=True), "its actions are Box"),
        (lambda: played(game_of(COIN, payoff_bound=1.0), 1, 1), "more than payoff_bound = 1: raise it"),
        (
            lambda: played(game_of(COIN, payoff_bound=9.0, zero_sum=True), 1, 2),
            r"is not zero-sum: set zero_sum=false",
        ),
        (
            lambda: played(game_of(COIN, payoff_bound=9.0, endless=True, max_moves=3), 1, 1, 1, 1),
            "has not ended after 3 moves: set max_moves",
        ),
        (lambda: game_of("pettingzoo:classic/chess_v6"), "PettingZoo says Failed to import"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(make: Any, error: str) -> None:
    with pytest.raises(RequestError, match=error) as found:
        make()
    assert "\n" not in str(found.value)


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    from equipoise.adapters.pettingzoo import loading

    loading._class_of.cache_clear()
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    yield
    loading._class_of.cache_clear()


@pytest.mark.usefixtures("without_library")
def test_without_pettingzoo_one_line_says_so() -> None:
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[pettingzoo\]'"):
        game_of(RPS)
