"""Links of the pages lead somewhere in the repository, and the site shows every page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.blocks import FENCE, ROOT, pages

LINK = re.compile(r"\]\((?P<target>[^)\s]*)\)")
MADE = {"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "commands.md", "reference/index.md"}
"""Pages of the site that lie elsewhere or are made while it is built."""


def prose(page: str) -> str:
    return FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))


def slugs(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as the site and hosts of repositories make them."""
    heads = re.findall(r"^#+ (.+)$", prose(str(path.relative_to(ROOT))), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", head.lower()).strip() for head in heads)
    return {re.sub(r"[\s-]+", "-", head) for head in plain}


@pytest.mark.parametrize("page", [*pages(), "CHANGELOG.md", "SECURITY.md"])
def test_links_lead_somewhere(page: str) -> None:
    for found in LINK.finditer(prose(page)):
        target, _, anchor = found["target"].partition("#")
        if ":" in target:
            continue
        path = ((ROOT / page).parent / target).resolve() if target else ROOT / page
        assert path.exists(), f"{page}: {found['target']}"
        if anchor:
            assert anchor in slugs(path), f"{page}: {found['target']}"


def test_every_page_is_in_the_site_s_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    shown = set(re.findall(r": ([\w/.-]+\.md)$", text, re.MULTILINE))
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert shown == there | MADE


def test_versions_agree() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
