"""The page in a browser: it renders, sends nothing, runs nothing of others, and answers filters and keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from equipoise.report.build import build_report
from equipoise.report.page.render import render
from tests.report.material import HOSTILE, many_folder

CHROMIUM = Path("/usr/bin/chromium")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no browser at {CHROMIUM}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as machine:
        found = machine.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 120 plain episodes."""
    folder = many_folder(tmp_path_factory.mktemp("plain") / "audit", 120)
    page = folder.parent / "report.html"
    page.write_text(render(build_report([folder])), encoding="utf-8")
    return page


class Opened:
    """A page with all that it said and asked for."""

    def __init__(self, browser: Any, file: Path, **settings: Any) -> None:
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append("dialog"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.set_default_timeout(60_000)
        self.page.goto(file.as_uri(), timeout=60_000)

    def menu(self, name: str) -> Any:
        return self.page.locator("#filters label", has_text=re.compile(f"^{name}")).locator("select")

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).inner_text())


@pytest.fixture
def opened(browser: Any, plain: Path) -> Iterator[Opened]:
    found = Opened(browser, plain)
    yield found
    found.context.close()


def test_it_renders_without_complaint_and_asks_for_nothing(opened: Opened, plain: Path) -> None:
    assert opened.page.locator("svg.chart").count() == 5
    assert opened.text("#count") == "120 of 120 episodes"
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith("data:")] == [plain.as_uri()]


def test_text_of_others_stays_text(browser: Any, hostile: Path) -> None:
    found = Opened(browser, hostile)
    found.page.wait_for_selector("#viewer h3")
    for _ in range(2):
        found.page.focus("#viewer")
        found.page.keyboard.press("ArrowRight")
    assert found.page.evaluate("window.hurt") is None
    assert found.page.evaluate("document.images.length") == 0
    assert found.said == []
    found.page.locator("#list button").nth(0).click()
    shown = " ".join(found.page.locator("#viewer pre").all_inner_texts())
    assert HOSTILE[:30] in shown
    assert [url for url in found.asked if not url.startswith("data:")] == [hostile.as_uri()]
    found.context.close()


def test_filters_leave_what_they_say(opened: Opened) -> None:
    opened.menu("Opponent").select_option("=always_defect")
    assert opened.text("#count") == "40 of 120 episodes"
    # Every third episode is invalid, and it is always the third opponent's: menus offer what others leave.
    offered = opened.menu("Outcome").locator("option").all_inner_texts()
    assert not any("invalid answer" in one for one in offered)
    opened.menu("Opponent").select_option("")
    opened.menu("Outcome").select_option("=invalid answer")
    assert opened.text("#count") == "40 of 120 episodes"
    opened.menu("Opponent").select_option("=grim_trigger")
    assert opened.text("#count") == "40 of 120 episodes"
    opened.menu("Seat").select_option("=1")
    assert re.match(r"\d+ of 120 episodes", opened.text("#count"))
    assert set(opened.page.locator("#list .sub").all_inner_texts()[0].split(", ")) >= {"seat 1"}


def test_arrows_step_through_decisions_and_episodes(opened: Opened) -> None:
    page = opened.page
    page.locator("#list button").first.focus()
    first = opened.text("#viewer")
    page.keyboard.press("ArrowDown")
    assert opened.text("#viewer") != first
    page.keyboard.press("ArrowUp")
    assert opened.text("#viewer") == first
    assert "Decision 1 of 2" in opened.text("#viewer .steps")
    page.focus("#viewer")
    page.keyboard.press("ArrowRight")
    assert "Decision 2 of 2" in opened.text("#viewer .steps")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert "Decision 1 of 2" in opened.text("#viewer .steps")
    page.get_by_label("next decision").click()
    assert "Decision 2 of 2" in opened.text("#viewer .steps")


def test_an_episode_shows_question_text_probabilities_and_payoffs(opened: Opened) -> None:
    shown = opened.text("#viewer")
    for words in (
        "Round 1",
        "thought 0",
        "2 tokens, log-probability −0.75",
        "0.750",
        "5 : 0 (seat 0 first)",
        "-/-",
    ):
        assert words in shown


def test_pages_of_the_list_are_turned(opened: Opened) -> None:
    assert opened.text("#page") == "page 1 of 3"
    assert opened.page.locator("#list button").count() == 50
    opened.page.locator("#later").click()
    opened.page.locator("#later").click()
    assert opened.text("#page") == "page 3 of 3"
    assert opened.page.locator("#list button").count() == 20
    assert opened.page.locator("#later").is_disabled()


def test_the_theme_can_be_switched_and_follows_the_system_otherwise(browser: Any, plain: Path) -> None:
    found = Opened(browser, plain, color_scheme="dark")

    def ground() -> str:
        return str(found.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    dark = ground()
    found.page.locator("#theme").click()
    assert found.text("#theme") == "Theme: light"
    light = ground()
    assert light != dark
    found.page.locator("#theme").click()
    assert ground() == dark
    found.context.close()


def test_focus_is_seen_and_reaches_the_skip_link_first(opened: Opened) -> None:
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.className") == "skip"
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_phone_scrolls_up_and_down_only(browser: Any, plain: Path, hostile: Path) -> None:
    for file in (plain, hostile):
        found = Opened(browser, file, viewport={"width": 390, "height": 844})
        assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
        found.context.close()


def test_print_opens_what_is_folded_and_leaves_out_the_browser(opened: Opened) -> None:
    folded = opened.page.locator("section:not(#provenance) details:not([open])")
    assert folded.count() > 0
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert folded.count() == 0
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#browse").is_visible()
    assert opened.page.locator("#verdict").is_visible()


@pytest.mark.slow
def test_five_thousand_episodes_open_in_three_seconds(browser: Any, tmp_path: Path) -> None:
    folder = many_folder(tmp_path / "audit", 5000)
    file = tmp_path / "report.html"
    file.write_text(render(build_report([folder])), encoding="utf-8")
    page = browser.new_page()
    machine = page.context.new_cdp_session(page)
    machine.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(file.as_uri(), timeout=60_000)
    assert page.locator("#count").inner_text() == "5,000 of 5,000 episodes"
    # Processor time of the page's thread: what else the machine does is not the page's fault.
    spent = {one["name"]: one["value"] for one in machine.send("Performance.getMetrics")["metrics"]}
    assert spent["TaskDuration"] < 3.0
    page.close()
