"""Situations of advised play in which the actor is told texts of advice that were drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy
from equipoise.policies.strategist import FunctionAdviser, advised
from equipoise.rollout.deals import Deal, Split
from equipoise.rollout.engine import play
from equipoise.rollout.requests import EpisodeRequest, InvalidRule, seated
from equipoise.training.epo.config import WordingConfig
from equipoise.types import Decision

__all__ = ["Texts", "drawn_text", "situations_met"]

Texts = Mapping[str, Sequence[str]]
"""Texts of advice by intent."""

Asked = TypeVar("Asked")


def drawn_text(texts: Texts, kind: float, way: float) -> str:
    """Return a text for two draws in [0, 1): the first picks the intent, the second among its texts."""
    among = texts[list(texts)[int(kind * len(texts))]]
    return among[int(way * len(among))]


def situations_met(
    rules: Rules,
    actor: AnyPolicy,
    partners: Mapping[str, AnyPolicy],
    texts: Texts,
    config: WordingConfig,
    asked: Callable[[Decision], Asked],
) -> list[Asked]:
    """Return what a strategist would be asked where the actor is told texts drawn at random, each once.

    Args:
        rules: What is played.
        actor: The actor.
        partners: Whom it meets, by name.
        texts: Texts by intent.
        config: Settings.
        asked: What the strategist is asked at a decision.
    """
    found: dict[Asked, None] = {}

    def at_random(decision: Decision) -> str:
        found[asked(decision)] = None
        return drawn_text(texts, decision.draws.uniform("intent"), decision.draws.uniform("phrasing"))

    told = advised(FunctionAdviser(at_random, "phrasings", "phrasings"), actor)
    seats = rules.info_record.seats
    requests = [
        EpisodeRequest(
            rules,
            Deal(config.seed, Split.SFT, rules.info_record.key, index),
            "train",
            name,
            seat,
            seated(told, partner, seat, seats),
        )
        for index in range(config.starts)
        for name, partner in partners.items()
        for seat in range(seats)
    ]
    for _ in play(requests, InvalidRule(retries=0)):
        pass
    return list(found)
