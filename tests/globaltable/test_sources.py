"""The sources of global tables, and when a source makes a new version."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from eddyline import global_tables
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NAMES = itertools.count()
ROWS = "(1, 'a', 1.5), (2, 'b', NULL), (3, NULL, 3.25)"


def looked_up(spark: SparkSession, table: str = "d") -> list[Any]:
    """Returns column `name` for the keys 1 to 4, looked up."""
    sql = (
        f"SELECT x.id, name FROM range(1, 5) AS x LEFT JOIN {table} AS d ON x.id = d.k ORDER BY id"
    )
    return [row.name for row in spark.sql(sql).collect()]


def refresh(spark: SparkSession, table: str = "d") -> str:
    """Refreshes the table and returns its version."""
    return str(spark.sql(f"REFRESH GLOBAL TABLE {table}").collect()[0].version)


@pytest.mark.parametrize("form", ["parquet", "orc", "csv", "json"])
def test_files(spark: SparkSession, form: str) -> None:
    spark.sql(
        f"CREATE GLOBAL TABLE d (k INT, name STRING, x DOUBLE, PRIMARY KEY (k)) USING {form} "
        "REFRESH MANUAL"
    )
    spark.sql(f"INSERT INTO d VALUES {ROWS}")
    assert looked_up(spark) == [None] * 4, "until it is refreshed"
    assert refresh(spark).startswith("2-")
    assert looked_up(spark) == ["a", "b", None, None]
    assert spark.sql("SELECT sum(x) FROM d WHERE k > 1").collect() == [(3.25,)]
    assert refresh(spark).startswith("2-"), "nothing new"
    spark.sql("INSERT OVERWRITE d VALUES (1, 'A', 0), (4, 'd', 0)")
    assert looked_up(spark) == ["a", "b", None, None]
    assert refresh(spark).startswith("3-")
    assert looked_up(spark) == ["A", None, None, "d"]


def test_partitions_wherever_they_lie(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE d (name STRING, k INT, p STRING, PRIMARY KEY (k)) USING parquet "
        "PARTITIONED BY (p) REFRESH MANUAL"
    )
    spark.sql("INSERT INTO d VALUES ('a', 1, 'x')")
    spark.sql(f"ALTER TABLE d ADD PARTITION (p = 'y') LOCATION '{tmp_path}/elsewhere'")
    spark.sql("INSERT INTO d PARTITION (p = 'y') VALUES ('b', 2)")
    first = refresh(spark)
    assert looked_up(spark) == ["a", "b", None, None]
    spark.sql("INSERT INTO d PARTITION (p = 'y') VALUES ('c', 3)")
    second = refresh(spark)
    assert first != second
    assert looked_up(spark) == ["a", "b", "c", None]
    assert spark.sql("SELECT k FROM d WHERE p = 'y' ORDER BY k").collect() == [(2,), (3,)]
    spark.sql("ALTER TABLE d DROP PARTITION (p = 'x')")
    assert refresh(spark) != second
    assert looked_up(spark) == [None, "b", "c", None]


def test_types(spark: SparkSession) -> None:
    """Every type that a column may have comes back as it was."""
    spark.sql(
        "CREATE TABLE base USING parquet AS SELECT 1 AS k, 1Y AS y, 2S AS s, 3L AS l, 1.5F AS f, "
        "2.5D AS d, 12.345BD AS e, true AS b, 'x' AS t, X'00FF' AS bin, DATE'1582-10-04' AS day, "
        "TIMESTAMP'1900-01-01 00:00:00' AS ts, TIMESTAMP_NTZ'2026-01-01 00:00:00' AS ntz, "
        "INTERVAL '1-2' YEAR TO MONTH AS ym, INTERVAL '1 02:03:04' DAY TO SECOND AS ds, "
        "array(1, NULL) AS arr, map('a', 1) AS m, named_struct('a', 1, 'B c', array('z')) AS st, "
        "parse_json('{\"a\": 1}') AS v, CAST('y' AS CHAR(3)) AS c, 'w' COLLATE UTF8_LCASE AS ci, "
        "'odd' AS `odd name, 1`"
    )
    spark.sql("CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM base")
    columns = "* EXCEPT (one, ym, v), STRING(ym) AS ym, STRING(v) AS v"  # Python lacks these
    one = "(SELECT 1 AS one)"
    expected = spark.sql(f"SELECT {columns} FROM {one} JOIN base ON one = k").collect()
    assert spark.sql(f"SELECT {columns} FROM {one} JOIN d ON one = k").collect() == expected
    assert spark.sql(f"SELECT {columns} FROM d JOIN {one} ON true").collect() == expected
    assert spark.table("d").schema == spark.table("base").schema
    assert spark.sql(
        "SELECT d.k FROM (SELECT 'W' AS x) JOIN d ON x COLLATE UTF8_LCASE = ci"
    ).collect() == [(1,)]


def test_char_keys_are_padded(spark: SparkSession) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE d (k CHAR(3), name VARCHAR(5), PRIMARY KEY (k)) USING parquet "
        "REFRESH MANUAL"
    )
    spark.sql("INSERT INTO d VALUES ('a', 'one')")
    refresh(spark)
    spark.sql("CREATE TABLE f (k CHAR(3)) USING parquet")
    spark.sql("INSERT INTO f VALUES ('a'), ('b')")
    sql = "SELECT f.k, name FROM f LEFT JOIN d ON f.k = d.k ORDER BY f.k"
    assert spark.sql(sql).collect() == [("a  ", "one"), ("b  ", None)]


def test_a_query_over_several_tables(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE a (k INT, name STRING) USING parquet")
    spark.sql("CREATE TABLE b (k INT, factor INT) USING json")
    spark.sql("INSERT INTO a VALUES (1, 'a'), (2, 'b')")
    spark.sql("INSERT INTO b VALUES (1, 2)")
    spark.sql(
        "CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS "
        "SELECT k, repeat(name, factor) AS name FROM a JOIN b USING (k) "
        "WHERE EXISTS (SELECT 1 FROM a WHERE a.k = b.k)"
    )
    assert looked_up(spark) == ["aa", None, None, None]
    version = refresh(spark)
    spark.sql("INSERT INTO b VALUES (2, 1)")
    assert looked_up(spark) == ["aa", None, None, None]
    assert refresh(spark) != version
    assert looked_up(spark) == ["aa", "b", None, None]
    version = refresh(spark)
    spark.sql("INSERT OVERWRITE a VALUES (2, 'B')")
    assert refresh(spark) != version
    assert looked_up(spark) == [None, "B", None, None]


def test_a_query_over_global_tables(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE base (k INT, name STRING) USING parquet")
    spark.sql("INSERT INTO base VALUES (1, 'a')")
    spark.sql("CREATE GLOBAL TABLE lower PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM base")
    spark.sql(
        "CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS "
        "SELECT k, upper(name) AS name FROM lower"
    )
    spark.sql("INSERT INTO base VALUES (2, 'b')")
    first = refresh(spark)
    assert looked_up(spark) == ["A", None, None, None], "the table below is at its old version"
    refresh(spark, "lower")
    assert refresh(spark) != first
    assert looked_up(spark) == ["A", "B", None, None]


def test_a_function_of_time_is_read_each_time(spark: SparkSession) -> None:
    spark.sql("CREATE GLOBAL TABLE d REFRESH MANUAL AS SELECT 1 AS k, current_timestamp() AS t")
    first, second = refresh(spark), refresh(spark)
    assert first != second


def test_bits_that_no_text_shows(spark: SparkSession) -> None:
    """Only the rows of the source show these changes, as the query contains the clock."""
    spark.sql("CREATE TABLE base (k INT, s STRUCT<t: TIMESTAMP>, z DOUBLE) USING parquet")
    spark.sql(
        "CREATE GLOBAL TABLE d REFRESH MANUAL AS SELECT k, s, z, current_date() > DATE'2000-01-01' "
        "AS now FROM base"
    )

    def shows(micros: str, zero: str) -> None:
        row = f"1, named_struct('t', TIMESTAMP'2024-01-01 00:00:00.{micros}'), {zero}"
        spark.sql(f"INSERT OVERWRITE base SELECT {row}")
        refresh(spark)
        found = spark.sql("SELECT STRING(s.t), STRING(z) FROM d").collect()
        assert found == [(f"2024-01-01 00:00:00.{micros}", zero.removesuffix("D"))]

    shows("000001", "0.0D")
    shows("000999", "0.0D")
    shows("000999", "-0.0D")


def test_a_refresh_by_hand_reads_the_files(spark: SparkSession, tmp_path: Path) -> None:
    """REFRESH reads the files even where a probe finds nothing new."""
    file = tmp_path / "drop" / "1.csv"
    file.parent.mkdir()
    file.write_text("1,a\n")
    os.utime(file, (1, 1))
    spark.sql(f"CREATE TABLE base (k INT, name STRING) USING csv LOCATION '{tmp_path}/drop'")
    spark.sql("CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM base")
    version = refresh(spark)
    assert version.startswith("1-"), "equal rows"
    file.write_text("1,b\n")
    os.utime(file, (1, 1))
    assert refresh(spark).startswith("2-")
    assert looked_up(spark) == ["b", None, None, None]


def test_a_view_below_gets_another_query(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE base USING parquet AS SELECT 1 AS k, 'a' AS name")
    spark.sql("CREATE VIEW over AS SELECT k, name FROM base")
    spark.sql("CREATE GLOBAL TABLE d REFRESH EVERY 100 MILLISECONDS AS SELECT * FROM over")
    spark.sql("CREATE OR REPLACE VIEW over AS SELECT k + 1 AS k, name FROM base")
    eventually(lambda: looked_up(spark) == [None, "a", None, None])


class Lake:
    """Tables with versions, in `VersionedCatalog.scala`."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.space = f"lake.s{next(_NAMES)}"
        self.table = f"{self.space}.d"

    def reads(self) -> int:
        assert self.spark._jvm is not None
        return int(self.spark._jvm.io.eddyline.spark.VersionedCatalog.reads())

    def lose(self, table: str, version: int) -> None:
        """Removes a version of a table, which cannot be loaded without its newest one."""
        assert self.spark._jvm is not None
        namespace = self.space.removeprefix("lake.")
        self.spark._jvm.io.eddyline.spark.VersionedCatalog.loseVersion(namespace, table, version)


@pytest.fixture
def lake(spark: SparkSession) -> Lake:
    lake = Lake(spark)
    spark.sql(
        f"CREATE GLOBAL TABLE {lake.table} (k INT, name STRING, PRIMARY KEY (k)) REFRESH MANUAL"
    )
    spark.sql(f"INSERT INTO {lake.table} VALUES (1, 'a'), (2, 'b')")
    return lake


def test_a_catalog_with_versions(spark: SparkSession, lake: Lake) -> None:
    """The versions of the catalog are read as they are, without a copy."""
    assert looked_up(spark, lake.table) == [None] * 4
    assert refresh(spark, lake.table) == "1"
    assert looked_up(spark, lake.table) == ["a", "b", None, None]
    before = lake.reads()
    for _ in range(3):
        assert looked_up(spark, lake.table) == ["a", "b", None, None]
    assert lake.reads() == before, "the replica was there"
    spark.sql(f"INSERT INTO {lake.table} VALUES (3, 'c')")
    assert looked_up(spark, lake.table) == ["a", "b", None, None]
    rows = f"SELECT k FROM {lake.table} WHERE k > 1 ORDER BY k"
    assert spark.sql(rows).collect() == [(2,)], "a scan reads the version of the lookups"
    assert refresh(spark, lake.table) == "2"
    assert looked_up(spark, lake.table) == ["a", "b", "c", None]
    assert spark.sql(rows).collect() == [(2,), (3,)]
    (info,) = global_tables(spark, lake.space)
    assert (info.version, info.rows, info.replicas, info.status) == ("2", 3, 1, "OK")
    description = dict(spark.sql(f"DESCRIBE GLOBAL TABLE {lake.table}").collect())
    assert not Path(description["snapshots"].removeprefix("file:")).exists()
    assert spark.sql(f"SELECT count(*) FROM {lake.table} VERSION AS OF '0'").collect() == [(0,)]


def test_a_table_that_cannot_be_loaded_hides_no_other(spark: SparkSession, lake: Lake) -> None:
    spark.sql(f"CREATE GLOBAL TABLE {lake.space}.other (k INT, PRIMARY KEY (k)) REFRESH MANUAL")
    assert [info.table_name for info in global_tables(spark, lake.space)] == ["d", "other"]
    lake.lose("d", 1)
    assert [info.table_name for info in global_tables(spark, lake.space)] == ["other"]


def test_what_reads_a_branch_is_not_pinned(spark: SparkSession, lake: Lake) -> None:
    refresh(spark, lake.table)
    spark.sql(f"INSERT INTO {lake.table} VALUES (3, 'c')")
    count = f"SELECT count(*) FROM {lake.table}"
    assert spark.sql(count).collect() == [(2,)]
    assert spark.sql(f"{count} WITH (branch = 'audit')").collect() == [(3,)]
    assert spark.sql(f"{count} WITH (`split-size` = '1')").collect() == [(2,)]


def test_a_version_of_another_query(spark: SparkSession, lake: Lake) -> None:
    source = f"{lake.space}.plain"
    spark.sql(f"CREATE TABLE {source} (k INT, name STRING)")
    spark.sql(f"INSERT INTO {source} VALUES (1, 'a')")
    spark.sql(f"CREATE GLOBAL TABLE h REFRESH MANUAL AS SELECT k, name FROM {source}")
    assert looked_up(spark, "h") == ["a", None, None, None]
    spark.sql(f"ALTER VIEW h AS SELECT k, upper(name) AS name FROM {source}")
    assert refresh(spark, "h") == "1", "the source has no new version"
    assert looked_up(spark, "h") == ["A", None, None, None]


def test_what_changes_a_table_sees_its_rows_of_now(spark: SparkSession, lake: Lake) -> None:
    """The target of UPDATE, MERGE and DELETE is not pinned, which would undo an INSERT."""
    table = lake.table
    refresh(spark, table)
    spark.sql(f"INSERT INTO {table} VALUES (3, 'c')")
    spark.sql(f"UPDATE {table} SET name = upper(name) WHERE k > 1")
    assert looked_up(spark, table) == ["a", "b", None, None]
    refresh(spark, table)
    assert looked_up(spark, table) == ["a", "B", "C", None]
    spark.sql(f"INSERT INTO {table} VALUES (4, 'd')")
    spark.sql(
        f"MERGE INTO {table} AS t USING (SELECT 4 AS k, 'new' AS name) AS s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    refresh(spark, table)
    assert looked_up(spark, table) == ["a", "B", "C", "new"]
    spark.sql(f"DELETE FROM {table} WHERE k IN (1, 4)")
    refresh(spark, table)
    assert looked_up(spark, table) == [None, "B", "C", None]
    spark.sql(f"DELETE FROM {table}")
    refresh(spark, table)
    assert looked_up(spark, table) == [None] * 4


@pytest.mark.parametrize("statement", ["INSERT INTO", "INSERT OVERWRITE"])
def test_a_write_reads_its_own_table_as_it_is(
    spark: SparkSession, lake: Lake, statement: str
) -> None:
    table = lake.table
    refresh(spark, table)
    spark.sql(f"INSERT INTO {table} VALUES (3, 'c')")
    spark.sql(
        f"{statement} {table} SELECT k + 10, name FROM {table} "
        f"WHERE EXISTS (SELECT 1 FROM {table} AS other WHERE other.k = 3)"
    )
    now = spark.read.option("versionAsOf", "3").table(table)
    written = [(row.k, row.name) for row in now.collect() if row.k > 10]
    assert sorted(written) == [(11, "a"), (12, "b"), (13, "c")]


def test_duplicate_keys_of_a_catalog_with_versions(spark: SparkSession, lake: Lake) -> None:
    refresh(spark, lake.table)
    spark.sql(f"INSERT INTO {lake.table} VALUES (2, 'again')")
    with pytest.raises(AnalysisException, match=r"\(2\) 2 times") as caught:
        refresh(spark, lake.table)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.DUPLICATE_KEY"
    assert looked_up(spark, lake.table) == ["a", "b", None, None]
    (info,) = global_tables(spark, lake.space)
    assert (info.version, info.status) == ("1", "FAILING")


def test_a_query_over_a_catalog_with_versions(spark: SparkSession, lake: Lake) -> None:
    spark.sql(f"CREATE TABLE {lake.space}.base (k INT, name STRING)")
    spark.sql(f"INSERT INTO {lake.space}.base VALUES (1, 'a')")
    spark.sql(
        "CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS "
        f"SELECT k, name FROM {lake.space}.base"
    )
    first = refresh(spark)
    reads = lake.reads()
    assert refresh(spark) == first
    assert lake.reads() == reads, "an equal version is not read again"
    spark.sql(f"INSERT INTO {lake.space}.base VALUES (2, 'b')")
    assert refresh(spark) != first
    assert looked_up(spark) == ["a", "b", None, None]


def test_a_version_whose_name_comes_again(spark: SparkSession, lake: Lake) -> None:
    """A source that is created again counts its versions from the first one once more."""
    source = f"{lake.space}.base"
    spark.sql(f"CREATE TABLE {source} AS SELECT 1 AS k, 'a' AS name")
    spark.sql(f"CREATE GLOBAL TABLE below REFRESH MANUAL AS SELECT k, name FROM {source}")
    spark.sql("CREATE GLOBAL TABLE d REFRESH MANUAL AS SELECT k, upper(name) AS name FROM below")
    assert looked_up(spark, "below") == ["a", None, None, None]
    assert looked_up(spark) == ["A", None, None, None]
    spark.sql(f"DROP TABLE {source}")
    spark.sql(f"CREATE TABLE {source} AS SELECT 2 AS k, 'b' AS name")
    assert refresh(spark, "below") == "1"
    assert looked_up(spark, "below") == [None, "b", None, None]
    refresh(spark)
    assert looked_up(spark) == [None, "B", None, None]


class Derby:
    """A database in this JVM's memory."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.url = f"jdbc:derby:memory:globals{next(_NAMES)}"
        self.run("CREATE TABLE d (k INT, name VARCHAR(10))", create=True)

    def run(self, sql: str, *, create: bool = False) -> None:
        jvm = self.spark._jvm
        assert jvm is not None
        jvm.java.lang.Class.forName("org.apache.derby.iapi.jdbc.AutoloadedDriver")
        properties = jvm.java.util.Properties()
        url = f"{self.url};create=true" if create else self.url
        connection = jvm.org.apache.derby.iapi.jdbc.AutoloadedDriver().connect(url, properties)
        connection.createStatement().execute(sql)
        connection.close()


@pytest.mark.parametrize("form", ["table", "query"])
def test_jdbc(spark: SparkSession, form: str) -> None:
    """A database does not announce changes: a version is new if its rows are."""
    derby = Derby(spark)
    derby.run("INSERT INTO d VALUES (1, 'a'), (2, 'b')")
    source = f"USING jdbc OPTIONS (url '{derby.url}', dbtable 'D')"
    if form == "table":
        spark.sql(f"CREATE GLOBAL TABLE d {source} PRIMARY KEY (k) REFRESH MANUAL")
    else:
        spark.sql(f"CREATE TABLE base {source}")
        spark.sql("CREATE GLOBAL TABLE d PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM base")
    assert looked_up(spark) == ["a", "b", None, None]
    version = refresh(spark)
    assert refresh(spark) == version, "equal content"
    derby.run("DELETE FROM d")
    derby.run("INSERT INTO d VALUES (2, 'b'), (1, 'a')")
    assert refresh(spark) == version, "equal content in another order"
    derby.run("UPDATE d SET name = 'B' WHERE k = 2")
    derby.run("INSERT INTO d VALUES (NULL, 'none')")
    assert looked_up(spark) == ["a", "b", None, None]
    assert refresh(spark) != version
    assert looked_up(spark) == ["a", "B", None, None]
