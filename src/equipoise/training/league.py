"""A league of frozen copies: every few steps the policy as it is joins its own opponents.

Playing only one's present self can go round in circles; past selves keep what was once answered answered
(fictitious play, G. W. Brown 1951, and fictitious self-play, J. Heinrich, M. Lanctot and D. Silver,
*Fictitious self-play in extensive-form games*, ICML 2015). The newest copies are kept, the oldest leaves.

A copy is written to ``past/STEP`` in the run's folder before anybody meets it and loaded from there, so that
a resumed run meets the same numbers, and stays there after it has left: ``frozen:RUN@STEP`` names it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.policies.base import Policy
from equipoise.training.config import LeagueSettings
from equipoise.training.learner import Learner

__all__ = ["League"]


class League:
    """The copies that are met.

    Attributes:
        players: The copies by name, oldest first.
    """

    def __init__(self, settings: LeagueSettings, learner: Learner, folder: Path | None) -> None:
        """Begin without copies.

        Args:
            settings: How often, how many.
            learner: What is copied.
            folder: The run's folder; None keeps the copies as long as the league.
        """
        self.settings, self.learner = settings, learner
        self._scratch = None if folder is not None else tempfile.TemporaryDirectory(prefix="equipoise-past-")
        self._place = Path(self._scratch.name) if self._scratch is not None else folder
        self.players: dict[str, Policy] = {}

    def advance(self, step: int) -> None:
        """Copy the policy if a step asks for it, before the step's episodes are played."""
        if step == 0 or step % self.settings.every:
            return
        folder = self._folder(step)
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        self.learner.save_weights(part)
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
        self._join(step)

    def forget(self) -> None:
        """Drop what the copies have cached (see ``Learner.forget``)."""
        for player in self.players.values():
            player.forget()

    def state_dict(self) -> dict[str, Any]:
        """Return who is met, ready for JSON."""
        return {"members": [int(name.partition("@")[2]) for name in self.players]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take back what :meth:`state_dict` returned."""
        for step in state["members"]:
            self._join(int(step))

    def _join(self, step: int) -> None:
        name = f"past@{step}"
        self.players[name] = self.learner.frozen(self._folder(step), name)
        while len(self.players) > self.settings.keep:
            self.learner.drop(self.players.pop(next(iter(self.players))))

    def _folder(self, step: int) -> Path:
        assert self._place is not None
        return self._place / "past" / str(step)
