"""The data of the warm start: who shows what to whom, split by episode, on deals of its own."""

from __future__ import annotations

import json
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
from equipoise.games.registry import make_game
from equipoise.opponents.pools import default_pools
from equipoise.progress import Reporter
from equipoise.prompts.registry import get_renderer
from equipoise.rollout.deals import Deal, Split, check_disjoint
from equipoise.training.data import Example, make_examples, write_data
from equipoise.training.pipeline import run_recipe
from equipoise.training.teachers import mixture_of
from tests.training.test_teachers import OPPONENTS, WEIGHTS

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
    import equipoise.auditing.sampling as auditing
    import equipoise.training.data as data
    import equipoise.training.sepo as sepo

    played: dict[str, set[Deal]] = defaultdict(set)
    for module in (auditing, data, sepo):
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


@GAMES
def test_written_rows_can_be_read_back(game: Game, tmp_path: Path) -> None:
    file = tmp_path / "new" / "data.jsonl"
    card = write_data(game, "paper", 25, 4, file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    examples = make_examples(game, "paper", 25, 4)
    renderer = get_renderer(game.name)
    assert len(rows) == len(examples) == card["examples"]
    for row, example in zip(rows, examples, strict=True):
        (question,), (answer,) = row["prompt"], row["completion"]
        assert (question["role"], answer["role"]) == ("user", "assistant")
        prompt = renderer.prompt(example.decision)
        assert question["content"] == prompt.rules + prompt.situation
        legal = example.decision.legal or ()
        assert renderer.parse(answer["content"], legal) == example.action
        assert answer["content"] == f"Action: {example.action}"
        assert row["game"] == game.info_record.key
        assert (row["episode"], row["teacher"]) == (example.episode, example.teacher)
        assert row["opponent"] == example.opponent
        assert row["split"] == ("validation" if example.held_out else "train")
    assert [one.name for one in file.parent.iterdir()] == ["data.jsonl"]


@GAMES
def test_the_card_counts_what_was_written(game: Game, tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    card = write_data(game, "paper", 60, 0, file)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert card == {
        "game": game.info_record.key,
        "recipe": "paper",
        "seed": 0,
        "episodes": 60,
        "examples": len(rows),
        "validation_examples": sum(row["split"] == "validation" for row in rows),
        "teachers": dict(Counter(row["teacher"] for row in rows)),
        "opponents": dict(Counter(row["opponent"] for row in rows)),
        "held_out_opponents": list(default_pools(game.name).shift),
    }
    assert 0 < card["validation_examples"] < card["examples"]
    assert not set(card["opponents"]) & set(card["held_out_opponents"])


def test_the_file_is_replaced_whole_and_is_the_same_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data.jsonl"
    write_data(IPD, "paper", 5, 0, file)
    first = file.read_bytes()
    write_data(IPD, "paper", 5, 1, file)
    assert file.read_bytes() != first

    import equipoise.training.data as data

    kept, real, calls = file.read_bytes(), data._row, []

    def fail(example: Example) -> dict[str, Any]:
        calls.append(example)
        if len(calls) > 10:
            raise KeyboardInterrupt
        return real(example)

    monkeypatch.setattr(data, "_row", fail)
    with pytest.raises(KeyboardInterrupt):
        write_data(IPD, "paper", 5, 0, file)
    assert file.read_bytes() == kept
    monkeypatch.undo()
    write_data(IPD, "paper", 5, 0, file)
    assert file.read_bytes() == first


def test_another_recipe_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="unknown teacher recipe"):
        write_data(IPD, "balanced", 5, 0, tmp_path / "new" / "data.jsonl")
    assert list(tmp_path.iterdir()) == []
