"""The page: whole, alone, and with all text of others as text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from equipoise.errors import RequestError
from equipoise.report.build import build_report
from equipoise.report.layout import Report
from equipoise.report.page.render import asset, data_block, render
from tests.report.material import KEY, hostile_folder


class Reader(HTMLParser):
    """Collects elements, attributes, ids and the text of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render(report)


def test_the_sections_stand_in_their_order(page: str) -> None:
    order = [
        "verdict",
        "safety",
        "trade",
        "opponents",
        "learning",
        "actions",
        "cross",
        "provenance",
        "episodes",
    ]
    found = [value for tag, name, value in Reader(page).attributes if (tag, name) == ("section", "id")]
    assert found == order


def test_what_is_not_in_the_folders_is_said(page: str) -> None:
    assert "No folder holds an ablation" in page
    assert "No panel of wordings was audited" in page


def test_every_figure_has_a_name_and_every_link_a_target(page: str) -> None:
    reader = Reader(page)
    ids = {value for _, name, value in reader.attributes if name == "id"}
    links = [value for tag, name, value in reader.attributes if (tag, name) == ("a", "href")]
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    assert (
        page.count("<svg")
        == page.count('role="img" aria-label=')
        == len(re.findall("<svg[^>]*><title>", page))
    )
    assert page.count("<details") == page.count("<summary")


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    sources = [
        value
        for tag, name, value in Reader(page).attributes
        if name in ("src", "srcset", "action", "data", "poster") or (tag == "link" and name == "href")
    ]
    assert sources == ["data:,"]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(|eval\(", page)


def test_the_policy_allows_this_script_and_style_and_nothing_else(page: str) -> None:
    (policy,) = [value for tag, name, value in Reader(page).attributes if (tag, name) == ("meta", "content")][
        :1
    ]

    def allowed(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy.startswith("default-src 'none';")
    assert f"script-src 'sha256-{allowed(asset('report.js'))}'" in policy
    assert f"style-src 'sha256-{allowed(asset('report.css'))}'" in policy
    assert "unsafe" not in policy
    assert not [one for one in Reader(page).attributes if one[1] == "style" or one[1].startswith("on")]


def test_text_of_others_is_never_markup(tmp_path: Path) -> None:
    page = render(build_report([hostile_folder(tmp_path / "x")]))
    reader = Reader(page)
    assert "img" not in reader.tags
    assert reader.tags.count("script") == 2
    assert "window.hurt" not in reader.scripts[-1]
    assert not [one for one in reader.attributes if one[1].startswith("on")]
    assert "\u2028" not in reader.scripts[0]
    assert "&lt;/script&gt;&lt;script&gt;" in page


def test_the_data_says_what_it_was_given() -> None:
    data = {"a": "</script>&\u2028\u2029<!--", "b": [1.5, None, "é"]}
    text = data_block(data)
    assert json.loads(text) == data
    assert not set("<>&\u2028\u2029") & set(text)


def test_no_key_reaches_the_page(tmp_path: Path) -> None:
    page = render(build_report([hostile_folder(tmp_path / "x")]))
    for secret in (KEY, "plainvalue12345", "secretword", "hushhush"):
        assert secret not in page
    assert "[hidden]" in page


def test_the_same_folders_give_the_same_page(real: list[Path], page: str) -> None:
    assert render(build_report(real)) == page


def test_a_report_without_episodes_has_no_browser(real: list[Path]) -> None:
    page = render(build_report(real, episodes=0))
    assert 'id="episodes"' not in page
    assert "application/json" not in page


def test_what_was_asked_wrongly_is_refused(real: list[Path]) -> None:
    with pytest.raises(RequestError, match="nothing to report"):
        build_report([])
    with pytest.raises(RequestError, match="--episodes -1"):
        build_report(real, episodes=-1)


def test_a_missing_template_engine_is_named(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(RequestError, match=r"pip install 'equipoise\[report\]'"):
        render(report)
