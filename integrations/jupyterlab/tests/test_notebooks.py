"""Cells with SQL are colored in JupyterLab and Notebook once the wheel is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from notebooks import Application, Jupyter, colored, running

from eddyline.versions import eddyline_version
from interop.pip import pip
from tiers import ROOT
from waiting import PROCESS_HANGS, eventually

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = ROOT / "integrations/jupyterlab"
PACKAGE = json.loads((FOLDER / "extension/package.json").read_text("utf-8"))
# a package of JupyterLab has the version of the whole
OLDEST = PACKAGE["dependencies"]["@jupyterlab/codemirror"].removeprefix("^")

SQL = """%%sql --save found
-- what each customer did
COGROUP orders AS o BY customer, STREAM refunds BY customer
AGGREGATE collect_list(o.item) AS `the items`, 'class' AS reason, 2.5 AS rate
EMIT ON CHANGE;
SELECT layout, import FROM visits ASSUME PARTITIONED BY (customer) LAYOUT layout"""
OF_SQL = {
    "sign": ["%%sql"],
    "comment": ["-- what each customer did"],
    "keyword": (
        "COGROUP AS BY STREAM BY AGGREGATE AS AS AS EMIT ON CHANGE"
        " SELECT FROM ASSUME PARTITIONED BY LAYOUT"
    ).split(),
    "quoted name": ["`the items`"],
    "string": ["'class'"],
    "number": ["2.5"],
}
PYTHON = "import layout\nfor select in 'emit':\n    pass"
OF_PYTHON = {"keyword": ["import", "for", "in", "pass"], "string": ["'emit'"]}
# with what Python would take for the beginning of a string and a bracket
LINES = """import layout
%sql SELECT concat(layout, '''') \\
  FROM (visits -- it's
for select in 'emit':
    '''
%sql SELECT layout'''"""
OF_LINES = {
    "keyword": ["import", "SELECT", "FROM", "for", "in"],
    "sign": ["%sql"],
    "comment": ["-- it's"],
    "string": ["''", "''", "'emit'", "'''", "%sql SELECT layout'''"],
}
TEXT = "%%sql\nSELECT layout FROM visits"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not there: colors of notebooks are NOT tested (Debian: chromium)")
    nothing_but = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--disable-gpu", nothing_but]
        )
        yield started
        started.close()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Jupyter's data into which pip has installed the wheel."""
    scratch = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(scratch)],
        cwd=FOLDER,
        check=True,
        capture_output=True,
        timeout=PROCESS_HANGS,
    )
    (wheel,) = scratch.glob("*.whl")
    into = ("--no-index", "--no-deps", "--prefix", str(scratch / "prefix"))
    pip(Path(sys.executable), "install", "--quiet", *into, str(wheel))
    return scratch / "prefix/share/jupyter"


@pytest.fixture(
    scope="module",
    params=[("lab", ""), ("notebook", ""), ("lab", f"jupyterlab=={OLDEST}")],
    ids=lambda parameter: " ".join(filter(None, parameter)),
)
def jupyter(
    request: pytest.FixtureRequest,
    browser: Browser,
    installed: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Jupyter]:
    application: Application
    application, requirement = request.param
    scratch = tmp_path_factory.mktemp(application)
    python = Path(sys.executable)
    if requirement:
        subprocess.run([sys.executable, "-m", "venv", str(scratch / "venv")], check=True)
        python = scratch / "venv/bin/python"
        pip(python, "install", "--quiet", requirement, "ipykernel")
    with running(application, python, installed, scratch) as server:
        yield server


def becomes(page: Page, *expected: dict[str, list[str]]) -> None:
    """Waits until the cells are colored so."""
    wanted = list(expected)
    with suppress(AssertionError):
        eventually(lambda: colored(page) == wanted)
    assert colored(page) == wanted


def test_the_extension_is_enabled(installed: Path) -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("jupyter-labextension")), "list"],
        env={**os.environ, "JUPYTER_PATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
        timeout=PROCESS_HANGS,
    )
    listed = re.sub(r"\x1b\[\d*m", "", done.stdout + done.stderr)
    assert f"{installed / 'labextensions'}\n" in listed
    assert f"eddyline v{eddyline_version()} enabled OK (python, eddyline-jupyterlab)" in listed


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_cells_are_colored(jupyter: Jupyter, browser: Browser, theme: str) -> None:
    """With SQL where a magic says so, and with the colors of the theme."""
    cells = [("code", SQL), ("code", PYTHON), ("code", LINES), ("markdown", TEXT), ("raw", TEXT)]
    jupyter.write("colored", cells)
    jupyter.show_in(theme)
    with jupyter.opened(browser, "colored") as page:
        page.locator(f'body[data-jp-theme-name="{theme}"]').wait_for(state="attached")
        becomes(page, OF_SQL, OF_PYTHON, OF_LINES, {}, {})


def test_typing_a_magic_changes_the_language(jupyter: Jupyter, browser: Browser) -> None:
    jupyter.write("typed", [("code", PYTHON)])
    with jupyter.opened(browser, "typed") as page:
        becomes(page, OF_PYTHON)
        page.locator(".jp-Notebook .cm-content").click()
        page.keyboard.press("Control+Home")
        page.keyboard.type("%%sql")
        page.keyboard.press("Enter")
        of_sql = {"sign": ["%%sql"], "keyword": ["for", "select", "in"], "string": ["'emit'"]}
        becomes(page, of_sql)
        page.keyboard.press("Control+Home")
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("Delete")
        becomes(page, OF_PYTHON)


def test_a_word_becomes_a_keyword_while_one_types(jupyter: Jupyter, browser: Browser) -> None:
    jupyter.write("clause", [("code", TEXT)])
    with jupyter.opened(browser, "clause") as page:
        of_text = {"sign": ["%%sql"], "keyword": ["SELECT", "FROM"]}
        becomes(page, of_text)
        page.locator(".jp-Notebook .cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("\nLAYOUT")
        becomes(page, of_text)
        for _ in "LAYOUT":
            page.keyboard.press("Backspace")
        page.keyboard.type("ASSUME PARTITIONED BY (layout) LAYOUT")
        keywords = ["SELECT", "FROM", "ASSUME", "PARTITIONED", "BY", "LAYOUT"]
        becomes(page, {"sign": ["%%sql"], "keyword": keywords})
        # a comment is one of SQL
        page.keyboard.press("Control+/")
        becomes(page, {**of_text, "comment": ["-- ASSUME PARTITIONED BY (layout) LAYOUT"]})
