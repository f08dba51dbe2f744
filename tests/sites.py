"""The site of `docs/`, which MkDocs builds, and the references of its pages."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pages import ROOT
from waiting import PROCESS_HANGS

MKDOCS = ROOT / ".venv-docs/bin/mkdocs"
# An attribute that loads what it names, and `rel` of a link that does so.
_LOADED = ("src", "srcset", "data", "poster")
_LINK_LOADS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch"}
_URL = re.compile(r"""url\(\s*["']?([^"')\s]+)|@import\s+["']([^"']+)""")


def build(target: Path) -> subprocess.CompletedProcess[str]:
    """Builds the site in a folder; skips the test where pip could not fetch MkDocs.

    A warning, such as one of a link that leads nowhere, is an error. MkDocs counts no warnings with
    `--quiet`, so that it is not used.
    """
    if not MKDOCS.exists():
        pytest.skip("MkDocs is not there, so the site of docs/ is NOT tested (make docs)")
    return subprocess.run(
        [MKDOCS, "build", "--site-dir", target],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the site, which is built once."""
    target = tmp_path_factory.mktemp("site")
    built = build(target)
    assert built.returncode == 0, built.stdout + built.stderr
    return target


@dataclass
class SitePage(HTMLParser):
    """A page of the site.

    Attributes:
        path: path of its file.
        ids: anchors.
        links: where its links lead.
        loaded: what a browser loads for it.
        classes: classes of its elements.
    """

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        text = self.path.read_text("utf-8")
        self.feed(text)
        self.loaded += urls_of_styles(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        self.classes.update(given.get("class", "").split())
        self.loaded += [given[name] for name in _LOADED if name in given]
        href = given.get("href", given.get("xlink:href"))
        if href is None:
            return
        if tag in ("image", "use") or _LINK_LOADS & set(given.get("rel", "").split()):
            self.loaded.append(href)
        elif tag == "a":
            self.links.append(href)

    handle_startendtag = handle_starttag


def urls_of_styles(text: str) -> list[str]:
    """Returns what a stylesheet, or the styles in a page, load."""
    return [first or second for first, second in _URL.findall(text)]


def is_external(url: str) -> bool:
    """Returns whether a URL names a host.

    >>> [is_external(url) for url in ("//a.b/c.js", "HTTPS://a.b", "assets/a.css", "data:,x")]
    [True, True, False, False]
    """
    return re.match(r"(?:[a-z]+:)?//", url, re.IGNORECASE) is not None
