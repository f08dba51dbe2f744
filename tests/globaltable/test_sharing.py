"""One replica serves every session, filter and choice of columns, and no fact is shuffled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark import inheritable_thread_target

from eddyline import global_tables
from goldenfiles import physical_plan
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOOKUPS = [
    "SELECT id, name FROM f JOIN d ON f.k = d.k",
    "SELECT id, w FROM f LEFT JOIN d ON f.k = d.k",
    "SELECT * FROM f LEFT JOIN d AS e ON f.k = e.k AND e.w > 10",
    "SELECT id, upper(name) AS n FROM d RIGHT JOIN f ON d.k = f.k",
    "SELECT id FROM f JOIN (SELECT k, w * 2 AS w FROM d WHERE name <> 'b') AS d ON f.k = d.k",
    "SELECT id FROM f WHERE EXISTS (SELECT 1 FROM d WHERE d.k = f.k AND w < f.id)",
    "SELECT id FROM f LEFT ANTI JOIN d ON f.k = d.k",
    "SELECT id, (SELECT name FROM d WHERE d.k = f.k) AS name FROM f",
    "WITH c AS (SELECT k, name FROM d WHERE w > 10) "
    "SELECT id, c.name, e.name FROM f LEFT JOIN c ON f.k = c.k LEFT JOIN c AS e ON f.k = e.k",
    "SELECT /*+ MERGE(d), SHUFFLE_HASH(f) */ id FROM f JOIN d ON f.k = d.k",
    "SELECT d.k, count(*) FROM (SELECT /*+ REPARTITION(k) */ * FROM f) AS f JOIN d USING (k) "
    "GROUP BY d.k",
]


@pytest.fixture
def tables(spark: SparkSession) -> SparkSession:
    spark.sql("CREATE TABLE f USING parquet AS SELECT id, id % 5 AS k FROM range(0, 20, 1, 1)")
    spark.sql(
        "CREATE TABLE source USING parquet AS "
        "SELECT * FROM VALUES (1L, 'a', 10), (2L, 'b', 20), (3L, 'c', 30) AS t(k, name, w)"
    )
    spark.sql("CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM source")
    return spark


def replicas(spark: SparkSession, table: str = "d") -> int | None:
    return next(found.replicas for found in global_tables(spark) if found.table_name == table)


def executed(frame: DataFrame) -> str:
    """Returns the plan that gave the rows."""
    frame.collect()
    plan = frame._jdf.queryExecution().executedPlan().toString()
    return str(plan).partition("== Initial Plan ==")[0]


def test_no_fact_is_sent_anywhere(tables: SparkSession) -> None:
    for sql in LOOKUPS:
        plan = executed(tables.sql(sql))
        assert "GlobalLookup default.d@1-" in plan, (sql, plan)
        assert "Sort" not in plan, (sql, plan)
        assert plan.count("Exchange") == ("REPARTITION" in sql), (sql, plan)


def test_one_replica_for_all_sessions_filters_and_columns(tables: SparkSession) -> None:
    expected = {sql: sorted(tables.sql(sql).collect(), key=str) for sql in LOOKUPS}
    with ThreadPoolExecutor(8) as threads:
        sessions = [tables.newSession() for _ in range(8)]
        jobs = [
            (sql, threads.submit(lambda s=session, q=sql: s.sql(q).collect()))  # type: ignore[misc]
            for session in sessions
            for sql in LOOKUPS
        ]
        assert all(sorted(job.result(), key=str) == expected[sql] for sql, job in jobs)
    assert replicas(tables) == 1
    tables.sql("SELECT id FROM f JOIN d ON f.id = d.w").collect()
    assert replicas(tables) == 2, "a replica for each key"
    tables.sql("SELECT id FROM f JOIN d ON f.id > d.w").collect()
    tables.sql("SELECT id FROM f JOIN d ON f.id < d.w AND d.k > 1").collect()
    assert replicas(tables) == 3, "and one for those without a key"


def test_replicas_that_no_second_query_asks_for(tables: SparkSession) -> None:
    """A query that contains the time makes such replicas; a refresh builds none of them again."""
    derived = (
        "SELECT id FROM f JOIN (SELECT k, max(w) AS w FROM d WHERE w > {} GROUP BY k) USING (k)"
    )
    for number in range(40):
        tables.sql(derived.format(number)).collect()
    assert replicas(tables) == 34, "32, the one that was just made, and the one of the key"
    tables.sql(derived.format(39)).collect()
    tables.sql("INSERT INTO source VALUES (4L, 'd', 40)")
    tables.sql("REFRESH GLOBAL TABLE d")
    assert replicas(tables) == 2


def test_all_queries_of_a_statement_read_one_version(tables: SparkSession) -> None:
    """MERGE of Delta runs two, and would miss rows of which only the second one knows."""
    rows = "SELECT name FROM VALUES (1L) AS t(k) JOIN d USING (k)"
    context = tables.sparkContext
    context.setJobGroup("statement", "a statement that runs", interruptOnCancel=True)
    with ThreadPoolExecutor(1) as pool:
        sleep = "SELECT java_method('java.lang.Thread', 'sleep', id) FROM range(600000, 600001)"
        slow = pool.submit(inheritable_thread_target(tables)(tables.sql(sleep).collect))
        store = tables._jsparkSession.sharedState().statusStore()
        eventually(lambda: store.executionsList().last().completionTime().isEmpty())
        statement = str(store.executionsList().last().executionId())
        context.setLocalProperty("spark.sql.execution.root.id", statement)
        try:
            assert tables.sql(rows).collect() == [("a",)]
            tables.sql("INSERT OVERWRITE source VALUES (1L, 'new', 1)")
            tables.sql("REFRESH GLOBAL TABLE d")
            assert tables.sql(rows).collect() == [("a",)]
        finally:
            context.setLocalProperty("spark.sql.execution.root.id", None)
            context.cancelJobGroup("statement")
        assert slow.exception() is not None
    assert tables.sql(rows).collect() == [("new",)]


def test_a_view_has_no_replica_of_its_own(tables: SparkSession) -> None:
    tables.sql("CREATE GLOBAL TABLE e PRIMARY KEY (w) REFRESH MANUAL AS SELECT 10 AS w, 'x' AS t")
    tables.sql("CREATE VIEW both AS SELECT d.k, name, t FROM d LEFT JOIN e ON d.w = e.w")
    for sql in (
        "SELECT id, name, t FROM f LEFT JOIN both USING (k)",
        "SELECT id, name, t FROM both RIGHT JOIN f USING (k)",
        "SELECT id, name, t FROM both JOIN f USING (k) WHERE name = 'a'",
    ):
        assert executed(tables.sql(sql)).count("GlobalLookup") == 2
    assert (replicas(tables, "d"), replicas(tables, "e")) == (1, 1)


def test_explain_builds_nothing(tables: SparkSession) -> None:
    sql = "SELECT id, name FROM f JOIN d ON f.id = d.w"
    before = replicas(tables)
    assert "keys=[CAST(w AS BIGINT)] rows=3 bytes=?" in physical_plan(tables, sql)
    assert "replica=build last_error=-" in physical_plan(tables, sql)
    assert replicas(tables) == before
    tables.sql(sql).collect()
    assert "replica=hit last_error=-" in physical_plan(tables, sql)


def test_metrics_of_the_lookup(tables: SparkSession) -> None:
    tables.conf.set("spark.sql.adaptive.enabled", "false")
    for hit in (0, 1):
        frame = tables.sql("SELECT id, name FROM f JOIN d ON f.id = d.w")
        frame.collect()
        leaves = frame._jdf.queryExecution().executedPlan().collectLeaves()
        lookup = leaves.apply(1)
        assert lookup.nodeName() == "GlobalLookup"
        found = {name: lookup.metrics().apply(name).value() for name in ("hit", "rows", "bytes")}
        assert (found["hit"], found["rows"]) == (hit, 3)
        assert 0 < found["bytes"] < 2 << 20


def test_pruned_partitions_are_not_read(tables: SparkSession) -> None:
    tables.sql("CREATE TABLE sales (id BIGINT, k BIGINT) USING parquet PARTITIONED BY (k)")
    tables.sql("INSERT INTO sales SELECT id, id % 50 FROM range(0, 100, 1, 1)")
    tables.sql("CREATE TABLE plain USING parquet AS SELECT * FROM d")
    read = {}
    for adaptive in ("false", "true"):
        tables.conf.set("spark.sql.adaptive.enabled", adaptive)
        for table in ("plain", "d"):
            frame = tables.sql(
                f"SELECT id, name FROM sales JOIN {table} USING (k) WHERE name = 'a'"
            )
            read[adaptive, table] = files(frame)
    assert set(read.values()) == {1}, read
    assert files(tables.sql("SELECT id FROM sales JOIN d USING (k)")) == 50


def files(frame: DataFrame) -> int:
    """Returns the number of files of the facts that were read."""
    frame.collect()
    plan = frame._jdf.queryExecution().executedPlan()
    if plan.nodeName() == "AdaptiveSparkPlan":
        plan = plan.executedPlan().plan()
    scan = plan.collectLeaves().apply(0)
    assert scan.nodeName().endswith("sales")
    return int(scan.metrics().apply("numFiles").value())


def test_a_replica_is_shared_by_tables_of_one_version_only(tables: SparkSession) -> None:
    """A table that was dropped and created again is another table."""
    sql = "SELECT id, name FROM f JOIN d ON f.k = d.k WHERE id = 1"
    assert tables.sql(sql).collect() == [(1, "a")]
    tables.sql("DROP GLOBAL TABLE d")
    tables.sql("CREATE GLOBAL TABLE d REFRESH MANUAL AS SELECT 1L AS k, 'other' AS name")
    assert tables.sql(sql).collect() == [(1, "other")]
