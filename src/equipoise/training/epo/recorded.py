"""Trajectories of a step of EPO with the advantages of their turns, kept to be read in a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from equipoise.training.credited import Credited, credited_line
from equipoise.training.epo.collect import Collected
from equipoise.training.epo.config import EpoConfig
from equipoise.training.epo.credit import turn_advantages
from equipoise.types import STRATEGIST

__all__ = ["recorded"]


def recorded(collected: Collected, number: int, config: EpoConfig) -> list[dict[str, Any]]:
    """Return the lines of a step (see ``credited``); what a turn is compared by is its ``reward``.

    Args:
        collected: What the step played.
        number: Its number, from 0.
        config: Settings; they say how many trajectories are kept.
    """
    if not config.record_episodes:
        return []
    advantages = turn_advantages(collected.trajectories, config.advantage, config.gamma)
    lines = []
    for place in _picks(collected, number, config.record_episodes):
        (episode, seat), one = collected.sides[place], collected.trajectories[place]
        turns = [
            turn
            for turn, made in enumerate(episode.turns)
            if made.seat == seat and any(text.role == STRATEGIST for text in made.choice.generations)
        ]
        found = {
            turn: Credited(float(advantage), {"reward": float(reward)})
            for turn, advantage, reward in zip(turns, advantages[place], one.rewards, strict=True)
        }
        side = replace(episode, id=one.episode, seat=seat)
        lines.append(credited_line(side, number, 1.0, found))
    return lines


def _picks(collected: Collected, number: int, count: int) -> Sequence[int]:
    """Return which trajectories are kept: partners in turn, each once."""
    partners: dict[str, list[int]] = {}
    for place, one in enumerate(collected.trajectories):
        partners.setdefault(one.partner, []).append(place)
    rows = list(partners.values())
    found = []
    for turn in range(number * count, (number + 1) * count) if rows else ():
        round_, partner = divmod(turn, len(rows))
        found.append(rows[partner][round_ % len(rows[partner])])
    return list(dict.fromkeys(found))
