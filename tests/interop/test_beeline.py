"""Spark's beeline, the JDBC driver, and how it shows an error."""

from __future__ import annotations

import subprocess
from pathlib import Path

from interop.beeline import beeline
from interop.server import Server
from interop.shop import COGROUP, SYNTAX_ERROR, VIEWS


def _beeline(server: Server, scratch: Path, *statements: str) -> subprocess.CompletedProcess[str]:
    url = f"jdbc:hive2://127.0.0.1:{server.port}/default"
    given = [word for statement in statements for word in ("-e", statement)]
    return beeline(url, scratch, "--showHeader=false", "--outputformat=tsv2", *given)


def test_rows(thrift: Server, tmp_path: Path) -> None:
    done = _beeline(thrift, tmp_path, *VIEWS, f"{COGROUP}\nORDER BY customer_id")
    assert done.returncode == 0, done.stderr
    # beeline prints its prompt even without a terminal
    assert done.stdout.rpartition("> ")[2].splitlines() == ["1\t2\t7", "2\t1\tNULL", "3\t0\t9"]


def test_syntax_error_points_into_what_was_typed(thrift: Server, tmp_path: Path) -> None:
    done = _beeline(thrift, tmp_path, SYNTAX_ERROR)
    assert done.returncode != 0
    assert "[EDDYLINE_COGROUP.SYNTAX_ERROR]" in done.stderr
    assert "SQLSTATE: 42601" in done.stderr
    assert "(line 2, position 10)" in done.stderr
