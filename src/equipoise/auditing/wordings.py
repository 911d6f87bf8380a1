"""Audits one policy in every wording of a game, on the same deals."""

from __future__ import annotations

from dataclasses import replace

from equipoise.auditing.result import GameResult
from equipoise.auditing.run import AuditConfig, audit_game
from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.policies.base import AnyPolicy
from equipoise.policies.worded import Worded, in_words
from equipoise.progress import Reporter
from equipoise.prompts.registry import wordings

__all__ = ["audit_wordings", "check_worded", "panel_of"]


def panel_of(game: Rules) -> tuple[str, ...]:
    """Return the names of a game's wordings, of which there are several.

    Raises:
        RequestError: The game has no words, or is put in one wording only.
    """
    names = wordings(game.name)
    if len(names) < 2:
        raise RequestError(
            f"game {game.name!r} has the wording {names[0]!r} only: leave out the panel, or register more"
        )
    return names


def check_worded(policy: AnyPolicy) -> Worded:
    """Return a policy that reads words.

    Raises:
        RequestError: It reads none.
    """
    if not isinstance(policy, Worded):
        raise RequestError(
            f"policy {policy.name!r} reads no words, so it has no panel: audit a language model, or leave "
            "out the panel"
        )
    return policy


def audit_wordings(
    game: Rules, policy: AnyPolicy, config: AuditConfig, reporter: Reporter
) -> dict[str, GameResult]:
    """Return what a policy does in a game, by wording.

    Args:
        game: The game.
        policy: The policy; its model is shared by all wordings.
        config: How to audit; ``out`` gets a folder a wording.
        reporter: Shows progress.

    Raises:
        RequestError: The policy reads no words, or the game has one wording only.
    """
    names, worded = panel_of(game), check_worded(policy)
    found = {}
    for number, name in enumerate(names, 1):
        reporter.note(f"{game.name}: wording {number} of {len(names)}, {name}")
        here = config if config.out is None else replace(config, out=config.out / name)
        title = in_words(worded.base_name, name)
        found[name] = audit_game(game, worded.in_wording(name), here, reporter, title)
    return found
