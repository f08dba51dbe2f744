"""The demo's COGROUP as a stream: the months of 2013 arrive as files, one after another."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.cli.demo.report import Part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MONTHS = range(1, 13)


def airports_stream(spark: SparkSession, scratch: Path) -> Part:
    """Run the text of the batch over streams, in a session where its tables are streams.

    Args:
        spark: has the temporary views `flights` and `weather`.
        scratch: an empty folder for the files and the checkpoint.
    """
    sql = files("eddyline.cli.demo").joinpath("airports.sql").read_text("utf-8")
    expected = {tuple(row) for row in spark.sql(sql).collect()}
    columns = spark.sql(sql).columns
    for table in ("flights", "weather"):
        for month in _MONTHS:
            of_month = spark.table(table).where(f"month(day) = {month}").coalesce(1)
            of_month.write.parquet(str(scratch / "later" / table / f"{month:02}"))
        (scratch / table).mkdir()
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    for table in ("flights", "weather"):
        schema = spark.table(table).schema
        stream = session.readStream.schema(schema).parquet(str(scratch / table))
        stream.createOrReplaceTempView(table)
    last: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    emitted = 0

    def keep_last(batch: DataFrame, _: int) -> None:
        nonlocal emitted
        rows = [tuple(row) for row in batch.collect()]
        emitted += len(rows)
        last.update({row[:2]: row for row in rows})

    query = (
        session.sql(sql)
        .writeStream.foreachBatch(keep_last)
        .outputMode("update")
        .option("checkpointLocation", str(scratch / "checkpoint"))
        .start()
    )
    try:
        for month in _MONTHS:
            for table in ("flights", "weather"):
                _arrive(scratch / "later" / table / f"{month:02}", scratch / table)
            query.processAllAvailable()
        progress = [batch for batch in query.recentProgress if batch["numInputRows"]]
    finally:
        query.stop()
    state = progress[-1]["stateOperators"]
    first = sorted(last.values(), key=str)[:5]
    return Part(
        "The same text as a stream: twelve months arrive as files",
        sql,
        columns,
        [list(row) for row in first],
        len(last),
        {
            "the last row of every key equals the batch": set(last.values()) == expected,
            "one state store": len(state) == 1,
        },
        {
            "micro-batches": len(progress),
            "rows read": sum(batch["numInputRows"] for batch in progress),
            "rows emitted": emitted,
            "rows in the state store": state[0]["numRowsTotal"],
        },
    )


def _arrive(source: Path, target: Path) -> None:
    """Move the data files of one month to where the stream looks, under a new name each."""
    for file in source.glob("*.parquet"):
        shutil.move(file, target / f"{source.name}-{file.name}")
