"""Micro-batches in which some sources have no new rows: their plans, and the rows of streams."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tiers import seed

from .empty_sources import COLUMNS, FUNCTIONS, TABLES, random_query, union

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

U = union([("1", "v"), ("CAST(NULL AS INT)", "1")])
ONE = "(SELECT k, v, 1 AS one FROM STREAM b) AS b BY k"
HOUR = "window(ts, '1 hour')"
SESSION = "session_window(ts, '1 hour')"
LATE = "WATERMARK ts DELAY OF INTERVAL 0 SECONDS"
WATERMARK = f"SELECT k, v, ts, 1 AS x FROM STREAM a {LATE} AS a"
COUNTS = "count(x) AS n, count(*) AS m, sum(v) AS s"
ARM = "SELECT k, v, ts, CAST(NULL AS INT) AS x FROM STREAM b"
PLANNED = {
    "aggregates": f"SELECT k, {', '.join(FUNCTIONS)} FROM ({U}) GROUP BY k EMIT ON CHANGE",
    "no keys": f"SELECT count(x), count(*) FROM ({U}) EMIT ON UPDATE",
    "tolerance": f"SELECT k, {COUNTS} FROM ({U}) GROUP BY k EMIT ON CHANGE TOLERANCE 1",
    "inner join": f"SELECT k, count(z), count(*) FROM ({U}) JOIN (VALUES (1), (2)) AS w(z) ON z = x"
    f" GROUP BY k EMIT ON CHANGE",
    "join in an arm": "SELECT k, count(z), count(*) FROM (SELECT k, v, z FROM STREAM a JOIN "
    "(VALUES (1), (2)) AS w(z) ON z = v UNION ALL SELECT k, v, NULL FROM STREAM b) "
    "GROUP BY k EMIT ON CHANGE",
    "a constant in two of three arms": "SELECT max(k), mode(v) FILTER (WHERE src IS NULL), "
    "sum(v) FILTER (WHERE src IS NULL), sum(v) FROM (SELECT k, v, 'a' AS src FROM STREAM a UNION "
    "ALL SELECT k, v, 'b' FROM STREAM b UNION ALL SELECT k, v, k FROM STREAM c) EMIT ON UPDATE",
    "key": f"SELECT k, x, y FROM ({U}) EMIT ON CHANGE KEY (k)",
    "distinct": f"SELECT DISTINCT k, x IS NULL AS b FROM ({U}) EMIT ON CHANGE",
    "branch.*": "COGROUP STREAM a AS a BY k, STREAM b AS b BY k "
    "AGGREGATE count(a.*), count(*), count(b.*), max(b.v) EMIT ON CHANGE",
    "a constant of a branch": f"COGROUP STREAM a AS a BY k, {ONE} AGGREGATE count(b.one), count(*),"
    f" sum(b.v) FILTER (WHERE b.one IS NULL), sum(b.v), max(a.v) EMIT ON CHANGE",
    "count of a key": "COGROUP STREAM a AS a BY coalesce(k, 'n') AS k, STREAM b AS b BY k "
    "AGGREGATE count(k), count(*), max(b.v) EMIT ON CHANGE",
    "windows as keys": f"COGROUP STREAM a AS a BY (k, {HOUR}), STREAM b AS b BY (k, {HOUR}) "
    "AGGREGATE count(a.*), count(*), max(b.v) EMIT ON CHANGE",
    "HAVING": "COGROUP STREAM a AS a BY k, STREAM b AS b BY k AGGREGATE count(a.*) AS n "
    "HAVING AT LEAST 2 BRANCHES AND count(*) > 1 EMIT ON CHANGE",
    "a window with the watermark of an arm": f"SELECT {HOUR} AS w, {COUNTS} FROM "
    f"({WATERMARK} UNION ALL {ARM}) GROUP BY {HOUR} EMIT ON WINDOW CLOSE",
    "a watermark above the union": f"SELECT {HOUR} AS w, {COUNTS} FROM (SELECT * FROM ({U})) "
    f"{LATE} AS q GROUP BY {HOUR} EMIT ON WINDOW CLOSE",
    "a session": f"SELECT {SESSION} AS w, k, {COUNTS} FROM (SELECT * FROM ({U})) {LATE} AS q "
    f"GROUP BY {SESSION}, k EMIT ON WINDOW CLOSE",
    "a join of streams": f"SELECT q.k, c.v, x FROM ({U}) AS q JOIN STREAM c ON q.k = c.k "
    "EMIT ON CHANGE KEY (k)",
    "LIMIT in an arm": "SELECT k, v FROM (SELECT k, v FROM STREAM a LIMIT 3) UNION ALL "
    "SELECT k, v FROM STREAM b EMIT ON CHANGE KEY (k)",
    "LIMIT": f"SELECT k, v FROM ({U}) LIMIT 3 EMIT ON CHANGE KEY (k)",
    "two aggregations": f"SELECT w, count(*) AS n, count(m) AS c FROM (SELECT {HOUR} AS w, k, "
    f"count(x) AS n, count(*) AS m FROM ({WATERMARK} UNION ALL {ARM}) GROUP BY {HOUR}, k) "
    "GROUP BY w EMIT ON WINDOW CLOSE",
}


@pytest.fixture
def tables(spark: SparkSession) -> None:
    for table in TABLES:
        spark.sql(f"CREATE TABLE {table} ({COLUMNS}) USING parquet")


def states(spark: SparkSession, sql: str) -> list[str]:
    """Returns the state that Spark plans for each set of sources without new rows."""
    assert spark._jvm is not None
    planned = spark._jvm.io.eddyline.spark.streamingquery.state.PlannedStates
    return [str(state) for state in planned.of(spark._jsparkSession, sql)]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("query", PLANNED)
def test_one_state_is_planned_whichever_sources_have_rows(spark: SparkSession, query: str) -> None:
    found = states(spark, PLANNED[query])
    assert len(found) >= 4
    assert len(set(found)) == 1


@pytest.mark.usefixtures("tables")
def test_one_state_is_planned_for_random_queries(spark: SparkSession) -> None:
    random = Random(f"{seed()} empty sources")
    for sql in (random_query(random) for _ in range(20)):
        assert len(set(states(spark, sql))) == 1, sql
