"""The rows of a streaming query as they come, for a terminal or a notebook."""

from __future__ import annotations

import queue
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from eddyline.errors import EddylineError
from eddyline.jvm import active, delete_folder, is_classic
from eddyline.rowtext import Grid, numeric_columns, text_columns

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import DataFrame, Row, SparkSession

_POLL = 0.1  # seconds after which a new micro-batch is looked for again
_ROOT = "spark.sql.streaming.checkpointLocation"

Select = Callable[["DataFrame"], "DataFrame"]


def follow(
    query: DataFrame | str,
    limit: int | None = None,
    *,
    available_now: bool = False,
    spark: SparkSession | None = None,
) -> FollowedQuery:
    """Runs a query over streams and returns its rows as they come, micro-batch by micro-batch.

    `for row in eddyline.follow(query, limit=10)` takes the first ten rows. The query starts with
    the first row that is asked for, has a checkpoint of its own, and stops at the limit, when it
    has ended or is interrupted, by `close()`, at the end of a `with` block, and when the loop is
    left, if nothing else holds what `follow` has returned. EMIT sets its output mode and pace; an
    aggregation without EMIT reports every key that was touched, as EMIT ON UPDATE.

    In a classic session the query waits until the rows of a micro-batch are taken. Over Spark
    Connect the server keeps all rows in its memory until the query stops, and leaves the checkpoint
    if `spark.sql.streaming.checkpointLocation` is set.

    Args:
        query: a streaming DataFrame, of a classic session or of Spark Connect, or the text of a
            query.
        limit: how many rows to return; None for all.
        available_now: whether to stop after the rows that are there when the query starts.
        spark: the session that runs a text; None for the active one.

    Returns:
        An iterator of rows, whose method `show` prints them instead.

    Raises:
        EddylineError: EDDYLINE_FOLLOW.NOT_STREAMING if the query reads no stream.
        PySparkException: while rows are taken, if the query fails.
    """
    if isinstance(query, str):
        query = active(spark).sql(query)
    if not query.isStreaming:
        raise EddylineError("EDDYLINE_FOLLOW.NOT_STREAMING")
    return FollowedQuery(query, limit, available_now)


class FollowedQuery(Iterator["Row"]):
    """The rows of a streaming query as they come; see `follow`.

    An iterator of rows, and a context manager that stops the query at its end. `close()` stops it
    at any time. `show()` prints the rows of each micro-batch in the form of `DataFrame.show`, until
    an interrupt. `batches(select)` yields the rows of a micro-batch together; `select` is given the
    micro-batch as a DataFrame and returns what is taken of it.

    Attributes:
        taken: number of rows that were returned or printed.
    """

    taken: int

    def __init__(self, frame: DataFrame, limit: int | None, available_now: bool) -> None:
        self.taken = 0
        self._frame = frame
        self._left = limit
        self._available_now = available_now
        self._source: _MicroBatchSource | None = None
        self._waiting: deque[Row] = deque()

    def __next__(self) -> Row:
        while not self._waiting:
            rows = self._next_batch(_all_columns)
            if rows is None:
                raise StopIteration
            self._waiting.extend(rows)
        self.taken += 1
        return self._waiting.popleft()

    def batches(self, select: Select) -> Iterator[list[Row]]:
        """Yields the rows of each micro-batch that has some, up to the limit.

        Args:
            select: what to take of a micro-batch, such as some columns of it.
        """
        while (rows := self._next_batch(select)) is not None:
            self.taken += len(rows)
            if rows:
                yield rows

    def show(self) -> None:
        """Prints the rows as they come, in the form of `DataFrame.show`, until an interrupt."""
        grid = Grid(self._frame.columns, numeric_columns(self._frame.schema))
        try:
            for rows in self.batches(text_columns):
                print("\n".join(grid.lines(rows)), flush=True)
        except KeyboardInterrupt:
            self.close()
        print(counted(self.taken))

    def close(self) -> None:
        """Stops the query, if it runs."""
        self._waiting.clear()
        self._stop()

    def __enter__(self) -> FollowedQuery:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):  # the session may have ended before
            self.close()

    def _next_batch(self, select: Select) -> list[Row] | None:
        """Returns the rows of the next micro-batch up to the limit, or None after the last."""
        if self._left == 0:
            return None
        try:
            if self._source is None:
                is_local = is_classic(self._frame.sparkSession)
                source = _ForeachBatchSource if is_local else _MemoryTableSource
                self._source = source(self._frame, select, self._available_now)
            rows = self._source.take()
        except BaseException:
            self._stop()
            raise
        if rows is not None and self._left is not None:
            rows = rows[: self._left]
            self._left -= len(rows)
        if rows is None or self._left == 0:
            self._stop()
        return rows

    def _stop(self) -> None:
        self._left = 0
        if self._source is not None:
            source, self._source = self._source, None
            source.stop()


def counted(rows: int) -> str:
    """Returns how many rows there were, in words.

    >>> counted(1), counted(2)
    ('1 row', '2 rows')
    """
    return f"{rows} row{'s' * (rows != 1)}"


def _all_columns(frame: DataFrame) -> DataFrame:
    return frame


class _MicroBatchSource(Protocol):
    """A running query whose micro-batches are taken one after another."""

    def __init__(self, frame: DataFrame, select: Select, available_now: bool) -> None: ...

    def take(self) -> list[Row] | None:
        """Waits for the next micro-batch; None if the query has ended."""

    def stop(self) -> None: ...


class _BatchQueue:
    """The function of foreachBatch, which puts the rows of a micro-batch into a queue of one.

    It does not know the query: each of the two would keep the other alive.
    """

    def __init__(self, select: Select) -> None:
        self._select = select
        self.results: queue.Queue[list[Row] | Exception] = queue.Queue(maxsize=1)
        self.stopped = False

    def __call__(self, batch: DataFrame, _: int) -> None:
        try:
            self._put(self._select(batch).collect())
        except Exception as error:  # the query would wrap it into another one
            self._put(error)
            raise

    def _put(self, result: list[Row] | Exception) -> None:
        while not self.stopped:
            with suppress(queue.Full):
                return self.results.put(result, timeout=_POLL)


class _ForeachBatchSource:
    """The source in a classic session, where the query waits until a micro-batch is taken."""

    def __init__(self, frame: DataFrame, select: Select, available_now: bool) -> None:
        self._spark = frame.sparkSession
        self._queue = _BatchQueue(select)
        writer = frame.writeStream.foreachBatch(self._queue)
        root = self._spark.conf.get(_ROOT, None)
        self._checkpoint = f"{root}/eddyline-follow-{uuid.uuid4()}" if root else None
        if self._checkpoint:
            writer = writer.option("checkpointLocation", self._checkpoint)
        self._query = _start(writer, available_now)

    def take(self) -> list[Row] | None:
        ended = False
        while True:
            try:
                result = self._queue.results.get(timeout=0 if ended else _POLL)
            except queue.Empty:
                if ended:
                    _raise_failure(self._query)
                    return None
                ended = not self._query.isActive
            else:
                if isinstance(result, Exception):
                    raise result
                return result

    def stop(self) -> None:
        self._queue.stopped = True
        self._query.stop()
        if self._checkpoint:
            delete_folder(self._spark, self._checkpoint)


class _MemoryTableSource:
    """The source over Spark Connect, whose foreachBatch runs on the server: a memory table."""

    def __init__(self, frame: DataFrame, select: Select, available_now: bool) -> None:
        self._spark = frame.sparkSession
        self._select = select
        self._name = f"eddyline_follow_{uuid.uuid4().hex}"
        self._seen = 0
        self._batch = -1
        self._query = _start(
            frame.writeStream.format("memory").queryName(self._name), available_now
        )

    def take(self) -> list[Row] | None:
        while True:
            ended = not self._query.isActive
            if ((last := self._query.lastProgress) and last["batchId"] != self._batch) or ended:
                self._batch = last["batchId"] if last else -1
                rows = self._select(self._spark.table(self._name).offset(self._seen)).collect()
                self._seen += len(rows)
                if rows:
                    return rows
            if ended:
                _raise_failure(self._query)
                return None
            time.sleep(_POLL)

    def stop(self) -> None:
        self._query.stop()
        self._spark.catalog.dropTempView(self._name)


def _start(writer: Any, available_now: bool) -> Any:
    """Starts a query in Update mode, or else in Append, as EMIT ON WINDOW CLOSE and joins need."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415

    if available_now:
        writer = writer.trigger(availableNow=True)
    try:
        return writer.outputMode("update").start()
    except AnalysisException as error:
        if "output mode" not in str(error):
            raise
        return writer.outputMode("append").start()


def _raise_failure(query: Any) -> None:
    if (error := query.exception()) is not None:
        raise error
