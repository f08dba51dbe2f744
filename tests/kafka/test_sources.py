"""Each clause in batch, over files, a table and a topic: the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafka.broker import Broker
from kafka.topics import Topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDS = [("a", "1"), ("b", "5"), ("a", "2"), (None, "7")]


@pytest.fixture(params=["files", "tables", "topics"])
def relation(request: pytest.FixtureRequest, spark: SparkSession, running: Broker) -> str:
    """Returns a relation of the records, with the columns key and value."""
    folder: Path = request.getfixturevalue("tmp_path")
    name = f"records_in_{request.param}"
    if request.param == "topics":
        topic = Topic(spark, running, f"{name}_{request.function.__name__}").create()
        topic.write(RECORDS)
        name = topic.name
    else:
        frame = spark.createDataFrame(RECORDS, "key STRING, value STRING").coalesce(1)
        if request.param == "files":
            frame.write.parquet(str(folder / "records"))
            name = f"parquet.`{folder / 'records'}`"
        else:
            frame.write.saveAsTable(name)
    return f"(SELECT string(key) AS key, int(string(value)) AS value FROM {name})"


def rows(spark: SparkSession, sql: str) -> list[tuple[object, ...]]:
    return sorted(map(tuple, spark.sql(sql).collect()), key=str)


def test_cogroup(spark: SparkSession, relation: str) -> None:
    sql = f"""
        COGROUP {relation} AS a BY key, {relation} AS b WHERE value > 1 BY key
        AGGREGATE sum(a.value) AS total, count(b.*) AS large"""
    assert rows(spark, sql) == [("a", 3, 1), ("b", 5, 1)]


def test_emit_on_change(spark: SparkSession, relation: str) -> None:
    """In batch it changes nothing, since a key has one result."""
    sql = f"SELECT key, max(value) AS top FROM {relation} GROUP BY key"
    found = rows(spark, f"{sql} EMIT ON CHANGE")
    assert found == rows(spark, sql) == [("a", 2), ("b", 5), (None, 7)]


def test_global_table(spark: SparkSession, relation: str) -> None:
    spark.sql(f"""
        CREATE GLOBAL TABLE latest PRIMARY KEY (key) ON DUPLICATE KEY LATEST BY value
        REFRESH MANUAL AS SELECT * FROM {relation}""")
    sql = f"SELECT l.key, l.value, g.value FROM {relation} AS l LEFT JOIN latest AS g USING (key)"
    assert rows(spark, sql) == [("a", 1, 2), ("a", 2, 2), ("b", 5, 5), (None, 7, None)]


def test_assume_partitioned_by(spark: SparkSession, relation: str) -> None:
    sql = f"""
        SELECT key, count(*) AS n FROM {relation} AS r ASSUME PARTITIONED BY (key) GROUP BY key"""
    assert rows(spark, sql) == [("a", 2), ("b", 1), (None, 1)]
