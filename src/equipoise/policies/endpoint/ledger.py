"""What answers have cost so far, and the caps on it."""

from __future__ import annotations

from typing import NamedTuple

from equipoise.errors import EquipoiseError
from equipoise.policies.endpoint.settings import Price

__all__ = ["Ledger", "Usage"]

MORE = "raise {flag} and the same command goes on, with --out from where it stopped"


class Usage(NamedTuple):
    """Tokens of one request.

    Attributes:
        input: Tokens of the prompt.
        output: Tokens of the answer.
    """

    input: int
    output: int


class Ledger:
    """Counts tokens and costs of everything asked in one audit; the caps are checked before each request.

    A request that is already open when a cap is reached is still paid, so at most one a connection is spent
    beyond it.
    """

    def __init__(self, max_cost: float | None = None, max_tokens: int | None = None) -> None:
        """Take the caps; None is none."""
        self.max_cost, self.max_tokens = max_cost, max_tokens
        self.tokens, self.cost = 0, 0.0

    @property
    def is_capped(self) -> bool:
        """Whether anything is limited."""
        return self.max_cost is not None or self.max_tokens is not None

    def add(self, usage: Usage, price: Price | None) -> None:
        """Count what a request took."""
        self.tokens += usage.input + usage.output
        if price is not None:
            self.cost += usage.input * price.input + usage.output * price.output

    def check(self) -> None:
        """Check that another request may be made.

        Raises:
            EquipoiseError: A cap is reached.
        """
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise EquipoiseError(
                f"the answers have cost {self.cost:.4g}, the cap is {self.max_cost:g}: "
                + MORE.format(flag="--max-cost")
            )
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise EquipoiseError(
                f"the answers took {self.tokens} tokens, the cap is {self.max_tokens}: "
                + MORE.format(flag="--max-tokens-total")
            )
