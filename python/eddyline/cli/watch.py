"""`eddyline watch`: a streaming query of a Spark Connect server, live in the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from eddyline.errors import EddylineError
from eddyline.streamingquery import StreamingQueryInfo, streaming_queries

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
    if once:
        console.print(_look(spark, name)[1])
        return
    with Live(console=console, auto_refresh=False) as live:
        while True:
            info, picture = _look(spark, name)
            live.update(picture, refresh=True)
            if info.status != "RUNNING":
                return
            time.sleep(every)


def _look(spark: SparkSession, name: str) -> tuple[StreamingQueryInfo, Group]:
    known = {info.name.lower(): info for info in streaming_queries(spark)}
    if name.lower() not in known:
        raise EddylineError("EDDYLINE_STREAMING_QUERY.NOT_FOUND", name=name)
    quoted = name.replace("`", "``")
    batches = spark.sql(f"SHOW STREAMING QUERY PROGRESS `{quoted}`").collect()
    info = known[name.lower()]
    return info, picture(info, batches[-_BATCHES:])


def picture(info: StreamingQueryInfo, batches: list[Row]) -> Group:
    """Returns what is drawn: a line for the query, its last micro-batches, its last error."""
    head = Text.assemble(
        (info.name, "bold"),
        "  ",
        (info.status, _COLORS.get(info.status, "yellow")),
        f"  into {info.target}, {(info.trigger or 'as soon as it can').lower()}",
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
            _bytes(batch.state_bytes),
            "" if batch.watermark is None else f"{batch.watermark:%Y-%m-%d %H:%M:%S}",
        )
    error = Text(info.last_error or "", style="red")
    return Group(head, table, error) if info.last_error else Group(head, table)


def _bytes(count: int) -> str:
    """Returns a size with its unit, for people to read.

    >>> [_bytes(n) for n in (0, 1536, 5_000_000)]
    ['0 B', '1.5 KiB', '4.8 MiB']
    """
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.1f} {unit}" if unit != "B" else f"{count} B"
