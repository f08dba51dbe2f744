"""The files that are made from the grammar are the ones that it gives."""

from __future__ import annotations

from eddyline_editors.__main__ import contents
from tiers import ROOT


def test_files_are_fresh() -> None:
    written = {f"integrations/{path}": text for path, text in contents().items()}
    stale = [path for path, text in written.items() if (ROOT / path).read_text("utf-8") != text]
    assert stale == [], "these are not what `make update-integrations` writes"
