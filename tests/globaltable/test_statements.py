"""The rows and Python objects that statements about global tables return."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.datasource import DataSource, DataSourceReader

from eddyline import global_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def create(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE source (k INT, name STRING) USING parquet")
    spark.sql("INSERT INTO source VALUES (1, 'one'), (NULL, 'nobody'), (2, 'two')")
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM source")


def test_what_statements_return(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE source (k INT) USING parquet")
    spark.sql("INSERT INTO source VALUES (1), (2)")
    (created,) = spark.sql("CREATE GLOBAL TABLE g AS SELECT * FROM source").collect()
    assert (created.namespace, created.table_name, created.rows) == ("default", "g", 2)
    assert created.status == "OK"
    spark.sql("INSERT INTO source VALUES (3)")
    (refreshed,) = spark.sql("REFRESH GLOBAL TABLE g").collect()
    assert refreshed.rows == 3
    assert [created.version[:2], refreshed.version[:2]] == ["1-", "2-"]
    (again,) = spark.sql("REFRESH GLOBAL TABLE g").collect()
    assert again == refreshed, "the source is as it was"
    (altered,) = spark.sql("ALTER GLOBAL TABLE g SET MAX ROWS 5").collect()
    assert altered.version == refreshed.version, "the rows are as they were"
    (dropped,) = spark.sql("DROP GLOBAL TABLE g").collect()
    assert dropped.status == "DROPPED"
    assert spark.sql("DROP GLOBAL TABLE IF EXISTS g").collect() == []


FORMS = {
    "g": "CREATE GLOBAL TABLE g {clauses} AS SELECT id AS k FROM range(2)",
    "t": "CREATE GLOBAL TABLE t (k INT) USING parquet {clauses}",
    "lake.altered.t": "CREATE GLOBAL TABLE lake.altered.t (k INT) {clauses}",
}


@pytest.mark.parametrize("name", FORMS)
def test_alter_that_fails_changes_nothing(spark: SparkSession, name: str) -> None:
    spark.sql(FORMS[name].format(clauses="COMMENT 'old' TBLPROPERTIES ('a' '1')"))
    if name != "g":
        spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
        spark.sql(f"REFRESH GLOBAL TABLE {name}")

    def described() -> list[object]:
        shown = f"DESCRIBE TABLE EXTENDED {name}", f"SHOW TBLPROPERTIES {name}"
        return [spark.sql(text).collect() for text in shown]

    before = described()
    with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE.TOO_LARGE"):
        spark.sql(
            f"ALTER GLOBAL TABLE {name} SET COMMENT 'new' TBLPROPERTIES ('a' '2', 'b' '3') "
            "MAX STALENESS 1 HOUR MAX ROWS 1"
        )
    assert described() == before


def test_global_tables(spark: SparkSession) -> None:
    assert global_tables(spark) == []
    create(spark)
    (info,) = global_tables(spark)
    assert (info.namespace, info.table_name, info.primary_key) == ("default", "g", "k")
    assert (info.source, info.rows, info.status, info.last_error) == ("query", 2, "OK", None)
    assert info.age_ms is not None
    assert info.age_ms >= 0
    assert info.replicas == 1, "of the primary key"
    assert info.replica_bytes
    assert [table.table_name for table in global_tables(spark, "default")] == ["g"]


def test_a_table_that_nothing_has_loaded(spark: SparkSession, tmp_path: Path) -> None:
    """The table is not loaded, as after a start; its properties come from the catalog."""
    spark.sql(f"CREATE TABLE t (k INT) USING parquet LOCATION '{tmp_path}'")
    spark.sql("INSERT INTO t VALUES (1)")
    spark.sql("ALTER TABLE t SET TBLPROPERTIES ('eddyline.global' = 'true')")
    (info,) = global_tables(spark)
    assert (info.version, info.rows, info.replicas, info.status) == (None, None, None, None)
    join = "SELECT * FROM VALUES (1) AS f(k) JOIN t ON f.k = t.k"
    plan = spark.sql(f"EXPLAIN {join}").collect()[0][0]
    assert "GlobalLookup default.t@<not loaded> keys=[k] rows=? bytes=? age=?" in plan
    for words in ("EXTENDED", "FORMATTED", "COST", "CODEGEN", "CLAUSES"):
        assert spark.sql(f"EXPLAIN {words} {join}").collect()
    spark.sql(join).explain("formatted")
    for scan in ("SELECT k + 1 FROM t WHERE k > 0", "SELECT 1 WHERE 2 > (SELECT max(k) FROM t)"):
        assert "PARSE" not in str(spark.sql(f"EXPLAIN {scan}").collect())
        assert "Exception" not in str(spark.sql(f"EXPLAIN FORMATTED {scan}").collect())
    assert global_tables(spark)[0].version is None, "EXPLAIN loads nothing"
    assert spark.sql("SELECT k + 1 FROM t").collect() == [(2,)]
    assert spark.sql(join).count() == 1
    plan = spark.sql(f"EXPLAIN {join}").collect()[0][0]
    assert "rows=1" in plan
    assert "replica=hit last_error=-" in plan


def test_keys_that_are_not_unique_are_shown_as_text(spark: SparkSession) -> None:
    rows = "(X'61FF', array(1, 2)), (X'61FF', array(1, 2)), (X'62', NULL)"
    with pytest.raises(AnalysisException, match=r"\(61FF, \[1, 2\]\) 2 times"):
        spark.sql(
            "CREATE GLOBAL TABLE g PRIMARY KEY (a, b) AS "
            f"SELECT /*+ COALESCE(1) */ * FROM VALUES {rows} AS t(a, b)"
        )


def test_describe(spark: SparkSession) -> None:
    create(spark)
    described = {
        row.info_name: row.info_value for row in spark.sql("DESC GLOBAL TABLE g").collect()
    }
    assert described["null_keys_dropped"] == "1"
    assert described["clauses"] == "REFRESH MANUAL"
    assert (described["refreshes"], described["failures"]) == ("1", "0")
    snapshots = Path(described["snapshots"].removeprefix("file:"))
    assert [path.name for path in snapshots.iterdir()] == [f"v={described['version']}"]
    spark.sql("DROP GLOBAL TABLE g")
    assert not snapshots.exists()


def numbers() -> type[DataSource]:
    """Returns a Python data source, whose class is local so that workers import no test."""

    class NumbersReader(DataSourceReader):
        def read(self, partition: object) -> Iterator[tuple[int]]:
            del partition
            return iter([(1,), (2,), (3,)])

    class Numbers(DataSource):
        def schema(self) -> str:
            return "k INT"

        def reader(self, schema: object) -> DataSourceReader:
            del schema
            return NumbersReader()

    return Numbers


def test_a_source_that_a_table_cannot_follow(spark: SparkSession) -> None:
    spark.dataSource.register(numbers())
    with pytest.raises(AnalysisException) as refused:
        spark.sql("CREATE GLOBAL TABLE g USING Numbers")
    assert refused.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.SOURCE_NOT_SUPPORTED"
    assert spark.sql("SHOW TABLES").collect() == []


def test_a_source_that_is_gone(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    spark.sql(f"CREATE GLOBAL TABLE g (k INT) USING parquet LOCATION '{folder}' REFRESH MANUAL")
    folder.rmdir()
    with pytest.raises(AnalysisException) as refused:
        spark.sql("REFRESH GLOBAL TABLE g")
    assert refused.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.NOT_LOADED"
    assert spark.sql("SELECT count(*) FROM g").head()[0] == 0, "the version before is served"
    (info,) = global_tables(spark)
    assert info.status == "FAILING"
    assert "FileNotFoundException" in str(info.last_error)


def test_a_query_whose_source_is_gone(spark: SparkSession) -> None:
    """A query reads the version, so it needs nothing that the query of the table names."""
    spark.sql("CREATE TABLE base USING parquet AS SELECT 1 AS k, 'a' AS name")
    spark.sql("CREATE FUNCTION shouted(s STRING) RETURNS STRING RETURN concat(s, '!')")
    spark.sql("CREATE VIEW below AS SELECT k, shouted(name) AS name FROM base")
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM below")
    spark.sql("CREATE VIEW above AS SELECT name FROM VALUES (1), (2) AS f(k) LEFT JOIN g USING (k)")
    queries = {
        "SELECT * FROM g": [(1, "a!")],
        "SELECT x.name FROM spark_catalog.default.G AS x JOIN g AS y ON x.k = y.k": [("a!",)],
        "SELECT g.name FROM g WHERE EXISTS (SELECT 1 FROM g WHERE k = 1)": [("a!",)],
        "WITH g2 AS (SELECT * FROM g) SELECT count(*) FROM g2": [(1,)],
        "SELECT * FROM above ORDER BY ALL NULLS LAST": [("a!",), (None,)],
    }
    for lose in ("DROP FUNCTION shouted", "DROP VIEW below", "DROP TABLE base"):
        spark.sql(lose)
        for query, rows in queries.items():
            assert spark.sql(query).collect() == rows
        assert spark.table("g").schema.names == ["k", "name"]
        with pytest.raises(AnalysisException):
            spark.sql("REFRESH GLOBAL TABLE g")
    spark.sql("CREATE VIEW below AS SELECT 2 AS k, 'b' AS name")
    spark.sql("REFRESH GLOBAL TABLE g")
    assert spark.sql("SELECT * FROM g").collect() == [(2, "b")]
    spark.sql("CREATE TEMPORARY VIEW g AS SELECT 3 AS k")
    spark.sql("DROP VIEW below")
    assert spark.sql("SELECT * FROM g").collect() == [(3,)], "of the session"


@pytest.mark.since("4.2")
@pytest.mark.parametrize("type", ["GEOMETRY", "GEOGRAPHY"])
def test_spatial_columns(spark: SparkSession, type: str) -> None:
    point = "X'0101000000000000000000F03F0000000000000040'"
    made = {
        "GEOMETRY": f"ST_GeomFromWKB({point}, 4326)",
        "GEOGRAPHY": f"ST_GeogFromWKB({point})",
    }
    # the time makes eddyline compare the rows
    spark.sql(
        f"CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS "
        f"SELECT 1 AS k, {made[type]} AS p, current_date() AS d"
    )
    for query in (
        "SELECT ST_AsBinary(p) FROM g",
        "SELECT ST_AsBinary(p) FROM VALUES (1) AS f(k) JOIN g USING (k)",
    ):
        (row,) = spark.sql(query).collect()
        assert bytes(row[0]).hex().upper() == point[2:-1]


@contextmanager
def logged(spark: SparkSession) -> Iterator[Callable[[], list[str]]]:
    """Yields a function that returns the lines that were logged since."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    text = jvm.java.io.StringWriter()
    log4j = jvm.org.apache.logging.log4j
    appender = log4j.core.appender.WriterAppender.createAppender(
        log4j.core.layout.PatternLayout.createDefaultLayout(), None, text, "kept", False, True
    )
    appender.start()
    context = log4j.LogManager.getContext(False)
    root = context.getConfiguration().getRootLogger()
    before = root.getLevel()
    root.addAppender(appender, log4j.Level.WARN, None)
    root.setLevel(log4j.Level.WARN)
    context.updateLoggers()
    try:
        yield lambda: str(text.toString()).splitlines()
    finally:
        root.removeAppender("kept")
        root.setLevel(before)
        context.updateLoggers()


@pytest.mark.parametrize("using", ["parquet", "lake"])
def test_the_first_write_warns(spark: SparkSession, using: str) -> None:
    """Queries see what is written into a global table after its next refresh, which a log says."""
    name, clause = ("lake.warned.t", "") if using == "lake" else ("warned", "USING parquet ")
    spark.sql(f"CREATE GLOBAL TABLE {name} (k INT) {clause}REFRESH EVERY 5 MINUTES")
    with logged(spark) as lines:
        for k in range(2):
            spark.sql(f"INSERT INTO {name} VALUES ({k})")
        warned = [line for line in lines() if "Queries see rows" in line]
    assert len(warned) == 1
    assert f"the global table {name}" in warned[0].replace("default.", "")
    assert "at most 300000 ms, or after REFRESH GLOBAL TABLE" in warned[0]
    spark.sql(f"DROP GLOBAL TABLE {name}")  # of a catalog that no other test clears
