"""A placeholder, typed by hand, in a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_placeholder_in_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(6).selectExpr("id % 2 AS k", "id AS v").write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema("k LONG, v LONG").parquet(str(tmp_path / "in"))
    stream.createOrReplaceTempView("s")
    frame = spark.sql(
        "FROM __eddyline_cogroup(a => TABLE(SELECT * FROM s AS a) PARTITION BY k, "
        "b => TABLE(SELECT * FROM s AS b WHERE v > 2) PARTITION BY k) "
        "SELECT sum(a.v) AS a, count(b.*) AS b GROUP BY __eddyline_keys"
    )
    assert frame.isStreaming
    query = (
        frame.writeStream.format("memory")
        .queryName("sunk")
        .outputMode("complete")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    rows = sorted(map(tuple, spark.sql("SELECT * FROM sunk").collect()))
    assert rows == [(0, 6, 1), (1, 9, 2)]
    assert len(query.lastProgress["stateOperators"]) == 1
