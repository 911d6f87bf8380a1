"""The judge that reads the rules' own account: a turn is decisive if it raised what its side can count on."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.judges.base import Case, Verdict

__all__ = ["RuleJudge"]


class RuleJudge:
    """Marks turns whose gain is above a threshold (see ``case_of`` for what a gain is)."""

    name = "rule"

    def __init__(self, threshold: float = 1e-9) -> None:
        """Take the gain above which a turn is decisive, in units of the payoffs."""
        self.threshold = threshold
        self.fingerprint = f"rule/{threshold:g}"

    def judge(self, cases: Sequence[Case]) -> list[Verdict]:
        """Return the turns with a gain; a case without known gains has none."""
        return [
            Verdict(
                tuple(
                    number
                    for number, turn in enumerate(case.turns)
                    if turn.gain is not None and turn.gain > self.threshold
                )
            )
            for case in cases
        ]
