"""The site of `docs/`: whole, without a link that leads nowhere, and without another host."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import eddyline
from eddyline import report
from eddyline.grammar.ebnf import grammars
from pages import PAGES, ROOT
from sites import SitePage, is_external, urls_of_styles

NAV = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
DOCS = ROOT / "docs"
# Hosts that scripts of the theme name. They ask the first two only on a page with a diagram of
# Mermaid or the address of a repository, and the others stand in comments and messages.
NAMED = {"unpkg.com", "api.github.com", "bit.ly", "clipboardjs.com", "lunrjs.com", "tartarus.org"}


@pytest.fixture(scope="module")
def shown(site: Path) -> dict[Path, SitePage]:
    return {path: SitePage(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_each_page_is_in_the_navigation_once() -> None:
    named = Counter(re.findall(r"([\w/-]+\.md)$", NAV, re.MULTILINE))
    pages = [page.relative_to(DOCS).as_posix() for page in PAGES if DOCS in page.parents]
    assert named == Counter([*pages, "CHANGELOG.md", "CONTRIBUTING.md"]), "mkdocs.yml: nav"


def test_the_navigation_has_four_parts() -> None:
    parts = re.findall(r"^  - (.+):$", NAV, re.MULTILINE)
    assert parts == ["Start", "Clauses", "Run", "Reference"]


def test_nothing_is_loaded_from_another_host(site: Path, shown: dict[Path, SitePage]) -> None:
    for path, page in shown.items():
        assert page.loaded, path.name
        assert [url for url in page.loaded if is_external(url)] == [], path.name
    styles = list(site.rglob("*.css"))
    assert len(styles) > 2
    for style in styles:
        assert [url for url in urls_of_styles(style.read_text()) if is_external(url)] == []


def test_scripts_have_no_reason_to_ask_another_host(
    site: Path, shown: dict[Path, SitePage]
) -> None:
    hosts = {
        urlsplit(url).hostname
        for script in (site / "assets").glob("**/*.js")
        if "lunr" not in script.parts  # of search in other languages
        for url in re.findall(r"https?://[\w.-]+", script.read_text())
    }
    assert hosts <= NAMED
    for page in shown.values():
        assert not page.classes & {"mermaid", "md-source"}, page.path.name


def test_links_and_anchors_are_there(shown: dict[Path, SitePage]) -> None:
    """MkDocs checks the links of Markdown; those of diagrams and docstrings are checked here."""
    for path, page in shown.items():
        for link in page.links:
            found = urlsplit(link)
            if found.scheme:
                continue
            target = (path.parent / unquote(found.path)).resolve() if found.path else path
            assert target.is_file(), f"{path.name}: {link}"
            anchor = unquote(found.fragment)
            assert not anchor or anchor in shown[target].ids, f"{path.name}: {link}"


def test_no_markdown_is_left(shown: dict[Path, SitePage]) -> None:
    """What a forge reads as a list, a link or a block, MkDocs does too."""
    marks = re.compile(r"^ *(?:- |\| |#+ |:::).*|```.*|\*\*\S.*|\]\(.*", re.MULTILINE)
    for path in shown:
        article = path.read_text().partition("<article")[2].partition("</article>")[0]
        kept = re.sub(r"(?s)<(pre|code|svg|script)\b.*?</\1>", "", article)
        assert marks.findall(re.sub(r"<[^>]*>", "", kept)) == [], path.name


def test_each_grammar_has_its_diagrams(site: Path, shown: dict[Path, SitePage]) -> None:
    for stem, grammar in grammars().items():
        wanted = {f"grammar-{stem}-{name}" for name in grammar.rules.keys() - {*trivial(stem)}}
        for name in (stem, "grammar"):
            path = site / f"sql/{name}.html"
            assert wanted <= shown[path].ids, path.name
            text = path.read_text().partition(f'id="grammar-{stem}-')[2]
            drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", text))
            source = (ROOT / f"sql/grammar/{stem}.ebnf").read_text()
            for word in re.findall(r'"(\w+)"', source):
                assert re.search(rf"\b{word}\b", drawn), f"{path.name}: {word}"


def trivial(stem: str) -> list[str]:
    """Returns the roots that only choose among rules, which have no diagram of their own."""
    source = (ROOT / f"sql/grammar/{stem}.ebnf").read_text()
    return re.findall(r"^(\w+) += \w+(?: \| \w+)+ ;$", source, re.MULTILINE)[:1]


def test_python_has_each_public_name(site: Path, shown: dict[Path, SitePage]) -> None:
    ids = shown[site / "python.html"].ids
    documented = {name.rpartition(".")[2] for name in ids if name.startswith("eddyline.")}
    public = {*eddyline.__all__, *report.__all__} - {"__version__", "Entry"}
    assert public <= documented


def test_what_the_site_lacks_is_no_link(site: Path) -> None:
    """There is no repository at a known address that they could lead to."""
    assert 'href="benchmarks/results/emit.json"' in (site / "index.html").read_text()
    text = (site / "kafka.html").read_text()
    assert "(<code>examples/kafka/README.md</code>)" in text
    assert "<code>tests/streaming/test_cogroup.py</code>" in text
