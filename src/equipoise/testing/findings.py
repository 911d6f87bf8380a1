"""What a check found: one finding a rule, and the error that names the rule that is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

from equipoise.errors import EquipoiseError
from equipoise.progress import Reporter

__all__ = [
    "ConformanceError",
    "Finding",
    "NotApplicable",
    "Report",
    "Rule",
    "Status",
    "Violation",
    "examine",
    "shown",
]


class HasBroken(Protocol):
    """What rules are checked on; it may have found broken ones while it was set up."""

    broken: dict[str, str]


Bench = TypeVar("Bench", bound=HasBroken)
LONGEST = 160
"""Characters of a value that a message shows."""


class Status(StrEnum):
    """What became of a rule."""

    OK = "ok"
    FAILED = "FAILED"
    NOT_APPLICABLE = "not applicable"


class ConformanceError(EquipoiseError):
    """A game, policy or opponent breaks a rule that the package relies on.

    Attributes:
        rule: The rule's stable id.
    """

    def __init__(self, subject: str, rule: str, detail: str) -> None:
        """Take what was checked, the rule, and what breaks it."""
        super().__init__(f"{subject} breaks {rule!r}: {detail}")
        self.rule = rule


class Violation(Exception):
    """What breaks a rule, and what to do about it.

    Attributes:
        rule: Id of the rule, where it is not the one being checked.
    """

    def __init__(self, what: str, way_out: str, rule: str | None = None) -> None:
        """Take the offending value in words and the way out."""
        super().__init__(f"{what}; {way_out}")
        self.rule = rule


class NotApplicable(Exception):
    """The rule says nothing about what is checked, or cannot be checked on it; the message says why."""


class Finding(NamedTuple):
    """What a check found about one rule.

    Attributes:
        rule: The rule's stable id.
        status: Whether it holds.
        detail: What breaks it and the way out; or what was looked at; or why it does not apply.
    """

    rule: str
    status: Status
    detail: str = ""


@dataclass(frozen=True)
class Rule(Generic[Bench]):
    """A rule and how it is checked.

    Attributes:
        id: Stable short name.
        says: The rule in words.
        check: Raises a Violation if it is broken; returns what it looked at.
    """

    id: str
    says: str
    check: Callable[[Bench], str]


@dataclass(frozen=True)
class Report:
    """What a check found, in the order of the rules.

    Attributes:
        subject: What was checked.
        findings: One finding a rule.
    """

    subject: str
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The rules that are broken."""
        return tuple(one for one in self.findings if one.status is Status.FAILED)

    @property
    def ok(self) -> bool:
        """Whether no rule is broken."""
        return not self.failed

    def __getitem__(self, rule: str) -> Finding:
        """Return the finding about a rule."""
        return next(one for one in self.findings if one.rule == rule)

    def raise_if_failed(self) -> Report:
        """Return the report if no rule is broken.

        Raises:
            ConformanceError: A rule is broken; the first is named.
        """
        for one in self.failed:
            raise ConformanceError(self.subject, one.rule, one.detail)
        return self

    def lines(self) -> Iterator[str]:
        """Yield one line a rule."""
        width = max(len(one.rule) for one in self.findings)
        for rule, status, detail in self.findings:
            yield f"{rule:<{width}}  {status:<14}  {detail}".rstrip()

    def __str__(self) -> str:
        """Render the subject and one line a rule."""
        return "\n".join([self.subject, *self.lines()])


def examine(subject: str, rules: Sequence[Rule[Bench]], bench: Bench, reporter: Reporter) -> Report:
    """Check rules one after another; a broken one does not keep the others from being checked."""
    with reporter.task(f"check {subject}", len(rules)) as advance:
        findings = []
        for rule in rules:
            findings.append(_finding(rule, bench))
            advance(1)
    return Report(subject, tuple(findings))


def shown(value: object) -> str:
    """Return a value as a message shows it: on one line, and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _finding(rule: Rule[Bench], bench: Bench) -> Finding:
    if rule.id in bench.broken:
        return Finding(rule.id, Status.FAILED, bench.broken[rule.id])
    try:
        return Finding(rule.id, Status.OK, rule.check(bench))
    except NotApplicable as reason:
        return Finding(rule.id, Status.NOT_APPLICABLE, str(reason))
    except Violation as violation:
        return Finding(rule.id, Status.FAILED, str(violation))
    except Exception as error:
        # The code under test is not ours: whatever it raises is a finding, not our failure.
        message = " ".join(str(error).split())
        return Finding(
            rule.id, Status.FAILED, f"raised {type(error).__name__}: {message}; {rule.says} must not raise"
        )
