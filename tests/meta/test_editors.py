"""The files that editors read are the ones that the grammar gives."""

from __future__ import annotations

from eddyline.editors.__main__ import contents
from tiers import ROOT


def test_files_are_fresh() -> None:
    written = {f"editors/{path}": text for path, text in contents().items()}
    stale = [path for path, text in written.items() if (ROOT / path).read_text("utf-8") != text]
    assert stale == [], "these are not what `make editors` writes"
