"""How fast does a local language model make decisions? Prints one table.

Ratios are within one run and of processor time, which other work on the machine changes little.

The same model, dtype, stop rule and decisions for every row: iterated prisoner's dilemma, rounds 5 to 8, and
Kuhn poker, reached by random play with a fixed seed. ``naive`` is what a first script does: one ``generate``
per decision. Random play of the dilemma reaches a different history almost every time, the worst case for
de-duplication; Kuhn poker has few information states, so nearly all of its decisions are repeats. The rows
``both`` weigh every decision alike. Run ``python benchmarks/rollouts.py --model smollm2 --episodes 16``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from equipoise.games.match import Match
from equipoise.games.registry import make_game
from equipoise.policies.local import LoadedModel, LocalPolicy, load_spec
from equipoise.rollout.deals import Deal, DecisionDraws, Split, keyed_uniform
from equipoise.types import Decision

FIRST_IPD_ROUND = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One measured way of deciding."""

    name: str
    decisions: int
    seconds: float
    processor: float

    @property
    def rate(self) -> float:
        """Decisions a second of processor time."""
        return self.decisions / self.processor


def collect(game_name: str, episodes: int, seed: int) -> list[list[Decision]]:
    """Play random actions and return the decisions by tick, as an engine would ask them."""
    game = make_game(game_name)
    ticks: dict[int, list[Decision]] = {}
    for index in range(episodes):
        deal = Deal(seed, Split.REPORT, game.info_record.key, index)
        match, tick = Match(game, deal.chance), 0
        while not match.is_over:
            actions = {}
            for seat in match.players_to_move:
                name = f"{game_name}/{index}"
                draws = DecisionDraws.of_policy(seed, name, seat, tick, 0)
                decision = match.decision(seat, name, draws, 0)
                if game_name != "ipd" or decision.round >= FIRST_IPD_ROUND:
                    ticks.setdefault(tick, []).append(decision)
                legal = decision.legal or ()
                actions[seat] = legal[int(keyed_uniform(f"{draws.key}|random") * len(legal))]
            match.apply(actions)
            tick += 1
    return [ticks[tick] for tick in sorted(ticks)]


def clock(name: str, decide: Callable[[Sequence[Decision]], object], ticks: list[list[Decision]]) -> Row:
    """Time one way over all ticks."""
    start, processor = time.perf_counter(), time.process_time()
    for decisions in ticks:
        decide(decisions)
    passed = time.perf_counter() - start
    return Row(name, sum(map(len, ticks)), passed, time.process_time() - processor)


def measure(loaded: LoadedModel, ticks: list[list[Decision]], naive_ticks: list[list[Decision]]) -> list[Row]:
    """Time every way; the naive one on a part of the decisions, as it is slow."""
    single = LocalPolicy(loaded, mode="free", prefix_cache=False)
    batched = LocalPolicy(loaded, mode="free")
    each = LocalPolicy(loaded, deduplicate=False, prefix_cache=False)
    table = LocalPolicy(loaded)
    single.act(naive_ticks[0][:1])  # warm up

    def naive(decisions: Sequence[Decision]) -> None:
        for decision in decisions:
            single.act([decision])

    return [
        clock("naive: one `generate` a decision", naive, naive_ticks),
        clock("free, batched", batched.act, ticks),
        clock("choose, every decision by itself", each.act, ticks),
        clock("choose, de-duplicated", table.act, ticks),
    ]


def thin(ticks: list[list[Decision]], share: int) -> list[list[Decision]]:
    """Take every n-th decision of each tick."""
    return [decisions[::share] for decisions in ticks]


def both(first: list[Row], second: list[Row]) -> list[Row]:
    """Add up two games: the time that each way would take for all decisions of both."""
    counts = (first[-1].decisions, second[-1].decisions)
    rows = []
    for pair in zip(first, second, strict=True):
        shares = [(row, n / row.decisions) for row, n in zip(pair, counts, strict=True)]
        seconds = sum(row.seconds * share for row, share in shares)
        rows.append(
            Row(pair[0].name, sum(counts), seconds, sum(row.processor * share for row, share in shares))
        )
    return rows


def show(game: str, rows: list[Row]) -> None:
    """Print the rows of a game."""
    for row in rows:
        times = f"{row.seconds:.1f} | {row.processor:.1f}"
        speed = f"{times} | {row.rate:.2f} | {row.rate / rows[0].rate:.1f}×"
        print(f"| {game} | {row.name} | {row.decisions} | {speed} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="smollm2", help="smollm2 or tiny-random")
    parser.add_argument("--episodes", type=int, default=16, help="episodes a game")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=int, default=4, help="the naive way does every n-th decision")
    options = parser.parse_args()
    loaded = load_spec(options.model, options.dtype, threads=options.threads, quiet=True)
    print(f"{options.model}, {options.dtype}, {options.threads} thread(s), at most 32 new tokens\n")
    print("| game | way | decisions | seconds | processor s | decisions/processor s | ratio |")
    print("|---|---|---|---|---|---|---|")
    measured = []
    for game in ("ipd", "kuhn"):
        ticks = collect(game, options.episodes, options.seed)
        measured.append(measure(loaded, ticks, thin(ticks, options.share)))
        show(game, measured[-1])
    show("both", both(*measured))


if __name__ == "__main__":
    main()
