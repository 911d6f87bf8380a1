"""The environment of verifiers, played against a server on the loopback interface."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import equipoise

vf = pytest.importorskip("verifiers.v1", reason="needs verifiers: run scripts/adapters/verifiers")

from equipoise.adapters.scores import episode_scores  # noqa: E402
from equipoise.adapters.verifiers.credit import PerPoolCredit, assign  # noqa: E402
from equipoise.adapters.verifiers.env import GameEnvConfig, episode_of  # noqa: E402
from equipoise.objective.credit import per_pool  # noqa: E402
from equipoise.objective.gates import RunningGates  # noqa: E402
from equipoise.objective.groups import group_episodes  # noqa: E402
from tests.policies.endpoint.server import Asked, Say, Server, chat, serve  # noqa: E402


def tit_for_tat(asked: Asked) -> Say:
    past = asked["messages"][-1]["content"].rsplit("Past: ", 1)[1]
    return chat("Action: COOPERATE" if past == "none" or past.endswith("C") else "Action: DEFECT")


def environment(**taskset: Any) -> Any:
    from verifiers.v1.utils.loaders import load_environment

    return load_environment(GameEnvConfig(taskset={"id": "equipoise-verifiers", **taskset}))


def run(
    env: Any,
    names: list[str],
    answer: Callable[[Asked], Say],
    monkeypatch: pytest.MonkeyPatch,
    times: int = 1,
) -> tuple[list[Any], Server]:
    """Play tasks by name, each so many times."""
    monkeypatch.setenv("A_KEY", "none")

    async def play(url: str) -> list[Any]:
        client = vf.EvalClientConfig(base_url=url, api_key_var="A_KEY")
        context = vf.ModelContext(model="m", client=client, sampling=vf.SamplingConfig())
        tasks = {task.data.name: task for task in env.taskset}
        async with env.serving():
            return [await env.run_episode(tasks[name], context) for name in names for _ in range(times)]

    with serve(usual=answer) as server:
        found = asyncio.run(play(server.url))
    assert all(episode.ok for episode in found), [episode.errors for episode in found]
    return found, server


def test_tasks_are_streams_in_training_and_places_in_reports() -> None:
    train = [task.data for task in environment(game="kuhn", deals=2).taskset]
    # nash stands in two pools, and so in two streams; the shift pool is never trained on.
    assert sorted({(one.pool, one.opponent) for one in train}) == sorted(
        [("train", name) for name in ("nash", "tight_passive", "loose_aggressive")]
        + [("exploiter", name) for name in ("max_exploiter", "always_bet", "nash")]
    )
    assert len(train) == len({one.id for one in train}) == 2 * 6 * 2
    report = [task.data for task in environment(game="kuhn", deals=2, split="report").taskset]
    assert [one.opponent for one in report].count("nash") == 4
    assert {one.opponent for one in report if one.pool == "shift"} == {"always_pass", "random"}


def test_episodes_are_those_of_an_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment(split="report", deals=1, seed=3, pools={"train": ["mixed_half"], "shift": []})
    names = [task.data.name for task in env.taskset if task.data.pool == "train"]
    episodes, server = run(env, names, tit_for_tat, monkeypatch)
    game = env.taskset.table.game
    for seat, episode in enumerate(episodes):
        (trace,) = episode.traces
        mine = equipoise.play(game, "scripted:tit_for_tat", "mixed_half", seat=seat, seed=3)
        assert episode_of(trace).rounds == mine.rounds
        scores = episode_scores(mine, game.info_record)
        assert {name: trace.metrics[name] for name in scores} == pytest.approx(scores)
        # s = 1; one train opponent, two exploiters among three opponents that x is measured on.
        assert trace.rewards["utility"].value == pytest.approx(scores["own"])
        assert trace.rewards["externality"].value == pytest.approx(-1.8 / 3 * scores["externality"])
        assert (trace.num_turns, len(trace.branches)) == (8, 8)
    assert len(server.asked) == 16
    assert [len(one["messages"]) for one in server.asked] == [1] * 16


def test_invalid_answers_are_asked_again_and_then_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment(deals=1, retries=2, options={"rounds": 2})
    name = "exploiter/always_defect/0/0"
    (episode,), server = run(env, [name], lambda asked: chat("Let me think."), monkeypatch)
    (trace,) = episode.traces
    assert len(server.asked) == 2 * 3
    assert trace.metrics["invalid"] == 1.0
    assert [turn.retries for turn in episode_of(trace).turns if turn.seat == 0] == [2, 2]


def test_self_play_has_a_trace_for_either_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment(deals=1, pools={"train": ["self"], "exploiter": [], "collusive": [], "shift": []})

    def by_seat(asked: Asked) -> Say:
        past = asked["messages"][-1]["content"].rsplit("Past: ", 1)[1]
        return chat("Action: DEFECT" if len(past) % 2 else "Action: COOPERATE")

    (episode,), _ = run(env, ["train/self/0/1"], by_seat, monkeypatch)
    assert sorted(trace.agent.name for trace in episode.traces) == ["other", "player"]
    player, other = episode.by_agent["player"][0], episode.by_agent["other"][0]
    assert (episode_of(player).seat, episode_of(other).seat) == (1, 0)
    assert player.metrics["own"] == other.metrics["opponent"]
    assert player.metrics["opponent"] == other.metrics["own"]


def test_credit_is_per_pool_on_the_tokens_that_were_played(monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment(deals=1, retries=1, options={"rounds": 3})
    count = iter(range(10**6))

    def varied(asked: Asked) -> Say:
        return chat(["Action: COOPERATE", "Action: DEFECT", "Hm."][next(count) * 7 % 5 % 3])

    episodes, _ = run(env, ["exploiter/always_defect/0/0"], varied, monkeypatch, times=4)
    traces = [trace for episode in episodes for trace in episode.traces]
    for trace in traces:
        for node in trace.nodes:
            if node.sampled:
                node.logprobs = [-0.5, -0.25]
    table = env.taskset.table
    found = assign(traces, table.objective, RunningGates(), False)
    mine = [episode_of(trace) for trace in traces]
    groups = group_episodes(mine)
    credit = per_pool(groups, table.objective, RunningGates().gates(groups), False)
    assert [list(row) for row in credit.advantages[0]] == found
    assert any(value != 0.0 for row in found for value in row)
    for trace, episode, row in zip(traces, mine, found, strict=True):
        sampled = [node for node in trace.nodes if node.sampled]
        own = [turn for turn in episode.turns if turn.seat == 0]
        assert len(sampled) == sum(turn.retries + 1 for turn in own)
        wanted: list[float] = []
        for turn, advantage in zip(own, row, strict=True):
            played = advantage if turn.choice.action is not None else 0.0
            wanted += [0.0] * turn.retries + [played]
        assert [node.advantages for node in sampled] == [[value] * 2 for value in wanted]


def test_the_hook_credits_what_may_be_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    env = environment(deals=1, options={"rounds": 2})
    episodes, _ = run(env, ["train/tit_for_tat/0/0"], tit_for_tat, monkeypatch, times=2)
    table = env.taskset.table
    hook = PerPoolCredit()
    hook.use(table.objective, table.game.info_record.independent_rounds)
    episodes[1].traces[0].agent.trainable = False
    asyncio.run(hook.score_group(episodes))
    assert all(node.advantages == [] for node in episodes[0].traces[0].nodes if node.sampled)
    assert all(node.advantages is None for node in episodes[1].traces[0].nodes)
