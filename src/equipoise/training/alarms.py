"""Watches the metrics of a run: alarms that name a likely cause and a way out, and two limits that stop it.

An alarm is a hint. It is shown once a run on standard error and written into the metrics of every step at
which it holds. What to do on each is said at more length in docs/modes.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.errors import EquipoiseError
from equipoise.progress import Reporter
from equipoise.training.config import SepoConfig

__all__ = ["ALARMS", "Alarm", "Watch"]


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that a metric says has gone wrong.

    Attributes:
        name: Short name, as the metrics have it.
        limits: Metrics with their limits; the first that a step has is the one that counts.
        above: Whether it holds at or above the limit, or at or below it.
        cause: What is likely behind it.
        way_out: What may help.
    """

    name: str
    limits: Mapping[str, float]
    above: bool
    cause: str
    way_out: str

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Tell whether it holds at a step."""
        return self._found(row) is not None

    def text(self, row: Mapping[str, Any], name: str) -> str:
        """Return the line that is shown."""
        found = self._found(row)
        assert found is not None
        metric, value, limit = found
        sign = ">=" if self.above else "<="
        return (
            f"alarm at step {row['step']}: {name} ({metric} {value:.3g} {sign} {limit:g}). "
            f"{self.cause}. {self.way_out}."
        )

    def _found(self, row: Mapping[str, Any]) -> tuple[str, float, float] | None:
        metric = next((name for name in self.limits if row.get(name) is not None), None)
        if metric is None:
            return None
        value, limit = float(row[metric]), self.limits[metric]
        holds = value >= limit if self.above else value <= limit
        return (metric, value, limit) if holds else None


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        "equal rewards",
        {"dead_keys": 0.95},
        True,
        "Nearly all rollouts of a group earn the same, so there is next to no gradient",
        "Raise rollouts or deals, add an entropy bonus or raise the temperature, check that the pools tell "
        "actions apart",
    ),
    Alarm(
        "entropy collapse",
        {"token_entropy": 0.02, "entropy": 0.02},
        False,
        "The policy is nearly deterministic and explores no more",
        "Raise entropy or kl, lower lr or max_step_kl, go back to the best checkpoint",
    ),
    Alarm(
        "far from the reference",
        {"token_kl": 0.5, "kl": 2.0},
        True,
        "The policy has moved far from where it started; text may no longer be language",
        "Raise kl, lower lr, read some transcripts",
    ),
    Alarm(
        "invalid answers",
        {"invalid_rate": 0.2},
        True,
        "Many answers name no legal action, and fallback actions are played in their place",
        "Use mode 'choose' or 'think', which cannot be invalid, or do a warm start (sft) first",
    ),
    Alarm(
        "truncated answers",
        {"truncation_rate": 0.1},
        True,
        "Many answers are cut before they name an action",
        "Raise max_new_tokens, or do a warm start (sft) first",
    ),
    Alarm(
        "lengths at the budget",
        {"budget_rate": 0.5},
        True,
        "Most texts use their whole budget up, and what they end with is not what they led to",
        "Raise thought_tokens (think) or max_new_tokens (free), or accept it if thoughts are meant to be cut",
    ),
)


class Watch:
    """Looks at every step of a run."""

    def __init__(self, config: SepoConfig, reporter: Reporter, alarms: Sequence[Alarm] = ALARMS) -> None:
        """Take the limits, where to show alarms, and the alarms."""
        self.config, self.reporter, self.alarms = config, reporter, alarms
        self._shown: set[str] = set()

    def resume(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Take alarms that were shown before an interruption as shown."""
        self._shown = {name for row in history for name in row.get("alarms", ())}

    def look(self, row: dict[str, Any]) -> None:
        """Add the alarms that hold at a step to its metrics, and show those that are new.

        Metrics of one game among several are named ``GAME/METRIC``, and so are their alarms.
        """
        held = []
        for game, own in _by_game(row).items():
            for alarm in self.alarms:
                if alarm.holds(own):
                    name = f"{game}/{alarm.name}" if game else alarm.name
                    held.append(name)
                    if name not in self._shown:
                        self._shown.add(name)
                        self.reporter.note(alarm.text(own, name))
        if held:
            row["alarms"] = held

    def check_gap(self, row: Mapping[str, Any]) -> None:
        """Stop where the policy that is trained is not the one that plays.

        Raises:
            EquipoiseError: The gap is above ``max_sampler_gap``.
        """
        gap, limit = row.get("sampler_gap"), self.config.max_sampler_gap
        if gap is not None and gap > limit:
            raise EquipoiseError(
                f"step {row['step']}: log-probabilities in training differ by {gap:.3g} from those that were "
                f"sampled from (max_sampler_gap = {limit:g}): use dtype float32, or raise the limit if that "
                "is the rounding of your model; the last checkpoint is kept"
            )

    def check_skipped(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Stop where gradients are not finite again and again.

        Raises:
            EquipoiseError: The last step was skipped, and more steps were than ``max_skipped``.
        """
        count, limit = sum(bool(row.get("skipped")) for row in history), self.config.max_skipped
        if history and history[-1].get("skipped") and count > limit:
            raise EquipoiseError(
                f"step {history[-1]['step']}: the gradient is not finite, and {count} steps were skipped "
                f"(max_skipped = {limit}): lower lr, use dtype float32; the last checkpoint is kept"
            )


def _by_game(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the metrics of the run under an empty name, and those of each game under its own."""
    found: dict[str, dict[str, Any]] = {"": {}}
    for key, value in row.items():
        game, _, metric = key.rpartition("/")
        found.setdefault(game, {"step": row["step"]})[metric] = value
    return found
