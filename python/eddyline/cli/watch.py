"""`eddyline watch`: a streaming query of a Spark Connect server, live in the terminal."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from eddyline.errors import EddylineError
from eddyline.rowtext import size_text
from eddyline.streamingquery import StreamingQueryInfo, shown_progress, streaming_queries

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

_BATCHES = 8
_COLORS = {"RUNNING": "green", "FAILED": "red"}


def watch(spark: SparkSession, name: str, console: Console, *, every: float, once: bool) -> None:
    """Shows a query until it ends.

    Args:
        spark: a session on the server where the query runs.
        name: name of the query.
        console: the console to draw on.
        every: seconds between two updates.
        once: whether to draw once and return.

    Raises:
        EddylineError: EDDYLINE_STREAMING_QUERY.NOT_FOUND if there is no query of this name.
    """
    watched = _Watched(spark, name)
    if once:
        console.print(watched.picture())
        return
    with Live(watched.picture(), console=console, auto_refresh=False) as live:
        while watched.info.status == "RUNNING":
            time.sleep(every)
            watched.update()
            live.update(watched.picture(), refresh=True)


class _Watched:
    """What is known of a query; each update runs one statement, which the Spark UI keeps."""

    def __init__(self, spark: SparkSession, name: str) -> None:
        self._spark = spark
        self._name = name
        self.info = self._find()
        self._batches = self._progress()
        self._is_idle = False

    def update(self) -> None:
        """Asks for the micro-batches or, if the last update saw no new one, for the status."""
        if not self._is_idle:
            before, self._batches = self._batches, self._progress()
            self._is_idle = self._batches == before
            return
        self.info = self._find()
        self._is_idle = False
        if self.info.status != "RUNNING":
            self._batches = self._progress()

    def picture(self) -> Group:
        return picture(self.info, self._batches[-_BATCHES:])

    def _find(self) -> StreamingQueryInfo:
        for info in streaming_queries(self._spark):
            if info.name.lower() == self._name.lower():
                return info
        raise EddylineError("EDDYLINE_STREAMING_QUERY.NOT_FOUND", name=self._name)

    def _progress(self) -> list[Row]:
        return shown_progress(self._spark, self._name).collect()


def picture(info: StreamingQueryInfo, batches: list[Row]) -> Group:
    """Returns what is drawn: a line for the query, its last micro-batches, its last error."""
    head = Text.assemble(
        (info.name, "bold"),
        "  ",
        (info.status, _COLORS.get(info.status, "yellow")),
        f"  into {info.target}, {_pace(info.trigger)}",
    )
    table = Table(
        "batch", "rows/s", "rows", "ms", "emitted", "dropped", "state rows", "state", "watermark"
    )
    for batch in batches:
        seconds = batch.batch_ms / 1000 or 1
        table.add_row(
            str(batch.batch),
            f"{batch.input_rows / seconds:,.0f}",
            f"{batch.input_rows:,}",
            f"{batch.batch_ms:,}",
            "" if batch.emitted is None else f"{batch.emitted:,}",
            f"{batch.dropped:,}",
            f"{batch.state_rows:,}",
            size_text(batch.state_bytes),
            "" if batch.watermark is None else f"{batch.watermark:%Y-%m-%d %H:%M:%S}",
        )
    error = Text(info.last_error or "", style="red")
    return Group(head, table, error) if info.last_error else Group(head, table)


def _pace(trigger: str | None) -> str:
    """Returns the trigger in the largest unit in which its interval is a whole number.

    >>> for trigger in ("EVERY 90000 milliseconds", "REAL TIME 60000 milliseconds", None):
    ...     print(_pace(trigger))
    every 90 seconds
    real time, micro-batches of 1 minute
    as soon as it can
    """
    timed = re.fullmatch(r"(EVERY|REAL TIME) (\d+) milliseconds", trigger or "")
    if timed is None:
        return (trigger or "as soon as it can").lower()
    count, unit = int(timed[2]), "millisecond"
    for size, larger in ((1000, "second"), (60, "minute"), (60, "hour"), (24, "day")):
        if count % size:
            break
        count, unit = count // size, larger
    words = "every" if timed[1] == "EVERY" else "real time, micro-batches of"
    return f"{words} {count} {unit}{'s' * (count != 1)}"
