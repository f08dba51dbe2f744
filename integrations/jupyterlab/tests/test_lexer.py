"""The extension of JupyterLab: its files, and that its JavaScript reads SQL as Pygments does."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from eddyline.lexer import EddylineLexer
from eddyline.versions import eddyline_version
from eddyline_editors.jupyterlab import KINDS, kind, rules
from highlighting import golden_clauses
from parsers import statements
from tiers import ROOT
from waiting import PROCESS_HANGS

FOLDER = ROOT / "integrations/jupyterlab/extension"
STATES = rules()

SAMPLES = [
    "-- a \\\nEMIT ON UPDATE\nSELECT r'\\', `EMIT ON`, 'it\\'s EMIT ON' /* a /* b */ EMIT */ EMIT",
    "SELECT layout, violation FROM t ASSUME PARTITIONED BY (a) LAYOUT hash",
    "START STREAMING QUERY /* it is */ restart -- so\nAS INSERT INTO `a b` SELECT 1.5e3",
    "SELECT d\u00edas, \u00e4as, \U0001f30a FROM \u6ce2 WHERE t.select = 'it''s' EMIT ON CHANGE",
    "SELECT 'no end EMIT ON CHANGE",
    "SELECT 1 /* no end\n\n EMIT ON CHANGE",
]


def test_it_has_the_version_and_the_files_that_it_names() -> None:
    package = json.loads((FOLDER / "package.json").read_text("utf-8"))
    assert package["name"] == "eddyline"
    assert package["version"] == eddyline_version()
    assert (FOLDER / package["jupyterlab"]["_build"]["load"]).is_file()
    installed = json.loads((FOLDER / "install.json").read_text("utf-8"))
    assert installed["packageName"] == "eddyline-jupyterlab"


def test_browsers_ask_for_each_file_again() -> None:
    """What lies in a folder `static` a browser keeps for a year, whatever version is installed."""
    assert {path.parent for path in FOLDER.rglob("*") if path.is_file()} == {FOLDER}


def test_each_rule_leads_to_a_state() -> None:
    found = [rule for state in STATES.values() for rule in state]
    named = {rule[key] for rule in found for key in ("include", "next") if key in rule}
    assert named - STATES.keys() == {"#pop"}
    assert "#pop" not in {rule.get("next") for rule in [*STATES["root"], *STATES["inert"]]}
    assert {rule["kind"] for rule in found if "kind" in rule} == set(KINDS.values())
    for rule in found:
        assert ("include" in rule) != ("match" in rule), rule


# --- the JavaScript, which needs Node


def run(sql: list[str], cells: list[str]) -> Any:
    """Returns what the files of the extension make of texts of SQL and of cells."""
    if not shutil.which("node"):
        pytest.skip("node is missing, so the JavaScript of JupyterLab's extension is NOT tested")
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("tokens.mjs")), str(FOLDER)],
        input=json.dumps({"sql": sql, "cells": cells}),
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def colored(sql: str) -> list[list[Any]]:
    """Returns the tokens with a color as Pygments finds them."""
    found = EddylineLexer().get_tokens_unprocessed(sql)
    return [[kind(token), at, at + len(text)] for at, token, text in found if text and kind(token)]


def test_tokens_are_those_of_pygments() -> None:
    golden = [sql for _, sql in golden_clauses()]
    assert len(golden) > 750
    texts = [*golden, *statements("docs"), *SAMPLES]
    for sql, found in zip(texts, run(texts, [])["sql"], strict=True):
        assert found == colored(sql), sql


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("%%sql\nSELECT 1", "%%sql"),
        ("\n\n  %%sql\nSELECT 1", "\n\n  %%sql"),
        ("%%sql", "%%sql"),
        ("%%sql SELECT 1 - a -- b", "%%sql"),
        ("%%sql --save found\nSELECT 1", "%%sql --save found"),
        ("%%sql -o found -n 10 -q\nSELECT 1", "%%sql -o found -n 10 -q"),
        ("%%sql --no-execute SELECT 1", "%%sql --no-execute"),
        ("%%sql --persist=a SELECT 1 -- b", "%%sql --persist=a"),
    ],
)
def test_a_cell_that_begins_with_the_magic_is_sql(text: str, before: str) -> None:
    (found,) = run([], [text])["cells"]
    assert (found["cell"], found["before"]) == (True, before)


def test_lines_of_python() -> None:
    cells = {
        "%sql SELECT 1\nprint(1)": ["%sql SELECT 1"],
        "if a:\n    b, c['d'] = %sql SELECT 1": ["%sql SELECT 1"],
        "%sql SELECT 1 \\\n  FROM t\nprint(1)": ["%sql SELECT 1 \\\n  FROM t"],
        "%sql": ["%sql"],
        "%%sqlite\nSELECT 1": [],
        "%sqlcmd tables": [],
        "# a = %sql SELECT 1": [],
        "a == %sql": [],
        "a %sql": [],
        "print(1)\n%%sql\nSELECT 1": [],
    }
    for (text, lines), found in zip(cells.items(), run([], list(cells))["cells"], strict=True):
        assert (found["cell"], found["lines"]) == (False, lines), text
