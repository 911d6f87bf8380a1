"""Counter-based randomness: every draw is a pure function of its key.

A *deal* fixes all that chance and the opponent's randomness decide in an episode, however the policy under
study plays: each draw is keyed by (seed, split, game and version, deal, round, purpose), so rollouts that
diverge never fall out of step. The policy's own draws are keyed by (seed, episode, decision, role, retry),
so they do not depend on batching. Keys are hashed with BLAKE2b, whose output is the same on every machine.

Deals are split by use: the split is part of the key, so no deal of one split is a deal of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from equipoise.errors import RequestError

__all__ = ["Deal", "DecisionDraws", "Split", "check_disjoint", "keyed_uniform"]

_SCALE = 2.0**-53


class Split(StrEnum):
    """What a deal may be used for; the four never share one."""

    SFT = "sft"
    TRAIN = "train"
    SELECT = "select"
    REPORT = "report"


def keyed_uniform(key: str) -> float:
    """Return the draw in [0, 1), with 53 random bits, that belongs to a key."""
    digest = blake2b(key.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * _SCALE


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of one game.

    Attributes:
        seed: Seed of the run.
        split: What the deal may be used for.
        game: ``id@version``.
        index: Number of the deal within its split.
    """

    seed: int
    split: Split
    game: str
    index: int

    @property
    def key(self) -> str:
        """The prefix of the keys of all its draws."""
        return f"{self.seed}|{self.split.value}|{self.game}|{self.index}"

    def chance(self, round_: int, purpose: str) -> float:
        """Return the draw for a chance node of the rules."""
        return keyed_uniform(f"{self.key}|chance|{round_}|{purpose}")

    def opponent_draws(self, rank: int, round_: int, step: int, retry: int = 0) -> DecisionDraws:
        """Return the draws of an opponent at its ``step``-th decision in a round.

        Args:
            rank: How many seats after the policy's own it sits, from 0: swapping the two seats of a deal
                swaps the draws with them.
            round_: The round.
            step: Which of the opponent's own decisions in the round it is.
            retry: How often it was asked before in vain.
        """
        owner = f"{self.key}|opponent|{rank}"
        again = f"|{retry}" if retry else ""
        return DecisionDraws(f"{owner}|{round_}|{step}{again}", owner)


@dataclass(frozen=True, slots=True)
class DecisionDraws:
    """The draws of one decision (see ``types.Draws``)."""

    key: str
    owner: str

    @classmethod
    def of_policy(cls, seed: int, episode: str, seat: int, index: int, retry: int) -> DecisionDraws:
        """Return the draws of the policy under study at its ``index``-th decision."""
        owner = f"{seed}|policy|{episode}|{seat}"
        return cls(f"{owner}|{index}|{retry}", owner)

    def uniform(self, purpose: str) -> float:
        """Return the draw of this decision for a purpose (a role, a token …)."""
        return keyed_uniform(f"{self.key}|{purpose}")

    def once(self, purpose: str) -> float:
        """Return the draw for a purpose that is shared by all decisions of the episode."""
        return keyed_uniform(f"{self.owner}|once|{purpose}")


def check_disjoint(groups: Iterable[Iterable[Deal]]) -> None:
    """Check that no two groups of deals share one.

    Raises:
        RequestError: A deal stands in two groups; the message names it.
    """
    seen: set[str] = set()
    for group in groups:
        keys = {deal.key for deal in group}
        if shared := seen & keys:
            raise RequestError(
                f"deal {sorted(shared)[0]!r} is used twice: give each use its own split or seed"
            )
        seen |= keys
