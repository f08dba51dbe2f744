"""The site of `docs/` as headless Chromium shows it to a reader with a desktop or a phone.

The pages are opened from the folder, as a reader without a server does. The screenshots are left in
`build/site-shots`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pages import ROOT
from waiting import CONDITION_HANGS

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

SHOTS = ROOT / "build/site-shots"
WIDTHS = {"desktop": 1280, "phone": 390}
SCHEMES = {"light": "default", "dark": "slate"}
PAGES = ("index", "sql/cogroup", "sql/grammar", "errors", "python")
# Elements that reach beyond the right edge, and that no element around them scrolls or clips.
BEYOND = """() => [...document.querySelectorAll("body *")].filter((element) => {
  if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
  if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) return false;
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowX !== "visible") return false;
  }
  return true;
}).map((element) => element.outerHTML.slice(0, 200))"""
WIDE = "() => document.scrollingElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not there: the site is NOT looked at (Debian: chromium)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium,
            args=["--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"],
        )
        yield started
        started.close()


@pytest.fixture(params=[(device, scheme) for device in WIDTHS for scheme in SCHEMES], ids="-".join)
def reader(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The device of a reader, and the colors of its system."""
    return request.param


@pytest.fixture
def opened(browser: Browser, reader: tuple[str, str], site: Path) -> Iterator[Page]:
    """The first page. What it and those after it have loaded are files, and nothing else."""
    device, scheme = reader
    context = browser.new_context(
        viewport={"width": WIDTHS[device], "height": 900},
        color_scheme=scheme,
        reduced_motion="reduce",
        has_touch=device == "phone",
    )
    context.set_default_timeout(CONDITION_HANGS * 1000)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    yield page
    context.close()
    assert asked
    assert [url for url in asked if not url.startswith("file:")] == []


def look(page: Page, name: str) -> None:
    """Leaves a screenshot, and fails if the page is too wide or a text is hard to read."""
    from axe_playwright_python.sync_playwright import Axe

    (SHOTS / name).parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")
    assert page.evaluate(WIDE) <= 0
    assert page.evaluate(BEYOND) == []
    found = Axe().run(page, options={"runOnly": ["color-contrast"]})
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", PAGES)
def test_pages(opened: Page, reader: tuple[str, str], site: Path, name: str) -> None:
    opened.goto((site / f"{name}.html").as_uri())
    shown = opened.evaluate("() => document.body.dataset.mdColorScheme")
    assert shown == SCHEMES[reader[1]]
    look(opened, "-".join([name, *reader]))


def test_search(opened: Page, reader: tuple[str, str]) -> None:
    """A search finds the page of a condition, and its result leads there."""
    if reader[0] == "phone":
        opened.locator("label.md-header__button[for=__search]").click()
    field = opened.locator("input.md-search__input")
    field.click()
    field.press_sequentially("WATERMARK_MISSING")
    result = opened.locator('a.md-search-result__link[href*="errors.html"]').first
    result.wait_for()
    look(opened, "-".join(["search", *reader]))
    result.click()
    opened.wait_for_url("**/errors.html*")
    assert "WATERMARK_MISSING" in opened.locator("main").inner_text()
