"""Renderers by game."""

from __future__ import annotations

from equipoise.errors import unknown
from equipoise.games.families import family_of
from equipoise.prompts.auction import AuctionPrompts
from equipoise.prompts.base import Renderer
from equipoise.prompts.commons import CommonsPrompts
from equipoise.prompts.ipd import PrisonersDilemmaPrompts
from equipoise.prompts.kuhn import KuhnPrompts
from equipoise.prompts.multi_issue import MultiIssuePrompts
from equipoise.prompts.split import SplitPrompts

__all__ = ["get_renderer", "register_renderer"]

_OWN: tuple[Renderer, ...] = (
    PrisonersDilemmaPrompts(),
    AuctionPrompts(),
    SplitPrompts(),
    MultiIssuePrompts(),
    KuhnPrompts(),
    CommonsPrompts(),
)
_RENDERERS: dict[str, Renderer] = {renderer.game: renderer for renderer in _OWN}


def register_renderer(renderer: Renderer) -> Renderer:
    """Make a renderer available to its game."""
    _RENDERERS[renderer.game] = renderer
    return renderer


def get_renderer(game: str) -> Renderer:
    """Return the renderer of a game: its own, or that of its family.

    Raises:
        RequestError: The game has no words.
    """
    if game not in _RENDERERS and (found := family_of(game)) is not None:
        shared: Renderer = found[0].load_renderer()
        return shared
    if game not in _RENDERERS:
        raise unknown("prompt renderer for game", game, _RENDERERS)
    return _RENDERERS[game]
