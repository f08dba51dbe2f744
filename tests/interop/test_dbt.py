"""dbt by both its ways to Spark: every statement is dbt's, around a model's clause."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from interop.launch import confs, run
from interop.server import Server

PROJECT = Path(__file__).with_name("dbt_project")


def _build(target: str, scratch: Path, **variables: str) -> None:
    """Seeds, runs and tests a copy of the project, since dbt writes into it."""
    project = shutil.copytree(PROJECT, scratch / "project")
    flags = (
        "--project-dir",
        str(project),
        "--profiles-dir",
        str(project),
        "--target",
        target,
        "--no-use-colors",
    )
    done = run(
        [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "build", *flags],
        scratch,
        DBT_SEND_ANONYMOUS_USAGE_STATS="false",
        **variables,
    )
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    assert "PASS=6 WARN=0 ERROR=0 SKIP=0" in done.stdout  # a seed, four models, a test
    sent = (project / "logs" / "dbt.log").read_text("utf-8")
    assert "/* cogroup; written by by_customer */" in sent, "no comment stood before the clause"


def _check_rows(warehouse: Path) -> None:
    """Compares the rows on disk, read without Spark."""
    import pyarrow.parquet as pq

    def rows(table: str) -> list[tuple[object, ...]]:
        found = pq.read_table(warehouse / "shop.db" / table).to_pylist()
        return sorted(tuple(row.values()) for row in found)

    assert rows("by_customer") == [(1, 2, 7), (2, 1, None), (3, 0, 9)]
    assert rows("items") == [(1, 2), (2, 1)]
    assert rows("big_buyers") == [(3, 9)], "a table over the view with a clause"


def test_method_session(tmp_path: Path) -> None:
    _build("session", tmp_path, EDDYLINE_TEST_CONFS=json.dumps(confs(tmp_path)))
    _check_rows(tmp_path / "warehouse")


def test_method_thrift(thrift: Server, tmp_path: Path) -> None:
    _build("thrift", tmp_path, EDDYLINE_TEST_PORT=str(thrift.port))
    _check_rows(thrift.scratch / "warehouse")
