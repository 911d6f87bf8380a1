"""Episodes of a training step with what their decisions were credited with, kept to be read in a report.

A few episodes of every step, chosen by number and never by what happened in them: opponents take turns, and
so do their deals and rollouts. The lines are those of a transcript with four additions: ``training`` (the
step, and what all of its advantages were divided by), and for each decision that is trained its
``advantage`` and the ``parts`` that it is the sum of. Texts are kept, their tokens are only counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from equipoise.objective.safety import Stream
from equipoise.rollout.transcript import episode_to_json
from equipoise.training.batch import SampledStep
from equipoise.types import Episode, Generation

__all__ = ["COMPONENTS", "Credited", "credited", "credited_line"]

COMPONENTS = ("utility", "exploitability", "collusion", "externality")
"""What the reward of a stream is the sum of (``Objective.coefficients``)."""

PLACES = 6
"""Decimals kept of advantages: they are read, not computed with."""


class Credited(NamedTuple):
    """What a decision was credited with.

    Attributes:
        advantage: The advantage, in units of J, before it is divided by anything.
        parts: What it is the sum of, or what it was made from, by name.
    """

    advantage: float
    parts: Mapping[str, float]


def credited(step: SampledStep, number: int, count: int) -> list[dict[str, Any]]:
    """Return the lines of a step of SEPO.

    Args:
        step: The step.
        number: Its number, from 0; which episodes are kept depends on nothing else.
        count: Episodes that are kept, of streams that are trained on.
    """
    picked = _picks(step, number, count) if count else []
    part, places = step.credit_part, sorted({place for place, _ in picked})
    parts = {} if part is None else {name: part(name, places) for name in COMPONENTS}
    members = step.members()
    lines = []
    for place, rollout in picked:
        group = step.groups[place]
        episode = members[group.stream, group.seat, group.deal][rollout].episode
        shares = {name: rows[place][rollout] for name, rows in parts.items()}
        found = [
            Credited(float(advantage), {name: float(share[turn]) for name, share in shares.items()})
            for turn, advantage in enumerate(step.credit.advantages[place][rollout])
        ]
        own = [turn for turn, made in enumerate(episode.turns) if made.seat == episode.seat]
        lines.append(credited_line(episode, number, step.divisor, dict(zip(own, found, strict=True))))
    return lines


def credited_line(
    episode: Episode, number: int, divisor: float, found: Mapping[int, Credited]
) -> dict[str, Any]:
    """Return the line of an episode.

    Args:
        episode: The episode.
        number: Number of the step, from 0.
        divisor: What all advantages of the step were divided by.
        found: What decisions were credited with, by the number of their turn.
    """
    data = episode_to_json(_short(episode))
    data["training"] = {"step": number + 1, "divisor": divisor}
    for place, (turn, made) in enumerate(zip(data["turns"], episode.turns, strict=True)):
        for short, whole in zip(turn.get("generations", ()), made.choice.generations, strict=True):
            short["tokens"] = len(whole.ids)
            sampled = [p for p, mask in zip(whole.logprobs, whole.mask, strict=False) if mask]
            short["logprob"] = round(sum(sampled), PLACES) if sampled else None
        if place in found:
            turn["advantage"] = round(found[place].advantage, PLACES)
            turn["parts"] = {
                name: round(value, PLACES) for name, value in found[place].parts.items() if value != 0.0
            }
    return data


def _short(episode: Episode) -> Episode:
    """Return an episode without the tokens of its generations."""

    def texts(made: tuple[Generation, ...]) -> tuple[Generation, ...]:
        none: dict[str, Any] = dict.fromkeys(("prompt_ids", "ids", "logprobs", "mask", "allowed"), ())
        return tuple(replace(one, **none) for one in made)

    turns = tuple(
        replace(turn, choice=replace(turn.choice, generations=texts(turn.choice.generations)))
        for turn in episode.turns
    )
    return replace(episode, turns=turns)


def _picks(step: SampledStep, number: int, count: int) -> list[tuple[int, int]]:
    """Return the number of the group and of the rollout of every episode that is kept, each once."""
    trained: dict[Stream, list[int]] = {}
    for place, group in enumerate(step.groups):
        if len(step.credit.advantages[place]):
            trained.setdefault(group.stream, []).append(place)
    streams = list(trained.values())
    found = []
    for turn in range(number * count, (number + 1) * count) if streams else ():
        round_, place = divmod(turn, len(streams))
        groups = streams[place]
        chosen = groups[round_ % len(groups)]
        found.append((chosen, round_ // len(groups) % len(step.groups[chosen].rollouts)))
    return list(dict.fromkeys(found))
