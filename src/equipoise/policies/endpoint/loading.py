"""Endpoints, servers and programs by name."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from equipoise.errors import RequestError
from equipoise.games.rules import Rules
from equipoise.policies.base import AsyncPolicy
from equipoise.policies.endpoint.address import check_url, parse_address
from equipoise.policies.endpoint.chat import ChatPolicy
from equipoise.policies.endpoint.command import CommandPolicy, parse_command
from equipoise.policies.endpoint.desk import Desk
from equipoise.policies.endpoint.server import ServerPolicy
from equipoise.prompts.base import PLAIN
from equipoise.prompts.registry import get_renderer

__all__ = ["load_chat", "load_endpoint"]


def load_endpoint(
    spec: str,
    game: Rules,
    *,
    endpoint: Any = None,
    mode: str | None = None,
    history: str | None = None,
    wording: str = PLAIN,
    temperature: float | None = None,
    max_new_tokens: int = 256,
    **_: Any,
) -> AsyncPolicy:
    """Return the policy that ``openai:``, ``http:`` or ``command:`` stands for.

    Args:
        spec: The name.
        game: What it shall play.
        endpoint: Settings (see ``EndpointSettings``), or the ``Desk`` of an audit.
        mode: ``free`` is all that there is.
        history: ``state`` is all that there is.
        wording: How prompts put the game.
        temperature: Sampling temperature; None leaves it to the endpoint.
        max_new_tokens: Budget of an answer.

    Raises:
        RequestError: The name or a setting is wrong, or an extra is not installed.
    """
    for name, given, only in (("mode", mode, "free"), ("history", history, "state")):
        if given not in (None, only):
            raise RequestError(f"{name} {given!r} needs a local model: {spec!r} has {only!r} only")
    get_renderer(game.name, wording)
    desk = Desk.of(endpoint)
    if spec.startswith("command:"):
        return CommandPolicy(spec, parse_command(spec), desk.settings, wording)
    if not spec.startswith("openai:"):
        _need("httpx", spec)
        url = spec if spec.startswith(("http://", "https://")) else spec.removeprefix("http:")
        return ServerPolicy(spec, check_url(url, spec), desk.settings, wording)
    return load_chat(spec, desk, temperature=temperature, max_new_tokens=max_new_tokens, wording=wording)


def load_chat(
    spec: str,
    endpoint: Any = None,
    *,
    temperature: float | None = None,
    max_new_tokens: int = 256,
    wording: str = PLAIN,
) -> ChatPolicy:
    """Return the model that ``openai:`` stands for, for games or for any other texts.

    Raises:
        RequestError: The name or a setting is wrong, or the client is not installed.
    """
    address = parse_address(spec)
    _need("openai", spec)
    return ChatPolicy(
        spec,
        address,
        Desk.of(endpoint),
        temperature=temperature,
        max_new_tokens=max_new_tokens,
        wording=wording,
    )


def _need(package: str, spec: str) -> None:
    if find_spec(package) is None:
        raise RequestError(f"{spec!r} needs {package}, which is not installed: pip install 'equipoise[api]'")
