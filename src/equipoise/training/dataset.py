"""Writes the examples of teachers: prompts and answers as JSON lines, one file a game or one a split."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

from equipoise.errors import EquipoiseError, RequestError
from equipoise.files import claim, folder_name, write_json, write_text
from equipoise.games.base import Game
from equipoise.progress import Reporter
from equipoise.prompts.base import MARKER
from equipoise.prompts.registry import get_renderer
from equipoise.training.claims import refute
from equipoise.training.data import SPLITS, Demonstrations, Example, Shares
from equipoise.training.datacard import Counts, card
from equipoise.training.datapage import page
from equipoise.training.teachers.mixtures import reason_of

__all__ = ["DataRequest", "Format", "row_of", "write_file", "write_folder"]

Format = Literal["jsonl", "datasets"]
EPISODES = 600
"""Episodes of a game unless a size is given; as many as the stage ``sft`` plays."""


@dataclass(frozen=True, slots=True)
class DataRequest:
    """What data to make, for each game.

    Attributes:
        recipe: The mixture of teachers.
        episodes: Episodes to play; without a size, 600.
        examples: Examples to write instead; the last episode may be cut short.
        seed: Seed of the draws.
        shares: What is kept from training.
        reasons: Whether answers begin with one sentence of reason.
    """

    recipe: str
    episodes: int | None = None
    examples: int | None = None
    seed: int = 0
    shares: Shares = field(default_factory=Shares)
    reasons: bool = False

    def __post_init__(self) -> None:
        """Check the size.

        Raises:
            RequestError: There are two sizes, or it is not positive.
        """
        if self.episodes is not None and self.examples is not None:
            raise RequestError(
                f"episodes = {self.episodes!r} and examples = {self.examples!r} are two sizes: give one"
            )
        for name, size in (("episodes", self.episodes), ("examples", self.examples)):
            if size is not None and size < 1:
                raise RequestError(f"{name} = {size!r}: a size is at least 1")

    def stream(self, played: Demonstrations, reporter: Reporter | None) -> Iterator[Example]:
        """Yield the examples asked for."""
        if self.examples is not None:
            return played.first_examples(self.examples, reporter)
        return played.first_episodes(self.episodes or EPISODES, reporter)

    def to_json(self) -> dict[str, Any]:
        """Return the request as a card keeps it."""
        size = self.episodes or (EPISODES if self.examples is None else None)
        return {**asdict(self), "episodes": size}

    def command(self, game: Game | None, form: Format) -> str:
        """Return the command that makes the same data; None stands for all games."""
        changed = {} if game is None else game.options.changed()
        options = [f"--option {shlex.quote(f'{key}={_toml(value)}')}" for key, value in changed.items()]
        size = f"--episodes {self.episodes or EPISODES}"
        parts = [
            "equipoise data",
            "all" if game is None else game.name,
            *options,
            f"--recipe {self.recipe}",
            size if self.examples is None else f"--examples {self.examples}",
            f"--seed {self.seed} --validation {self.shares.validation} --test {self.shares.test}",
            *(["--reasons"] if self.reasons else []),
            f"--format {form} --out PATH",
        ]
        return " ".join(parts)


def write_file(
    game: Game, request: DataRequest, out: Path, reporter: Reporter | None = None
) -> dict[str, Any]:
    """Write a game's examples to one JSONL file, all splits in it, and return the card.

    A file written before is replaced, whole.

    Raises:
        RequestError: The recipe does not exist for the game, or the file holds something else.
    """
    played = Demonstrations(game, request.recipe, request.seed, request.shares)
    if out.exists() and not _is_data(out):
        raise RequestError(f"--out {str(out)!r} holds something else than such data: name another file")
    counts = _write(played, request, lambda split: out, reporter)
    counts.files = [out.name]
    return card({game.name: counts}, {**request.to_json(), "format": "jsonl"}, request.command(game, "jsonl"))


def write_folder(
    games: Sequence[Game],
    request: DataRequest,
    out: Path,
    form: Format = "jsonl",
    reporter: Reporter | None = None,
    left_out: Sequence[str] = (),
) -> dict[str, Any]:
    """Write the examples of games into a folder, with a card as JSON and as README.md, and return the card.

    Args:
        games: The games.
        request: What data to make, for each of them.
        out: The folder; it may hold the same data, whole or in part, and nothing else.
        form: ``jsonl`` writes GAME.jsonl; ``datasets`` writes GAME/SPLIT.jsonl and a README.md with which
            ``datasets.load_dataset(FOLDER, GAME)`` finds them.
        reporter: Shows progress.
        left_out: Games that the recipe has no teachers for, for the card.

    Raises:
        RequestError: The recipe does not exist for a game, or the folder holds something else.
    """
    played = [Demonstrations(game, request.recipe, request.seed, request.shares) for game in games]
    options = {game.info_record.key: game.options.changed() for game in games}
    asked = {**request.to_json(), "format": form}
    claim(out, "request.json", {**asked, "games": options}, "choose another --out")
    found: dict[str, Counts] = {}
    for one in played:
        name = folder_name(one.game.name)

        def place(split: str, name: str = name) -> Path:
            return out / (f"{name}.jsonl" if form == "jsonl" else f"{name}/{split}.jsonl")

        counts = found[one.game.name] = _write(one, request, place, reporter)
        paths = dict.fromkeys(place(split) for split in SPLITS if counts.examples(split))
        counts.files = [path.relative_to(out).as_posix() for path in paths]
    command = request.command(games[0] if len(games) == 1 else None, form)
    made = card(found, asked, command, left_out)
    write_json(out / "card.json", made)
    write_text(out / "README.md", page(made))
    return made


def row_of(example: Example, reasons: bool = False) -> dict[str, Any]:
    """Return an example as a line of the data.

    Raises:
        EquipoiseError: The reason is not so; it is checked before it is written.
    """
    decision, renderer = example.decision, get_renderer(example.decision.rules.name)
    prompt = renderer.prompt(decision)
    word = renderer.say(example.action)
    answer = f"{MARKER} {word}"
    if reasons:
        reason = reason_of(decision.rules.name, example.teacher, decision.info, example.action)
        if problem := refute(reason, decision.info, example.action):
            raise EquipoiseError(f"the reason {problem}")
        answer = f"{reason}\n{answer}"
    return {
        "prompt": [{"role": "user", "content": prompt.rules + prompt.situation}],
        "completion": [{"role": "assistant", "content": answer}],
        "action": word,
        "game": decision.rules.info_record.key,
        "episode": example.episode,
        "teacher": example.teacher,
        "opponent": example.opponent,
        "split": example.split,
    }


def _write(
    played: Demonstrations, request: DataRequest, place: Callable[[str], Path], reporter: Reporter | None
) -> Counts:
    """Write the examples of a game; files appear whole, when all are written."""
    counts = Counts(played)
    with _files() as opened:
        for example in request.stream(played, reporter):
            row = row_of(example, request.reasons)
            counts.add(example, row)
            opened(place(example.split)).write(json.dumps(row, ensure_ascii=False) + "\n")
        if not counts.examples("train"):
            raise RequestError("no episode is left to train on: raise --episodes or lower --validation")
        counts.check()
    return counts


@contextmanager
def _files() -> Iterator[Callable[[Path], TextIO]]:
    """Open files as they are asked for; they take their names if the block ends well, else they vanish."""
    parts: dict[Path, tuple[Path, TextIO]] = {}
    with ExitStack() as stack:

        def opened(path: Path) -> TextIO:
            if path not in parts:
                path.parent.mkdir(parents=True, exist_ok=True)
                part = path.with_name(f"{path.name}.part")
                parts[path] = part, stack.enter_context(part.open("w", encoding="utf-8"))
            return parts[path][1]

        try:
            yield opened
        except BaseException:
            stack.close()
            for part, _ in parts.values():
                part.unlink()
            raise
    for path, (part, _) in parts.items():
        part.replace(path)


def _is_data(path: Path) -> bool:
    """Tell whether a file is empty or begins like data of ours."""
    try:
        with path.open(encoding="utf-8") as file:
            line = file.readline(1 << 20)
        return not line or {"prompt", "completion", "teacher"} <= set(json.loads(line))
    except (OSError, ValueError, TypeError):
        return False


def _toml(value: object) -> str:
    """Return an option's value as the command line reads it."""
    return value if isinstance(value, str) else json.dumps(value)
