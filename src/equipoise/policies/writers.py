"""Who writes for judges and evaluators, by name: a local language model, or one behind an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import RequestError
from equipoise.judges.asking import Writer
from equipoise.judges.evaluator import LanguageEvaluator
from equipoise.policies.specs import LOCAL
from equipoise.rollout.deals import DecisionDraws

__all__ = ["check_writer", "keyed_draws", "load_evaluator", "load_writer"]

BUDGET = 256
"""Tokens of a reply, unless it is said otherwise: seven numbers and a sentence take about half of it."""

ENDPOINT = "openai:"

DEVICE = ("dtype", "device", "threads", "quiet")


def load_writer(spec: str, settings: Mapping[str, Any] | None = None, budget: int = BUDGET) -> Writer:
    """Return what writes under a name.

    Args:
        spec: A local model (``smollm2``, ``hf:…``, ``tiny-random``) or ``openai:MODEL[@BASE_URL]``.
        settings: How local models are loaded (dtype, device, threads, quiet), and ``endpoint``.
        budget: Largest number of tokens of a text.

    Raises:
        RequestError: There is no such model, or what it needs is not installed.
    """
    check_writer(spec)
    given = dict(settings or {})
    if spec.startswith(LOCAL):
        from equipoise.policies.local.loading import load_spec
        from equipoise.policies.local.writer import LocalWriter

        device = {name: given[name] for name in DEVICE if given.get(name) is not None}
        return LocalWriter(load_spec(spec, **device), max_new_tokens=budget)
    from equipoise.policies.endpoint.loading import load_chat
    from equipoise.policies.endpoint.writer import EndpointWriter

    return EndpointWriter(load_chat(spec, given.get("endpoint"), max_new_tokens=budget))


def check_writer(spec: str) -> None:
    """Check, before anything is loaded, that a name is one of something that writes.

    Raises:
        RequestError: It is not.
    """
    if not spec.startswith((*LOCAL, ENDPOINT)):
        raise RequestError(
            f"{spec!r} writes no texts: name a local model (smollm2, hf:…) or openai:MODEL@URL"
        )


def load_evaluator(
    spec: str, settings: Mapping[str, Any] | None = None, seed: int = 0, folder: Path | None = None
) -> LanguageEvaluator:
    """Return what rates the seven dimensions of dialogues.

    Args:
        spec: Who writes (see :func:`load_writer`).
        settings: How local models are loaded, and ``endpoint``.
        seed: Seed of its draws.
        folder: Where ratings are kept; None keeps them in memory.

    Raises:
        RequestError: There is no such model, or what it needs is not installed.
    """
    return LanguageEvaluator(load_writer(spec, settings), keyed_draws("evaluator", seed), folder=folder)


def keyed_draws(role: str, seed: int) -> Callable[[str, int], Callable[[str], float]]:
    """Return the randomness of a role's questions, by the key of a question and the number of a try."""
    return lambda key, attempt: DecisionDraws.of_policy(seed, f"{role}|{key}", 0, 0, attempt).uniform
