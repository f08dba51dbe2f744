"""README and `docs/` as readers see them: lines fit, links lead somewhere, pages do not clash."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages import PAGES, ROOT, blocks

LINK = re.compile(r"\]\(([^)\s]+)\)")
SOURCES = ("files", "tables", "topics")


def lines(page: Path) -> Iterator[tuple[str | None, str]]:
    """Yields each line with the language of its block of code, or None outside one."""
    block = None
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            block = None if block is not None else line.removeprefix("```")
        yield block, line


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a page."""
    headings = [
        line.lstrip("#") for block, line in lines(page) if block is None and line[:1] == "#"
    ]
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lines_fit(page: Path) -> None:
    """All lines fit but rows of tables, which cannot be broken, and the output of statements."""
    long = [
        line
        for block, line in lines(page)
        if len(line) > 120 and block != "text" and not line.startswith("|")
    ]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for block, line in lines(page):
        for target in LINK.findall(line) if block is None else []:
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            linked = (page.parent / name).resolve() if name else page
            assert linked.exists(), target
            assert not anchor or anchor in anchors(linked), target


def test_no_command_ends_processes_by_name() -> None:
    """A reader may have others of that name."""
    pages = [*PAGES, *(ROOT / "examples").rglob("*.md")]
    assert [page for page in pages if re.search(r"\b(pkill|killall)\b", page.read_text())] == []


def test_pip_is_given_no_name_of_ours() -> None:
    """None is on the index yet: whoever takes it would run code on the reader's machine."""
    folders = ("docs", "examples", "integrations", "python", "sql", "jvm-shim/src/main")
    kinds = {".ipynb", ".js", ".json", ".md", ".py", ".scala", ".sql", ".toml"}
    texts = [file for folder in folders for file in (ROOT / folder).rglob("*.*")]
    by_name = re.compile(r"pip3? install[^`#\n]*?[\s'\"]eddyline\b")
    assert [
        file
        for file in {*PAGES, *texts}
        if file.suffix in kinds and by_name.search(file.read_text("utf-8"))
    ] == []


def test_dbt_has_the_bounds_that_are_tested() -> None:
    tested = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = {
        requirement
        for extra in tested["optional-dependencies"].values()
        for requirement in extra
        if requirement.startswith("dbt-")
    }
    assert bounds
    named = [
        requirement
        for page in PAGES
        for command in re.findall(r"pip install[^`\n]*", page.read_text())
        for requirement in re.findall(r"dbt-[^\s']*", command)
    ]
    assert named
    assert set(named) <= bounds


def test_the_table_of_sources_links_tests() -> None:
    """Each clause has a cell for batch and stream over each source, with a test of it."""
    section = (ROOT / "README.md").read_text().partition("## What runs where\n")[2]
    table = section.partition("\n## ")[0]
    header, _, *rows = [line.strip("|").split("|") for line in table.splitlines() if "|" in line]
    ways = {f"{source}, {way}" for source in SOURCES for way in ("batch", "stream")}
    assert {cell.strip() for cell in header[1:]} == ways
    found = {row[0].partition(":")[0].strip() for row in rows}
    assert found == {"KIP-99", "KIP-150", "KIP-557", "KIP-759"}
    for name, *cells in rows:
        (word,) = re.findall(r"`(?:CREATE )?(\w+)", name)
        assert len(cells) == len(ways), name
        for cell in cells:
            (test,) = LINK.findall(cell)
            assert test.startswith("tests/"), test
            assert word in (ROOT / test).read_text().upper(), f"{test} has no {word}"


def test_conditions_and_keys_exist() -> None:
    """Full names in the pages exist, but in the changelog, which also has old names."""
    conditions = json.loads((ROOT / "sql/errors/error-conditions.json").read_text())
    known = {
        f"{main}.{sub}" for main, entry in conditions.items() for sub in entry.get("subClass", {})
    }
    source = "jvm-shim/src/main/scala/io/eddyline/spark/base/EddylineConf.scala"
    keys = set(re.findall(r'[cC]onf\("([^"]+)",', (ROOT / source).read_text()))
    for page in PAGES:
        text = page.read_text()
        assert set(re.findall(r"EDDYLINE_[A-Z_]+\.[A-Z_]+\b", text)) <= known, page.name
        named = set(re.findall(r"spark\.eddyline\.[A-Za-z.]+[A-Za-z]", text))
        assert page.name == "CHANGELOG.md" or named <= keys, f"{source} or {page.name}"


def test_the_files_to_read_exist() -> None:
    """The guide through the code names files that are there, and each package of the jar."""
    page = "docs/contributing/read-the-code.md"
    text = (ROOT / page).read_text()
    jar, python = ROOT / "jvm-shim/src/main/scala/io/eddyline/spark", ROOT / "python/eddyline"
    files = re.findall(r"`([\w/]+\.(?:scala|py))`", text)
    assert len(files) > 50
    homes = {name: jar if name.endswith(".scala") else python for name in files}
    assert [name for name, home in homes.items() if not (home / name).is_file()] == [
        "package.scala"
    ]
    packages = {path.parent.relative_to(jar).parts[0] for path in jar.glob("*/**/*.scala")}
    assert [f"{page}: {package}" for package in packages if f"`{package}`" not in text] == []


def test_every_page_is_linked() -> None:
    linked = {
        (page.parent / target.partition("#")[0]).resolve()
        for page in PAGES
        for target in LINK.findall(page.read_text())
    }
    assert [page.name for page in PAGES if page not in linked and page.name != "README.md"] == []


def test_pages_create_different_names() -> None:
    """A reader who pastes one page after another into a session meets no name a second time."""
    pages: dict[str, set[str]] = {}
    for page in PAGES:
        for block in blocks(page, "sql", "python", "scala"):
            for name in block.created():
                pages.setdefault(name, set()).add(page.name)
    # a view by Python, a table, a global table, a streaming query, a sink in memory
    assert {"clicks", "samples", "people", "rooms", "customers_now"} <= pages.keys()
    assert {name: found for name, found in pages.items() if len(found) > 1} == {}


def test_scripts_end() -> None:
    """A prompt runs the last statement of a pasted script only when it has read its semicolon."""
    for page in PAGES:
        for block in blocks(page, "sql"):
            assert ";\n" not in block.code or block.code.endswith(";\n"), block.code


def test_blocks_are_known() -> None:
    """A block without a language is neither run nor highlighted; a typo would make it one."""
    known = {
        "",
        "text",
        "sql",
        "python",
        "bash",
        "ebnf",
        "java",
        "jinja",
        "scala",
        "yaml",
        "properties",
    }
    found = {block for page in PAGES for block, _ in lines(page) if block is not None}
    assert found <= known
