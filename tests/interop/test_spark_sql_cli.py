"""The spark-sql shell, which splits a file into statements before it runs the first."""

from __future__ import annotations

import subprocess
from pathlib import Path

from interop.launch import confs, launcher, run
from interop.shop import COGROUP, SYNTAX_ERROR, VIEWS

PLACES = Path(__file__).with_name("places.sql")
ROWS = """\
statement
1 2 7
2 1 NULL
3 0 9
view; and ;
1 ink;pen
2 pad
subquery
6
script
1 2 7
3 0 9
table
1 7"""


def _spark_sql(script: Path, scratch: Path) -> subprocess.CompletedProcess[str]:
    given = {**confs(scratch), "spark.sql.catalogImplementation": "in-memory"}
    return run(launcher("spark-sql", given, "-S", "-f", str(script)), scratch)


def test_clause_in_every_place(tmp_path: Path) -> None:
    done = _spark_sql(PLACES, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.replace("\t", " ").splitlines() == ROWS.splitlines(), done.stderr


def test_error_ends_the_script(tmp_path: Path) -> None:
    script = tmp_path / "broken.sql"
    script.write_text(";\n".join([*VIEWS, "SELECT 'before'", SYNTAX_ERROR, COGROUP]), "utf-8")
    done = _spark_sql(script, tmp_path)
    assert done.returncode != 0
    assert done.stdout.splitlines() == ["before"], "nothing runs after the error"
    assert "[EDDYLINE_COGROUP.SYNTAX_ERROR]" in done.stderr
    assert "SQLSTATE: 42601" in done.stderr
    assert "(line 2, position 10)" in done.stderr
