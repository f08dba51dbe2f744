"""What MkDocs does to the pages of `docs/` beside Markdown; docs/contributing/website.md tells why.

The pages are written for readers of the repository. The site has in addition railroad diagrams, a
reference of Python from the docstrings, and what `OUTSIDE` names of the rest of the repository.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import griffe
from mkdocs.structure.files import File

import diagrams

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
OUTSIDE = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    *(path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("benchmarks/results/*.json"))),
]

_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_NESTED = re.compile(r"^(?=  )", re.MULTILINE)
_NEXT_ITEM = re.compile(r"(\n\n(?: {4}.*\n)+)(?=- )")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_PYTHON = re.compile(r"<!-- generated: python -->.*<!-- end of python -->", re.DOTALL)
_DIAGRAMS = re.compile(r"<!-- diagrams: (\w+) -->")
_EBNF = re.compile(r"^```ebnf\n.*?^```\n", re.DOTALL | re.MULTILINE)
_PICTURE = re.compile(r'<p><img alt="[^"]*" src="[^"]*\b(pictures/[\w-]+\.svg)"[^>]*></p>')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what lies outside of `docs/`."""
    for name in OUTSIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrites links, and adds diagrams and the reference of Python.

    What belongs to an item of a list is indented by two more, and an empty line stands between a
    paragraph of an item and the next item, as Python-Markdown needs it.
    """
    uri = page.file.src_uri
    if uri == "python.md":
        markdown = _PYTHON.sub(lambda _: api(), markdown)
    elif uri == "sql/grammar.md":
        markdown = _DIAGRAMS.sub(lambda of: diagrams.diagrams(of[1], is_open=True), markdown)
    elif uri.startswith("sql/") and Path(uri).stem in diagrams.stems():
        markdown = with_diagrams(markdown, Path(uri).stem)
    parts = _FENCE.split(markdown)  # each second one is a block of code
    texts = (_NEXT_ITEM.sub(r"\1\n", _NESTED.sub("  ", text)) for text in parts[::2])
    parts[::2] = [_LINK.sub(lambda link: rewritten(link, page, config), text) for text in texts]
    return "".join(parts)


def with_diagrams(markdown: str, stem: str) -> str:
    """Returns the page of a clause with diagrams after its grammar or before its second heading."""
    found = _EBNF.search(markdown)
    at = found.end() if found else markdown.index("\n## ")
    return f"{markdown[:at]}\n{diagrams.diagrams(stem)}\n\n{markdown[at:]}"


def rewritten(link: re.Match[str], page: Page, config: MkDocsConfig) -> str:
    """Returns a link to a file of the repository as the site has it.

    What the site lacks leads to the repository, if mkdocs.yml has a `repo_url`. Otherwise its path
    stands beside the text.
    """
    text, target, anchor = link[1], link[2], link[3] or ""
    if "://" in target:
        return link[0]
    assert page.file.abs_src_path is not None
    file = (Path(page.file.abs_src_path).parent / target).resolve()
    path = file.relative_to(ROOT).as_posix()
    if DOCS in file.parents or path in OUTSIDE:
        uri = file.relative_to(DOCS).as_posix() if DOCS in file.parents else path
        here = Path(page.file.src_uri).parent
        return f"[{text}]({Path(os.path.relpath(uri, here)).as_posix()}{anchor})"
    if config.repo_url:
        return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{path}{anchor})"
    return f"`{path}`" if text.strip("`") in (path, file.name) else f"{text} (`{path}`)"


@cache
def api() -> str:
    """Returns the reference of Python, whose names are those of `__all__`; nothing is imported.

    Functions come before classes. A name has the anchor that its heading has in `docs/python.md`.
    """
    package = griffe.load("eddyline", search_paths=[ROOT / "python"], allow_inspection=False)
    public = {
        str(name): named(module, str(name))
        for module in (package["report"], package)
        for name in module.exports or ()
        if name not in ("__version__", "Entry")
    }
    anchors: dict[str, str] = {}
    parts = []
    for name in sorted(public, key=lambda name: (public[name].is_class, name)):
        anchor = f"[](){{#{name.lower()}}}\n\n" * (anchors.setdefault(name.lower(), name) == name)
        parts.append(f"{anchor}::: {public[name].path}")
    return "\n\n".join(parts)


def named(module: griffe.Object, name: str) -> griffe.Object:
    """Returns the function or class that a module exports, not the submodule of the same name."""
    found = module[name]
    found = found.final_target if found.is_alias else found
    return named(found, name) if found.is_module else found


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Puts pictures into the page itself, so that they have the colors that the reader chose."""
    return _PICTURE.sub(
        lambda found: (
            '<figure class="picture"><div class="scroll" tabindex="0">'
            f"{(DOCS / found[1]).read_text('utf-8')}</div></figure>"
        ),
        html,
    )
