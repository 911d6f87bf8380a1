"""Puts a report on a page: one HTML file that loads nothing, with all text of others escaped as text."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from equipoise.errors import RequestError
from equipoise.report.layout import Report
from equipoise.report.secrets import clean_text
from equipoise.report.verdict import GLANCE

__all__ = ["asset", "data_block", "render"]

MISSING = "a report needs jinja2: pip install 'equipoise[report]'"

STATES = {"harm": "does so: ", "none": "does not: ", "open": "not settled: ", "unknown": "", "plain": ""}
"""What a mark at a glance means, for those who do not see it."""

_ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"})


def render(report: Report) -> str:
    """Return the page.

    Raises:
        RequestError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise RequestError(MISSING) from None
    from equipoise import __version__

    style, script = asset("report.css"), asset("report.js")
    machine = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    held = None if report.episodes is None else data_block(report.episodes)
    page = machine.from_string(asset("report.html")).render(
        report=report,
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        # Drawings escape their own words.
        svg=lambda drawing: Markup(drawing.svg()),
        episodes=None if held is None else Markup(HOLE),
        glance_heads=list(GLANCE.values()),
        state_words=STATES,
        missing=[(section.title, section.missing) for section in report.sections if not section.groups],
        version=__version__,
    )
    # Episodes have been cleaned already, and may be megabytes.
    return clean_text(page).replace(HOLE, held or "", 1)


HOLE = "\N{OBJECT REPLACEMENT CHARACTER}episodes\N{OBJECT REPLACEMENT CHARACTER}"
"""Where the episodes go."""


def data_block(data: Any) -> str:
    """Return JSON that can stand in a script element: nothing in it can end the element or a line of code."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


def asset(name: str) -> str:
    """Return a file of this folder."""
    return files("equipoise.report.page").joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: this style sheet, this script, and nothing else at all."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
