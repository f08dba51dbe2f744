"""Streams that look rows up in global tables whose sources change meanwhile."""

from __future__ import annotations

import json
import os
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waiting import eventually

from . import harness

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

LOOKUP = "SELECT e.k, g.v FROM STREAM events AS e LEFT JOIN g ON e.k = g.k"
QUERY_FORM = "CREATE GLOBAL TABLE g PRIMARY KEY (k) {clauses} AS SELECT k, v FROM base"
SOON = "REFRESH EVERY 100 MILLISECONDS"
TABLE_FORM = "CREATE GLOBAL TABLE g (k INT, v STRING, PRIMARY KEY (k)) USING parquet {clauses}"
FAULTY = "io.eddyline.spark.faults.FaultyCheckpointFileManager"


def create(spark: SparkSession, clauses: str = "REFRESH MANUAL") -> None:
    """Creates the stream's table `events`, and `g`, the global table of `base`, with 'v1'."""
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    spark.sql("CREATE TABLE base (k INT, v STRING) USING parquet")
    overwrite(spark, "v1")
    spark.sql(QUERY_FORM.format(clauses=clauses))


def overwrite(spark: SparkSession, value: str, keys: int = 3) -> None:
    """Overwrites base with one row for each key below `keys`, all with the value."""
    spark.sql(
        f"INSERT OVERWRITE base SELECT /*+ COALESCE(1) */ int(id), '{value}' FROM range({keys})"
    )


def arrive(spark: SparkSession, *keys: int) -> None:
    """Writes one file of events."""
    harness.arrive(spark, "events", [f"({key})" for key in keys])


def shown(spark: SparkSession, name: str = "g") -> Any:
    """Returns the table's row of SHOW GLOBAL TABLES."""
    (row,) = [row for row in spark.sql("SHOW GLOBAL TABLES").collect() if row.table_name == name]
    return row


def await_probe(spark: SparkSession, name: str = "g", after_ms: int = 50) -> None:
    """Waits until a probe that begins at least `after_ms` after this call confirms the version.

    The clocks of Python and of the JVM may differ by some milliseconds, which it has to exceed.
    """
    called = time.monotonic()

    def is_confirmed() -> bool:
        passed = (time.monotonic() - called) * 1000  # before the age is read
        return bool(shown(spark, name).age_ms < passed - after_ms)

    eventually(is_confirmed)


def described(spark: SparkSession, name: str = "g") -> dict[str, str]:
    """Returns the rows of DESCRIBE GLOBAL TABLE, by name."""
    return {row[0]: row[1] for row in spark.sql(f"DESCRIBE GLOBAL TABLE {name}").collect()}


def snapshots(spark: SparkSession, name: str = "g") -> Path:
    """Returns the folder of the table's snapshots."""
    return Path(described(spark, name)["snapshots"].removeprefix("file:"))


def versions(spark: SparkSession, name: str = "g") -> list[str]:
    """Returns the versions that have snapshots, oldest first."""
    found = (path.name.removeprefix("v=") for path in snapshots(spark, name).glob("v=*"))
    return sorted(found, key=lambda version: int(version.split("-")[0]))


def folder_of(spark: SparkSession, table: str) -> Path:
    """Returns the folder with the files of a table."""
    for row in spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect():
        if row.col_name == "Location":
            return Path(row.data_type.removeprefix("file:"))
    raise AssertionError(table)


def jvm(spark: SparkSession) -> Any:
    assert spark._jvm is not None
    return spark._jvm


def new_driver(spark: SparkSession, **settings: str) -> None:
    """Makes the driver forget all global tables, and gives it other settings."""
    conf = {f"spark.eddyline.globalTable.{key}": value for key, value in settings.items()}
    drivers(spark).restart(spark._jsparkSession, conf)


def drivers(spark: SparkSession) -> Any:
    return jvm(spark).org.apache.spark.eddyline.Drivers


def file_faults(spark: SparkSession) -> Any:
    return jvm(spark).io.eddyline.spark.faults.FileFaults


@dataclass
class Lookups:
    """A stream over `events`.

    Attributes:
        spark: the session of the stream.
        folder: the folder of its checkpoint.
        sql: text of its query.
        attempts: (number, rows) of every micro-batch that came to the sink, sorted.
        sink: function that is also called with each micro-batch.
        options: options of the streaming query.
    """

    spark: SparkSession
    folder: Path
    sql: str = LOOKUP
    attempts: list[tuple[int, list[tuple[Any, ...]]]] = field(default_factory=list)
    sink: Callable[[DataFrame, int], None] = lambda _batch, _number: None
    query: StreamingQuery | None = None
    options: dict[str, str] = field(default_factory=dict)

    def start(self, **trigger: Any) -> StreamingQuery:
        """Starts the query again, from its checkpoint."""
        me = weakref.proxy(self)  # or Python and the JVM would keep the query for each other

        def collect(batch: DataFrame, number: int) -> None:
            me.collect(batch, number)

        self.query = (
            self.spark.sql(self.sql)
            .writeStream.foreachBatch(collect)
            .options(checkpointLocation=str(self.folder), **self.options)
            .trigger(**trigger or {"processingTime": "0 seconds"})
            .start()
        )
        return self.query

    def collect(self, batch: DataFrame, number: int) -> None:
        self.attempts.append((number, sorted(map(tuple, batch.collect()), key=str)))
        self.sink(batch, number)

    def stop(self) -> None:
        assert self.query is not None
        self.query.stop()

    def see(self, *keys: int) -> list[tuple[Any, ...]]:
        """Writes a file of events; returns the rows of its micro-batch."""
        assert self.query is not None
        before = len(self.attempts)
        arrive(self.spark, *keys)
        self.query.processAllAvailable()
        ((_, rows),) = self.attempts[before:]
        return rows

    def run(self, *keys: int) -> str | None:
        """Processes all input and stops; returns what the query died of, or None."""
        if keys:
            arrive(self.spark, *keys)
        return harness.death(self.start(availableNow=True))

    @property
    def last(self) -> tuple[int, list[tuple[Any, ...]]]:
        return self.attempts[-1]

    def records(self) -> dict[int, dict[str, str]]:
        """The recorded versions, by the first micro-batch that uses them."""
        return {
            int(path.name): {key.split(".")[-1]: value for key, value in entries.items()}
            for path in sorted((self.folder / "eddyline/global").glob("[0-9]*"))
            for entries in [json.loads(path.read_text())]
        }


def failing(spark: SparkSession, error: str) -> None:
    """Waits until the table says that its source is broken."""
    eventually(lambda: shown(spark).status == "FAILING" and error in shown(spark).last_error)


def reaches(spark: SparkSession, number: int) -> None:
    eventually(lambda: shown(spark).version.startswith(f"{number}-"))


def a_part(folder: Path) -> Path:
    return next(folder.glob("part-*.parquet"))


def touch(path: Path, seconds: int) -> None:
    """Makes the file younger by `seconds`."""
    at = time.time() + seconds
    path.touch()
    os.utime(path, (at, at))
