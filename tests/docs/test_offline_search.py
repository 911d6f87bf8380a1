"""Search of the site works from disk: a frame stands in for the worker that browsers refuse there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import ROOT

CHROMIUM = Path("/usr/bin/chromium")
SHIM = ROOT / "scripts" / "iframe-worker.js"

WORKER = """
addEventListener("message", async event => {
    await 0;
    postMessage({twice: event.data.map(value => value * 2)});
});
"""
PAGE = """<!doctype html><body><script src="../iframe-worker.js"></script><script>
function asked(worker, data) {
    return new Promise((said, failed) => {
        worker.addEventListener("message", event => said(event.data), {once: true});
        worker.addEventListener("error", failed);
        worker.postMessage(data);
    });
}
</script></body>"""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """A page of a folder on disk, the shim and a worker in the folder above."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"there is no browser at {CHROMIUM}")
    (tmp_path / "inner").mkdir()
    (tmp_path / "iframe-worker.js").write_text(SHIM.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "worker.js").write_text(WORKER, encoding="utf-8")
    (tmp_path / "inner" / "page.html").write_text(PAGE, encoding="utf-8")
    with playwright.sync_playwright() as machine:
        browser = machine.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        opened = browser.new_page()
        opened.goto((tmp_path / "inner" / "page.html").as_uri())
        yield opened
        browser.close()


def test_a_worker_answers_from_disk_and_two_do_not_mix(page: Any) -> None:
    said = page.evaluate(
        """async () => {
            const [one, two] = [new Worker("../worker.js"), new Worker("../worker.js")];
            const said = await Promise.all([asked(one, [1, 2]), asked(two, [5])]);
            one.terminate();
            return [said, document.querySelectorAll("iframe").length];
        }"""
    )
    assert said == [[{"twice": [2, 4]}, {"twice": [10]}], 1]


def test_the_site_brings_the_index_as_a_script_and_nothing_from_elsewhere() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.search(r"^  - offline\b", settings, re.MULTILINE)
    # The plugin loads a shim from unpkg.com unless the name of one is among the polyfills.
    assert f"    - javascripts/{SHIM.name}\n" in settings
    assert 'WORKER = "iframe-worker.js"' in (ROOT / "scripts" / "docs_hook.py").read_text(encoding="utf-8")
