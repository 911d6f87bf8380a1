"""The server over HTTP and from the command line: schemas, tasks, sessions, what it refuses."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.adapters.openenv.serving import needs_openenv, picked, playing, serve

pytestmark = needs_openenv


def fetched(url: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_schemas_and_metadata_are_those_of_the_game() -> None:
    with serve("kuhn") as url:
        _, schema = fetched(f"{url}/schema")
        assert set(schema["action"]["required"]) == {"text"}
        assert {"situation", "legal", "info"} <= set(schema["observation"]["properties"])
        assert {"opponent", "scores", "components"} <= set(schema["state"]["properties"])
        assert fetched(f"{url}/metadata")[1]["name"] == "equipoise-kuhn"
        status, first = fetched(f"{url}/reset", {"seed": 0})
        assert (status, first["done"], first["observation"]["game"]) == (200, False, "kuhn@1")


def test_tasks_are_listed() -> None:
    with serve("ipd", deals=2) as url:
        place = f"{url}/equipoise-ipd"
        assert fetched(f"{place}/splits")[1] == [
            {"name": "train", "type": "train"},
            {"name": "report", "type": "test"},
        ]
        assert fetched(f"{place}/num_tasks", {"split": "train"})[1] == {"num_tasks": 28}
        listed = fetched(f"{place}/tasks", {"split": "train"})[1]["tasks"]
        assert len({one["id"] for one in listed}) == 28
        one = fetched(f"{place}/task", {"split": "train", "index": 27})[1]["task"]
        assert one == listed[27]
        assert (one["opponent"], one["deal"], one["seat"]) == ("always_cooperate", 1, 1)
        assert fetched(f"{place}/task", {"split": "train", "index": 28})[0] == 400
        some = fetched(f"{place}/task_range", {"split": "train", "start": 1, "stop": 3})[1]["tasks"]
        assert some == listed[1:3]
        status, refused = fetched(f"{place}/num_tasks", {"split": "trian"})
        assert (status, refused["detail"]) == (400, "unknown split 'trian': did you mean 'train'?")


@pytest.mark.parametrize(
    ("task", "error"),
    [
        ({"seed": -1}, "task -1: give an integer from 0 up"),
        ({"index": 0, "seed": True}, "seed True: give an integer"),
        ({"sede": 3}, "unknown argument of reset 'sede': did you mean 'seed'"),
        ({"index": 1, "opponent": "pavlov"}, "index and opponent: choose a task by one of them"),
        ({"seat": 1}, "seat = 1: name the opponent too"),
        ({"pool": "train"}, "pool = 'train': name the opponent too"),
    ],
)
def test_wrong_tasks_are_refused_in_words(task: dict[str, Any], error: str) -> None:
    with playing("ipd") as client, pytest.raises(RuntimeError, match=error):
        client.reset(**task)


def test_a_refused_request_leaves_the_episode_alone() -> None:
    from equipoise.adapters.openenv.models import GameAction

    with playing("ipd", options={"rounds": 1}) as client:
        with pytest.raises(RuntimeError, match="no episode is open: call reset"):
            client.step(GameAction(text="DEFECT"))
        client.reset(opponent="tit_for_tat")
        with pytest.raises(RuntimeError, match="unknown opponent"):
            client.reset(opponent="nobody")
        assert client.step(GameAction(text="DEFECT")).reward == 5.0
        with pytest.raises(RuntimeError, match="no episode is open"):
            client.step(GameAction(text="DEFECT"))


def test_sessions_at_the_same_time_do_not_touch_each_other() -> None:
    from equipoise.adapters.openenv.client import GameEnv
    from equipoise.adapters.openenv.models import GameAction

    async def one(url: str, seed: int) -> Any:
        async with GameEnv(base_url=url) as client:
            result = await client.reset(seed=seed)
            while not result.done:
                word = picked(result.observation.info, result.observation.legal)
                result = await client.step(GameAction(text=word))
            return (await client.state()).episode

    async def all_of(url: str, seeds: list[int]) -> list[Any]:
        return await asyncio.gather(*(one(url, seed) for seed in seeds))

    with serve("kuhn", options={"rounds": 2}) as url:
        together = asyncio.run(all_of(url, [0, 1, 2, 3, 0, 1, 2, 3]))
        alone = [asyncio.run(all_of(url, [seed]))[0] for seed in range(4)]
    assert together == alone * 2


def test_a_full_server_turns_clients_away() -> None:
    from equipoise.adapters.openenv.client import GameEnv

    with serve("ipd", sessions=1) as url, GameEnv(base_url=url).sync() as first:
        first.reset()
        with pytest.raises(Exception, match=r"(?i)capacity"), GameEnv(base_url=url).sync() as second:
            second.reset()


def test_the_module_serves_from_the_command_line() -> None:
    from equipoise.adapters.openenv.client import GameEnv
    from equipoise.adapters.openenv.models import GameAction

    command = [sys.executable, "-m", "equipoise.adapters.openenv", "ipd", "--port", "0", "-o", "rounds=1"]
    command += ["--pool", "train=always_cooperate", "--pool", "collusive=", "--retries", "0", "--seed", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            assert said.startswith("serving on http://127.0.0.1:")
            with GameEnv(base_url=said.split()[-1]).sync() as client:
                client.reset(seed=0)
                assert client.state().opponent == "always_cooperate"
                result = client.step(GameAction(text="DEFECT"))
                assert (result.reward, result.done) == (5.0, True)
        finally:
            server.terminate()
            server.wait(timeout=30)


def test_an_address_in_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    from equipoise.adapters.openenv.__main__ import main

    with serve("ipd") as url:
        port = url.rpartition(":")[2]
        assert main(["ipd", "--port", port]) == 2
    assert capsys.readouterr().err == f"error: --host 127.0.0.1 --port {port}: Address already in use\n"


def test_the_web_page_offers_the_legal_actions() -> None:
    from equipoise.adapters.openenv.environment import GameEnvironment
    from equipoise.adapters.openenv.tasks import set_tasks

    environment = GameEnvironment(set_tasks("ipd"))
    told = environment.reset(seed=0).model_dump()
    offered = environment.web_actions(told)
    assert [word for word, _ in offered] == ["COOPERATE", "DEFECT"]
    assert offered[1][1] == {"text": "DEFECT"}
