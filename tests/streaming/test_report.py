"""`eddyline.why` and EXPLAIN CLAUSES of streaming queries: the last plan and the micro-batches."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from eddyline import progress, why
from streaming.globaltable_harness import (
    Lookups,
    arrive,
    create,
    file_faults,
    new_driver,
    snapshots,
)
from waiting import CONDITION_HANGS, eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SCHEMA = "k INT, v INT"
QUERY = "SELECT s.k, max(n + v) AS m FROM s JOIN g ON s.k = g.k GROUP BY s.k EMIT ON CHANGE"


def test_a_query_of_a_program(spark: SparkSession, tmp_path: Path) -> None:
    spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "1ms")
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "1000000")  # none is forgotten
    folder = tmp_path / "in"
    folder.mkdir()
    spark.sql("CREATE TABLE people USING parquet AS SELECT CAST(id AS INT) k, 5 AS n FROM range(4)")
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM people")
    spark.readStream.schema(SCHEMA).json(str(folder)).createOrReplaceTempView("s")
    frame = spark.sql(QUERY)
    (planned,) = why(frame).state
    assert (planned.operator, planned.keys, planned.rows) == ("EmitOnChange", "k", None)

    (folder / "a.json").write_text('{"k": 1, "v": 1}\n{"k": 2, "v": 2}\n')
    writer = frame.writeStream.format("memory").queryName("maxima")
    query = writer.option("checkpointLocation", str(tmp_path / "state")).start()
    try:
        query.processAllAvailable()
        (folder / "_b.json").write_text('{"k": 1, "v": 1}\n{"k": 3, "v": 2}\n')
        (folder / "_b.json").rename(folder / "b.json")  # before, no stream lists it
        query.processAllAvailable()
        eventually(lambda: len(query.recentProgress) > 4)  # of triggers without data too
        assert [(r.batch, r.dropped) for r in progress(query)] == [(0, 0), (1, 1)]
        running = why(query)
        by_id = spark.sql(f"EXPLAIN CLAUSES STREAMING QUERY `{query.id}`").collect()
        by_name = spark.sql("EXPLAIN CLAUSES STREAMING QUERY maxima").collect()
    finally:
        query.stop()
    assert [row.part for row in by_id] == [entry.part for entry in running]
    assert [row.part for row in by_name] == [entry.part for entry in running]

    for report in (running, why(query)):
        assert [(found.clause, found.outcome) for found in report.emits] == [
            ("EMIT ON CHANGE", "USED")
        ]
        (state,) = report.state
        assert (state.outcome, state.rows, state.updated, state.dropped) == ("CHANGES", 3, 1, 1)
        (table,) = report.global_tables
        assert (table.outcome, table.replica) == ("LOOKUP", "hit")
        assert {found.outcome for found in report.exchanges} == {"KEPT", "SAVED"}
        counts = [
            (b.batch, b.input_rows, b.emitted, b.dropped, b.state_rows) for b in report.batches
        ]
        assert counts == [(0, 2, 2, 0, 2), (1, 2, 1, 1, 3)]
        assert [batch.versions for batch in report.batches] == [{"default.g": table.version}] * 2


@pytest.mark.parametrize(
    ("mode", "outcome"), [("update", "UPDATES"), ("complete", "ALL"), ("append", "CLOSED")]
)
def test_an_aggregation_without_emit(
    spark: SparkSession, tmp_path: Path, mode: str, outcome: str
) -> None:
    time = spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
    query = (
        time.groupBy("timestamp")
        .count()
        .writeStream.format("noop")
        .outputMode(mode)
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
    )
    started = query.start()
    started.awaitTermination()
    (state,) = why(started).state
    assert (state.operator, state.outcome, state.dropped) == ("StateStoreSave", outcome, None)
    assert {found.reason for found in why(started).exchanges} == {
        "a key must be where its state is"
    }


def test_a_deduplication(spark: SparkSession) -> None:
    rows = spark.readStream.format("rate").load().dropDuplicates(["value"])
    (planned,) = why(rows).state
    assert (planned.operator, planned.keys) == ("StreamingDeduplicate", "value")
    assert (planned.outcome, planned.reason) == ("NEW", "each row is emitted once")


def test_a_query_of_sql(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.json").write_text('{"k": 1, "v": 1}\n{"k": 1, "v": 2}\n')
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path / "state"))
    spark.sql("CREATE TABLE sums (k INT, v BIGINT) USING parquet")
    spark.readStream.schema(SCHEMA).json(str(tmp_path / "in")).createOrReplaceTempView("s")
    spark.sql(
        "START STREAMING QUERY summed TRIGGER AVAILABLE NOW AS INSERT INTO sums "
        "SELECT k, sum(v) AS v FROM s GROUP BY k EMIT ON CHANGE"
    )
    spark.sql("AWAIT STREAMING QUERY summed").collect()
    report = why("summed", spark)
    assert [(found.operator, found.rows) for found in report.state] == [("EmitOnChange", 1)]
    assert [(batch.batch, batch.input_rows, batch.emitted) for batch in report.batches] == [
        (0, 2, 1)
    ]
    assert why("SUMMED") == report, "names ignore case, and the active session is the default"
    spark.sql("DROP STREAMING QUERY summed").collect()
    with pytest.raises(AnalysisException) as refused:
        why("summed", spark)
    assert refused.value.getCondition() == "EDDYLINE_STREAMING_QUERY.NOT_FOUND"


def test_the_plan_of_a_query_that_ends_before_it_has_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Who waits for it goes on when the query ends, that is interrupted, or the limit passes."""
    assert spark._jvm is not None
    jvm: Any = spark._jvm
    batches = jvm.org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

    def waiting() -> list[Any]:
        found = jvm.java.lang.Thread.getAllStackTraces()
        asleep = [thread for thread in found if thread.getState().name() == "TIMED_WAITING"]
        return [t for t in asleep if any("MicroBatch$.lastExecution(" in str(f) for f in found[t])]

    def interrupted() -> bool:
        found = waiting()
        for thread in found:
            thread.interrupt()
        return bool(found)

    create(spark)
    arrive(spark, 1)
    faults = file_faults(spark)
    faults.hold(str(snapshots(spark)))
    new_driver(spark)
    query = Lookups(spark, tmp_path / "checkpoint").start()
    with ThreadPoolExecutor(1) as threads:
        try:
            faults.awaitReader()
            assert batches.lastExecution(query._jsq, 1).isEmpty()
            for_ever = int(CONDITION_HANGS * 10_000)
            waits = threads.submit(batches.lastExecution, query._jsq, for_ever)
            eventually(interrupted)
            with pytest.raises(Exception, match="InterruptedException"):
                waits.result(CONDITION_HANGS)
            ended = threads.submit(batches.lastExecution, query._jsq, for_ever)
            eventually(waiting)
            query.stop()
            assert ended.result(CONDITION_HANGS).isEmpty()
        finally:
            faults.mend()
            query.stop()
