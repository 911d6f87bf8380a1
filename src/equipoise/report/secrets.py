"""Keeps what looks like a key out of reports, which people send to others."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["HIDDEN", "clean", "clean_text"]

HIDDEN = "[hidden]"

_KEYS = re.compile(
    r"(api[-_]?key|secret|passw(or)?d|credential|authori[sz]ation|bearer|cookie|private[-_]?key"
    r"|(^|[-_.])(auth|access|refresh|session|hf|api)?[-_]?token$|^key$)",
    re.IGNORECASE,
)
"""Names of settings whose values are nobody's business; the *name* of a variable with a key is not one."""

_ALLOWED = re.compile(r"_env$", re.IGNORECASE)

_VALUES = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"
    r"|\b(?:hf|gh[pousr]|glpat|xox[abposr])[_-][A-Za-z0-9_-]{12,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[0-9A-Za-z_-]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
)
"""What keys of well-known services look like, wherever they stand."""

_HALVES = re.compile("[\ud800-\udfff]")
_BEARER = re.compile(r"\b(bearer\s+)[A-Za-z0-9._~+/=-]{12,}", re.IGNORECASE)
_USER = re.compile(r"(\b[a-z][a-z0-9+.-]{1,12}://)[^/\s:@\"'<>]+:[^/\s@\"'<>]+@", re.IGNORECASE)
_QUERY = re.compile(
    r"((?:[?&;]|u0026)(?:[\w-]{0,24}key|[\w-]{0,24}token|secret|password|sig(?:nature)?)=)[^&\s#\"'<>\\]+",
    re.IGNORECASE,
)


def clean(data: Any) -> Any:
    """Return JSON data without values that look like keys."""
    if isinstance(data, dict):
        return {
            clean_text(str(key)): HIDDEN if _private(str(key), value) else clean(value)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [clean(value) for value in data]
    return clean_text(data) if isinstance(data, str) else data


def clean_text(text: str) -> str:
    """Return a text without words that look like keys, and without half characters, which no file holds."""
    text = _HALVES.sub("\N{REPLACEMENT CHARACTER}", text)
    text = _VALUES.sub(HIDDEN, text)
    text = _BEARER.sub(rf"\1{HIDDEN}", text)
    text = _USER.sub(rf"\1{HIDDEN}@", text)
    return _QUERY.sub(rf"\1{HIDDEN}", text)


def _private(key: str, value: Any) -> bool:
    named = _KEYS.search(key) is not None and _ALLOWED.search(key) is None
    # Numbers and switches are no keys: max_new_tokens stays.
    return named and isinstance(value, str | list | dict) and bool(value)
