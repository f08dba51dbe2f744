"""Global tables over tables that keep their versions, which are not copied."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from checkpoints import forget_last_commit
from streaming.streamingquery_harness import NOW, finish
from table_formats.conftest import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "spark_catalog.default.people"
_NUMBERS = itertools.count()


@pytest.fixture
def source(spark: SparkSession, lake: Lake) -> Lake:
    spark.sql(f"CREATE TABLE staff (id INT, name STRING, pay INT) USING {lake.provider}")
    spark.sql("INSERT INTO staff VALUES (1, 'Ada', 10), (2, 'Grace', 20), (NULL, 'nobody', 0)")
    return lake


def create(spark: SparkSession, query: str, clauses: str = "PRIMARY KEY (id)") -> None:
    spark.sql(f"CREATE GLOBAL TABLE {NAME} {clauses} REFRESH MANUAL AS {query}")


def version(spark: SparkSession) -> str:
    described = {row[0]: row[1] for row in spark.sql(f"DESCRIBE GLOBAL TABLE {NAME}").collect()}
    return str(described["version"])


def rows(spark: SparkSession) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.table(NAME).collect()))


def newest(spark: SparkSession, lake: Lake) -> str:
    return lake.versions(spark, "staff")[-1]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT * FROM staff", [(1, "Ada", 10), (2, "Grace", 20)]),
        ("SELECT id, pay * 2 AS pay FROM staff AS s WHERE pay > 10", [(2, 40)]),
    ],
)
def test_no_version_is_copied(
    spark: SparkSession, source: Lake, query: str, expected: list[Any]
) -> None:
    create(spark, query)
    assert version(spark) == newest(spark, source)
    assert rows(spark) == expected


@pytest.mark.parametrize(
    ("query", "clauses"),
    [
        ("SELECT name AS id, count(*) AS n FROM staff GROUP BY name", "PRIMARY KEY (id)"),
        ("SELECT * FROM staff", "PRIMARY KEY (id) ON DUPLICATE KEY LATEST BY pay"),
        ("SELECT id, rand() AS r FROM staff", "PRIMARY KEY (id)"),
    ],
)
def test_what_is_computed_is_copied(
    spark: SparkSession, source: Lake, query: str, clauses: str
) -> None:
    create(spark, query, clauses)
    assert version(spark).startswith("1-")


def test_each_change_is_a_version(spark: SparkSession, source: Lake) -> None:
    create(spark, "SELECT * FROM staff")
    for statement, expected in (
        ("DELETE FROM staff WHERE id = 1", [(2, "Grace", 20)]),
        ("UPDATE staff SET pay = 30 WHERE id = 2", [(2, "Grace", 30)]),
        ("INSERT INTO staff VALUES (3, 'Joan', 5)", [(2, "Grace", 30), (3, "Joan", 5)]),
        ("INSERT OVERWRITE staff VALUES (4, 'Mary', 6)", [(4, "Mary", 6)]),
    ):
        before = rows(spark)
        spark.sql(statement)
        assert rows(spark) == before
        spark.sql(f"REFRESH GLOBAL TABLE {NAME}")
        assert version(spark) == newest(spark, source)
        assert rows(spark) == expected


def test_a_key_that_is_not_unique(spark: SparkSession, source: Lake) -> None:
    create(spark, "SELECT * FROM staff")
    spark.sql("INSERT INTO staff VALUES (1, 'Bea', 1)")
    with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE\.DUPLICATE_KEY"):
        spark.sql(f"REFRESH GLOBAL TABLE {NAME}")
    assert rows(spark) == [(1, "Ada", 10), (2, "Grace", 20)]


def test_a_column_that_was_added(spark: SparkSession, source: Lake) -> None:
    create(spark, "SELECT * FROM staff")
    spark.sql("ALTER TABLE staff ADD COLUMN since INT")
    assert [row[:3] for row in rows(spark)] == [(1, "Ada", 10), (2, "Grace", 20)]
    spark.sql("INSERT INTO staff VALUES (3, 'Joan', 5, 1990)")
    spark.sql(f"REFRESH GLOBAL TABLE {NAME}")
    assert [row[:3] for row in rows(spark)] == [(1, "Ada", 10), (2, "Grace", 20), (3, "Joan", 5)]


def test_an_empty_table(spark: SparkSession, lake: Lake) -> None:
    spark.sql(f"CREATE TABLE staff (id INT, name STRING) USING {lake.provider}")
    create(spark, "SELECT * FROM staff")
    assert rows(spark) == []
    spark.sql("INSERT INTO staff VALUES (1, 'Ada')")
    assert rows(spark) == []
    spark.sql(f"REFRESH GLOBAL TABLE {NAME}")
    assert rows(spark) == [(1, "Ada")]


def test_the_table_form(spark: SparkSession, lake: Lake) -> None:
    """Iceberg keeps the properties of a global table; Delta hides them from the session catalog."""
    statement = (
        f"CREATE GLOBAL TABLE rates (id INT, rate INT, PRIMARY KEY (id)) USING {lake.provider} "
        "REFRESH MANUAL"
    )
    if lake.provider == "delta":
        with pytest.raises(AnalysisException, match=r"EDDYLINE_GLOBAL_TABLE\.SOURCE_NOT_SUPPORTED"):
            spark.sql(statement)
        assert not spark.catalog.tableExists("rates")
        return
    spark.sql(statement)
    spark.sql("INSERT INTO rates VALUES (1, 10)")
    assert spark.table("rates").count() == 0
    spark.sql("REFRESH GLOBAL TABLE rates")
    assert list(map(tuple, spark.table("rates").collect())) == [(1, 10)]


@pytest.fixture
def rates(spark: SparkSession, lake: Lake) -> str:
    """Returns a global table of Iceberg whose version lacks the row of the key 2."""
    if lake.provider == "delta":
        pytest.skip("the session catalog does not know that a table of Delta is global")
    # another name for each test, since the catalogs of other sessions cache a table for a while
    table = f"{lake.namespace}.rates_{next(_NUMBERS)}"
    spark.sql(
        f"CREATE GLOBAL TABLE {table} (id INT, rate INT, PRIMARY KEY (id)) USING iceberg "
        "REFRESH MANUAL"
    )
    spark.sql(f"INSERT INTO {table} VALUES (1, 10)")
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    spark.sql(f"INSERT INTO {table} VALUES (2, 20)")
    assert ids(spark, f"SELECT id FROM {table}") == [1]
    return table


def ids(spark: SparkSession, query: str) -> list[int]:
    return sorted(row.id for row in spark.sql(query).collect())


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("INSERT OVERWRITE {0} SELECT id + 10, rate FROM {0}", [11, 12]),
        ("INSERT INTO {0} SELECT id + 10, rate FROM {0}", [1, 2, 11, 12]),
        ("REPLACE TABLE {0} USING iceberg AS SELECT id + 10 AS id, rate FROM {0}", [11, 12]),
    ],
)
def test_a_write_reads_its_own_table_as_it_is(
    spark: SparkSession, rates: str, statement: str, expected: list[int]
) -> None:
    spark.sql(statement.format(rates))
    newest = spark.table(f"{rates}.snapshots").orderBy("committed_at").tail(1)[0].snapshot_id
    assert ids(spark, f"SELECT id FROM {rates} VERSION AS OF {newest}") == expected


def test_a_branch_is_not_the_global_table(spark: SparkSession, rates: str) -> None:
    spark.sql(f"ALTER TABLE {rates} CREATE BRANCH audit")
    spark.sql(f"INSERT INTO {rates}.branch_audit VALUES (3, 30)")
    assert ids(spark, f"SELECT id FROM {rates}.branch_audit") == [1, 2, 3]
    assert ids(spark, f"SELECT id FROM {rates} WITH (branch = 'audit')") == [1, 2, 3]
    assert ids(spark, f"SELECT id FROM {rates}") == [1]


def test_a_procedure_rewrites_all_files(spark: SparkSession, rates: str) -> None:
    catalog, table = rates.split(".", 1)
    (done,) = spark.sql(
        f"CALL {catalog}.system.rewrite_data_files(table => '{table}', "
        "options => map('rewrite-all', 'true'))"
    ).collect()
    assert done.rewritten_data_files_count == 2
    spark.sql(f"REFRESH GLOBAL TABLE {rates}")
    assert ids(spark, f"SELECT id FROM {rates}") == [1, 2]


def test_a_replay_joins_the_old_version(spark: SparkSession, source: Lake, tmp_path: Path) -> None:
    create(spark, "SELECT * FROM staff")
    spark.sql(f"CREATE TABLE calls (person INT) USING {source.provider}")
    spark.sql("INSERT INTO calls VALUES (1), (2)")
    spark.sql("CREATE TABLE spark_catalog.default.named (person INT, name STRING) USING parquet")
    finish(
        spark,
        f"START STREAMING QUERY q {NOW} AS INSERT INTO spark_catalog.default.named "
        f"SELECT c.person, p.name FROM STREAM calls AS c JOIN {NAME} AS p ON p.id = c.person",
    )
    forget_last_commit(tmp_path / "checkpoints/q")
    spark.sql("UPDATE staff SET name = 'Mary' WHERE id = 1")
    spark.sql(f"REFRESH GLOBAL TABLE {NAME}")
    spark.sql("INSERT INTO calls VALUES (1)")
    finish(spark, "START STREAMING QUERY q")
    named = sorted(map(tuple, spark.table("spark_catalog.default.named").collect()))
    assert named == [(1, "Ada"), (1, "Ada"), (1, "Mary"), (2, "Grace"), (2, "Grace")]
