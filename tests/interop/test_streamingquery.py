"""A stream that SQL of PyHive and Spark Connect runs, and `eddyline watch`."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from interop.server import Server
from waiting import PROCESS_HANGS, eventually


def _rows(cursor: Any, sql: str) -> list[tuple[object, ...]]:
    cursor.execute(sql)
    rows: list[tuple[object, ...]] = cursor.fetchall()
    return rows


def _start(name: str, checkpoint: Path) -> str:
    return (
        f"START STREAMING QUERY {name} CHECKPOINT '{checkpoint}' AS INSERT INTO {name}_out "
        f"WITH BATCH ID batch SELECT k, max(v) FROM STREAM {name}_in GROUP BY k EMIT ON CHANGE"
    )


def test_pyhive_from_start_to_stop(thrift: Server, cursor: Any, tmp_path: Path) -> None:
    from pyhive import hive

    cursor.execute("CREATE TABLE hive_in (k INT, v INT) USING parquet")
    cursor.execute("CREATE TABLE hive_out (k INT, v INT, batch BIGINT) USING parquet")
    cursor.execute("INSERT INTO hive_in VALUES (1, 5), (2, 7)")
    with (
        closing(hive.connect("127.0.0.1", thrift.port, username="interop")) as other,
        closing(other.cursor()) as starting,
    ):
        # a second execution would be refused: EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS
        ((name, status, *_),) = _rows(starting, _start("hive", tmp_path / "checkpoint"))
        assert (name, status) == ("hive", "RUNNING")
    # the session that started it is closed now
    eventually(lambda: sorted(_rows(cursor, "SELECT k, v FROM hive_out")) == [(1, 5), (2, 7)])
    # one file, which one micro-batch reads
    news = "SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 3), (2, 8)"
    cursor.execute(f"INSERT INTO hive_in {news}")
    eventually(lambda: (2, 8, 1) in _rows(cursor, "SELECT * FROM hive_out"))
    shown = _rows(cursor, "SHOW STREAMING QUERIES")
    assert ("hive", "RUNNING", "hive_out") in [row[:3] for row in shown]
    dropped = "SHOW STREAMING QUERY PROGRESS hive"
    eventually(lambda: [row[5] for row in _rows(cursor, dropped)] == [0, 1])
    assert _rows(cursor, "STOP STREAMING QUERY hive")[0][1] == "STOPPED"
    # a second one would be refused: ALREADY_RUNNING, and a second DROP: NOT_FOUND
    assert _rows(cursor, "START STREAMING QUERY hive")[0][1] == "RUNNING"
    assert _rows(cursor, "DROP STREAMING QUERY hive")[0][1] == "DROPPED"
    assert "hive" not in [row[0] for row in _rows(cursor, "SHOW STREAMING QUERIES")]
    assert len(_rows(cursor, "SELECT * FROM hive_out")) == 3


def test_connect_and_watch(
    connect: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import SparkSession

    from eddyline import progress, streaming_queries

    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    url = f"sc://127.0.0.1:{connect.port}"
    spark = SparkSession.builder.remote(url).getOrCreate()
    try:
        spark.sql("CREATE TABLE far_in (k INT, v INT) USING parquet")
        spark.sql("CREATE TABLE far_out (k INT, v INT, batch BIGINT) USING parquet")
        spark.sql("INSERT INTO far_in VALUES (1, 5), (2, 7)")
        started = spark.sql(_start("far", tmp_path / "checkpoint"))
        assert started.collect()[0].status == "RUNNING"
        assert started.collect()[0].status == "RUNNING", "started once, and read twice"
        eventually(lambda: spark.table("far_out").count() == 2)
        eventually(lambda: ("far", 0) in [(q.name, q.batch) for q in streaming_queries(spark)])
        program = [sys.executable, "-c", "from eddyline.cli import main; main()"]
        command = [*program, "watch", "far", "--remote", url, "--once"]
        watched = subprocess.run(
            command, capture_output=True, text=True, timeout=PROCESS_HANGS, check=True
        )
        assert "far  RUNNING  into far_out" in watched.stdout
        nobody = subprocess.run(
            [*program, "watch", "nobody", "--remote", url, "--once"],
            capture_output=True,
            text=True,
            timeout=PROCESS_HANGS,
            check=False,
        )
        assert nobody.returncode == 1
        assert "EDDYLINE_STREAMING_QUERY.NOT_FOUND" in nobody.stderr
        query = (
            spark.sql("SELECT k, max(v) AS v FROM STREAM far_in GROUP BY k EMIT ON CHANGE")
            .writeStream.format("noop")
            .option("checkpointLocation", str(tmp_path / "noop"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        assert [record.emitted for record in progress(query)] == [2]
        assert progress("far", spark)[0].input_rows == 2
        assert spark.sql("STOP STREAMING QUERY far").collect()[0].status == "STOPPED"
        assert spark.sql("START STREAMING QUERY far").collect()[0].status == "RUNNING"
        spark.sql("DROP STREAMING QUERY far")
    finally:
        spark.stop()


def test_a_connect_client_that_goes_away(
    connect: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its queries go on, with the temporary views of its session, and others control them."""
    from pyspark.sql import SparkSession

    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    builder = SparkSession.builder.remote(f"sc://127.0.0.1:{connect.port}")
    other = builder.create()
    try:
        other.sql("CREATE TABLE gone_in (k INT) USING parquet")
        client = builder.create()
        client.sql("CREATE TEMPORARY VIEW mine AS SELECT k + 10 AS k FROM STREAM gone_in")
        for kind, name, source in (("START", "gone", "mine"), ("CREATE", "kept", "STREAM gone_in")):
            other.sql(f"CREATE TABLE {name}_out (k INT) USING parquet")
            client.sql(
                f"{kind} STREAMING QUERY {name} CHECKPOINT '{tmp_path}/{name}' "
                f"AS INSERT INTO {name}_out SELECT k FROM {source}"
            )
        client.stop()
        for number in (1, 2):
            other.sql(f"INSERT INTO gone_in VALUES ({number})")
            for name, more in (("gone", 10), ("kept", 0)):
                copied = [(k + more,) for k in range(1, number + 1)]
                table = f"{name}_out"
                eventually(lambda t=table, c=copied: sorted(other.table(t).collect()) == c)
                restarted = other.sql(f"RESTART STREAMING QUERY {name}").collect()
                assert restarted[0].status == "RUNNING"
        for name in ("gone", "kept"):
            assert other.sql(f"DROP STREAMING QUERY {name}").collect()[0].status == "DROPPED"
    finally:
        other.stop()
