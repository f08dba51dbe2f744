"""The pictures of `docs/pictures` that `website/` draws, and the pages that show them."""

from __future__ import annotations

import os
import re
from functools import partial

import pytest

from flows import FLOWS, picture
from growth import growth_picture
from pages import PAGES, ROOT
from performance import JOBS, backlog_picture

PICTURES = ROOT / "docs/pictures"


DRAWN = {
    **{f"flow-{name}": partial(picture, name) for name in FLOWS},
    **{f"backlog-{job}": partial(backlog_picture, job) for job in JOBS},
    "scale": growth_picture,
}


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_fresh(name: str) -> None:
    file, svg = PICTURES / f"{name}.svg", DRAWN[name]()
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
