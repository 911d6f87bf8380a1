"""One slot of a week, for two people with calendars of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.tasks.social.terms.base import Deal
from equipoise.tasks.social.terms.choices import Choices
from equipoise.tasks.social.terms.numbers import figures
from equipoise.types import Seat

__all__ = ["DAYS", "Times"]

DAYS = {
    "Mon": "Monday",
    "Tue": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}
"""Days as slots name them, and in full."""

_DAY = re.compile(
    r"\b(?P<day>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|"
    r"sat(?:urday)?|"
    r"sun(?:day)?)s?\b\.?"
)
_TIME = re.compile(
    r"\b(?P<half>half past|quarter past|quarter to)\s(?P<of>\d{1,2})\s*(?P<ofhalf>am|pm)?\b"
    r"|\b(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})\s*(?P<noon>am|pm)?\b"
    r"|\b(?P<whole>\d{1,2})\s*(?:(?P<part>am|pm)\b|o'clock\b(?:\s*(?P<clock>am|pm)\b)?)"
    r"|\b(?P<midday>noon|midday|12 noon)\b"
    r"|\b(?:at|by|@)\s(?P<at>\d{1,2})\b(?![:.h]\d|\s?(?:am\b|pm\b|o\'clock|%|minutes?|days?|people))"
    r"|\b(?P<ahead>\d{1,2})(?= on (?:mon|tue|wed|thu|fri|sat|sun))"
    r"|(?<=day |mon |tue |wed |thu |fri |sat |sun )(?P<after>\d{1,2})\b"
)
_AFTERNOON = re.compile(r"\b(?:afternoon|evening|tonight)\b")
_MORNING = re.compile(r"\bmorning\b")


class Times(Choices):
    """A slot of the scenario's grid; a day without a time, or a time off the grid, is talk."""

    def say(self, deal: Deal, seat: Seat) -> str:
        """Return the slot as "Tuesday at 10:00"."""
        day, time = str(deal).split()
        return f"{DAYS[day]} at {time}"

    def points(self, seat: Seat, deal: Deal) -> float:
        """Return the value of the slot over the limit; one that the seat cannot make costs it its target."""
        value = self.scenario.people[seat].values[self.scenario.labels.index(str(deal))]
        return value - self.scenario.people[seat].limit if value > 0.0 else -self.target(seat)

    def found(self, text: str) -> tuple[list[Deal], str]:
        """Return the slots of a clause: each time with the day before it, or else the one after it."""
        plain = figures(text.replace("o' clock", "o'clock"), least=1)
        days = [(m.start(), m["day"][:3].capitalize()) for m in _DAY.finditer(plain)]
        times = [(m.start(), m) for m in _TIME.finditer(plain)]
        found: list[Deal] = []
        for place, match in times:
            before = [day for start, day in days if start < place]
            after = [day for start, day in days if start > place]
            if day := (before[-1:] or after[:1]):
                found += self._slot(day[0], match, plain)
        return found, _DAY.sub(" ", _TIME.sub(" ", plain))

    def _slot(self, day: str, match: re.Match[str], text: str) -> Sequence[Deal]:
        """Return the one slot of the grid that a day and a time mean, or a label off the grid."""
        hour, minute, half = _clock(match)
        if half is None and _AFTERNOON.search(text):
            half = "pm"
        if half is None and _MORNING.search(text):
            half = "am"
        hours = (
            {hour}
            if hour > 12 or half == "am"
            else {hour % 12 + 12}
            if half == "pm"
            else {hour, hour % 12 + 12}
        )
        labels = [f"{day} {one:02d}:{minute:02d}" for one in sorted(hours)]
        on_grid = [label for label in labels if label in self.scenario.labels]
        return on_grid if len(on_grid) == 1 else (f"{labels[0]}?",)


def _clock(match: re.Match[str]) -> tuple[int, int, str | None]:
    """Return hour, minute, and am or pm where it is said."""
    if match["midday"]:
        return 12, 0, "pm"
    if match["half"]:
        hour = int(match["of"])
        minute = {"half past": 30, "quarter past": 15, "quarter to": 45}[match["half"]]
        return (hour - 1 if minute == 45 else hour), minute, match["ofhalf"]
    if match["hour"]:
        # A leading zero is the clock of 24 hours: 03:00 is no afternoon.
        early = "am" if match["hour"].startswith("0") else None
        return int(match["hour"]), int(match["minute"]), match["noon"] or early
    hour = int(match["whole"] or match["at"] or match["ahead"] or match["after"])
    return hour, 0, match["part"] or match["clock"]
