"""EMIT ON CHANGE and checkpoints: their state, what may change on it, what removes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

from .harness import Row, Stream, arrive, at

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CHANGELOGS = {
    "providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "rocksdb.changelogCheckpointing.enabled": "true",
    "checkpointFormatVersion": "2",
    "minDeltasForSnapshot": "100",
}
PLAIN = "SELECT k, max(v) AS m FROM STREAM t GROUP BY k"
MISMATCH = "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA"
LATE = "STREAM t WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS t"


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> None:
    for name in ("t", "u"):
        spark.sql(f"CREATE TABLE {name} (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")


class Program:
    """A stream whose query is edited between its runs."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.sql = ""
        self.stream = Stream(lambda: spark.sql(self.sql), folder)

    def run(self, sql: str, *rows: str) -> list[Row]:
        """Writes rows of t and runs the query over them; returns what it emits."""
        self.sql = sql
        self.stream.mode = None if "EMIT" in sql else "update"
        if rows:
            arrive(self.spark, "t", rows)
        return [row for batch in self.stream.run() for row in batch]

    @property
    def state(self) -> dict[str, Any]:
        """Returns the progress of the topmost operator in the last micro-batch."""
        found: dict[str, Any] = self.stream.progress["stateOperators"][0]
        return found


@pytest.fixture
def program(spark: SparkSession, tmp_path: Path) -> Program:
    return Program(spark, tmp_path)


def test_switching_from_plain_update_and_back(
    spark: SparkSession, program: Program, provider: str
) -> None:
    emitting = f"{PLAIN} EMIT ON CHANGE"
    assert program.run(PLAIN, at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    assert program.run(emitting, at(1, 3), at(2, 9)) == [(2, 9)]
    assert program.run(PLAIN, at(1, 1), at(2, 1)) == [(1, 5), (2, 9)]
    assert program.run(emitting, at(1, 6), at(2, 0), at(3, 1)) == [(1, 6), (3, 1)]
    assert program.stream.dropped == 2
    assert program.state["numRowsTotal"] == 3


def test_state_is_that_of_an_ordinary_aggregation(
    spark: SparkSession, tmp_path: Path, provider: str
) -> None:
    query = "SELECT k, avg(v) AS a, max(v) AS m FROM STREAM t GROUP BY k HAVING avg(v) > 0"
    plain, emitting = Program(spark, tmp_path / "plain"), Program(spark, tmp_path / "emitting")
    for rows in [at(1, 5), at(2, 7)], [at(1, 5), at(3, 1)]:
        plain.run(query, *rows)
        emitting.run(f"{query} EMIT ON CHANGE")
    assert emitting.stream.dropped == 1

    def read(source: str, folder: str, columns: str) -> tuple[str, list[str]]:
        frame = spark.read.format(source).load(str(tmp_path / folder / "checkpoint"))
        frame = frame.selectExpr(*columns.split(", "))
        return frame.schema.simpleString(), sorted(map(str, frame.collect()))

    schema, rows = read("statestore", "emitting", "key, value, partition_id")
    assert (schema, rows) == read("statestore", "plain", "key, value, partition_id")
    assert schema.startswith("struct<key:struct<k:bigint>,value:struct<sum:double,count:bigint,")
    assert len(rows) == 3
    columns = "operatorId, operatorName, stateStoreName, numPartitions, operatorProperties"
    found = read("state-metadata", "emitting", columns)
    assert found == read("state-metadata", "plain", columns)
    assert "operatorName='stateStoreSave'" in found[1][0]


def test_an_edited_result_is_compared_with_what_it_would_have_been(program: Program) -> None:
    """The previous result is evaluated with the edited expression, as the state has no results.

    So a key whose row differs only by the edit is not emitted again.
    """
    edited = PLAIN.replace("max(v)", "max(v) * 100")
    assert program.run(f"{PLAIN} EMIT ON CHANGE", at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    assert program.run(f"{edited} EMIT ON CHANGE", at(1, 3), at(2, 9)) == [(2, 900)]
    assert program.stream.dropped == 1


def test_an_edited_result_differs_from_the_row_that_key_keeps(program: Program) -> None:
    edited = PLAIN.replace("max(v)", "max(v) * 100")
    key = "EMIT ON CHANGE KEY (k)"
    assert program.run(f"{PLAIN} {key}", at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    assert program.run(f"{edited} {key}", at(1, 3), at(2, 9)) == [(1, 500), (2, 900)]
    assert program.stream.dropped == 0


def test_a_watermark_evicts_and_late_rows_count(
    spark: SparkSession, program: Program, provider: str
) -> None:
    sql = (
        "SELECT unix_seconds(window.start) % 3600 AS start, max(v) AS m, count(*) AS n "
        f"FROM {LATE} GROUP BY window(ts, '10 seconds') EMIT ON CHANGE EXCEPT (n)"
    )
    assert program.run(sql, at(1, 5, 0), at(1, 5, 12)) == [(0, 5, 1), (10, 5, 1)]
    assert program.state["numRowsTotal"] == 2
    assert program.run(sql, at(1, 3, 5), at(1, 9, 40)) == [(40, 9, 1)]
    assert program.stream.dropped == 1
    assert program.stream.progress["numInputRows"] == 0, "a batch without data evicts"
    assert (program.state["numRowsRemoved"], program.state["numRowsTotal"]) == (2, 1)
    assert program.run(sql, at(1, 99, 3), at(1, 9, 40), at(1, 2, 31)) == [(30, 2, 1)]
    assert program.state["numRowsDroppedByWatermark"] == 1
    assert program.state["numRowsTotal"] == 2
    assert program.stream.dropped == 2


def test_an_aggregation_without_keys_over_no_rows(program: Program) -> None:
    sql = "SELECT count(*) AS n, max(v) AS m FROM STREAM t WHERE v > 10 EMIT ON CHANGE"
    assert program.run(sql, at(1, 1)) == [(0, None)]
    assert program.run(sql, at(1, 2)) == []
    assert program.stream.dropped == 1
    assert program.run(sql, at(1, 11)) == [(1, 11)]
    assert program.run(sql, at(1, 3)) == []
    assert program.stream.dropped == 2
    assert program.state["numRowsTotal"] == 1


@pytest.mark.parametrize("clause", ["EMIT ON CHANGE", "EMIT ON CHANGE KEY (k)"])
def test_changelogs_and_the_second_checkpoint_format(
    spark: SparkSession, program: Program, tmp_path: Path, clause: str
) -> None:
    for key, value in CHANGELOGS.items():
        spark.conf.set(f"spark.sql.streaming.stateStore.{key}", value)
    sql = f"{PLAIN} {clause}"
    assert program.run(sql, at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    assert program.run(sql, at(1, 3), at(2, 9)) == [(2, 9)]
    assert program.run(sql, at(1, 6), at(2, 9)) == [(1, 6)]
    assert program.stream.dropped == 2
    stores = {path.parent for path in tmp_path.glob("checkpoint/state/*/*/*_*.changelog")}
    assert len(stores) == 4 if "KEY" in clause else 2


@pytest.mark.parametrize("kept", ["ROW", "HASH"])
def test_key_restarts(spark: SparkSession, program: Program, provider: str, kept: str) -> None:
    spark.conf.set("spark.eddyline.emit.keyState", kept)
    sql = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k)"
    assert program.run(sql, at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    assert ("hashed" in program.stream.plan) == (kept == "HASH")
    spark.conf.set("spark.sql.shuffle.partitions", "5")
    assert program.run(sql, at(1, 5), at(2, 9), at(2, 9), at(3, 1)) == [(2, 9), (3, 1)]
    assert program.run(sql, at(3, 1), at(1, 6)) == [(1, 6)]
    assert program.stream.dropped == 3
    assert program.state["numRowsTotal"] == 3
    assert program.state["numShufflePartitions"] == 2, "that of the checkpoint"


@pytest.mark.parametrize(("before", "after"), [("ROW", "HASH"), ("HASH", "ROW")])
def test_key_state_is_part_of_a_checkpoint(
    spark: SparkSession, program: Program, before: str, after: str
) -> None:
    sql = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k)"
    spark.conf.set("spark.eddyline.emit.keyState", before)
    program.run(sql, at(1, 5))
    spark.conf.set("spark.eddyline.emit.keyState", after)
    with pytest.raises(AnalysisException, match=r"EDDYLINE_EMIT.COLUMNS_CHANGED"):
        program.run(sql, at(1, 6))
    spark.conf.set("spark.eddyline.emit.keyState", before)
    assert program.run(sql) == [(1, 6)]


def test_a_key_with_the_watermark_expires(
    spark: SparkSession, program: Program, provider: str
) -> None:
    sql = f"SELECT k, v, unix_seconds(ts) % 3600 AS at, ts FROM {LATE} EMIT ON CHANGE KEY (k, ts)"

    def run(*rows: str) -> list[Row]:
        return [row[:3] for row in program.run(sql, *rows)]

    assert run(at(1, 5, 0), at(1, 5, 5), at(1, 5, 0)) == [(1, 5, 0), (1, 5, 5)]
    assert run(at(1, 5, 5), at(1, 5, 40)) == [(1, 5, 40)]
    assert program.stream.dropped == 2
    assert (program.state["numRowsRemoved"], program.state["numRowsTotal"]) == (2, 1)
    assert run(at(1, 6, 0), at(1, 5, 35), at(1, 5, 40)) == [(1, 5, 35)]
    assert program.state["numRowsDroppedByWatermark"] == 1
    assert program.stream.dropped == 3


def test_a_key_without_the_watermark_stays(program: Program) -> None:
    sql = f"SELECT k, v FROM {LATE} EMIT ON CHANGE KEY (k)"
    assert program.run(sql, at(1, 5, 0), at(2, 5, 100)) == [(1, 5), (2, 5)]
    assert program.run(sql, at(1, 5, 1), at(2, 6, 1)) == [(2, 6)], "no row is late"
    assert program.stream.dropped == 1
    assert program.state["numRowsTotal"] == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [("EMIT ON CHANGE", "EMIT ON CHANGE KEY (k)"), ("EMIT ON CHANGE KEY (k)", "EMIT ON CHANGE")],
)
def test_key_over_an_aggregation_needs_its_own_checkpoint(
    program: Program, before: str, after: str
) -> None:
    program.run(f"{PLAIN} {before}", at(1, 5))
    with pytest.raises(StreamingQueryException, match=MISMATCH):
        program.run(f"{PLAIN} {after}", at(1, 6))
    assert program.run(f"{PLAIN} {before}") == [(1, 6)]


def test_over_an_aggregation_over_a_deduplication(
    spark: SparkSession, program: Program, provider: str
) -> None:
    unique = spark.readStream.table("t").dropDuplicates(["k", "v"])
    unique.createOrReplaceTempView("unique")
    sql = "SELECT k, count(*) DIV 2 AS pairs FROM unique GROUP BY k EMIT ON CHANGE"
    assert program.run(sql, at(1, 1), at(1, 1), at(2, 1)) == [(1, 0), (2, 0)]
    assert program.run(sql, at(1, 1), at(1, 2), at(2, 1)) == [(1, 1)]
    assert program.stream.dropped == 0, "a repeated row touches no group"
    assert program.run(sql, at(1, 3), at(2, 2)) == [(2, 1)]
    assert program.stream.dropped == 1
    assert len(program.stream.progress["stateOperators"]) == 2


def test_key_over_windows(spark: SparkSession, program: Program, provider: str) -> None:
    sql = (
        "SELECT unix_seconds(window.start) % 3600 AS start, k, max(v) AS m "
        f"FROM {LATE} GROUP BY window(ts, '10 seconds'), k EMIT ON CHANGE KEY (start, k)"
    )
    assert program.run(sql, at(1, 5, 0), at(2, 5, 12)) == [(0, 1, 5), (10, 2, 5)]
    assert program.run(sql, at(1, 3, 5), at(2, 9, 40)) == [(40, 2, 9)]
    assert program.run(sql, at(1, 9, 5), at(2, 9, 41), at(2, 6, 35)) == [(30, 2, 6)]
    assert program.stream.dropped == 2
    assert len(program.stream.progress["stateOperators"]) == 2


def test_key_over_a_join_of_streams(spark: SparkSession, program: Program, provider: str) -> None:
    sql = (
        "SELECT t.k, t.v DIV 10 + u.v AS s FROM STREAM t AS t JOIN STREAM u AS u ON t.k = u.k "
        "EMIT ON CHANGE KEY (k)"
    )
    arrive(spark, "u", [at(1, 5), at(2, 5)])
    assert program.run(sql, at(1, 10), at(2, 10)) == [(1, 6), (2, 6)]
    assert program.run(sql, at(1, 11), at(2, 20)) == [(2, 7)]
    assert program.stream.dropped == 1
    operators = [each["operatorName"] for each in program.stream.progress["stateOperators"]]
    assert operators == ["stateStoreSave", "symmetricHashJoin"]
