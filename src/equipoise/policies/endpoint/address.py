"""Where an endpoint is, and which key it gets."""

from __future__ import annotations

import ipaddress
import os
from typing import NamedTuple
from urllib.parse import urlsplit

from equipoise.errors import RequestError
from equipoise.policies.endpoint.settings import EndpointSettings

__all__ = ["Address", "check_url", "key_for", "parse_address"]

DEFAULT_URL = "https://api.openai.com/v1"
DEFAULT_KEY = "OPENAI_API_KEY"


class Address(NamedTuple):
    """A model and its server.

    Attributes:
        model: The model's name, as the server knows it.
        url: Base URL of the server.
    """

    model: str
    url: str


def parse_address(spec: str) -> Address:
    """Read ``openai:MODEL`` or ``openai:MODEL@BASE_URL``.

    Raises:
        RequestError: The model is missing, or the URL is none.
    """
    model, sign, rest = spec.removeprefix("openai:").partition("@http")
    if not model:
        raise RequestError(f"{spec!r} names no model: write openai:MODEL@BASE_URL")
    if not sign and "@" in model and ":" in model.rpartition("@")[2]:
        raise RequestError(f"{spec!r}: the URL must begin with http:// or https://")
    return Address(model, check_url(f"http{rest}", spec) if sign else DEFAULT_URL)


def check_url(url: str, spec: str) -> str:
    """Return a URL that may stand in reports.

    Raises:
        RequestError: It is none, or it holds a user name, a password or a query: names are stored.
    """
    try:
        parts = urlsplit(url)
        # Reading the port checks it.
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole:
        raise RequestError(f"{spec!r}: {url!r} is no URL, write http://HOST:PORT/PATH")
    if parts.username is not None or parts.query or parts.fragment:
        shown = f"{parts.scheme}://{parts.hostname}{parts.path}"
        raise RequestError(
            f"the URL of {shown!r} holds more than a place: names of policies are stored, so put keys "
            "into the environment (--api-key-env NAME)"
        )
    return url


def key_for(address: Address, settings: EndpointSettings) -> str:
    """Return the key for a server, from the environment; a server on this machine may go without.

    Raises:
        RequestError: There is none.
    """
    variable = settings.api_key_env or DEFAULT_KEY
    key = os.environ.get(variable, "").strip()
    if not key and (settings.api_key_env is not None or not _is_here(address.url)):
        raise RequestError(
            f"the environment has no {variable}: set it, or name another variable with --api-key-env NAME"
        )
    return key


def _is_here(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
