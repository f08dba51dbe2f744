"""The tables in `docs/` that come from the code. `make update-docs` writes them."""

from __future__ import annotations

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def errors_page() -> str:
    conditions = json.loads((ROOT / "sql/errors/error-conditions.json").read_text())
    lines = [
        "# Errors",
        "",
        "Every error has a condition and a SQLSTATE, and says where in the typed text it lies.",
    ]
    for name, entry in conditions.items():
        lines += ["", f"## {name}", "", " ".join(entry["message"])]
        if "subClass" in entry:
            lines += ["", "| condition | SQLSTATE | message |", "|---|---|---|"]
            for sub, detail in entry["subClass"].items():
                state = detail.get("sqlState", entry["sqlState"])
                message = " ".join(detail["message"]).replace("<", "&lt;").replace(">", "&gt;")
                lines.append(f"| {sub} | {state} | {message} |")
        else:
            lines[-1] += f" SQLSTATE {entry['sqlState']}."
    return "\n".join(lines) + "\n"


def test_errors_page_is_fresh() -> None:
    page = ROOT / "docs/errors.md"
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(errors_page())
    assert page.read_text() == errors_page()
