"""Scripted play, episodes a second, beside OpenSpiel's Kuhn poker (C++) and Python prisoner's dilemma.

    python benchmarks/engine.py [--episodes N]

All in one process on one core, in one run, so that the ratios hold whatever the machine. OpenSpiel's numbers
are random play without policies, transcripts or statistics; ours are whole audited episodes (six hands, eight
rounds), with keyed randomness and a record of every decision. ``rules`` is our rules alone, random play.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

from equipoise.games.base import Game
from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.policies.registry import load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest

PAIRS = (
    ("kuhn", {"rounds": 1}, "nash", "max_exploiter"),
    ("kuhn", {}, "nash", "max_exploiter"),
    ("ipd", {}, "tit_for_tat", "grim_trigger"),
    ("ipd", {}, "generous_tit_for_tat", "mixed_half"),
)


def engine(game: Game, own: str, other: str, episodes: int) -> None:
    """Play whole episodes through the engine."""
    policy, opponent = load_policy(f"scripted:{own}", game), load_policy(f"scripted:{other}", game)
    key = game.info_record.key
    requests = [
        EpisodeRequest(game, Deal(0, Split.REPORT, key, i), "train", other, 0, (policy, opponent))
        for i in range(episodes)
    ]
    for start in range(0, episodes, 512):
        play(requests[start : start + 512])


def rules(game: Game, episodes: int) -> None:
    """Play uniformly at random with the rules alone."""
    draw = random.Random(0)
    for i in range(episodes):
        match = Match(game, Deal(0, Split.REPORT, game.info_record.key, i).chance)
        while not match.is_over:
            state = match.state
            match.apply({s: draw.choice(state.legal_actions(s)) for s in match.players_to_move})


def open_spiel(name: str, episodes: int) -> None:
    """Play uniformly at random in OpenSpiel."""
    import open_spiel.python.games  # noqa: F401
    import pyspiel

    draw, game = random.Random(0), pyspiel.load_game(name)
    for _ in range(episodes):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(outcomes, weights)[0])
            elif state.is_simultaneous_node():
                state.apply_actions([draw.choice(state.legal_actions(p)) for p in range(2)])
            else:
                state.apply_action(draw.choice(state.legal_actions()))


def rate(work: Callable[[], None], episodes: int) -> float:
    """Return episodes a processor second, the best of three."""
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        work()
        best = max(best, episodes / (time.process_time() - start))
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--episodes", type=int, default=2000)
    count = parser.parse_args().episodes
    print("| what | game | episodes/s | rounds/s |")
    print("|---|---|---|---|")
    for name, options, own, other in PAIRS:
        game = make_game(name, **options)
        speed = rate(lambda g=game, a=own, b=other: engine(g, a, b, count), count)  # type: ignore[misc]
        rounds = game.info_record.rounds
        print(f"| engine | {name}, {rounds} rounds, {own} v {other} | {speed:,.0f} | {speed * rounds:,.0f} |")
    for name, options in (("kuhn", {"rounds": 1}), ("ipd", {})):
        game = make_game(name, **options)
        speed = rate(lambda g=game: rules(g, count), count)  # type: ignore[misc]
        rounds = game.info_record.rounds
        print(f"| rules | {name}, {rounds} rounds, random | {speed:,.0f} | {speed * rounds:,.0f} |")
    try:
        for name in ("kuhn_poker", "python_kuhn_poker", "python_iterated_prisoners_dilemma"):
            speed = rate(lambda n=name: open_spiel(n, count), count)  # type: ignore[misc]
            print(f"| OpenSpiel | {name}, random | {speed:,.0f} | |")
    except ImportError:
        print("| OpenSpiel | not installed (pip install open-spiel) | | |")


if __name__ == "__main__":
    main()
