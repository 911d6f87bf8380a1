"""Renderers by game and wording."""

from __future__ import annotations

from equipoise.errors import unknown
from equipoise.games.families import family_of
from equipoise.prompts.auction import AuctionPrompts
from equipoise.prompts.base import PLAIN, Renderer
from equipoise.prompts.commons import CommonsPrompts
from equipoise.prompts.ipd import PrisonersDilemmaPrompts
from equipoise.prompts.kuhn import KuhnPrompts
from equipoise.prompts.multi_issue import MultiIssuePrompts
from equipoise.prompts.split import SplitPrompts
from equipoise.prompts.wording import WordedRenderer
from equipoise.tasks.registry import task_renderer

__all__ = ["get_renderer", "register_renderer", "wordings"]

_OWN: tuple[type[WordedRenderer], ...] = (
    PrisonersDilemmaPrompts,
    AuctionPrompts,
    SplitPrompts,
    MultiIssuePrompts,
    KuhnPrompts,
    CommonsPrompts,
)
_RENDERERS: dict[str, dict[str, Renderer]] = {
    kind.game: {wording.name: kind(wording) for wording in kind.panel} for kind in _OWN
}


def register_renderer(renderer: Renderer) -> Renderer:
    """Make a renderer available to its game.

    A plain one takes the place of the game's whole panel, whose other wordings would say something else. Any
    other is added to the panel, or replaces the one of its name.
    """
    panel = {} if renderer.wording == PLAIN else _RENDERERS.get(renderer.game, {})
    _RENDERERS[renderer.game] = {**panel, renderer.wording: renderer}
    return renderer


def get_renderer(game: str, wording: str = PLAIN) -> Renderer:
    """Return the renderer of a game: its own, or that of its family.

    Args:
        game: The game's name.
        wording: Which of its wordings.

    Raises:
        RequestError: The game has no words, or no such wording.
    """
    panel = _panel(game)
    if wording not in panel:
        raise unknown(f"wording of {game}", wording, panel)
    return panel[wording]


def wordings(game: str) -> tuple[str, ...]:
    """Return the names of a game's wordings.

    Raises:
        RequestError: The game has no words.
    """
    return tuple(_panel(game))


def _panel(game: str) -> dict[str, Renderer]:
    if game not in _RENDERERS and (family := family_of(game)) is not None:
        shared: Renderer = family[0].load_renderer()
        return {PLAIN: shared}
    if game not in _RENDERERS and isinstance(own := task_renderer(game), Renderer):
        return {own.wording: own}
    if game not in _RENDERERS:
        raise unknown("prompt renderer for game", game, _RENDERERS)
    return _RENDERERS[game]
