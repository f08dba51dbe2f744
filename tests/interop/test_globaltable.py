"""Global tables in the SQL of PyHive and Spark Connect, and what sessions share."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from interop.server import Server

CREATE = "CREATE GLOBAL TABLE {0} PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM {0}_source"
LOOKUP = "SELECT f.k, name FROM VALUES (1), (3) AS f(k) LEFT JOIN {0} AS g ON f.k = g.k"


def _connection(server: Server) -> Any:
    from pyhive import hive

    return closing(hive.connect("127.0.0.1", server.port, username="interop"))


def _rows(cursor: Any, sql: str) -> list[tuple[object, ...]]:
    cursor.execute(sql)
    rows: list[tuple[object, ...]] = cursor.fetchall()
    return rows


def test_pyhive(thrift: Server) -> None:
    with _connection(thrift) as first, closing(first.cursor()) as cursor:
        cursor.execute("CREATE TABLE hive_source (k INT, name STRING) USING parquet")
        cursor.execute("INSERT INTO hive_source VALUES (1, 'one'), (2, 'two')")
        # a second execution of the statement would be refused: TABLE_OR_VIEW_ALREADY_EXISTS
        ((namespace, name, version, rows, status),) = _rows(cursor, CREATE.format("hive"))
        assert (namespace, name, rows, status) == ("default", "hive", 2, "OK")
        assert str(version).startswith("1-")
        assert sorted(_rows(cursor, LOOKUP.format("hive")), key=str) == [(1, "one"), (3, None)]
        cursor.execute("INSERT INTO hive_source VALUES (3, 'three')")
    # another session, after the one that created it was closed: the same version and replica
    with _connection(thrift) as second, closing(second.cursor()) as cursor:
        assert (3, None) in _rows(cursor, LOOKUP.format("hive"))
        (shown,) = [row for row in _rows(cursor, "SHOW GLOBAL TABLES") if row[1] == "hive"]
        *_, replicas, _bytes, _last, _age, _status, error = shown
        assert (replicas, error) == (1, None)
        assert _rows(cursor, "REFRESH GLOBAL TABLE hive")[0][3] == 3
        assert (3, "three") in _rows(cursor, LOOKUP.format("hive"))
        described = dict(_rows(cursor, "DESCRIBE GLOBAL TABLE hive"))
        assert described["refreshes"] == "2"
        assert "REFRESH MANUAL" in str(_rows(cursor, "SHOW CREATE GLOBAL TABLE hive")[0][0])
        assert _rows(cursor, "DROP GLOBAL TABLE hive")[0][4] == "DROPPED"
        assert "hive" not in [row[1] for row in _rows(cursor, "SHOW GLOBAL TABLES")]


def test_another_session_creates_the_same_table(thrift: Server) -> None:
    """Its settings are the same, also when it has fetched rows before, so nothing is replaced."""
    create = "CREATE OR REPLACE GLOBAL TABLE same REFRESH MANUAL AS SELECT * FROM same_source"
    versions = set()
    with _connection(thrift) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("CREATE TABLE same_source USING parquet AS SELECT 1 AS k")
    for before in ("SELECT 1", "SHOW TABLES", "SELECT X'00' AS b"):
        with _connection(thrift) as connection, closing(connection.cursor()) as cursor:
            ((_, _, version, *_),) = _rows(cursor, create)
            versions.add(version)
            _rows(cursor, before)
            ((_, _, version, *_),) = _rows(cursor, create)
            versions.add(version)
    with _connection(thrift) as connection, closing(connection.cursor()) as cursor:
        assert "-- SET" not in str(_rows(cursor, "SHOW CREATE GLOBAL TABLE same")[0][0])
        cursor.execute("DROP GLOBAL TABLE same")
    assert len(versions) == 1


def test_connect(connect: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    from eddyline import global_tables

    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{connect.port}").getOrCreate()
    try:
        spark.sql("CREATE TABLE far_source (k INT, name STRING) USING parquet")
        spark.sql("INSERT INTO far_source VALUES (1, 'one')")
        created = spark.sql(CREATE.format("far"))
        assert created.collect()[0].rows == 1
        assert created.collect()[0].rows == 1, "created once, and read twice"
        frame = spark.sql(LOOKUP.format("far"))
        assert sorted(map(tuple, frame.collect()), key=str) == [(1, "one"), (3, None)]
        plan = spark.sql(f"EXPLAIN {LOOKUP.format('far')}").collect()[0][0]
        assert "GlobalLookup default.far@1-" in plan
        (info,) = [table for table in global_tables(spark) if table.table_name == "far"]
        assert (info.table_name, info.rows, info.replicas, info.status) == ("far", 1, 1, "OK")
        spark.sql("DROP GLOBAL TABLE far")
        assert "far" not in [table.table_name for table in global_tables(spark)]
    finally:
        spark.stop()
