"""The data of the warm start: who shows what to whom, split by episode, on deals of its own."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import RequestError
from equipoise.games.base import Game
from equipoise.games.ipd import PrisonersDilemma
from equipoise.games.registry import game_names, make_game
from equipoise.opponents.pools import default_pools
from equipoise.policies.registry import load_opponents
from equipoise.progress import Reporter
from equipoise.rollout.deals import Deal, Split, check_disjoint
from equipoise.training.data import Demonstrations, Example, Shares, make_examples
from equipoise.training.pipeline import run_recipe
from equipoise.training.teachers import mixture_of
from tests.training.teachers.test_mixtures import OPPONENTS, WEIGHTS

IPD, KUHN = make_game("ipd"), make_game("kuhn")
GAMES = pytest.mark.parametrize("game", [IPD, KUHN], ids=["ipd", "kuhn"])


def by_episode(examples: Sequence[Example]) -> dict[int, list[Example]]:
    found: dict[int, list[Example]] = defaultdict(list)
    for example in examples:
        found[example.episode].append(example)
    return found


def plain(examples: Sequence[Example]) -> list[tuple[Any, ...]]:
    """What is shown, without the rules."""
    return [
        (e.episode, e.teacher, e.opponent, e.held_out, d.seat, d.information_state, e.action)
        for e in examples
        for d in [e.decision]
    ]


@GAMES
def test_every_decision_of_the_teacher_is_an_example(game: Game) -> None:
    examples = make_examples(game, "paper", 30, 0)
    found = by_episode(examples)
    assert sorted(found) == list(range(30))
    for number, rows in found.items():
        # Seats alternate, and only the teacher's own decisions are shown, in order.
        assert {e.decision.seat for e in rows} == {number % 2}
        if game is IPD:
            assert [(e.decision.round, e.decision.index) for e in rows] == [(n, n) for n in range(8)]
        else:
            # Six hands, in each of which it acts once or twice; which hand it is in, it does not know.
            assert sum(e.decision.step == 0 for e in rows) == 6
            assert {(e.decision.round, e.decision.index) for e in rows} <= {(0, 0), (0, 1)}
        assert len({(e.teacher, e.opponent, e.held_out) for e in rows}) == 1
        assert all(e.action in (e.decision.legal or ()) for e in rows)


@GAMES
def test_teachers_and_opponents_come_as_often_as_they_should(game: Game) -> None:
    episodes = 600
    examples = make_examples(game, "paper", episodes, 3)
    found = {number: rows[0] for number, rows in by_episode(examples).items()}
    teachers, opponents = (
        Counter(e.teacher for e in found.values()),
        Counter(e.opponent for e in found.values()),
    )
    share = 1 / len(OPPONENTS[game.name])
    expected = [
        *((teachers[name], weight) for name, weight in WEIGHTS[game.name].items()),
        *((opponents[name], share) for name in OPPONENTS[game.name]),
    ]
    for count, probability in expected:
        spread = math.sqrt(episodes * probability * (1 - probability))
        assert abs(count - episodes * probability) < 4 * spread
    assert set(teachers) <= set(WEIGHTS[game.name])
    # The draws of teacher and opponent do not hang together.
    pairs = Counter((e.teacher, e.opponent) for e in found.values())
    top = max(WEIGHTS[game.name], key=lambda name: WEIGHTS[game.name][name])
    for name in OPPONENTS[game.name]:
        probability = WEIGHTS[game.name][top] * share
        spread = math.sqrt(episodes * probability * (1 - probability))
        assert abs(pairs[top, name] - episodes * probability) < 4 * spread


@pytest.mark.parametrize("name", game_names())
def test_balanced_casts_every_pair_from_every_seat_equally_often(name: str) -> None:
    played = Demonstrations(make_game(name), "balanced", 2)
    size = len(played.mixture.teachers) * len(played.mixture.opponents) * 2
    orders = []
    for block in range(3):
        examples = played.play(range(block * size, (block + 1) * size))
        casts = {e.episode: (e.teacher, e.opponent, e.decision.seat) for e in examples}
        assert len(casts) == len(set(casts.values())) == size
        orders.append(tuple(casts.values()))
    # A block is in no order that the number of an episode would tell.
    assert len(set(orders)) == 3
    assert orders[0] != tuple(sorted(orders[0]))
    again = Demonstrations(make_game(name), "balanced", 3).play(range(size))
    assert orders[0] != tuple({e.episode: (e.teacher, e.opponent, e.decision.seat) for e in again}.values())


def test_opponents_that_are_loaded_already_are_not_loaded_again() -> None:
    """A language model in a recipe's pools runs as the recipe says, and once."""
    known = load_opponents(["always_defect"], IPD)
    pools = default_pools("ipd").replace({"train": ["model"], "exploiter": ["tit_for_tat"], "collusive": []})
    played = Demonstrations(IPD, "balanced", 0, pools=pools, players={"model": known["always_defect"]})
    met = [e for e in played.play(range(16)) if e.opponent == "model"]
    assert {e.decision.info["other"] for e in met if e.decision.round == 2} == {("DEFECT", "DEFECT")}
    with pytest.raises(RequestError, match="model"):
        Demonstrations(IPD, "balanced", 0, pools=pools)


def test_an_episode_does_not_hang_on_those_played_before() -> None:
    for recipe in ("paper", "balanced"):
        whole = Demonstrations(KUHN, recipe, 0).play(range(90))
        played = Demonstrations(KUHN, recipe, 0)
        some = [e for number in (70, 3, 41) for e in played.play([number])]
        assert plain(some) == [row for n in (70, 3, 41) for row in plain(whole) if row[0] == n]


@GAMES
def test_the_shift_pool_is_never_met(game: Game) -> None:
    met = {example.opponent for example in make_examples(game, "paper", 200, 1)}
    assert met == OPPONENTS[game.name]
    assert not met & set(default_pools(game.name).shift)


def test_pools_that_hold_out_an_opponent_of_the_data_are_an_error() -> None:
    pools = default_pools("ipd").replace({"train": ["mixed_half"], "shift": ["tit_for_tat"]})
    with pytest.raises(RequestError, match="'tit_for_tat' is in the shift pool"):
        make_examples(IPD, "paper", 4, 0, pools=pools)


def test_what_is_shown_is_what_the_teacher_plays() -> None:
    for e in make_examples(IPD, "paper", 120, 0):
        info = e.decision.info
        own, other = info["own"], info["other"]
        assert isinstance(own, tuple)
        assert isinstance(other, tuple)
        expected = {
            "always_defect": "DEFECT",
            "always_cooperate": "COOPERATE",
            "tit_for_tat": other[-1] if other else "COOPERATE",
            "grim_trigger": "DEFECT" if "DEFECT" in other else "COOPERATE",
        }.get(e.teacher, e.action)
        assert e.action == expected
        # And who is met plays as its name says: a defector leaves no other past.
        if e.opponent == "always_defect":
            assert set(other) <= {"DEFECT"}
        if e.opponent == "always_cooperate":
            assert set(other) <= {"COOPERATE"}


def test_stochastic_teachers_play_their_rates() -> None:
    counts: Counter[tuple[str, str, str, bool]] = Counter()
    for e in make_examples(KUHN, "paper", 600, 0):
        key = (e.teacher, str(e.decision.info["card"]), str(e.decision.info["bets"]))
        counts[*key, e.action in ("BET", "CALL")] += 1
    mixture = mixture_of("kuhn", "paper", default_pools("kuhn"))
    teachers = {teacher.name: teacher for teacher, _ in mixture.teachers}
    tested = 0
    for name, teacher in teachers.items():
        for decision in {
            (e.decision.info["card"], e.decision.info["bets"]): e.decision
            for e in make_examples(KUHN, "paper", 40, 0)
        }.values():
            card, bets = str(decision.info["card"]), str(decision.info["bets"])
            given: Any = teacher.probabilities(None, decision.observation, decision.legal or ())
            rate = given.get("BET", 0.0) + given.get("CALL", 0.0)
            yes, no = counts[name, card, bets, True], counts[name, card, bets, False]
            if (total := yes + no) < 20:
                continue
            tested += 1
            assert abs(yes - total * rate) <= 4 * math.sqrt(total * rate * (1 - rate))
    assert tested > 20


@GAMES
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_split_goes_by_episode(game: Game, share: float) -> None:
    episodes = 400
    found = by_episode(make_examples(game, "paper", episodes, 2, validation=share))
    assert all(len({e.held_out for e in rows}) == 1 for rows in found.values())
    held_out = sum(rows[0].held_out for rows in found.values())
    assert abs(held_out - episodes * share) < 4 * math.sqrt(episodes * share * (1 - share))


@GAMES
def test_draws_belong_to_the_seed(game: Game) -> None:
    first = plain(make_examples(game, "paper", 20, 0))
    assert first == plain(make_examples(game, "paper", 20, 0))
    # More episodes change nothing in the first ones.
    assert first == [row for row in plain(make_examples(game, "paper", 30, 0)) if row[0] < 20]
    others = [plain(make_examples(game, "paper", 20, seed)) for seed in (1, 2)]
    assert first != others[0] != others[1]
    # Not the teachers only: cards and coins differ too.
    same = [(a[5], a[6]) for a in first if a[1] == "random"]
    assert same != [(b[5], b[6]) for b in others[0] if b[1] == "random"]


def test_the_options_of_the_game_are_in_force() -> None:
    examples = make_examples(make_game("ipd", rounds=3), "paper", 5, 0)
    assert len(examples) == 15
    assert {e.decision.info["rounds"] for e in examples} == {3}


def test_a_game_without_teachers_is_refused() -> None:
    class Stranger(PrisonersDilemma):
        """The dilemma under another name."""

        name = "stranger"

    with pytest.raises(RequestError, match="unknown game with SFT teachers 'stranger'"):
        make_examples(Stranger.create(), "paper", 2, 0)


class Watching(Reporter):
    """Counts instead of showing."""

    def __init__(self) -> None:
        super().__init__(quiet=True)
        self.seen: list[tuple[str, int]] = []
        self.done = 0

    @contextmanager
    def task(self, description: str, total: int) -> Iterator[Callable[[int], None]]:
        self.seen.append((description, total))
        yield self._advance

    def _advance(self, done: int) -> None:
        self.done += done


def test_progress_counts_episodes() -> None:
    reporter = Watching()
    make_examples(IPD, "paper", 7, 0, reporter=reporter)
    assert reporter.seen == [("data ipd", 7)]
    assert reporter.done == 7


def test_the_uses_of_deals_never_share_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever SFT, training, selection and report play in one run, with one seed, is disjoint."""
    import equipoise.auditing.chunks as auditing
    import equipoise.training.arena as arena
    import equipoise.training.data as data

    played: dict[str, set[Deal]] = defaultdict(set)
    for module in (auditing, data, arena):
        real = module.play

        def watch(requests: Any, *rest: Any, real: Any = real, **more: Any) -> Any:
            for request in requests:
                played[request.deal.split.value].add(request.deal)
            return real(requests, *rest, **more)

        monkeypatch.setattr(module, "play", watch)
    recipe = tmp_path / "one.toml"
    recipe.write_text(
        """
        name = "one"
        model = "tiny-random"
        threads = 1
        audit.episodes = 2
        games.ipd.options.rounds = 4
        games.ipd.sft = {episodes = 6, steps = 1, batch = 8, select_episodes = 2}
        games.ipd.train.sepo = {steps = 1, deals = 2, rollouts = 2, select_episodes = 2}
        """,
        encoding="utf-8",
    )
    run_recipe(str(recipe), [f"out={tmp_path / 'run'}"])
    assert set(played) == {split.value for split in Split}
    assert {deal.index for deal in played["sft"]} == set(range(6))
    check_disjoint(played.values())
    # The check is no formality: numbers and seeds are the same, only the use differs.
    assert all({(d.seed, d.index) for d in deals} >= {(0, 0), (0, 1)} for deals in played.values())
    with pytest.raises(RequestError, match="is used twice"):
        check_disjoint([played["sft"], played["sft"]])


@pytest.mark.parametrize("name", game_names())
def test_the_first_examples_are_those_of_the_first_episodes(name: str) -> None:
    game = make_game(name)
    played = Demonstrations(game, "balanced", 7)
    every = plain(list(played.first_episodes(30)))
    for count in (1, 7, 33):
        assert plain(list(played.first_examples(count))) == every[:count]


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import equipoise.training.data as data

    whole = plain(make_examples(KUHN, "paper", 30, 0))
    some = plain(list(Demonstrations(KUHN, "paper", 0).first_examples(100)))
    monkeypatch.setattr(data, "CHUNK", 7)
    assert plain(make_examples(KUHN, "paper", 30, 0)) == whole
    assert plain(list(Demonstrations(KUHN, "paper", 0).first_examples(100))) == some == whole[:100]


def test_where_play_may_end_early_examples_are_still_as_many_as_asked() -> None:
    game = make_game("ipd", continuation=0.3)
    examples = list(Demonstrations(game, "paper", 0).first_examples(50))
    assert len(examples) == 50
    assert len(by_episode(examples)) > 50 / 8


def test_progress_counts_examples() -> None:
    reporter = Watching()
    list(Demonstrations(KUHN, "paper", 0).first_examples(23, reporter))
    assert reporter.seen == [("data kuhn", 23)]
    assert reporter.done == 23


@pytest.mark.parametrize(("validation", "test"), [(0.2, 0.3), (0.0, 0.5), (0.1, 0.0)])
def test_three_splits_share_no_episode(validation: float, test: float) -> None:
    episodes = 500
    played = Demonstrations(make_game("split"), "paper", 1, Shares(validation, test))
    found: dict[str, set[int]] = defaultdict(set)
    for example in played.first_episodes(episodes):
        found[example.split].add(example.episode)
        assert example.held_out == (example.split != "train")
    check_disjoint([[played.deal(number) for number in numbers] for numbers in found.values()])
    assert sum(map(len, found.values())) == episodes
    for name, share in (("validation", validation), ("test", test)):
        spread = math.sqrt(episodes * share * (1 - share))
        assert abs(len(found[name]) - episodes * share) <= 4 * spread


def test_a_test_split_takes_from_training_only() -> None:
    """Validation is the same set of episodes, whatever is kept for testing."""
    game = make_game("split")
    for more in (0.0, 0.2):
        examples = Demonstrations(game, "paper", 1, Shares(0.1, more)).first_episodes(200)
        held_out = {e.episode for e in examples if e.split == "validation"}
        assert held_out == {e.episode for e in make_examples(game, "paper", 200, 1) if e.held_out}


@pytest.mark.parametrize(
    ("validation", "test", "message"),
    [
        (-0.1, 0.0, "validation = -0.1: a share is at least 0 and less than 1"),
        (1.0, 0.0, "validation = 1.0: a share"),
        (math.nan, 0.0, "validation = nan: a share"),
        (0.1, 1.5, "test = 1.5: a share"),
        (0.5, 0.5, "validation = 0.5 and test = 0.5 leave nothing to train on"),
    ],
)
def test_shares_that_leave_nothing_are_refused(validation: float, test: float, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        Shares(validation, test)
