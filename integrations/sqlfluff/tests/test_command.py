"""sqlfluff with the dialect `eddyline`: from the command line, with templaters, in processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tiers import ROOT

TYPED = """COGROUP cart AS c BY customer_id, purchases BY buyer
AGGREGATE count(c.item) in_cart, sum(purchases.price) AS spent
EMIT  ON CHANGE;
"""
FIXED = """COGROUP cart AS c BY customer_id, purchases BY buyer
AGGREGATE count(c.item) AS in_cart, sum(purchases.price) AS spent
EMIT ON CHANGE;
"""
NAMES = ("first", "second", "third")
DBT = ["tests/interop/dbt_project", "examples/dbt"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a folder whose configuration has the dialect, with three files."""
    (tmp_path / ".sqlfluff").write_text("[sqlfluff]\ndialect = eddyline\n")
    for name in NAMES:
        (tmp_path / f"{name}.sql").write_text(TYPED)
    return tmp_path


def run(*arguments: object, cwd: Path = ROOT) -> tuple[int, str]:
    """Runs a command of Python.

    Returns:
        Its status and what it has printed.
    """
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def lint(cwd: Path, *arguments: object) -> dict[str, set[str]]:
    """Returns the codes of what the command finds, by the names of the files."""
    output = run("-m", "sqlfluff", "lint", "--format", "json", *arguments, cwd=cwd)[1]
    files = json.loads(output)
    return {
        Path(file["filepath"]).name: {found["code"] for found in file["violations"]}
        for file in files
    }


# --- the command


def test_it_is_listed() -> None:
    listed = run("-m", "sqlfluff", "dialects")[1]
    assert re.search(r"(?m)^eddyline: +eddyline.* \[inherits from 'sparksql'\]", listed)


def test_the_configuration_names_it_and_processes_use_it(folder: Path) -> None:
    found = lint(folder, ".", "--processes", 2)
    assert found == {f"{name}.sql": {"AL02", "LT01"} for name in NAMES}
    run("-m", "sqlfluff", "fix", ".", "--processes", 2, cwd=folder)
    assert {path.read_text() for path in folder.glob("*.sql")} == {FIXED}


def test_the_command_names_it(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT k FROM t GROUP BY k EMIT ON CHANGE -- noqa: LT14\n")
    assert lint(tmp_path, "--dialect", "eddyline", "a.sql") == {"a.sql": set()}
    assert lint(tmp_path, "--dialect", "sparksql", "a.sql") == {"a.sql": {"PRS"}}


def test_a_wrong_clause_fails_at_its_word(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("SELECT k\nFROM t EMIT ON CHNAGE\n")
    command = ["-m", "sqlfluff", "lint", "--dialect", "eddyline", "a.sql"]
    status, output = run(*command, cwd=tmp_path)
    assert status == 1
    assert re.search(r"L: +2 \| P: +16 \| +PRS \| .*'CHNAGE'", output)


# --- templates


def test_jinja_with_a_clause(tmp_path: Path) -> None:
    typed = (
        "{% set item = 'item' %}\n"
        "SELECT {{ item }},count(*) AS n FROM STREAM {{ ref('sales') }}\n"
        "GROUP BY {{ item }} {% if true %}EMIT ON CHANGE{% endif %}\n"
    )
    (tmp_path / "a.sql").write_text(typed)
    assert "PRS" not in lint(tmp_path, "--dialect", "eddyline", "a.sql")["a.sql"]
    run("-m", "sqlfluff", "fix", "--dialect", "eddyline", "a.sql", cwd=tmp_path)
    assert (tmp_path / "a.sql").read_text() == (
        "{% set item = 'item' %}\n"
        "SELECT\n"
        "    {{ item }},\n"
        "    count(*) AS n\n"
        "FROM STREAM {{ ref('sales') }}\n"
        "GROUP BY {{ item }} {% if true %}EMIT ON CHANGE{% endif %}\n"
    )


def test_models_of_dbt_are_parsed() -> None:
    """Except for those that call a macro of eddyline, which only dbt knows."""
    found = {}
    for project in DBT:
        folders = [f"{project}/models", f"{project}/tests"]
        found |= lint(ROOT, "--dialect", "eddyline", "--templater", "jinja", *folders)
    assert len(found) > 20
    failed = {name for name, codes in found.items() if codes & {"PRS", "TMP"}}
    assert failed == {"merge_deletes.sql", "merge_statement.sql"}


# --- from Python


def test_a_function_looks_for_the_dialect_before_it_loads_plug_ins() -> None:
    """If this fails, `import eddyline_sqlfluff` in docs/tools.md may go."""
    call = "print(sqlfluff.lint('SELECT k FROM t EMIT ON UPDATE\\n', dialect='eddyline'))"
    error = "from sqlfluff.core import SQLFluffUserError\ntry:\n    {}\nexcept {}:\n    print('no')"
    unknown = error.format(call, "SQLFluffUserError")
    assert run("-c", f"import sqlfluff\n{unknown}") == (0, "no\n")
    assert run("-c", f"import eddyline_sqlfluff, sqlfluff; {call}") == (0, "[]\n")
    configured = (
        "from sqlfluff.core import FluffConfig, Linter\n"
        "config = FluffConfig(overrides={'dialect': 'eddyline'})\n"
        "print(Linter(config=config).lint_string('SELECT k FROM t EMIT ON UPDATE\\n').violations)"
    )
    assert run("-c", configured) == (0, "[]\n")


def test_other_dialects_do_not_load_eddyline() -> None:
    code = (
        "import sys\n"
        "from sqlfluff.core import FluffConfig, Linter\n"
        "Linter(config=FluffConfig(overrides={'dialect': 'ansi'})).lint_string('SELECT 1')\n"
        "print('eddyline_sqlfluff' in sys.modules, 'eddyline' in sys.modules)"
    )
    assert run("-c", code) == (0, "True False\n")


def test_the_configuration_goes_to_another_process(tmp_path: Path) -> None:
    """As the templater of dbt sends it, before the other process has loaded plug-ins."""
    sent = tmp_path / "config"
    save = (
        "import pickle\n"
        "from pathlib import Path\n"
        "from sqlfluff.core import FluffConfig\n"
        "config = FluffConfig(overrides={'dialect': 'eddyline'})\n"
        f"Path({str(sent)!r}).write_bytes(pickle.dumps(config))"
    )
    load = (
        "import pickle\n"
        "from pathlib import Path\n"
        "from sqlfluff.core.parser import Lexer, Parser\n"
        f"config = pickle.loads(Path({str(sent)!r}).read_bytes())\n"
        "words, _ = Lexer(config=config).lex('SELECT k FROM t EMIT ON UPDATE')\n"
        "tree = Parser(config=config).parse(words)\n"
        "print(*(clause.raw for clause in tree.recursive_crawl('emit_clause')))"
    )
    assert run("-c", save) == (0, "")
    assert run("-c", load) == (0, "EMIT ON UPDATE\n")


def test_beside_the_lexer_and_the_parser_in_rust() -> None:
    pytest.importorskip("sqlfluffrs")
    code = (
        "import eddyline_sqlfluff, sqlfluff\n"
        "from sqlfluff.core.parser import Lexer\n"
        "print(sqlfluff.fix('SELECT k FROM t EMIT  ON UPDATE\\n', dialect='eddyline'), end='')\n"
        "print(sqlfluff.fix('SELECT  1\\n', dialect='sparksql'), end='')\n"
        "print([type(Lexer(dialect=name)).__name__ for name in ('eddyline', 'sparksql')])"
    )
    expected = "SELECT k FROM t EMIT ON UPDATE\nSELECT 1\n['PyLexer', 'PyRsLexer']\n"
    assert run("-c", code) == (0, expected)
