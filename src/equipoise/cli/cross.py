"""``equipoise audit GAME --cross P1 P2 …``: what several policies do to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.cli.screen import Output
from equipoise.errors import RequestError

__all__ = ["cross"]

EXAMPLE = "plays the policies named after the game, as in `audit kuhn --cross nash tight_passive`"


def cross(
    given: Sequence[str],
    foreign: Mapping[str, object],
    output: Output,
    **settings: Any,
) -> None:
    """Run cross-play and show it.

    Args:
        given: The game and the policies, as they stand on the command line; ``NAME=POLICY`` names one.
        foreign: Flags of a plain audit with their values; none of them goes with ``--cross``.
        output: Where results go.
        settings: What ``equipoise.cross`` takes besides.

    Raises:
        RequestError: A flag does not go with ``--cross``, or there are too few policies.
    """
    for flag, value in foreign.items():
        if value:
            named = f"{flag} {value}" if isinstance(value, str) else flag
            raise RequestError(f"{named}: --cross {EXAMPLE}, it takes no {flag}")
    game, *policies = given
    with output.work(resumable=settings.get("out") is not None):
        from equipoise import api

        result = api.cross(game, policies, **settings)
    output.write(result.to_json())
    from equipoise.auditing.cross.tables import cross_tables

    output.show(*cross_tables(result))
