"""The numbers of every step for TensorBoard, and nothing where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from equipoise.training.scalars import Scalars


def read(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return step and value of every scalar, as TensorBoard shows them."""
    loading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    found = loading.EventAccumulator(str(folder))
    found.Reload()
    return {
        name: [(event.step, event.value) for event in found.Scalars(name)] for name in found.Tags()["scalars"]
    }


def test_every_number_is_written_at_its_step(tmp_path: Path) -> None:
    scalars = Scalars(tmp_path / "board")
    scalars.add({"step": 1, "loss": 2.5, "episodes": 7, "note": "text", "nothing": None})
    scalars.add({"step": 2, "loss": 1.25, "select_score": -0.5})
    scalars.close()
    assert read(tmp_path / "board") == {
        "loss": [(1, 2.5), (2, 1.25)],
        "episodes": [(1, 7.0)],
        "select_score": [(2, -0.5)],
    }


def test_after_a_resume_steps_that_are_done_again_stand_once(tmp_path: Path) -> None:
    first = Scalars(tmp_path)
    for step in (1, 2, 3, 4):
        first.add({"step": step, "loss": 1.0})
    first.close()
    second = Scalars(tmp_path)
    for step in (3, 4, 5):
        second.add({"step": step, "loss": 2.0})
    second.close()
    assert read(tmp_path)["loss"] == [(1, 1.0), (2, 1.0), (3, 2.0), (4, 2.0), (5, 2.0)]


def test_closing_twice_and_going_on_are_fine(tmp_path: Path) -> None:
    scalars = Scalars(tmp_path)
    scalars.close()
    assert list(tmp_path.iterdir()) == []
    scalars.add({"step": 1, "loss": 1.0})
    scalars.close()
    scalars.close()
    scalars.add({"step": 2, "loss": 0.5})
    scalars.close()
    assert read(tmp_path)["loss"] == [(1, 1.0), (2, 0.5)]


def test_where_torch_is_not_loaded_it_is_not_loaded_for_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sys.modules["torch"] is torch
    monkeypatch.delitem(sys.modules, "torch")
    scalars = Scalars(tmp_path / "board")
    scalars.add({"step": 1, "loss": 1.0})
    scalars.close()
    assert "torch" not in sys.modules
    assert not (tmp_path / "board").exists()


def test_without_a_folder_nothing_is_written_or_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from equipoise.training.scalars import Scalars\n"
        "scalars = Scalars(None)\n"
        "scalars.add({'step': 1, 'loss': 1.0})\n"
        "scalars.close()\n"
        "assert 'torch' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["torch.utils.tensorboard", "tensorboard"])
def test_without_tensorboard_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    for name in [name for name in sys.modules if name.startswith("torch.utils.tensorboard")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    scalars = Scalars(tmp_path / "board")
    scalars.add({"step": 1, "loss": 1.0})
    scalars.add({"step": 2, "loss": 1.0})
    scalars.close()
    assert not (tmp_path / "board").exists()
