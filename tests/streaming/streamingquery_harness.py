"""Streaming queries by SQL that copy one table into another."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries
from waiting import eventually

from . import harness
from .globaltable_harness import file_faults, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import Row, SparkSession

COPY = "AS INSERT INTO copy SELECT k, v FROM STREAM events"
_NAMES = count()
NOW = "TRIGGER AVAILABLE NOW"


def one(spark: SparkSession, sql: str) -> Row:
    (row,) = spark.sql(sql).collect()
    return row


def arrive(spark: SparkSession, *keys: int) -> None:
    """Writes one file of events, each with its key as its value."""
    harness.arrive(spark, "events", [f"({key}, {key})" for key in keys])


def copied(spark: SparkSession) -> list[int]:
    return sorted(row.k for row in spark.sql("SELECT k FROM copy").collect())


def rows(spark: SparkSession) -> list[tuple[object, ...]]:
    """Returns the rows of the table `copy`, in order."""
    return sorted(tuple(row) for row in spark.sql("SELECT * FROM copy").collect())


def merging_table(spark: SparkSession) -> str:
    """Creates a table of a catalog whose tables can MERGE, and returns its name."""
    table = f"lake.merging{next(_NAMES)}.totals"
    spark.sql(f"CREATE TABLE {table} (k INT, v BIGINT, note STRING)")
    return table


def rows_of(spark: SparkSession, table: str) -> list[tuple[Any, ...]]:
    """Returns the rows of a table, sorted by their texts."""
    return sorted(map(tuple, spark.table(table).collect()), key=str)


def executions(spark: SparkSession, run: str) -> list[Any]:
    """Returns the SQL executions of one run of a query, as Spark keeps them for the UI."""
    every = spark._jsparkSession.sharedState().statusStore().executionsList()
    found = [every.apply(i) for i in range(every.size())]
    # an execution has no description before its start has been recorded
    return [each for each in found if run in (each.description() or "")]


def batch_begins(spark: SparkSession) -> None:
    """Waits until a micro-batch of the only query has begun to write into `copy`, which is empty.

    A running job does not show this: it may be a broadcast, before the write.
    """
    folder = folder_of(spark, "copy")
    eventually(lambda: any(folder.iterdir()) or status(spark) == "FAILED")


@contextmanager
def held_batch(spark: SparkSession) -> Iterator[None]:
    """Holds the first micro-batch of the only query, which reads `events`."""
    faults = file_faults(spark)
    faults.hold(str(folder_of(spark, "events")))
    try:
        arrive(spark, 1)
        faults.awaitReader()
        yield
    finally:
        faults.mend()


def is_stopping(spark: SparkSession) -> bool:
    """Whether a query has been told to stop, and waits for the end of its micro-batch."""
    assert spark._jvm is not None
    servers = spark._jvm.org.apache.spark.eddyline.QueryServers
    return bool(servers.isStopping(spark._jsparkSession))


def finish(spark: SparkSession, statement: str, name: str = "q") -> None:
    """Runs a statement that starts a query with AVAILABLE NOW, and waits for its end."""
    spark.sql(statement)
    assert one(spark, f"AWAIT STREAMING QUERY {name}").status == "FINISHED"


def refused(spark: SparkSession, sql: str) -> str:
    """Returns the condition of the error that a statement gives."""
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    return str(caught.value.getCondition())


def status(spark: SparkSession) -> str:
    """Returns the status of the only query."""
    (info,) = streaming_queries(spark)
    return info.status


class Servers:
    """Servers over one location, of which the last one gets the statements.

    Attributes:
        location: the folder of the definitions.
    """

    def __init__(self, spark: SparkSession, location: Path) -> None:
        assert spark._jvm is not None
        self.spark = spark
        self.location = location
        self._servers = spark._jvm.org.apache.spark.eddyline.QueryServers

    def begin(self, admins: str = "", **settings: str) -> None:
        """Begins a server with these settings, which starts what was running.

        Its lease is longer than any pause of the machine, where the test is not about its end.
        """
        common = {"location": str(self.location), "autoStart": "true", "leaseDuration": "1h"}
        given = {**common, **settings}
        conf = {f"spark.eddyline.streamingQuery.{key}": value for key, value in given.items()}
        conf["spark.eddyline.admin.users"] = admins
        self._servers.begin(self.spark._jsparkSession, conf)

    def leave(self) -> None:
        """Leaves the server alone, so that the next one is beside it."""
        self._servers.leave(self.spark._jsparkSession)

    def end(self) -> None:
        """Ends the server by SIGTERM."""
        self._servers.end(self.spark._jsparkSession)

    def kill(self) -> None:
        """Ends the server by kill -9."""
        self._servers.kill(self.spark._jsparkSession)

    def reset(self) -> None:
        self._servers.reset(self.spark._jsparkSession)

    def stored(self, name: str = "q") -> dict[str, Any]:
        """Returns the stored definition of a query.

        While it is replaced, the new one has another name for a moment.
        """
        texts: list[str] = []

        def read() -> bool:
            with suppress(FileNotFoundError):
                texts.append((self.location / f"{name}.json").read_text())
            return bool(texts)

        eventually(read)
        found: dict[str, Any] = json.loads(texts[0])
        return found

    def store(self, definition: dict[str, Any], name: str = "q") -> None:
        """Writes the definition of a query, as an application would that has just ended."""
        (self.location / f"{name}.json").write_text(json.dumps(definition))
