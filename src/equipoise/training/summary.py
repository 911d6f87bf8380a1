"""What a run ends with: one table a game, a verdict line, and where everything is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from equipoise.auditing.result import AuditResult, Difference
from equipoise.auditing.tables import metric_table, reading_table, verdict
from equipoise.training.recipe import joint_start

__all__ = ["Run"]

YARDSTICK = "best scripted"


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes:
        folder: Where everything is.
        result: Results and paired differences.
        recipe: Name of the recipe.
        metric: What verdicts are about.
        rivals: The policies that trained ones are set against.
    """

    folder: Path
    result: AuditResult
    recipe: str
    metric: str = "safety"
    rivals: tuple[str, ...] = ("base", "sft")

    def to_json(self) -> dict[str, Any]:
        """Return the run in the form of audit schema 1."""
        return {**self.result.to_json(), "recipe": self.recipe}

    def save(self) -> None:
        """Write ``summary.json``."""
        self.result.save(self.folder / "summary.json", recipe=self.recipe)

    def render(self) -> list[RenderableType]:
        """Return the tables, the verdicts and the folder."""
        parts: list[RenderableType] = []
        for game in dict.fromkeys(result.game for result in self.result.results):
            rows = [r for r in self.result.results if r.game == game]
            parts.append(metric_table(rows))
            if (read := reading_table(rows)) is not None:
                parts.append(read)
            parts += [Text(line) for line in self.verdicts(game)]
        if self.result.results:
            note = "Intervals cover the evaluation noise of these trained policies, not the training seed."
            parts.append(Text(note))
        parts.append(Text(f"run folder: {self.folder}"))
        return parts

    def verdicts(self, game: str) -> list[str]:
        """Return one line a trained policy: its paired differences from those before it."""
        rows = [d for d in self.result.differences if d.game == game and d.metric == self.metric]
        trained = [name for name in dict.fromkeys(d.a for d in rows) if _bare(name) not in self.rivals]
        return [
            _verdict(
                game,
                f"{self.metric} of {name}",
                [d for d in rows if d.a == name and (_bare(d.b) in self.rivals or d.b == joint_start(name))],
            )
            for name in trained
        ]


def _bare(name: str) -> str:
    """Return a policy's name without the actor that it is judged with."""
    return name.partition("@")[0]


def _verdict(game: str, what: str, rows: Sequence[Difference]) -> str:
    words = {"higher": "above", "lower": "below", "equal": "equal to", "not settled": "not settled against"}
    parts = [f"{words[verdict(d.estimate)]} {d.b} by {d.estimate}" for d in rows]
    return f"{game}: {what}, paired on the same deals: {'; '.join(parts)}"
