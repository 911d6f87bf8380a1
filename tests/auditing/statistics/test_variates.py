"""Control variates: expectation 0 by enumeration, unbiased on real audits, less variance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.auditing.panel import BLOCKS
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.auditing.statistics.replay import draws_of
from equipoise.auditing.statistics.variates import ValueTable, Variates
from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.registry import make_game
from equipoise.opponents.base import Strategy
from equipoise.opponents.pools import Pools
from equipoise.opponents.registry import get_strategy
from equipoise.policies.base import AsyncPolicy, Policy
from equipoise.policies.registry import load_opponents, load_policy
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule
from equipoise.types import Choice, Episode, RoundOutcome, StopReason, Turn
from tests.helpers import Node, root

Line = tuple[float, tuple[Turn, ...], tuple[RoundOutcome, ...], tuple[tuple[str, object], ...]]


def lines(game: Game, players: Sequence[Strategy]) -> Iterator[Line]:
    """Yield every way an episode can go: probability, turns, outcomes, chance."""
    for drawn in product(*(player.start() for player in players)):
        weight = float(np.prod([p for _, p in drawn]))
        yield from _walk(root(game), players, tuple(memory for memory, _ in drawn), (weight, (), (), ()), 0)


def _walk(node: Node, players: Sequence[Strategy], memories: Any, line: Line, step: int) -> Iterator[Line]:
    weight, turns, outcomes, chance = line
    state = node.state
    if state.is_over:
        yield line
        return
    branches = []
    if state.chance is not None:
        for outcome, p in state.chance_outcomes():
            log = (*chance, (f"{state.round}/{state.chance}", outcome))
            branches.append((state.apply_chance(outcome), p, turns, log))
    else:
        movers = state.players_to_move
        rows = [
            players[s].probabilities(memories[s], state.observation(s), state.legal_actions(s))
            for s in movers
        ]
        for actions in product(*(row.items() for row in rows)):
            p = float(np.prod([q for _, q in actions]))
            more = tuple(
                Turn(s, state.round, step, "-", action, Choice(action, probabilities=row))
                for s, row, (action, _) in zip(movers, rows, actions, strict=True)
            )
            joint = {s: action for s, (action, _) in zip(movers, actions, strict=True)}
            branches.append((state.apply(joint), p, (*turns, *more), chance))
    for found, p, more, log in branches:
        if p > 0.0:
            ended = outcomes if found.outcome is None else (*outcomes, found.outcome)
            learned = memories
            if found.signals:
                learned = tuple(
                    player.update(m, s) for player, m, s in zip(players, memories, found.signals, strict=True)
                )
            after = (weight * p, more, ended, log)
            yield from _walk(node.after(found), players, learned, after, 0 if found.outcome else step + 1)


def enumerated(game: Game, own: str, other: str, seat: int, deal: int) -> list[tuple[float, Episode]]:
    """Return all episodes of two strategies with their probabilities."""
    pair = [get_strategy(game.name, own), get_strategy(game.name, other)]
    found = lines(game, pair if seat == 0 else pair[::-1])
    return [
        (weight, Episode("e", game.info_record.key, {}, "train", other, seat, deal, "report", 0, ("a", "b"),
                         turns, outcomes, StopReason.FINISHED, chance=chance))
        for weight, turns, outcomes, chance in found
    ]  # fmt: skip


TINY = [
    ("ipd", {"rounds": 2}, "generous_tit_for_tat", "mixed_half"),
    ("ipd", {"rounds": 2, "noise": 0.1}, "random", "tit_for_tat"),
    ("ipd", {"rounds": 2, "continuation": 0.6}, "random_75", "random"),
    ("kuhn", {"rounds": 1}, "random", "nash"),
    ("auction", {"rounds": 1}, "random", "rational_random"),
    ("split", {"rounds": 1}, "random", "random_3_7"),
]


@pytest.mark.parametrize(("name", "options", "own", "other"), TINY)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_mean_of_the_correction_is_0_whatever_was_learned(
    name: str, options: dict[str, Any], own: str, other: str, seat: int
) -> None:
    game = make_game(name, **options)
    both = {other: load_policy(f"scripted:{other}", game)}
    variates = Variates(game, load_policy(f"scripted:{own}", game), both)
    draw = np.random.default_rng(0)
    # A first deal teaches a lopsided table: a few of the episodes, not as often as they come.
    seen = enumerated(game, own, other, seat, deal=0)
    for index in draw.integers(len(seen), size=15):
        assert np.all(variates.correction(seen[index][1]) == 0.0)
    total, size = 0.0, 0.0
    for weight, episode in enumerated(game, own, other, seat, deal=1):
        found = variates.correction(episode)
        total, size = total + weight * found, size + weight * float(np.abs(found).sum())
    assert size > 0.01
    assert total == pytest.approx(np.zeros_like(total), abs=1e-12)


@pytest.mark.parametrize(("name", "options", "own", "other"), TINY)
def test_replayed_draws_have_the_probability_of_the_line(
    name: str, options: dict[str, Any], own: str, other: str
) -> None:
    game = make_game(name, **options)
    for weight, episode in enumerated(game, own, other, 0, 0)[:200]:
        draws = list(draws_of(game, episode, frozenset({0, 1})))
        assert np.prod([draw.probabilities[draw.taken] for draw in draws]) == pytest.approx(weight)
        only = list(draws_of(game, episode, frozenset()))
        assert len(only) == len(episode.chance)


def test_the_engines_record_replays() -> None:
    for name in ("ipd", "kuhn", "auction", "split", "multi_issue", "commons"):
        game = make_game(name)
        policy, other = load_policy("scripted:random", game), load_opponents(["random"], game)["random"]
        deal = Deal(0, Split.REPORT, game.info_record.key, 0)
        (one,) = play([EpisodeRequest(game, deal, "train", "random", 1, (other, policy))])
        draws = list(draws_of(game, one.episode, frozenset({0, 1})))
        assert len(draws) == len(one.episode.turns) + len(one.episode.chance)


GAMES: dict[str, tuple[dict[str, Any], str, Pools]] = {
    "ipd": ({"rounds": 3}, "random", Pools(("generous_tit_for_tat",), ("alternating_defect",))),
    "kuhn": ({"rounds": 2}, "random", Pools(("loose_aggressive",), ("max_exploiter",))),
    "auction": ({"rounds": 2}, "random", Pools(("rational_random",), ("adaptive",))),
}
METRICS = ("utility", "welfare", "externality", "regret")


@pytest.mark.no_cover
@pytest.mark.parametrize("name", GAMES)
def test_corrected_audits_are_unbiased_and_vary_less(name: str) -> None:
    options, policy, pools = GAMES[name]
    game = make_game(name, **options)
    config = AuditConfig(150, pools=pools, exact=True)
    exact = audit_game(game, load_policy(f"scripted:{policy}", game), config)
    plain, corrected = [], []
    for seed in range(4):
        for kept, flag in ((plain, False), (corrected, True)):
            asked = replace(config, exact=False, seed=seed, control_variates=flag)
            kept.append(audit_game(game, load_policy(f"scripted:{policy}", game), asked).measures)
    for metric in METRICS:
        wanted = exact.measures[metric]
        if wanted is None or wanted.value == 0.0 == plain[0][metric].values.std():
            continue
        rows, raw = (np.concatenate([one[metric].values for one in kept]) for kept in (corrected, plain))
        z = (rows.mean() - wanted.value) / (rows.std(ddof=1) / len(rows) ** 0.5)
        assert abs(z) < 3.5, metric
        assert rows.var() < 0.9 * raw.var(), metric


def test_by_default_nothing_is_corrected() -> None:
    game = make_game("kuhn", rounds=1)
    config = AuditConfig(5, exact=False)
    found = audit_game(game, load_policy("scripted:random", game), config)
    assert found.settings["control_variates"] is False
    again = audit_game(game, load_policy("scripted:random", game), replace(config, control_variates=True))
    # The first deal is never corrected: nothing was learned before it.
    assert again.measures["utility"].values[0] == found.measures["utility"].values[0]  # type: ignore[union-attr]
    assert again.settings["panel"] == found.settings["panel"]
    assert BLOCKS > 5


class TestValueTable:
    def test_a_value_is_the_mean_shrunk_to_that_of_its_key(self) -> None:
        table = ValueTable(1)
        for taken, togo in (("a", 1.0), ("a", 3.0), ("b", 6.0)):
            table.learn("k", taken, np.array([togo]))
        from equipoise.auditing.statistics.replay import Draw

        # Means: key 10/3, a 2 of two, b 6 of one; each counts n / (n + 4).
        a, b = 2 / 6 * (2 - 10 / 3), 1 / 5 * (6 - 10 / 3)
        draw = Draw("k", 0, "a", {"a": 0.25, "b": 0.25, "c": 0.5})
        assert table.correction(draw, "k") == pytest.approx([0.25 * a + 0.25 * b - a])
        unseen = Draw("k", 0, "c", draw.probabilities)
        assert table.correction(unseen, "k") == pytest.approx([0.25 * a + 0.25 * b])
        assert table.correction(draw, "other") == pytest.approx([0.0])

    def test_it_does_not_grow_for_ever(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("equipoise.auditing.statistics.variates.ROWS", 2)
        table = ValueTable(1)
        for key in range(5):
            table.learn(key, "a", np.array([float(key)]))
            table.learn(key, "b", np.array([0.0]))
        assert len(table._rows) == 1


def test_without_known_distributions_it_is_refused() -> None:
    class Remote(AsyncPolicy):
        name = "remote"

        async def decide(self, decision: Any) -> Choice:
            return Choice("COOPERATE")

    class Writer(Policy):
        name, strict = "writer", False

        def act(self, decisions: Any) -> list[Choice]:
            return [Choice("COOPERATE") for _ in decisions]

    game = make_game("ipd", rounds=2)
    with pytest.raises(RequestError, match="--control-variates needs a policy or opponents"):
        Variates(game, Writer(), {"remote": Remote()})
    # Opponents alone are worth correcting for.
    Variates(game, Writer(), load_opponents(["mixed_half"], game))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ipd", {"rounds": 2, "noise": 0.2}),
        ("kuhn", {"rounds": 2}),
        ("multi_issue", {"rounds": 2, "pool": (2, 1, 1)}),
    ],
)
def test_a_resumed_audit_is_corrected_as_an_uninterrupted_one(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    game = make_game(name, **options)
    config = AuditConfig(6, exact=False, chunk=2, control_variates=True, out=tmp_path / "a")

    def audit(**changes: Any) -> Any:
        return audit_game(game, load_policy("scripted:random", game), replace(config, **changes))

    whole = audit()
    marks = (tmp_path / "a" / "chunks.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "a" / "chunks.jsonl").write_text("".join(marks[:2]), encoding="utf-8")
    again = audit()
    assert again == whole == audit(out=None)
    assert all(
        np.array_equal(again.measures[metric].values, measure.values)
        for metric, measure in whole.measures.items()
        if measure is not None
    )


def test_forfeits_are_corrected_as_far_as_they_were_played() -> None:
    config = AuditConfig(episodes=3, exact=False, rule=InvalidRule(0, "forfeit"), control_variates=True)
    for name in ("kuhn", "ipd", "auction"):
        game = make_game(name)
        model = load_policy("tiny-random", game, mode="free", max_new_tokens=2)
        found = audit_game(game, model, config).metrics["invalid_rate"]
        assert found is not None
        assert found.value > 0.0
