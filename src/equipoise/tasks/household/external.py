"""Games from outside: files that TextWorld or ALFWorld made, played through the package ``textworld``.

Read are TextWorld's compiled games (``NAME.z8`` with ``NAME.json`` beside it) and ALFWorld's
(``game.tw-pddl`` with ``traj_data.json`` beside it). TextWorld is imported when a game is opened.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import RequestError
from equipoise.tasks.base import Line, TextEnvironment, View
from equipoise.tasks.household.commands import LIMIT
from equipoise.tasks.household.episode import NAME, diagnostics
from equipoise.tasks.household.state import NOTHING
from equipoise.tasks.household.worlds import TURNS
from equipoise.types import RoundOutcome, Seat

if TYPE_CHECKING:
    from equipoise.tasks.household.task import Household

__all__ = ["ExternalEpisode", "find_games", "open_game", "plain"]

SUFFIXES = (".z8", ".tw-pddl")
"""What compiled games of TextWorld, and games of ALFWorld, end in."""

_META = re.compile(r"(?:save|restore|restart|quit|q|undo|script|transcript|unscript|verify)\b", re.IGNORECASE)
"""Commands to the machine that runs a compiled game; they could write files or start the game anew."""

_GOAL = re.compile(r"your task is to:? *(.+?)\s*$", re.IGNORECASE | re.MULTILINE)


def find_games(path: Path) -> tuple[Path, ...]:
    """Return a game file, or the game files of a folder and its folders, in the order of their names.

    Raises:
        RequestError: There is none.
    """
    if path.is_file() and path.suffix in SUFFIXES:
        return (path,)
    found = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES) if path.is_dir() else []
    if not found:
        raise RequestError(f"games = {str(path)!r}: no game files there; they end in {' or '.join(SUFFIXES)}")
    return tuple(found)


def open_game(path: Path) -> Any:
    """Return TextWorld's environment of a game file, ready to be reset.

    Raises:
        RequestError: TextWorld is not installed, or cannot read the file.
    """
    try:
        textworld = import_module("textworld")
    except ImportError:
        raise RequestError(
            "games need the package textworld: pip install 'equipoise[envs]', or leave out the option games"
        ) from None
    wishes = textworld.EnvInfos(
        admissible_commands=True, objective=True, description=True, inventory=True, won=True, lost=True,
        score=True, max_score=True,
    )  # fmt: skip
    try:
        game = textworld.start(str(path), wishes)
        if path.suffix == ".tw-pddl":
            _rename(game)
        return game
    except ImportError as error:
        raise RequestError(f"{path.name!r} needs more than textworld: {_flat(str(error))}") from None
    except Exception as error:
        raise RequestError(f"{path.name!r} is no game that textworld can read: {_flat(str(error))}") from None


class ExternalEpisode(TextEnvironment):
    """A game from outside; its feedback and its own verdict are passed on."""

    def __init__(self, task: Household, path: Path) -> None:
        """Open the game and start it."""
        super().__init__(task, path.stem if path.suffix == ".z8" else path.parent.name, seats=1, turns=TURNS)
        self._hints: bool = task.options.hints
        self._game = open_game(path)
        self._state: Any = self._game.reset()
        opening = str(self._get("feedback") or "")
        self._opening = plain(opening)
        self._goal = _goal(path, str(self._get("objective") or ""), opening)
        self._lines: list[Line] = []
        self._cut: list[int] = []
        self._nothing = 0
        self._best = self._share()

    def view(self, seat: Seat) -> View:
        """Return what the seat knows now."""
        known = (str(self._get(key) or "") for key in ("description", "inventory"))
        return View(
            scenario=self.scenario,
            name=NAME,
            others=(),
            setting=self._opening,
            goal=self._goal,
            private=tuple(text for text in map(plain, known) if text),
            lines=tuple(self._lines),
            options=tuple(self._get("admissible_commands") or ()) if self._hints else (),
            turn=self.taken[seat],
            turns=self.turns,
        )

    def act(self, seat: Seat, text: str) -> None:
        """Pass a command on; line breaks, over-long text and steering of the machine never reach it."""
        if len(text) > LIMIT:
            self._cut.append(self.taken[seat])
        command, done = " ".join(text[:LIMIT].split()), False
        said = NOTHING
        if command and not _META.match(command):
            self._state, _, done = self._game.step(command)
            said = plain(str(self._get("feedback") or ""))
        self._nothing += said == NOTHING
        self._lines += [Line(NAME, text[:LIMIT]), Line("", said)]
        self._best = max(self._best, self._share())
        if done:
            self.ended = "done" if self._get("won") else "lost"
            self._game.close()

    def scores(self) -> Sequence[float]:
        """Return 1 if the game says that it is won, else 0."""
        return [float(bool(self._get("won")))]

    def achievable(self, seat: Seat) -> float:
        """Return the largest share of the game's own points so far; 1 once it is won."""
        return self._best

    def outcome(self) -> RoundOutcome:
        """Return the score and the diagnostics."""
        return RoundOutcome(tuple(self.scores()), None, None, diagnostics(self, self._best, self._nothing))

    @property
    def notes(self) -> Mapping[str, object]:
        """Add that the game is from outside, and at which steps too much was typed."""
        return {**super().notes, "family": "external", "cut": list(self._cut)}

    def _share(self) -> float:
        if self._get("won"):
            return 1.0
        most = float(self._get("max_score") or 0)
        return min(1.0, max(0.0, float(self._get("score") or 0) / most)) if most else 0.0

    def _get(self, key: str) -> Any:
        return self._state.get(key)


def plain(text: str) -> str:
    """Return a game's text as sentences: no banner, prompt, status line or blank lines."""
    kept = []
    for line in text.splitlines():
        said = line.strip()
        if said.startswith(">") or not re.search(r"[A-Za-z]{2}", said) or "$$" in said:
            continue
        kept.append(re.sub(r"\s+", " ", said))
    return " ".join(kept)


def _rename(game: Any) -> None:
    """Give ALFWorld's things short names, as its own wrapper does: a kind and a number.

    Its identifiers are a kind and where the thing was in the scene; the last of them gets number 1.
    """
    kinds = {info.id: _kind(info.id) for info in game._entity_infos.values()}
    left = Counter(kind for kind in kinds.values() if kind)
    names: dict[str, str] = {}
    for identifier in sorted(kinds):
        kind = kinds[identifier]
        names[identifier] = f"{kind} {left[kind]}" if kind else identifier
        left[kind] -= 1
    for info in game._entity_infos.values():
        info.name = names[info.id]


def _kind(identifier: str) -> str:
    kind, bar, _ = identifier.partition("_bar_")
    return (kind + ("basin" if "basin" in identifier else "")) if bar else ""


def _goal(path: Path, objective: str, opening: str) -> str:
    """Return what is wanted: the game's objective, what its opening says, or ALFWorld's description."""
    if objective.strip():
        return plain(objective)
    found = _GOAL.search(opening)
    if found is not None and "UNKNOWN GOAL" not in found[1]:
        return found[1].rstrip(".") + "."
    beside = path.parent / "traj_data.json"
    if not beside.is_file():
        return "Finish the game."
    try:
        notes = json.loads(beside.read_text(encoding="utf-8"))["turk_annotations"]["anns"]
        return _flat(str(notes[0]["task_desc"]))
    except (ValueError, LookupError, TypeError) as error:
        raise RequestError(f"{str(beside)!r} is no description of an ALFWorld game: {error!r}") from None


def _flat(text: str) -> str:
    return " ".join(text.split())
