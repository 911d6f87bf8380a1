"""What all endpoints of one audit share: settings, kept answers, and one account of what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.policies.endpoint.answers import Answers
from equipoise.policies.endpoint.ledger import Ledger, Usage
from equipoise.policies.endpoint.settings import EndpointSettings, Price, price_of, read_settings

__all__ = ["Desk", "share_desk"]

FOLDER = "answers"


class Desk:
    """Settings, answers and costs; files are first read when something is asked.

    Attributes:
        settings: How to ask.
        ledger: What was spent, in earlier calls with the same folder too.
    """

    def __init__(self, settings: EndpointSettings, folder: Path | None = None) -> None:
        """Take the settings, and the folder that answers are kept in."""
        self.settings, self._folder = settings, folder
        self.ledger = Ledger(settings.max_cost, settings.max_tokens_total)
        self._answers: Answers | None = None
        self._prices: dict[str, Price] = {}

    @classmethod
    def of(cls, given: Mapping[str, Any] | Desk | None, folder: Path | None = None) -> Desk:
        """Return the desk for settings, or the one that there is.

        Raises:
            RequestError: A setting is wrong.
        """
        return given if isinstance(given, Desk) else cls(read_settings(given or {}), folder)

    @property
    def answers(self) -> Answers:
        """The answers kept so far; what they cost is counted when they are first read.

        Raises:
            RequestError: Their file is damaged, or a model in it has no price.
        """
        if self._answers is None:
            self._answers = Answers(self._folder)
            for model, usage in self._answers.spent:
                self.ledger.add(usage, self.price(model))
        return self._answers

    def price(self, model: str) -> Price | None:
        """Return the price of a model, or None without prices.

        Raises:
            RequestError: The prices cannot be read, or lack the model.
        """
        if self.settings.prices is None:
            return None
        if model not in self._prices:
            self._prices[model] = price_of(model, self.settings.prices)
        return self._prices[model]

    def charge(self, model: str, usage: Usage, *, lost: bool = False) -> None:
        """Count what a request took; ``lost`` where it left no answer to keep."""
        self.ledger.add(usage, self.price(model))
        if lost:
            self.answers.lost(model, usage)


def share_desk(settings: Mapping[str, Any], out: str | Path | None = None) -> dict[str, Any]:
    """Return settings in which all endpoints share one desk, which keeps answers in a folder of ``out``.

    Raises:
        RequestError: A setting of endpoints is wrong.
    """
    return {
        **settings,
        "endpoint": Desk.of(settings.get("endpoint"), None if out is None else Path(out) / FOLDER),
    }
