"""The pictures of `docs/pictures` that `website/flows.py` draws, and the pages that show them."""

from __future__ import annotations

import os
import re

import pytest

from flows import FLOWS, picture
from pages import PAGES, ROOT

PICTURES = ROOT / "docs/pictures"


@pytest.mark.parametrize("name", FLOWS)
def test_pictures_are_fresh(name: str) -> None:
    file, svg = PICTURES / f"flow-{name}.svg", picture(name)
    if os.environ.get("UPDATE_DOCS"):
        file.write_text(svg, "utf-8")
    assert file.read_text("utf-8") == svg, "it is not what `make update-docs` writes"


def test_each_picture_is_shown_by_a_page() -> None:
    shown = [
        name for page in PAGES for name in re.findall(r"pictures/([\w.-]+)\)", page.read_text())
    ]
    assert {*shown} == {path.name for path in PICTURES.iterdir()}


def test_the_picture_of_a_clause_is_on_its_page() -> None:
    for stem in FLOWS.keys() - {"start"}:
        assert f"](../pictures/flow-{stem}.svg)" in (ROOT / f"docs/sql/{stem}.md").read_text()
