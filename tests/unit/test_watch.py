"""The output of `eddyline watch`."""

from __future__ import annotations

from datetime import datetime

import pytest
from pyspark.sql import Row
from rich.console import Console

from eddyline.cli.watch import picture
from eddyline.streamingquery import StreamingQueryInfo

INFO = StreamingQueryInfo(
    name="tops",
    status="FAILED",
    target="db.tops",
    trigger="EVERY 10000 milliseconds",
    batch=7,
    batch_ms=500,
    input_rows_per_second=10.0,
    dropped=4,
    state_rows=1200,
    state_bytes=2048,
    watermark=None,
    started=None,
    user="me",
    comment=None,
    last_error="the [disk] is full",
)
BATCH = Row(
    batch=7,
    batch_ms=500,
    input_rows=1000,
    emitted=None,
    dropped=4,
    state_rows=1200,
    state_bytes=2048,
    watermark=datetime(2026, 1, 2, 3, 4, 5),
)


@pytest.mark.parametrize("batches", [[], [BATCH]])
def test_picture(batches: list[Row]) -> None:
    console = Console(width=120, record=True)
    console.print(picture(INFO, batches))
    text = console.export_text()
    for part in ("tops", "FAILED", "into db.tops", "every 10000", "the [disk] is full"):
        assert part in text
    for part in ("2,000", "1,200", "2.0 KiB", "2026-01-02 03:04:05"):
        assert (part in text) == bool(batches)
