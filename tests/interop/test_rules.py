"""The rules over JDBC, PyHive and Spark Connect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import eddyline
from interop.jdbc import ask
from interop.server import Server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COGROUP = "COGROUP (SELECT 1 AS k) AS a BY k, (SELECT 1 AS k) AS b BY k AGGREGATE count(a.k) AS n"
CREATE = (
    "CREATE TABLE {0}_trips USING parquet PARTITIONED BY (day) "
    "AS SELECT id AS trip, id % 3 AS day FROM range(12)"
)
CLAIM = "SELECT day, count(*) AS n FROM {0}_trips ASSUME PARTITIONED BY (day, trip) GROUP BY day"
EXCLUDED = "spark.eddyline.rules.excluded"


def test_pyhive(cursor: Any) -> None:
    from pyhive.exc import OperationalError

    def rows(sql: str) -> list[tuple[Any, ...]]:
        cursor.execute(sql)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found

    assert rows(COGROUP) == [(1, 1)]
    cursor.execute("SHOW EDDYLINE RULES")
    names = [column[0].rpartition(".")[2] for column in cursor.description]
    shown = {row[0]: dict(zip(names, row, strict=True)) for row in cursor.fetchall()}
    assert shown["ResolveCoGroup"]["changed"] > 0
    assert shown["ResolveCoGroup"]["optional"] is False
    explained = rows(f"EXPLAIN EDDYLINE {COGROUP}")
    assert [row[2] for row in explained] == ["ResolveCoGroup", "RewriteCoGroup"]

    cursor.execute(f"SET {EXCLUDED}=PlanAssume")
    with pytest.raises(OperationalError) as refused:
        cursor.execute(COGROUP)
    assert "[EDDYLINE_RULES.REQUIRED]" in refused.value.args[0].status.errorMessage
    cursor.execute(f"SET {EXCLUDED}=")
    assert rows(COGROUP) == [(1, 1)]


def test_jdbc(thrift: Server, tmp_path: Path) -> None:
    (explained,) = ask(thrift, tmp_path, "run", f"EXPLAIN EDDYLINE {COGROUP}")
    assert [row[:4] for row in explained] == [
        [1, "resolution", "ResolveCoGroup", "cogroup"],
        [2, "post-hoc", "RewriteCoGroup", "cogroup"],
    ]


def test_connect(remote: SparkSession) -> None:
    remote.sql(CREATE.format("far"))
    query = remote.sql(CLAIM.format("far"))
    expected = sorted(query.collect())
    rules = eddyline.rules(remote)
    assert len(rules) > 30
    assert rules["NarrowAssume"].changed == 1
    assert eddyline.rules(remote)["NarrowAssume"].changed == 1, "fetching rows is no query"
    assert "NarrowAssume" in [change.rule for change in rules.trace(query)]

    rules["NarrowAssume"].disable()
    assert sorted(query.collect()) == expected
    assert eddyline.rules(remote)["NarrowAssume"].applied == 0
    assert "NarrowAssume" not in [change.rule for change in rules.trace(query)]
    rules["NarrowAssume"].enable()
    assert "NarrowAssume" in [change.rule for change in rules.trace(query)]
    with pytest.raises(eddyline.EddylineError, match=r"EDDYLINE_RULES\.REQUIRED"):
        rules["PlanAssume"].disable()
