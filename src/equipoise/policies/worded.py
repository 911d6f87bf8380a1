"""Policies that read words, and so may answer differently when the same question is put another way."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from equipoise.policies.base import Policy

__all__ = ["Worded", "in_words"]


@runtime_checkable
class Worded(Protocol):
    """A policy whose game can be put to it in other words.

    Attributes:
        wording: The name of the wording in use.
        base_name: The policy's name, whatever the wording.
    """

    wording: str
    base_name: str

    def in_wording(self, wording: str) -> Policy:
        """Return the policy as it is when asked in another wording."""
        ...


def in_words(name: str, wording: str) -> str:
    """Return how reports name a policy that is asked in a wording, as in ``smollm2 [anonymous]``."""
    return f"{name} [{wording}]"
