"""Numbers for other services: what is sent, once, and what is said where they are missing or fail."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.errors import EquipoiseError, RequestError
from equipoise.training import boards
from equipoise.training.boards import Boards
from equipoise.training.config import SepoConfig
from tests.objective.learning import lab
from tests.training.test_sepo import trainer_of


class Service(SimpleNamespace):
    """Stands for a service's module and notes what it is told."""

    def __init__(self, error: Exception | None = None) -> None:
        self.told: list[Any] = []
        self.error = error

    def init(self, **given: Any) -> None:
        self.told.append(given)

    def log(self, numbers: dict[str, float], step: int) -> None:
        if self.error is not None:
            raise self.error
        self.told.append((step, numbers))

    def finish(self) -> None:
        self.told.append("finished")


@pytest.fixture(params=["trackio", "wandb"])
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(boards, "find_spec", lambda name: name)
    return request.param


def test_a_run_sends_every_number_at_its_step_and_its_settings(
    name: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("equipoise.training.scalars.Scalars._open", lambda self, step: None)
    service = Service()
    monkeypatch.setitem(sys.modules, name, service)
    config = SepoConfig(steps=2, deals=1, rollouts=2, lr=1.0, report_to=[name, name])
    trained = trainer_of(lab("kuhn", 1, seed=0, spread=0.5), config, tmp_path).run()
    begun, *rows, ended = service.told
    assert begun["config"]["config"]["lr"] == 1.0
    assert begun["resume"] == "allow"
    assert ended == "finished"
    assert [step for step, _ in rows] == [1, 2]
    for (_, sent), row in zip(rows, trained.history, strict=True):
        assert sent == {k: v for k, v in row.items() if k != "step" and isinstance(v, int | float)}
        assert sent["entropy"] > 0.0


def test_a_folder_is_one_run_there_however_often_it_is_opened(
    name: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service()
    monkeypatch.setitem(sys.modules, name, service)
    for folder in ("a", "a", "b"):
        board = Boards([name], tmp_path / folder, "sepo", {})
        board.add({"step": 1, "loss": 2.0, "alarm": "text"})
        board.close()
    begun = [told for told in service.told if isinstance(told, dict)]
    runs = [(one["name"], one.get("id")) for one in begun]
    assert runs[0] == runs[1] != runs[2]
    assert (1, {"loss": 2.0}) in service.told


def test_what_is_not_installed_is_said_before_any_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boards, "find_spec", lambda name: None)
    config = SepoConfig(steps=1, report_to=["wandb"])
    with pytest.raises(RequestError, match=r"'wandb'.*not installed, pip install wandb, or leave it out"):
        trainer_of(lab("kuhn", 1, seed=0, spread=0.5), config, tmp_path)


def test_a_service_that_fails_stops_the_run_with_its_reason(
    name: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, Service(OSError("no\nconnection")))
    board = Boards([name], tmp_path, "sepo", {})
    with pytest.raises(EquipoiseError, match=f"{name}.*no connection; mend it, or leave {name} out"):
        board.add({"step": 1, "loss": 2.0})


def test_nothing_is_loaded_or_sent_where_nothing_is_named(tmp_path: Path) -> None:
    board = Boards([], tmp_path, "sepo", {})
    board.add({"step": 1, "loss": 2.0})
    board.close()
    Boards(["wandb"], None, "sepo", {}).add({"step": 1, "loss": 2.0})
    assert list(tmp_path.iterdir()) == []


def test_unknown_services_are_refused() -> None:
    with pytest.raises(ValueError, match="'trackio' or 'wandb'"):
        SepoConfig(report_to=["mlflow"])  # type: ignore[list-item]
