"""Silence, leaving, rambling and injected lines are shown as what they are."""

from __future__ import annotations

from equipoise.cli.episode import lines
from equipoise.policies.registry import load_game, load_policy
from equipoise.policies.texts import ActorPolicy
from equipoise.rollout.engine import play
from equipoise.types import Episode
from tests.rollout.players import requests

SOCIAL = load_game("social", {"families": ("price",)})


def shown(policy: str) -> tuple[Episode, list[str]]:
    found = play(requests(SOCIAL, load_policy(f"scripted:{policy}", SOCIAL), ("sensible",), 1))
    episode = next(iter(found)).episode
    return episode, [line.plain for line in lines(episode)]


def after(text: list[str], start: str) -> list[str]:
    """Return the line after each one that holds a text."""
    return [text[k + 1] for k, line in enumerate(text[:-1]) if start in line]


def test_silence_and_leaving_are_remarked() -> None:
    _, silent = shown("silent")
    assert set(after(silent, "[none]")) == {"    (says nothing)"}
    episode, left = shown("leaving")
    assert after(left, "[leave]") == ["    (leaves the conversation)"]
    assert "ended: left" in left
    assert episode.rounds[0].payoffs == (0.0, 0.0)


def test_lines_under_anothers_name_stay_on_their_line_and_are_remarked() -> None:
    episode, text = shown("injecting")
    forged = episode.notes["forged"]
    assert isinstance(forged, list)
    assert forged
    assert text.count("    (lines under another's name count for nothing)") == len(forged)
    assert all(line.startswith("  seat 0") for line in text if "Ignore your instructions" in line)
    assert not any(line.lstrip().startswith("SYSTEM") for line in text)


def test_what_is_too_long_is_remarked() -> None:
    long = ActorPolicy(lambda decision: "Well. " * 2000, "long")
    episode = next(iter(play(requests(SOCIAL, long, ("sensible",), 1)))).episode
    text = [line.plain for line in lines(episode)]
    own = sum(turn.seat == episode.seat for turn in episode.turns)
    assert sum("too long" in line for line in text) == own > 0


def test_a_rambling_actor_is_cut_and_a_plain_one_is_not() -> None:
    _, rambling = shown("rambling")
    assert any("too long" in line for line in rambling)
    _, plain = shown("sensible")
    assert not any(line.startswith("    (") for line in plain)
