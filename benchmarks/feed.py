"""A stream of row numbers that gets rows when it is asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Feed:
    """A source in memory.

    Attributes:
        frame: the stream of its rows, each of which has its number in `value`.
    """

    def __init__(self, spark: SparkSession) -> None:
        """Makes a source without rows."""
        from pyspark.sql.classic.dataframe import DataFrame as Classic  # noqa: PLC0415

        jvm = spark._jvm
        memory = jvm.org.apache.spark.sql.execution.streaming.runtime.MemoryStream
        self._range = getattr(getattr(jvm.scala.collection.immutable, "Range$"), "MODULE$")
        self._source = memory.apply(jvm.org.apache.spark.sql.Encoders.INT(), spark._jsparkSession)
        self._next = 0
        self.frame: DataFrame = Classic(self._source.toDF(), spark)

    def add(self, rows: int) -> None:
        """Adds the next rows, which are a micro-batch."""
        self._source.addData(self._range.apply(self._next, self._next + rows))
        self._next += rows
