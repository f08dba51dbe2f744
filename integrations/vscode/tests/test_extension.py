"""The extension of Visual Studio Code: its grammar by the editor's own engine, and its package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from eddyline.versions import eddyline_version
from highlighting import clauses, golden_clauses, keywords
from tiers import ROOT
from waiting import PROCESS_HANGS

FOLDER = ROOT / "integrations/vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text("utf-8"))
INSTALLED = ROOT / "build/vscode-tools/.installed"
Token = tuple[int, int, list[str]]

OWN = r"keyword\.other\..*\.eddyline"

# what stands for the grammar of SQL that the editor has
SQL = {
    "scopeName": "source.sql",
    "patterns": [
        {"name": "string.quoted.single.sql", "begin": "'", "end": "'"},
        {"name": "comment.line.double-dash.sql", "match": "--.*$"},
        {"name": "keyword.other.DML.sql", "match": r"\b(?i:select|from|where|group by|as)\b"},
        {"name": "punctuation.section.sql", "match": r"[()]"},
    ],
}


@pytest.fixture(scope="module")
def node() -> Path:
    """The folder of the packages for Node that `integrations/vscode/tools/package.json` names."""
    if not shutil.which("npm"):
        pytest.skip("npm is missing, so the extension of Visual Studio Code is NOT tested")
    done = run("make", str(INSTALLED.relative_to(ROOT)))
    if done.returncode:
        reason = done.stderr[-500:]
        pytest.skip(f"the extension of Visual Studio Code is NOT tested, npm install: {reason}")
    return INSTALLED.parent


def run(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )


def tokens(node: Path, texts: list[str], scope: str = "source.sql.eddyline") -> list[list[Token]]:
    """Returns the tokens of texts with their scopes, in a file of a language with this scope."""
    grammars = {"source.sql": SQL}
    injections = []
    for contributed in PACKAGE["contributes"]["grammars"]:
        name = contributed["scopeName"]
        grammars[name] = json.loads((FOLDER / contributed["path"]).read_text("utf-8"))
        if scope in contributed.get("injectTo", []):
            injections.append(name)
    given = {"scope": scope, "injections": injections, "grammars": grammars, "texts": texts}
    script = str(Path(__file__).with_name("scopes.js"))
    done = run("node", script, str(node), given=json.dumps(given))
    assert done.returncode == 0, done.stderr
    return [[(a, b, scopes) for a, b, scopes in found] for found in json.loads(done.stdout)]


def scoped(sql: str, found: list[Token]) -> str:
    """Returns the words with scopes of the grammar: `/keyword/`, `=name=`, `~comment~` and so on.

    Only what has a scope beside the one of its region is marked.
    """
    text, at = "", 0
    for start, stop, scopes in found:
        *_, inner = scopes
        parts = inner.split(".")
        mark = next((MARKS[part] for part in MARKS if part in parts and "eddyline" in parts), "")
        text += f"{sql[at:start]}{mark}{sql[start:stop]}{mark}"
        at = stop
    return text.replace("~~", "")


# the first that a scope has is shown
MARKS = {"keyword": "/", "branch": "@", "entity": "=", "comment": "~", "numeric": "#"}
SNIPPETS = [
    (
        "COGROUP basket WHERE item IS NOT NULL BY customer_id, STREAM shop.orders AS o BY buyer",
        "/COGROUP/ @basket@ /WHERE/ item IS NOT NULL /BY/ customer_id,"
        " /STREAM/ @shop@.@orders@ /AS/ =o= /BY/ buyer",
    ),
    (
        "COGROUP a BY k, -- the other\n  b BY k\nAGGREGATE count(a.k), sum(b) AS every\n"
        "HAVING AT LEAST 2 BRANCHES",
        "/COGROUP/ @a@ /BY/ k, ~-- the other~\n  @b@ /BY/ k\n/AGGREGATE/ count(a.k),"
        " sum(b) /AS/ =every=\n/HAVING/ /AT/ /LEAST/ #2# /BRANCHES/",
    ),
    (
        "SELECT key, id FROM t EMIT ON CHANGE OF (on, key) KEY (every) EXPIRE AFTER 3 DAYS; key",
        "SELECT key, id FROM t /EMIT/ /ON/ /CHANGE/ /OF/ (on, key) /KEY/ (every)"
        " /EXPIRE/ /AFTER/ #3# DAYS; key",
    ),
    (
        "SELECT layout FROM t ASSUME PARTITIONED BY (((a))) LAYOUT hash INTO 4 PARTITIONS"
        " USING HASH SPARK JOIN u USING (fail)",
        "SELECT layout FROM t /ASSUME/ /PARTITIONED/ /BY/ (((a))) /LAYOUT/ =hash= /INTO/ #4#"
        " /PARTITIONS/ /USING/ /HASH/ /SPARK/ JOIN u USING (fail)",
    ),
    (
        "CREATE OR REPLACE GLOBAL TABLE key PRIMARY KEY (id) MAX ROWS 9 ON STALE FAIL AS"
        " SELECT key, rows FROM max",
        "/CREATE/ /OR/ /REPLACE/ /GLOBAL/ /TABLE/ =key= /PRIMARY/ /KEY/ (id) /MAX/ /ROWS/ #9#"
        " /ON/ /STALE/ /FAIL/ /AS/ SELECT key, rows FROM max",
    ),
    (
        "START STREAMING QUERY stop TRIGGER AVAILABLE NOW AS INSERT INTO t BY NAME"
        " WITH BATCH ID batch SELECT id",
        "/START/ /STREAMING/ /QUERY/ =stop= /TRIGGER/ /AVAILABLE/ /NOW/ /AS/ /INSERT/ /INTO/ =t="
        " /BY/ /NAME/ /WITH/ /BATCH/ /ID/ =batch= SELECT id",
    ),
    (
        "DROP STREAMING QUERY IF EXISTS q PURGE",
        "/DROP/ /STREAMING/ /QUERY/ /IF/ /EXISTS/ =q= /PURGE/",
    ),
    ("REFRESH GLOBAL TABLE g", "/REFRESH/ /GLOBAL/ /TABLE/ =g="),
    (
        "ALTER GLOBAL TABLE g SET REFRESH MANUAL",
        "/ALTER/ /GLOBAL/ /TABLE/ =g= /SET/ /REFRESH/ /MANUAL/",
    ),
    ("EXPLAIN CLAUSES SELECT clauses", "/EXPLAIN/ /CLAUSES/ SELECT clauses"),
    ("EXPLAIN CLAUSES INSERT INTO t", "/EXPLAIN/ /CLAUSES/ INSERT INTO t"),
    (
        "EXPLAIN CLAUSES UPSERT INTO t KEY (k)",
        "/EXPLAIN/ /CLAUSES/ /UPSERT/ /INTO/ =t= /KEY/ (k)",
    ),
    ("SHOW EDDYLINE RULES; SELECT rules", "/SHOW/ /EDDYLINE/ /RULES/; SELECT rules"),
    ("CREATE OR REPLACE VIEW v", "CREATE OR REPLACE VIEW v"),
    ("SELECT * FROM cogroup a JOIN b ON x", "SELECT * FROM cogroup a JOIN b ON x"),
]


@pytest.mark.parametrize("scope", ["source.sql.eddyline", "source.sql"])
def test_scopes(node: Path, scope: str) -> None:
    """Both in a file of the extension's language and where it is added to SQL."""
    texts = [sql for sql, _ in SNIPPETS]
    for (sql, expected), found in zip(SNIPPETS, tokens(node, texts, scope), strict=True):
        assert scoped(sql, found) == expected


def test_comments(node: Path) -> None:
    sql = "/* EMIT /* ON */ CHANGE */ x -- EMIT \\\nEMIT ON UPDATE\nEMIT ON UPDATE"
    (found,) = tokens(node, [sql])
    expected = "~/* EMIT /* ON */ CHANGE */~ x ~-- EMIT \\~\n~EMIT ON UPDATE~\n/EMIT/ /ON/ /UPDATE/"
    assert scoped(sql, found) == expected


def test_nothing_is_added_to_strings_and_comments_of_sql(node: Path) -> None:
    sql = "SELECT 'x EMIT ON UPDATE' -- COGROUP a BY k\nFROM t"
    (found,) = tokens(node, [sql], "source.sql")
    assert scoped(sql, found) == sql


def test_strings_and_names_in_backquotes(node: Path) -> None:
    sql = "SELECT 'EMIT ON', \"it\\\" EMIT\", r'\\', `EMIT ON` FROM t EMIT ON CHANGE KEY (`EMIT`)"
    (found,) = tokens(node, [sql])
    whole = {
        kind: "".join(sql[a:b] for a, b, scopes in found if any(kind in each for each in scopes))
        for kind in ("string.quoted.single", "string.quoted.double", "variable.other.quoted")
    }
    assert whole == {
        "string.quoted.single": "'EMIT ON'r'\\'",
        "string.quoted.double": '"it\\" EMIT"',
        "variable.other.quoted": "`EMIT ON``EMIT`",
    }


@pytest.mark.each_part
def test_each_keyword_of_the_golden_statements(node: Path) -> None:
    """Each has the scope of a keyword, and nothing outside of clauses has it."""
    golden = list(golden_clauses())
    assert len(golden) > 750
    for (place, sql), found in zip(golden, tokens(node, [sql for _, sql in golden]), strict=True):
        marked = {(a, b) for a, b, scopes in found if re.match(OWN, scopes[-1])}
        assert {sql[a:b] for a, b in keywords(sql) - marked} == set(), place
        inside = [
            (a, b)
            for a, b in marked
            if any(start <= a and b <= stop for start, stop in clauses(sql))
        ]
        outside = {sql[a:b].upper() for a, b in marked - {*inside}}
        # both are keywords of Spark's own: FROM STREAM t, EXPLAIN CLAUSES TABLE t
        assert outside <= {"STREAM", "TABLE"}, place


def test_package(node: Path) -> None:
    """`make vscode` needs no network, and packs the files that the extension names."""
    done = run("make", "vscode")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    with zipfile.ZipFile(ROOT / "dist/eddyline.vsix") as archive:
        inside = {name.removeprefix("extension/") for name in archive.namelist()}
        package = json.loads(archive.read("extension/package.json"))
        for name in ("snippets.json", "syntaxes/eddyline.tmLanguage.json"):
            assert archive.read(f"extension/{name}") == (FOLDER / name).read_bytes()
        assert archive.read("extension/LICENSE.txt") == (ROOT / "LICENSE").read_bytes()
    parts = [part for parts in package["contributes"].values() for part in parts]
    named = {(part.get("path") or part["configuration"]).removeprefix("./") for part in parts}
    own = {"package.json", "readme.md", "LICENSE.txt"}
    packed = {"[Content_Types].xml", "extension.vsixmanifest"}
    assert inside == named | own | packed
    assert package["version"] == eddyline_version()
